// SPDX-License-Identifier: MIT
/*
 * PEP 3118 format strings ("Additions to the struct string-syntax"), Python's struct codes
 * included, read into the layout of one element. The PEP does not define how '@' aligns and pads a
 * T{...}, so there are several ways to read one.
 */
#ifndef MODEL_PEP3118_H
#define MODEL_PEP3118_H

#include "model/dtype.h"

struct pep3118_code {
	char letter, part; /* part: the code after Z */
	enum dtype_kind kind;
	int native, standard; /* bytes; 0: the code does not exist */
	int align;            /* bytes, under '@' */
};

/* Every code; ends with letter 0. */
extern const struct pep3118_code pep3118_codes[];

/* One element: repeats of count of a code, or of a structure. */
struct pep3118_item {
	const struct pep3118_code *code; /* NULL: T{} */
	int64_t unit_bytes, count, repeats;
	int64_t align;
	char order;
	const char *at;    /* the code in the format */
	const char *shape; /* what follows "(" in the format; NULL: none */
	const char *name;  /* what follows ":"; NULL: none */
	size_t n_name_chars;
};

struct pep3118_layout {
	int64_t n_bytes, align, n_items;
	struct pep3118_item last;
};

enum pep3118_reading {
	PEP3118_TIGHT,  /* structures end with their last member, as formats do for struct */
	PEP3118_PADDED, /* they are rounded up to their alignment, as in C */
	PEP3118_NUMPY,  /* the order in force at their end decides whether they are aligned and
			 * padded
			 */
	PEP3118_N_READINGS,
};

/*
 * Receives the items in the order of the format, those of a structure between begin and end, which
 * come before its own item. Padding precedes an item or the end. Each function returns what is
 * wrong, or NULL.
 */
struct pep3118_visitor {
	void *context;
	const char *(*begin)(void *context);
	const char *(*end)(void *context, int64_t padding_bytes);
	const char *(*item)(void *context, const struct pep3118_item *item, int64_t padding_bytes);
};

/*
 * Reads a format into the layout of its items, one after the other; -1 with err set if it is
 * malformed. visitor NULL: none. *size_unknown: a part, such as a bit field, has a size that cannot
 * be determined.
 */
int pep3118_read(const char *format, enum pep3118_reading reading,
	const struct pep3118_visitor *visitor, struct pep3118_layout *layout, bool *size_unknown,
	struct err *err);

/* The next extent of the shape of an item that was read; false: there are no more. */
bool pep3118_next_extent(const char **shape, int64_t *extent);

/* Finds two fields of one structure that have the same name, between colons, in a well-formed
 * format: the first character of the name, of n_chars. NULL: there are none. */
const char *pep3118_find_repeated_name(const char *format, size_t *n_chars);

#endif
