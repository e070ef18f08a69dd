// SPDX-License-Identifier: MIT
/*
 * The keys of documents and facts, in order: one table that making, checking and reading them use.
 * schema/suai.schema.json says the same to others.
 */
#ifndef DOCUMENTS_DOCUMENT_KEYS_H
#define DOCUMENTS_DOCUMENT_KEYS_H

#include "base/error.h"
#include "model/value.h"

/* Kinds of values as a mask; a null is always allowed. */
enum key_kinds {
	KEY_BOOL = 1 << VALUE_BOOL,
	KEY_INT = 1 << VALUE_INT | 1 << VALUE_WIDE_INT,
	KEY_REAL = 1 << VALUE_REAL,
	KEY_TEXT = 1 << VALUE_TEXT,
	KEY_LIST = 1 << VALUE_LIST | 1 << VALUE_TUPLE,
	KEY_ITEMS = KEY_LIST | 1 << 30, /* empty, never null */
	KEY_MAP = 1 << VALUE_MAP,
	KEY_ADDRESS = KEY_TEXT | KEY_INT,
	KEY_ANY = -1,
};

struct document_key {
	const char *name;  /* in documents; NULL ends a table */
	const char *facts; /* in facts, where it has another name there */
	int kinds;
	const struct document_key *inner; /* of a map, or of a list's maps; NULL: anything */
	enum key_place { KEY_IN_BOTH, KEY_IN_DOCUMENT, KEY_IN_FACTS } place;
	bool by_hand; /* document.c and document_read.c make its value, not the table */
};

extern const struct document_key target_keys[];
extern const struct document_key interface_keys[];
extern const struct document_key copy_keys[];
extern const struct document_key result_keys[];
extern const struct document_key array_keys[];
extern const struct document_key error_keys[];
extern const struct document_key memory_keys[];
extern const struct document_key dlpack_details_keys[];

/* The keys of `details` by protocol; an empty table where it has none. */
const struct document_key *details_keys(const char *protocol);

/* The key that a path such as "memory.kind" or "shape[0]" leads to; NULL where there is none. */
const struct document_key *document_key_at(const struct document_key *keys, const char *path);

/* Checks kinds and names of a document's map, to its depths; path names it in messages. */
int document_check(const struct document_key *keys, const struct value *map, const char *path,
	struct err *err);

#endif
