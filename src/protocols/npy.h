// SPDX-License-Identifier: MIT
/* What the descr of a .npy file declares, read as numpy.lib.format.descr_to_dtype reads it. */
#ifndef PROTOCOLS_NPY_H
#define PROTOCOLS_NPY_H

#include "base/error.h"
#include "model/dtype.h"
#include "model/value.h"

/* numpy.load rejects longer headers unless max_header_size or allow_pickle is given. */
enum { NPY_MAX_HEADER_CHARS = 10000 };

struct npy_elements {
	struct dtype dtype; /* of a structure: raw bytes of its size */
	/* The fields of a structure, in the form of __array_interface__: (name, typestr or fields[,
	 * shape]), and padding as ('', '|Vn'); NULL: no structure. */
	const struct value *fields;
	int64_t n_items;     /* of the sub-array of each element; 1 if it is not one */
	const char *objects; /* path of the first field of Python objects, "" if the elements are
				objects; NULL: no objects at any depth */
};

/* Fills elements, whose fields live in arena; EXIT_FINDINGS if NumPy rejects descr,
 * EXIT_UNAVAILABLE if only suai does. */
int npy_read_descr(struct arena *arena, const struct value *descr, struct npy_elements *elements,
	struct err *err);

#endif
