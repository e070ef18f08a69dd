// SPDX-License-Identifier: MIT
/*
 * Checks that several protocols share. Each reports violations by rule_fail() and nothing if the
 * facts comply or another rule reports the cause. `key` is a key of the declared dictionary,
 * `field` a path in it ("data[0]").
 */
#ifndef RULES_SHARED_SHARED_H
#define RULES_SHARED_SHARED_H

#include "rules/engine/rule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value as messages show it: "None", "4.0 (float)", "'f4'", "a list of length 3", "<capsule
 * 'x'>". */
const char *shared_show(struct arena *arena, const struct value *value);

/* shared_show() of `mask`, whose facts {exposes, declared} represent an object: "<mylib.Mask>". */
const char *shared_show_mask(struct arena *arena, const struct value *mask);

/* --- access and container (shared.c) --- */

/* Fails: "STEP raised TYPE: MESSAGE". */
void shared_fail_raised(const struct subject *subject, struct report *report, const char *step,
	const struct fact_error *error);

/* Fails: reading the attribute of the interface raised. */
void shared_fail_read(const struct subject *subject, struct report *report, const char *doing);

/* Reading did not raise; `doing` describes it ("reading __array_interface__"). Refusals
 * (BufferError) count if `refusals` is set. */
void shared_check_access(
	const struct subject *subject, struct report *report, const char *doing, bool refusals);

/* The value is a dict. */
void shared_check_dictionary(const struct subject *subject, struct report *report);

/* The dictionary has only the keys of its protocol. */
void shared_check_keys(const struct subject *subject, struct report *report);

void shared_check_present(const struct subject *subject, struct report *report, const char *key);

/* typestr is present and a str. */
void shared_check_typestr_text(const struct subject *subject, struct report *report);

/* The value is present and a tuple, of n_items unless that is negative. */
void shared_check_tuple(
	const struct subject *subject, struct report *report, const char *key, int n_items);

/* An int or an object with __index__, not a bool. */
void shared_check_integer(
	struct report *report, struct arena *arena, const struct value *value, const char *field);

/* `version` is such an integer, not negative. */
void shared_check_version(const struct subject *subject, struct report *report);

/* Each item of the sequence at key is such an integer. */
void shared_check_integers(const struct subject *subject, struct report *report, const char *key);
void shared_check_shape_integers(const struct subject *subject, struct report *report);

/* The sequence at key of the declaration of a C struct was read, and has n_items. Returns false
 * after a failure. */
bool shared_check_entries(
	const struct subject *subject, struct report *report, const char *key, int64_t n_items);

/* An address: an integer from 0 to 2^64-1. */
void shared_check_pointer(const struct subject *subject, struct report *report, const char *field);

/* Python's True or False, not another type's. */
void shared_check_bool(const struct subject *subject, struct report *report, const char *field);

/* data[0] is a Python int, not another object with __index__; NumPy integers may be allowed. */
void shared_check_builtin_address(
	const struct subject *subject, struct report *report, bool allows_numpy);

/* The fields (ends with NULL) and their items are Python ints, not NumPy integers or other objects
 * with __index__. */
void shared_check_builtin_integers(
	const struct subject *subject, struct report *report, const char *const *fields);

/* --- element type (shared_typestr.c): NumPy arrays.interface v3, typestr --- */

struct typestr {
	char order, kind;
	int64_t size; /* the number in it: bytes, but characters for U and bits for t */
};

/* False if the text is not a typestr; *wrong is the reason. */
bool shared_read_typestr(const struct value *text, struct typestr *typestr, const char **wrong);

/* The declared typestr. Only valid if shared_check_typestr passes. */
struct typestr shared_typestr(const struct subject *subject);

/* The declared typestr in a message: "'<f4'". */
const char *shared_show_typestr(const struct subject *subject);

/* typestr is valid. */
void shared_check_typestr(const struct subject *subject, struct report *report);

/* The declared typestr as an element type; false if it is not valid. */
bool shared_read_dtype(const struct subject *subject, struct dtype *dtype);

/* typestr is valid, of a size that is valid for its kind in NumPy; any size of exempt_kinds passes.
 */
void shared_check_numpy_type(
	const struct subject *subject, struct report *report, const char *exempt_kinds);

/* descr, if present, is a list of fields of the same total size as typestr. */
void shared_check_descr(const struct subject *subject, struct report *report);

/* A kind of element that a protocol supports, and its sizes in bytes. */
struct typestr_kind {
	char kind;
	const char *sizes; /* "1 2 4 8" */
};

/* The kind of typestr is among kinds (ends with kind 0); its size is among those of its kind. */
void shared_check_kind(
	const struct subject *subject, struct report *report, const struct typestr_kind *kinds);
void shared_check_kind_size(
	const struct subject *subject, struct report *report, const struct typestr_kind *kinds);

/* Elements of several bytes are in this machine's byte order. */
void shared_check_native_order(const struct subject *subject, struct report *report);
/* The byte order character is '<' or '>' for several bytes, '|' for one; typestr is not a name that
 * numpy.dtype accepts, such as 'f8'. */
