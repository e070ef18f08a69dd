// SPDX-License-Identifier: MIT
/* .npy files as arrays in memory: mapped, not copied. */
#include "worker/memory/memory_owner.h"
#ifndef WORKER_MEMORY_NPY_MAP_H
#define WORKER_MEMORY_NPY_MAP_H

/*
 * Maps the file for reading: elements point into it, *owner (a new reference) keeps the mapping.
 * EXIT_USAGE if it cannot be read, EXIT_TARGET if it is not a .npy file without Python objects.
 */
int npy_map(struct arena *arena, const char *path, struct element_array *elements, PyObject **owner,
	struct err *err);

/* Maps any file; *address is where it begins, NULL owner with err set on failure. */
PyObject *file_map(const char *path, uint64_t *address, int64_t *n_bytes, struct err *err);

#endif
