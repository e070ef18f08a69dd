// SPDX-License-Identifier: MIT
/* .npy files, read without Python: the header as facts (NumPy's NEP 1 and numpy.lib.format). */
#ifndef TARGETS_NPY_FILE_H
#define TARGETS_NPY_FILE_H

#include "base/error.h"
#include "model/value.h"

/*
 * The facts of a target with one interface of protocol npy: declared {descr, fortran_order, shape},
 * details {version, data_offset, file_bytes} in bytes. NULL with err set where the file cannot be
 * read; a file that is no .npy is a target whose interface raised.
 */
struct value *npy_file_read(struct arena *arena, const char *path, struct err *err);

#endif
