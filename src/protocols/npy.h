// SPDX-License-Identifier: MIT
/* What the descr of a .npy file declares, read as numpy.lib.format.descr_to_dtype reads it. */
#ifndef PROTOCOLS_NPY_H
#define PROTOCOLS_NPY_H

#include "base/error.h"
#include "model/dtype.h"
#include "model/value.h"

/* numpy.load refuses longer headers unless max_header_size or allow_pickle is given. */
enum { NPY_MAX_HEADER_CHARS = 10000 };

struct npy_elements {
	struct dtype dtype; /* of a structure: raw bytes of its size */
	/* Of a structure, as __array_interface__ spells it: (name, typestr or fields[, shape]), and
	 * padding as ('', '|Vn'). Else NULL. */
	const struct value *fields;
	int64_t n_items;     /* of the sub-array that each element is; 1 where it is not one */
	const char *objects; /* path of the first field of Python objects, "" where the elements
				are objects; NULL: there are no objects at any depth */
};

/* Fills elements, whose fields live in arena; EXIT_FINDINGS where NumPy refuses descr. */
int npy_read_descr(struct arena *arena, const struct value *descr, struct npy_elements *elements,
	struct err *err);

#endif
