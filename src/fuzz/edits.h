// SPDX-License-Identifier: MIT
/* Edits of a document that the bytes of an input choose, for fuzzers of readers of documents, and
 * files that exist only in memory. */
#ifndef FUZZ_EDITS_H
#define FUZZ_EDITS_H

#include "model/value.h"

#include <stdint.h>

/* An input, from which bytes are taken. */
struct fuzz_input {
	const uint8_t *bytes;
	size_t n_bytes;
};

/* The next byte; 0 at the end. */
uint8_t fuzz_choose(struct fuzz_input *input);

/* Edits a value as the rest of an input chooses. */
void fuzz_edit(struct arena *arena, struct fuzz_input *input, struct value *document);

/* The path of a memory file of this process with these bytes, which the next call replaces. */
const char *fuzz_file(const void *bytes, size_t n_bytes);

/*
 * fuzz_file() of the YAML document that an input contains after the bytes that choose edits, whose
 * number is its first byte; what is not YAML is not edited. Each edit replaces, removes or repeats
 * a value, or adds a key. New values are numbers at limits, other kinds, or copies of other values
 * of the document.
 */
const char *fuzz_edited_file(const uint8_t *bytes, size_t n_bytes);

#endif
