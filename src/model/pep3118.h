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
	bool has_shape, has_name;
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
 * Reads a format into the layout of its items, one after the other; -1 with err set if it is
 * malformed. *size_unknown: a part, such as a bit field, has a size that cannot be determined.
 */
int pep3118_read(const char *format, enum pep3118_reading reading, struct pep3118_layout *layout,
	bool *size_unknown, struct err *err);

/* Finds two fields of one structure that have the same name, between colons, in a well-formed
 * format: the first character of the name, of n_chars. NULL: there are none. */
const char *pep3118_find_repeated_name(const char *format, size_t *n_chars);

#endif
