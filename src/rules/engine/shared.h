// SPDX-License-Identifier: MIT
/*
 * Checks that several protocols share, and the words of their messages. `key` is a key of the
 * declared dictionary. Each reports what is wrong and says nothing where all is well, or where
 * another rule has it to say.
 */
#ifndef RULES_ENGINE_SHARED_H
#define RULES_ENGINE_SHARED_H

#include "rules/engine/rule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value in a message: "None", "4.0 (float)", "'f4'", "a list of 3", "<capsule 'x'>". */
const char *shared_show(struct arena *arena, const struct value *value);

/* --- access and container (shared.c) --- */

/* Reading it (doing: "reading __array_interface__") raised; with refusals BufferError counts as
 * well. */
void shared_check_access(
	const struct subject *subject, struct report *report, const char *doing, bool refusals);

void shared_check_dictionary(const struct subject *subject, struct report *report);

/* Keys outside known; ends with NULL. */
void shared_check_keys(
	const struct subject *subject, struct report *report, const char *const *known);

void shared_check_present(const struct subject *subject, struct report *report, const char *key);

/* A tuple; of n_items where that is not negative. */
void shared_check_tuple(
	const struct subject *subject, struct report *report, const char *key, int n_items);

/* An integer, of Python or by __index__, never a bool. */
void shared_check_integer(
	struct report *report, struct arena *arena, const struct value *value, const char *field);

/* `version` is such an integer, and not negative. */
void shared_check_version(const struct subject *subject, struct report *report);

/* Each item of the sequence at key is such an integer. */
void shared_check_integers(const struct subject *subject, struct report *report, const char *key);

/* An address: an integer from 0 to 2^64-1. */
void shared_check_pointer(const struct subject *subject, struct report *report, const char *field);

/* Python's own True or False. */
void shared_check_bool(const struct subject *subject, struct report *report, const char *field);

/* data[0] is an int and not another object with __index__; of these NumPy's may be allowed. */
void shared_check_builtin_address(
	const struct subject *subject, struct report *report, bool allows_numpy);

/* NumPy's integers where Python's own belong, in fields (ends with NULL) and their items. */
void shared_check_builtin_integers(
	const struct subject *subject, struct report *report, const char *const *fields);

/* --- element type (shared_typestr.c): NumPy arrays.interface v3, typestr --- */

struct typestr {
	char order, kind;
	int64_t size; /* the number: bytes, but characters for U and bits for t */
};

/* False where the text is no typestr; *wrong says why. */
bool shared_read_typestr(const struct value *text, struct typestr *typestr, const char **wrong);

/* The typestr of the dictionary, where shared_check_typestr found nothing. */
struct typestr shared_typestr(const struct subject *subject);

/* The declared typestr in a message: "'<f4'". */
const char *shared_show_typestr(const struct subject *subject);

void shared_check_typestr(const struct subject *subject, struct report *report);

/* The typestr of the dictionary as a type; false where it is none. */
bool shared_read_dtype(const struct subject *subject, struct dtype *dtype);

/* A typestr, and of a size that NumPy has for its kind; the sizes of spared_kinds are not judged.
 */
void shared_check_numpy_type(
	const struct subject *subject, struct report *report, const char *spared_kinds);

/* descr, where given, is a list of fields that take as many bytes as an element of typestr. */
void shared_check_descr(const struct subject *subject, struct report *report);

/* The kinds that a protocol has, and the sizes in bytes that each may have. */
struct typestr_kind {
	char kind;
	const char *sizes; /* "1 2 4 8" */
};

/* kinds ends with kind 0. */
void shared_check_kind(
	const struct subject *subject, struct report *report, const struct typestr_kind *kinds);
void shared_check_kind_size(
	const struct subject *subject, struct report *report, const struct typestr_kind *kinds);

/* Order of more than one byte is this machine's. */
void shared_check_native_order(const struct subject *subject, struct report *report);
/* '|' for one byte only, '=' never; nor a name that numpy.dtype reads, such as 'f8'. */
void shared_check_order_letter(const struct subject *subject, struct report *report);

