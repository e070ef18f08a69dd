// SPDX-License-Identifier: MIT
/* Entries of `types` in documents (facts/declared_codec.h): their paths and their text. */
#ifndef FACTS_TYPE_ENTRY_H
#define FACTS_TYPE_ENTRY_H

#include "base/text.h"
#include "model/value.h"

#include <stddef.h>

/* The meaning of an entry for a value. */
struct entry_meaning {
	enum value_kind kind; /* VALUE_INT for wide ints too */
	const char
		*type_name; /* points into the entry, not terminated; NULL: the type of the kind */
	size_t n_chars;
};

/* VALUE_INT for a wide int, otherwise the kind. */
enum value_kind entry_narrow_kind(enum value_kind kind);

/* The meaning of an entry, or of none (NULL), for a plain value; does not check whether it fits the
 * value. */
struct entry_meaning entry_read(const struct value *plain, const char *entry, size_t n_chars);

/* The shortest entry for facts, given plain, its plain form. */
const char *entry_make(struct arena *arena, const struct value *plain, const struct value *facts);

/* A path is extended while a value is traversed, and truncated after each item. */
void path_add_key(struct text *path, const char *key);

#endif
