// SPDX-License-Identifier: MIT
/*
 * What the fields of a protocol's C struct can hold. The worker captures nothing else, so describe
 * and rules rely on it; an edited dump may contain anything, and is checked when it is read.
 */
#ifndef PROTOCOLS_STRUCT_FIELDS_H
#define PROTOCOLS_STRUCT_FIELDS_H

#include "base/error.h"
#include "model/value.h"

enum struct_field_kind {
	STRUCT_END,     /* of a table */
	STRUCT_INT32,   /* int, int32_t */
	STRUCT_INT64,   /* Py_ssize_t */
	STRUCT_UINT8,   /* uint8_t */
	STRUCT_UINT16,  /* uint16_t */
	STRUCT_UINT64,  /* uint64_t */
	STRUCT_FLAG,    /* a bool */
	STRUCT_CHAR,    /* one character, or \xNN */
	STRUCT_TEXT,    /* a pointer to text, which may be NULL or unreadable */
	STRUCT_POINTER, /* an address, or memory that cannot be read */
	STRUCT_ENTRIES, /* a pointer to as many int64_t as count, which may be NULL or unreadable */
	STRUCT_VERSION, /* a pair of uint32_t */
};

struct struct_field {
	enum struct_field_kind kind;
	const char *path;  /* "dl_tensor.ndim" */
	bool is_optional;  /* null in some kinds of the struct */
	const char *count; /* of entries: the path of their number */
};

struct struct_fields {
	const char *gate; /* the path that is null or an object if the struct was not read; "": it
			     is always read */
	const struct struct_field *fields;
};

/* 0, also if the struct could not be read; -1 with err set (EXIT_USAGE), which names path.field. */
int struct_fields_check(const struct struct_fields *fields, const struct value *declared,
	const char *path, struct err *err);

#endif
