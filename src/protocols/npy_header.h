// SPDX-License-Identifier: MIT
/*
 * The header of a .npy file (NumPy's NEP 1 and numpy.lib.format): magic, version, length, and a
 * dictionary as a Python literal, which is parsed without Python.
 */
#ifndef PROTOCOLS_NPY_HEADER_H
#define PROTOCOLS_NPY_HEADER_H

#include "base/error.h"
#include "facts/facts.h"

enum { NPY_PREFIX_BYTES = 12 };

/*
 * The offset at which the header ends and the elements begin. bytes holds the first
 * NPY_PREFIX_BYTES of the file, or all of a shorter one. -1 with EXIT_TARGET if this is not a .npy
 * file of a known version, its header is too long, or the file ends inside it.
 */
int64_t npy_header_end(const unsigned char *bytes, int64_t file_bytes, struct err *err);

/*
 * Sets `declared` {descr, fortran_order, shape} and `details` {version, header_characters,
 * data_offset, file_bytes} of interface, from the file's first header_end bytes. EXIT_TARGET if the
 * header is not a dictionary of text, integers, bools, tuples and lists.
 */
int npy_header_read(struct arena *arena, const unsigned char *bytes, int64_t header_end,
	int64_t file_bytes, struct fact_interface *interface, struct err *err);

#endif
