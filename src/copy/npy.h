// SPDX-License-Identifier: MIT
/*
 * The header of a .npy file, byte for byte as NumPy writes it (numpy.lib.format, versions 1 to
 * 3).
 */
#ifndef COPY_NPY_H
#define COPY_NPY_H

#include "base/error.h"
#include "base/text.h"
#include "model/array.h"
#include "model/value.h"

/*
 * Appends the magic, the version and the padded header; the elements follow it. order is 'C' or
 * 'F'. descr is NumPy's list of fields if the elements are structures, otherwise NULL. Fails for
 * an element type that .npy cannot express.
 */
int npy_write_header(struct text *out, const struct array *array, const struct value *descr,
	char order, struct err *err);

#endif
