// SPDX-License-Identifier: MIT
/*
 * A fact: a value that a Python object returned, without loss. Facts cross from the worker to the
 * judge (model/wire.h), are read from YAML dumps, and make up the documents that the formats print.
 * Values live in an arena.
 */
#ifndef MODEL_VALUE_H
#define MODEL_VALUE_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_kind {
	VALUE_NULL,
	VALUE_BOOL,
	VALUE_INT,      /* fits in int64_t */
	VALUE_WIDE_INT, /* decimal text: an integer outside int64_t */
	VALUE_REAL,
	VALUE_TEXT, /* UTF-8; surrogates pass as 3 bytes each */
	VALUE_BYTES,
	VALUE_OPAQUE, /* text: a placeholder such as "<SyclQueue>" or "<cycle>" */
	VALUE_LIST,
	VALUE_TUPLE,
	VALUE_MAP,
};

enum { VALUE_MAX_DEPTH = 64, VALUE_MAX_WIRE_BYTES = 8 << 20 };

struct value {
	enum value_kind kind;
	/* The Python type, module-qualified, if it is not the kind's built-in type (numpy.int64,
	 * enum.IntEnum's subclass, an opaque); otherwise NULL. */
	const char *type_name;
	union {
		bool boolean;
		int64_t integer;
		double real;
		struct {
			const char *bytes; /* zero-terminated, may contain zeros */
			size_t n_bytes;
		};
		struct {
			struct value **items; /* list, tuple, map */
			const char **keys;    /* map only */
			size_t n_items, capacity;
		};
	};
};

/* Ends the text of an opaque that exceeds a limit of suai, although other programs may read it. */
#define VALUE_LIMIT " (limit of suai)"

/* Whether the value, or a part of it, is such an opaque. */
bool value_exceeds_limit(const struct value *value);

struct value *value_null(struct arena *arena);
struct value *value_bool(struct arena *arena, bool boolean);
struct value *value_int(struct arena *arena, int64_t integer);
struct value *value_uint(struct arena *arena, uint64_t integer); /* wide above INT64_MAX */
struct value *value_wide_int(struct arena *arena, const char *decimal);
struct value *value_real(struct arena *arena, double real);
struct value *value_text(struct arena *arena, const char *text); /* NULL text: a null */
struct value *value_text_n(struct arena *arena, const char *bytes, size_t n_bytes);
/* Text that need not be UTF-8: each invalid byte becomes a surrogate, as by Python's
 * surrogateescape; NULL: a null. */
struct value *value_text_escaped(struct arena *arena, const char *bytes);
/* The bytes that value_text_escaped was given, for open(); a NULL text: NULL. */
const char *value_text_unescape(struct arena *arena, const char *text);
/* Whether a key of a map has the form of those that are not a str: <int 1>, <tuple key 4>. A str of
 * that form is written the same way, <str '<int 1>'>. */
bool value_key_is_typed(const char *key, size_t n_bytes);
struct value *value_textf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
struct value *value_bytes(struct arena *arena, const void *bytes, size_t n_bytes);
struct value *value_opaque(struct arena *arena, const char *text, const char *type_name);
struct value *value_address(struct arena *arena, uint64_t address); /* text "0x…" */
struct value *value_list(struct arena *arena);
struct value *value_tuple(struct arena *arena);
struct value *value_map(struct arena *arena);

/* Appends to a list or tuple; keeps item. Returns item. */
struct value *value_append(struct arena *arena, struct value *list, struct value *item);

/* Sets a key of a map: replaces its value, or adds it at the end. Copies key, keeps item. Returns
 * item. */
struct value *value_set(
	struct arena *arena, struct value *map, const char *key, struct value *item);

/* Adds a key known to be new, without a search. Copies key, keeps item. Returns item. */
struct value *value_add(
	struct arena *arena, struct value *map, const char *key, struct value *item);

/* The value of a key; NULL when map is NULL, not a map, or lacks the key. */
const struct value *value_get(const struct value *map, const char *key);

/* value_get() for a value to be changed. */
struct value *value_find(struct value *map, const char *key);

/* The i-th item of a list or tuple; NULL when there is none. */
const struct value *value_item(const struct value *list, size_t i);

/* Follows a path such as "data[1]" or "dl_tensor.shape[0]"; NULL when an item is missing. */
const struct value *value_at(const struct value *root, const char *path);

/* NULL-safe questions. */
bool value_is(const struct value *value, enum value_kind kind);
bool value_is_null(const struct value *value);                   /* NULL or a null */
bool value_is_sequence(const struct value *value);               /* list or tuple */
bool value_is_integer(const struct value *value);                /* int or wide int, never bool */
bool value_is_text(const struct value *value, const char *text); /* equals text */
bool value_lists_text(const struct value *list, const char *text);
/* Appends a null, a boolean, an integer or a real as documents show it; false for other kinds. */
bool value_add_scalar(struct text *out, const struct value *value);

const char *value_text_or(const struct value *value, const char *fallback);
int64_t value_int_or(const struct value *value, int64_t fallback);
bool value_bool_or(const struct value *value, bool fallback);

/* True, and *out set, when value is an integer within the range of the C type. */
bool value_to_int64(const struct value *value, int64_t *out);
bool value_to_uint64(const struct value *value, uint64_t *out);

/* An address written as "0x…" text, or an integer. */
bool value_to_address(const struct value *value, uint64_t *out);

/* Length of the UTF-8 sequence at bytes, surrogates as 3 bytes allowed; 0 if there is none. */
size_t value_utf8_sequence(const char *bytes, size_t n_bytes);

/* Same kind, type name and content; map order counts. */
bool value_equal(const struct value *a, const struct value *b);

/* A deep copy into another arena. */
struct value *value_copy(struct arena *arena, const struct value *value);

#endif
