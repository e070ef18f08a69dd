// SPDX-License-Identifier: MIT
/*
 * What the protocols' describe functions share. Every reader returns 0, or -1 with a message that
 * begins with the field (EXIT_FINDINGS).
 */
#ifndef PROTOCOLS_SHARED_H
#define PROTOCOLS_SHARED_H

#include "base/error.h"
#include "facts/facts.h"
#include "model/array.h"
#include "model/value.h"

/* Sets "FIELD is missing" or "FIELD must be EXPECTED, not TYPE". Returns -1. */
int protocol_refuse(
	const struct value *value, const char *field, const char *wanted, struct err *err);

/* Sets "FIELD is VALUE, expected EXPECTED". Returns -1. */
int protocol_refuse_integer(
	const struct value *integer, const char *field, const char *expected, struct err *err);

/* Initializes array: no pointer, flag or device is known. */
void protocol_start(struct array *array);

/* Checks that no extent is negative; field is for messages. */
int protocol_check_extents(const struct array *array, const char *field, struct err *err);

/* Reads `shape`: a tuple of at most ARRAY_MAX_DIMS ints, none negative. */
int protocol_read_shape(const struct value *declared, struct array *array, struct err *err);

/* The kinds of NumPy's typestr (arrays.interface v3). */
#define PROTOCOL_NUMPY_KINDS "tbiufcmMOSUV"

/* Reads `typestr`, one of kinds. */
int protocol_read_typestr(
	const struct value *declared, const char *kinds, struct dtype *dtype, struct err *err);

/* The flag of a PyArrayInterface that has a descr. */
enum { PROTOCOL_STRUCT_HAS_DESCR = 0x800 };

/* The element type of a PyArrayInterface: its typekind, itemsize and flags. */
int protocol_read_struct_type(const struct value *declared, struct dtype *dtype, struct err *err);

/* Whether the flags of a PyArrayInterface with descr are all clear, so that they mean nothing. */
bool protocol_lost_struct_flags(const struct value *declared);

/* Whether a Py_buffer's elements are contiguous in C ('C') or Fortran order ('F'), ignoring extents
 * of 0 and 1; unknown if shape or strides cannot be read. An element takes itemsize bytes, or
 * format's size if these differ. */
enum answer protocol_buffer_is_contiguous(const struct value *declared, char order);

/* Reads a tuple or list of at most max_items integers into out. */
int protocol_read_integers(const struct value *sequence, const char *field, int64_t *out,
	int max_items, int *n_items, struct err *err);

/* Reads a sequence of exactly n_items integers. */
int protocol_read_counted(const struct value *sequence, const char *field, int64_t n_items,
	int64_t *out, struct err *err);

/* Checks that the size of all elements in bytes fits in int64_t. Requires shape and type. */
int protocol_check_size(const struct array *array, struct err *err);

/* The same as NumPy checks it: extents of 0 do not count, and it rejects (2**62, 0). */
int protocol_check_numpy_size(const struct array *array, struct err *err);

/*
 * Sets the strides from given, in units of unit_bytes: null (compact C order), or a sequence with
 * an int for each dimension. The offset of every index, from start_bytes, must fit in int64_t.
 * Requires protocol_check_size.
 */
int protocol_set_strides(struct array *array, const struct value *given, const char *field,
	int64_t unit_bytes, int64_t start_bytes, struct err *err);

/* Reads the key `strides` as protocol_set_strides does: absent, None or a tuple. */
int protocol_read_strides(const struct value *declared, int64_t unit_bytes, int64_t start_bytes,
	struct array *array, struct err *err);

/* Reads data[0], an address, from the tuple `data` of two. */
int protocol_read_pointer(const struct value *declared, struct array *array, struct err *err);

/* Reads data[1], True if the array is read-only. */
int protocol_read_readonly(const struct value *declared, struct array *array, struct err *err);

/* Moves the pointer by an offset in bytes, whose name is field. */
int protocol_move_pointer(
	struct array *array, int64_t offset_bytes, const char *field, struct err *err);

/* Checks that `descr`, if present, is a list of fields that take as many bytes as an element; if
 * the size is unknown (NULL), only checks that the fields have a size. A field of the element's own
 * type, which cannot be read, is not a second defect. */
int protocol_check_descr(const struct value *declared, const struct dtype *dtype, struct err *err);

/* Checks that `mask`, if present, exposes attribute; an object that was not read passes. */
int protocol_check_mask(const struct value *declared, const char *attribute, struct err *err);

/* Checks that what the attribute of `mask` returned, if it was read, is a dictionary. */
int protocol_check_mask_interface(
	const struct value *declared, const char *attribute, struct err *err);

/* Checks that the shape of `mask`, if known, broadcasts to `shape`. */
int protocol_check_mask_shape(const struct value *declared, struct err *err);

/* Checks that `version` is present and a non-negative int. */
int protocol_check_version(const struct value *declared, struct err *err);

/* The sign of an int of any width. */
bool protocol_is_negative(const struct value *integer);

/* The `version` of a dictionary, null if it is not an int. */
struct value *protocol_dictionary_version(
	struct arena *arena, const struct fact_interface *interface);

/* --- for protocol->repair and protocol->untype --- */

/* Copies the item of declared, a list as a tuple, if there is one. */
void protocol_keep_item(
	struct arena *arena, struct value *repaired, const struct value *declared, const char *key);

/* If there are more than ARRAY_MAX_DIMS dimensions, removes those of extent 1; an extent of 0
 * replaces the whole shape. The counts of elements and bytes and the extent in memory stay the
 * same. n_dims is the key of their number, or NULL. */
void protocol_drop_unit_dims(struct arena *arena, struct value *repaired, const char *n_dims);

/* The keys of the layout, corrected, and version: a list is a tuple, an address that cannot be read
 * is 0, such a flag is read-only. */
struct value *protocol_repair_dictionary(
	struct arena *arena, const struct value *declared, int64_t version);

/* The bytes of an element that a typestr NumPy does not know reports: the number after its kind; -1
 * if there is none. */
int64_t protocol_typestr_bytes(const struct value *typestr);

/* protocol->untype of a dictionary with NumPy's typestr. */
bool protocol_untype_dictionary(struct arena *arena, struct value *declared, bool *has_size);

#endif
