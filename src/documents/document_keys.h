// SPDX-License-Identifier: MIT
/* The keys that --query accepts; used until its tables are records of facts.def. */
#ifndef DOCUMENTS_DOCUMENT_KEYS_H
#define DOCUMENTS_DOCUMENT_KEYS_H

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

extern const struct document_key copy_keys[];
extern const struct document_key array_keys[];

/* The key that a path such as "memory.kind" or "shape[0]" leads to; NULL where there is none. */
const struct document_key *document_key_at(const struct document_key *keys, const char *path);

#endif