/* --- layout (shared_layout.c) --- */

/* The described array; NULL, with the rule skipped, where there is none. */
const struct array *shared_array(const struct subject *subject, struct report *report);

void shared_check_extents(const struct subject *subject, struct report *report);
void shared_check_stride_count(const struct subject *subject, struct report *report);

/* The size in bytes and the reach of strides and offset, which count unit_bytes, fit in int64_t,
 * and the first element has an address. A 0 extent ends a product. False where one does not. */
bool shared_check_size(const struct subject *subject, struct report *report, int64_t itemsize,
	int64_t unit_bytes, bool has_offset);

/* Whether no index leads out of the address space; true where there is none, or no address. */
bool shared_is_in_address_space(const struct array *array);

/* Whether it leaves the address space because of its address: no such array fits there. */
bool shared_is_misplaced(const struct array *array);

/* No index leads below address 0, past 2^64, or as far from another as no address space is large.
 * pointer is the field of the address. Arrays without elements or address pass, and such whose
 * address is the handle of a buffer. */
void shared_check_address_space(
	const struct subject *subject, struct report *report, const char *pointer);

/* The rest passes arrays without elements. Strides are given although they are the compact ones. */
void shared_check_redundant_strides(const struct subject *subject, struct report *report);

/* Two indices reach one byte of an array that may be written. */
void shared_check_overlap(const struct subject *subject, struct report *report);

/* A contiguous array has the strides of a compact one in dimensions of extent 1 as well. */
void shared_check_unit_strides(const struct subject *subject, struct report *report);

/* Whether shape, declared in whatever way, has no extent of 0; false where there is none. */
bool shared_declares_elements(const struct value *shape);

/* The address at field is null although there are elements; is_null: "0", "NULL". What the rest of
 * the layout is does not matter. */
void shared_fail_null(const struct subject *subject, struct report *report, const char *field,
	const char *is_null);

/* The pointer at field is not 0. */
void shared_check_null(const struct subject *subject, struct report *report, const char *field);

/* The first element, which field says the place of, is aligned to its size, a complex one to that
 * of its real part where splits_complex is set. */
void shared_check_alignment(const struct subject *subject, struct report *report, const char *field,
	bool splits_complex);

/* The same of a type and an address. */
void shared_check_aligned(struct report *report, const char *field, const struct dtype *dtype,
	uint64_t address, bool splits_complex);

/* --- memory (shared_memory.c): arrays with elements, at an address; FACT_MEMORY --- */

/* Every byte that an index reaches lies in the allocation, or in the adjacent mappings, where the
 * first of them lies. The failure's field is `shape`, `strides`, or `byte_offset`, which moved the
 * pointer by offset_bytes. */
void shared_check_extent(
	const struct subject *subject, struct report *report, int64_t offset_bytes);

/* Something is mapped at the first byte, and all may be read (else pointer_field fails), and
 * written where the array is not read-only (flag_field). Passes what shared_check_extent fails. */
void shared_check_permission(const struct subject *subject, struct report *report,
	const char *pointer_field, const char *flag_field);

/* Whether one of the two above has something to report of what indices reach or of reading it. */
bool shared_leaves_memory(const struct subject *subject);

/* The host can reach it; skips where only a driver that was not asked could tell. */
void shared_check_host_memory(
	const struct subject *subject, struct report *report, const char *field);

/* shape has no more dimensions than consumers accept. */
void shared_check_dimension_count(const struct subject *subject, struct report *report);

/* --- the object's other interfaces (shared.c) --- */

/* Whether reading the interface succeeded. */
bool shared_was_read(const struct value *interface);

/* The facts of the object's interface of that protocol; NULL where it has none that was read. */
const struct value *shared_interface_of(const struct subject *subject, const char *protocol);

/* That interface, described. NULL where there is none; where it cannot be described, NULL with the
 * rule skipped. */
const struct array *shared_array_of(
	const struct subject *subject, struct report *report, const char *protocol);

#endif
