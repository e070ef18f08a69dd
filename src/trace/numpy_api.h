// SPDX-License-Identifier: MIT
/*
 * The table of NumPy's C API, through which f2py, Cython and pybind11 pass arrays and copy them
 * silently. Its entries are replaced once NumPy is imported; NumPy itself does not use it.
 */
#ifndef TRACE_NUMPY_API_H
#define TRACE_NUMPY_API_H

/* Replaces the entries if NumPy was imported since the last call. */
void trace_numpy_api_update(void);

#endif
