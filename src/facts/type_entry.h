// SPDX-License-Identifier: MIT
/* Entries of `types` in documents (facts/declared_codec.h): their paths and their words. */
#ifndef FACTS_TYPE_ENTRY_H
#define FACTS_TYPE_ENTRY_H

#include "base/text.h"
#include "model/value.h"

#include <stddef.h>

/* What a value is beyond its plain form. */
struct entry_meaning {
	enum value_kind kind;  /* VALUE_INT for wide ints too */
	const char *type_name; /* inside the entry, not terminated; NULL: the kind's own type */
	size_t n_chars;
};

/* VALUE_INT for a wide int, else the kind. */
enum value_kind entry_narrow_kind(enum value_kind kind);

/* What a plain value is without an entry. */
enum value_kind entry_default_kind(const struct value *plain);

/* What an entry says of a plain value; whether it fits the value is not asked. */
struct entry_meaning entry_read(const struct value *plain, const char *entry, size_t n_chars);

/* The shortest entry that says what facts is beyond plain, its plain form. */
const char *entry_make(struct arena *arena, const struct value *plain, const struct value *facts);

/* A path grows while a value is walked, and is cut back to n_bytes after each item. */
void path_add_index(struct text *path, size_t i);
void path_add_key(struct text *path, const char *key);
void path_cut(struct text *path, size_t n_bytes);

#endif
