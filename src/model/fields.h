// SPDX-License-Identifier: MIT
/*
 * The fields of a structured element in two vocabularies: NumPy's descr, a list of
 * (name, typestr or descr[, shape]) with ('', '|Vn') for padding, and PEP 3118's "T{...}".
 */
#ifndef MODEL_FIELDS_H
#define MODEL_FIELDS_H

#include "base/error.h"
#include "base/text.h"
#include "model/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether descr, as __array_interface__ returns it, has fields, which a typestr cannot express. */
bool fields_are_structured(const struct value *descr);

/*
 * Gives the descr of a format of item_bytes in all. NULL with err set (EXIT_TARGET) if NumPy cannot
 * express a field, or the format has another size: padding is missing.
 */
struct value *fields_from_pep3118(
	struct arena *arena, const char *format, int64_t item_bytes, struct err *err);

/* Appends "T{...}" for a descr. EXIT_TARGET if PEP 3118 cannot express a field. */
int fields_to_pep3118(struct text *out, const struct value *descr, struct err *err);

/* A field of a descr. Borrows from it. */
struct descr_field {
	const struct value *name;  /* text; empty: padding */
	const struct value *type;  /* a typestr or a descr */
	const struct value *shape; /* an integer or a sequence; NULL: the field is not an array */
	int64_t item_bytes, n_items;
};

/* Reads an item of a descr; false if it is malformed or too large. */
bool fields_read_item(const struct value *item, struct descr_field *out);

/* The name of an item of a descr, which with a title is a tuple (title, name). NULL: it has none.
 */
const struct value *fields_name_of(const struct value *item);

/* The title of an item of a descr, which is text or any other object; NULL: it is not text. */
const struct value *fields_title_of(const struct value *item);

/* The index of the item without a name or title to which numpy.dtype gives this name, "f" and that
 * index; -1: there is none. */
ptrdiff_t fields_find_default_name(const struct value *descr, const struct value *name);

/* A copy of a descr in which items without a name have one if numpy.dtype would give them that of
 * another, and then reject the descr. */
struct value *fields_name_padding(struct arena *arena, const struct value *descr);

/* Bytes of one element of a descr; -1 if it is malformed or too large. */
int64_t fields_item_bytes(const struct value *descr);

/* Whether the size of each field can be read, except that of fields of the given type, which is
 * written without its byte order ("q4"). NULL: no exception. */
bool fields_are_readable(const struct value *descr, const char *type);

/*
 * Whether elements of a descr, or of a PEP 3118 format, hold pointers to Python objects, at any
 * depth: in another process, or after the objects are freed, these dangle. A type that cannot be
 * read counts if it may name objects. False for NULL.
 */
bool fields_hold_objects(const struct value *descr);
bool fields_pep3118_hold_objects(const char *format);

#endif
