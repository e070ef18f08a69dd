// SPDX-License-Identifier: MIT
/*
 * The documents that clauses cite, as "Document, version, ": an entry appends the section
 * (docs/rules.md, Clauses). bats/clauses.bats checks every clause against testdata/clauses, which
 * lists the sections of each document.
 */
#ifndef RULES_ENGINE_CLAUSES_H
#define RULES_ENGINE_CLAUSES_H

#define CLAUSE_SYCL_PAGE "dpctl __sycl_usm_array_interface__, version 1, "
#define CLAUSE_SYCL_FILTER "dpctl Filter Selector String, version 0.22, "
#define CLAUSE_DPCTL_SOURCE "dpctl source, version 0.22, "
#define CLAUSE_SYCL "SYCL, version 2020, "
#define CLAUSE_CUDA "CUDA Array Interface, version 3, "
#define CLAUSE_CUDA_H "CUDA headers, version 13.0, "
#define CLAUSE_CUPY "CuPy environment variables, version 13, "
#define CLAUSE_DLPACK_H "dlpack.h, version 1.3, "
#define CLAUSE_DLPACK_PYTHON "DLPack Python Specification, version 1.1, "
#define CLAUSE_ARRAY_API "Python array API standard, version 2025.12, "
#define CLAUSE_NUMPY "NumPy array interface protocol, version 3, "
#define CLAUSE_NUMPY_C "NumPy C API, version 2, "
#define CLAUSE_NPY "NumPy NPY format, version 1, "
#define CLAUSE_BUFFER "Python C API Buffer Protocol, version 3, "
#define CLAUSE_PYTHON "Python library reference, version 3, "
#define CLAUSE_SUAI "suai docs/rules.md, version 1, "

#endif
