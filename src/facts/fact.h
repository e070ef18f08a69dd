// SPDX-License-Identifier: MIT
/*
 * Reads and writes the records of facts.def. A record is a struct; zeroed memory is the null
 * record: `present` is false, texts are NULL, numbers are unknown. Records live in an arena.
 */
#ifndef FACTS_FACT_H
#define FACTS_FACT_H

#include "base/arena.h"
#include "base/error.h"
#include "model/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

struct fact_int {
	bool known;
	int64_t value;
};

struct fact_uint {
	bool known;
	uint64_t value;
};

struct fact_real {
	bool known;
	double value;
};

struct fact_address {
	bool known;
	uint64_t value;
};

struct fact_ints {
	bool known;
	size_t n_items;
	int64_t *items;
};

struct fact_texts {
	bool known;
	size_t n_items;
	const char **items;
};

static inline enum answer answer_of(bool yes)
{
	return yes ? ANSWER_YES : ANSWER_NO;
}

static inline struct fact_int fact_int(int64_t value)
{
	return (struct fact_int){ .known = true, .value = value };
}

static inline struct fact_uint fact_uint(uint64_t value)
{
	return (struct fact_uint){ .known = true, .value = value };
}

static inline struct fact_real fact_real(double value)
{
	return (struct fact_real){ .known = true, .value = value };
}

static inline struct fact_address fact_address(uint64_t value)
{
	return (struct fact_address){ .known = true, .value = value };
}

static inline int64_t fact_int_or(struct fact_int number, int64_t fallback)
{
	return number.known ? number.value : fallback;
}

static inline const char *fact_text_or(const char *text, const char *fallback)
{
	return text ? text : fallback;
}

/* Copies items into the arena. */
struct fact_ints fact_ints(struct arena *arena, const int64_t *items, size_t n_items);
/* Appends a copy of text. */
void fact_texts_add(struct arena *arena, struct fact_texts *texts, const char *text);
bool fact_texts_have(const struct fact_texts *texts, const char *text);

/*
 * The bytes of a text value, with each zero byte as the two characters \0; NULL for any other
 * value. Copied only if there is a zero byte.
 */
const char *fact_text(struct arena *arena, const struct value *text);

/* Whether text is not NULL and equals other. */
bool fact_text_is(const char *text, const char *other);

/* The message of an exception, or of a warning, in one line: line breaks become spaces, and "..."
 * replaces the words after its first 200 bytes. "" for NULL. In the arena, or the argument. */
const char *fact_message_line(struct arena *arena, const char *message);

/*
 * "TYPE: MESSAGE" of an exception, in one line as by fact_message_line(), or the one of the two
 * that is known (neither NULL nor empty); "an exception" if neither is. In the arena, or one of the
 * arguments.
 */
const char *fact_exception(struct arena *arena, const char *type, const char *message);

/*
 * Appends an item, present and otherwise null, to a list of records such as struct
 * fact_finding_list; returns it.
 */
#ifdef SUAI_CPPCHECK /* which cannot parse __typeof__ in a cast (tools/lint) */
#define FACT_LIST_ADD(ARENA, LIST) ((LIST)->items)
#else
#define FACT_LIST_ADD(ARENA, LIST) \
	((__typeof__((LIST)->items))fact_list_add(ARENA, LIST, sizeof(*(LIST)->items)))
#endif
void *fact_list_add(struct arena *arena, void *list, size_t n_item_bytes);

/* Appends the items of another such list; the result is known if either list is. */
#define FACT_LIST_EXTEND(ARENA, LIST, MORE) \
	fact_list_extend(ARENA, LIST, MORE, sizeof(*(LIST)->items))
void fact_list_extend(struct arena *arena, void *list, const void *more, size_t n_item_bytes);

struct fact_record;

/* --- tables, generated --- */

enum fact_type {
	FACT_TEXT,     /* const char * */
	FACT_CHARS,    /* char[]; "" is null */
	FACT_BOOL,     /* enum answer */
	FACT_INT,      /* struct fact_int */
	FACT_UINT,     /* struct fact_uint */
	FACT_REAL,     /* struct fact_real */
	FACT_ADDRESS,  /* struct fact_address */
	FACT_SIZE,     /* uint64_t; 0 is null */
	FACT_ADDRESS0, /* uint64_t; 0 is null */
	FACT_INTS,     /* struct fact_ints */
	FACT_TEXTS,    /* struct fact_texts */
	FACT_VALUE,    /* const struct value *; NULL is null */
	FACT_DECLARED, /* the same; in documents in plain form, together with `types` */
	FACT_TYPES,    /* in documents: facts/declared_codec.h */
	FACT_DETAILS,  /* const struct value *, with the shape of the protocol */
	FACT_ENUM,     /* an enum; words[value] is its text, "" for null */
	FACT_RECORD,   /* a struct of record, embedded */
	FACT_FLAT,     /* the fields of record, at offsets in the enclosing struct */
	FACT_LIST,     /* struct { bool known; size_t n_items; a struct of record *items; } */
};

enum fact_place { FACT_EVERYWHERE, FACT_IN_WIRE, FACT_IN_DOCUMENT };

struct fact_field {
	const char *name;
	enum fact_type type;
	enum fact_place place;
	bool is_required; /* never null in documents: {} or [] if nothing is known */
	size_t offset;    /* bytes */
	size_t n_chars;   /* of FACT_CHARS */
	const char *const *words;
	const struct fact_record *record;
};

struct fact_record {
	const char *name;
	const struct fact_field *fields;
	size_t n_fields;
	size_t n_bytes; /* of the struct; 0: a shape of `details`, whose facts remain values */
	bool is_sparse; /* only known fields are written */
};

/* --- reading and writing --- */

/* The form of a record as a value: as sent by workers, or in documents. */
enum fact_form { FACT_WIRE, FACT_DOCUMENT };

/* The shape of the details of a protocol; NULL if there is no such protocol. */
typedef const struct fact_record *(*fact_details_of)(const char *protocol);

/*
 * Reads a map into *out, which has record->n_bytes and is overwritten; a null makes it null.
 * Everything is copied into the arena. Missing keys are null. Unknown keys are an error in a
 * document and ignored on the wire. -1 with err set (EXIT_USAGE), with the path of the field in
 * the message. A zero byte in text becomes the two characters \0.
 */
int fact_read(const struct fact_record *record, struct arena *arena, const struct value *value,
	enum fact_form form, fact_details_of details_of, void *out, struct err *err);

/* The map of a record, with every key of the form, null if unknown. A null record gives a null. */
struct value *fact_write(const struct fact_record *record, struct arena *arena, const void *in,
	enum fact_form form, fact_details_of details_of);

/* Copies a record with everything that it points to. */
void fact_copy(const struct fact_record *record, struct arena *arena, const void *in, void *out);

/* The field at a path such as "memory.kind" or "shape[0]" in documents; NULL if there is none. */
const struct fact_field *fact_field_at(const struct fact_record *record, const char *path);

/* Sets *out to the number of the word; false if the field does not have that word. */
bool fact_word_number(const char *const *words, const char *word, int *out);

#endif