void shared_check_order_letter(const struct subject *subject, struct report *report);

/* --- layout (shared_layout.c) --- */

/* The decoded array; NULL, with the rule skipped, if the interface cannot be decoded. */
const struct array *shared_array(const struct subject *subject, struct report *report);

/* No extent is negative. */
void shared_check_extents(const struct subject *subject, struct report *report);
/* strides has as many items as shape. */
void shared_check_stride_count(const struct subject *subject, struct report *report);

/* The size in bytes and the range that strides and offset (both in units of unit_bytes) span fit in
 * int64_t, and the address of the first element in 64 bits. False if one does not. */
bool shared_check_size(const struct subject *subject, struct report *report, int64_t itemsize,
	int64_t unit_bytes, bool has_offset);

/* Whether all indices stay within the address space; true without elements or address. */
bool shared_is_in_address_space(const struct array *array);

/* Whether the array exceeds the address space because of its address, not of its size. */
bool shared_exceeds_by_address(const struct array *array);

/* No index is below address 0 or past 2^64, and the distance of no two exceeds an address space.
 * `pointer` is the field of the address. Passes arrays without elements or address, and
 * those whose address is the handle of a buffer. */
void shared_check_address_space(
	const struct subject *subject, struct report *report, const char *pointer);

/* The following checks pass arrays without elements. */

/* strides is None if the array is C-contiguous. */
void shared_check_redundant_strides(const struct subject *subject, struct report *report);

#define SHARED_STRIDE_UNIT_SUMMARY                                                        \
	"strides are in bytes: in dimensions of more than one element, none except 0 is " \
	"smaller in magnitude than a real number, pointer or character of the element; "  \
	"unless read-only, byte strings and structures of several bytes have none of 1 or -1"

/* strides are not smaller than those of any array of this element type, as strides in elements are
 * where bytes are expected. */
void shared_check_stride_unit(const struct subject *subject, struct report *report);

/* No two indices of a writable array reach the same byte. */
void shared_check_overlap(const struct subject *subject, struct report *report);

/* In a contiguous array, dimensions of extent 1 have the strides of a compact array, too. */
void shared_check_unit_strides(const struct subject *subject, struct report *report);

/* Whether the shape, of any sequence type, has no extent of 0. False without a shape. */
bool shared_declares_elements(const struct value *shape);

/* Fails: the address at field is null although there are elements; is_null is its spelling in the
 * message: "0", "NULL". Does not depend on the rest of the layout. */
void shared_fail_null(const struct subject *subject, struct report *report, const char *field,
	const char *is_null);

/* data[0] is not 0 if there are elements. */
void shared_check_null(const struct subject *subject, struct report *report);

/* The first element, whose address is at field, is aligned to its size; with splits_complex, a
 * complex element to the size of its real part. */
void shared_check_alignment(const struct subject *subject, struct report *report, const char *field,
	bool splits_complex);

/* The address is aligned to the size of the type; splits_complex: as above. */
void shared_check_aligned(struct report *report, const char *field, const struct dtype *dtype,
	uint64_t address, bool splits_complex);

/* --- memory (shared_memory.c): FACT_MEMORY; arrays without elements or address pass --- */

/* Every byte that an index reaches is in the allocation, or in the adjacent mappings, of the first
 * byte. The failure's field is the cause: `shape`, `strides`, or `byte_offset`, which
 * moved the pointer by offset_bytes. */
void shared_check_extent(
	const struct subject *subject, struct report *report, int64_t offset_bytes);

/* The first byte is mapped, and all are readable (otherwise pointer_field fails) and, unless the
 * array is read-only, writable (flag_field). Passes what shared_check_extent fails. */
void shared_check_permission(const struct subject *subject, struct report *report,
	const char *pointer_field, const char *flag_field);

/* Whether one of the two above fails, other than for lack of write permission. */
bool shared_leaves_memory(const struct subject *subject);

/* Whether the array is inside the allocation, whose base and size are known. */
bool shared_memory_contains(const struct memory *memory, const struct array *array);

/* The host can access it; skips if that would require querying a driver. */
void shared_check_host_memory(
	const struct subject *subject, struct report *report, const char *field);

/* shape has no more dimensions than consumers accept. */
void shared_check_dimension_count(const struct subject *subject, struct report *report);

/* --- the object's other interfaces (shared.c) --- */

/* The object's interface of that protocol, as a subject; NULL if none was read. */
const struct subject *shared_subject_of(const struct subject *subject, const char *protocol);

/* The facts of the object's interface of that protocol; a null interface (`present` is false) if
 * there is none. */
const struct fact_interface *shared_interface_of(
	const struct subject *subject, const char *protocol);

/* The array of the object's interface of that protocol. NULL if there is none; if it cannot be
 * described, NULL with the rule skipped. */
const struct array *shared_array_of(
	const struct subject *subject, struct report *report, const char *protocol);

#endif
