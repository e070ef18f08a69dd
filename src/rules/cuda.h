// SPDX-License-Identifier: MIT
/*
 * What the tables of CAI rules share. The document is docs/source/user/cuda_array_interface.rst of
 * NVIDIA/numba-cuda at 2ac2796; what earlier versions said is in its sections of differences.
 */
#ifndef RULES_CUDA_H
#define RULES_CUDA_H

#include "rules/clauses.h"
#include "rules/shared.h"

/* A clause goes on with the key or the section. */
#define CUDA_PAGE CLAUSE_CUDA
#define CUDA_NUMPY_PAGE CLAUSE_NUMPY

#define CUDA_RULE(ID, NAME, SEVERITY, LEVEL)                                         \
	.id = (ID), .name = (NAME), .protocols = "cuda", .severity = SEV_##SEVERITY, \
	.level = LEVEL_##LEVEL, .facts = FACT_DICT

#endif
