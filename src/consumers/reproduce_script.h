// SPDX-License-Identifier: MIT
/*
 * A script while it is written, and its parts, one in each file reproduce_*.c. A script has at most
 * REPRODUCE_MAX_LINES lines that are neither imports nor comments, and the text, as all that the
 * parts refer to, is in the arena of the script.
 */
#ifndef CONSUMERS_REPRODUCE_SCRIPT_H
#define CONSUMERS_REPRODUCE_SCRIPT_H

#include "base/arena.h"
#include "base/text.h"
#include "consumers/cases.h"
#include "consumers/reproduce.h"
#include "model/array.h"

enum { REPRODUCE_MAX_COLUMNS = 110, REPRODUCE_MAX_LINES = 10, REPRODUCE_MAX_EDITS = 12 };

/* NumPy's type of the numbers that elements consist of, and values: of both signs if the type has
 * one, and such that types with fewer bits, or a smaller mantissa, cannot represent them. Types
 * that NumPy lacks are unsigned integers, and is_native is false. */
struct numbers {
	const char *kind, *values;
	int64_t n_bytes;
	bool is_native;
};

/* How a script allocates memory of a device, and reads a result. */
struct device_script {
	enum memory_kind memory;
	bool uses_ctypes;
	const char *imports;
	const char *allocation; /* with the number of bytes */
	const char *block;      /* the memory as a buffer, with the number of bytes */
	const char *check[2];   /* what compares the consumer's result, before and after it */
	bool is_for_invalid;    /* the dictionary of an invalid tensor requires it too */
};

/* The capsule: as max_version requests it, or always of one kind. */
enum capsule_kind { CAPSULE_EITHER, CAPSULE_LEGACY, CAPSULE_VERSIONED };

/* What the script writes to a word of the struct. */
struct edit {
	int versioned, legacy; /* the index of the word; -1: the struct has none */
	const char *value, *comment;
};

struct script {
	struct arena *arena;
	const struct consumer_case *row;
	const struct tensor_interface *interface;
	const struct job_call *call;
	const struct reproduce_names *names;
	struct array layout;       /* pointer is the offset of the first element */
	bool has_layout, has_type; /* otherwise layout is that of a tensor with the same n_dims */
	int64_t n_bytes;
	struct numbers numbers;
	const struct device_script *device; /* NULL: host memory */
	enum capsule_kind kind;
	struct edit edits[REPRODUCE_MAX_EDITS];
	int n_edits;
	const char *name; /* of the array that the tensor is made of */
	bool has_names;   /* shape and strides */
	bool is_short;    /* with one capsule for all calls, which takes fewer lines */
	struct text text;
};

/* --- reproduce_array.c --- */

struct numbers script_find_numbers(struct arena *arena, const struct dtype *dtype);

/* NULL: the memory of the script is the host's. */
const struct device_script *script_find_device(const struct script *script);

/* The elements as a consumer must read them, or, of an invalid tensor, what it is made of. */
void script_add_expected(struct script *script);

/* In one line, and aligned as malloc() does. */
void script_add_short_expected(struct script *script);

/* Extents and strides that no array of NumPy has. */
void script_add_extents(struct script *script);

/* "(12, 4)", "(8,) * 62 + (12, 4)"; last, if it is not 0, follows. */
const char *script_show_tuple(const struct script *script, const int64_t *items, int64_t last);

/* The array whose capsule is changed. */
const char *script_show_exported(const struct script *script);

/* --- reproduce_struct.c --- */

/* Whether __dlpack__() returns a capsule. */
bool script_returns_capsule(const struct script *script);

/* Sets edits and kind: what the struct has that NumPy does not export. */
void script_find_edits(struct script *script);

/* Whether no array of NumPy has the extents and strides. */
bool script_has_extents(const struct script *script);

/* Whether the struct differs from NumPy's. */
bool script_is_edited(const struct script *script);

/* Whether a flag of NumPy's array makes it the struct of the case. */
bool script_is_readonly_array(const struct script *script);

/* Whether the script has a table of the C exchange API, which needs no memory that is aligned to 64
 * bytes. */
bool script_has_table(const struct script *script);

/* Assigns the edits, in one line if they fit. The comment that is to follow, or NULL. */
const char *script_add_edits(struct script *script, const char *indent);

/* --- reproduce_capsule.c, reproduce_dictionary.c: the class Tensor --- */

void script_add_dlpack_class(struct script *script);
void script_add_other_class(struct script *script);

/* --- reproduce_imports.c, reproduce_consumer.c --- */

/* has_memory: the script has an array of NumPy. */
void script_add_imports(struct script *script, bool has_memory);

/* The expression that passes the object, which a line before defines if one would be too long. */
const char *script_add_call(struct script *script);

/* Compares what the consumer returns for the expression. */
void script_add_check(struct script *script, const char *passed);

#endif
