// SPDX-License-Identifier: MIT
/* .npy files, read without Python: the header as facts (NumPy's NEP 1 and numpy.lib.format). */
#ifndef TARGETS_NPY_FILE_H
#define TARGETS_NPY_FILE_H

#include "base/error.h"
#include "facts/facts.h"

/*
 * A target with one interface of protocol npy: declared {descr, fortran_order, shape}, details
 * {version, data_offset, file_bytes} in bytes. -1 with err set if the file cannot be read; a
 * file that is not a .npy file is a target whose interface raised.
 */
int npy_file_read(
	struct arena *arena, const char *path, struct fact_target *target, struct err *err);

#endif
