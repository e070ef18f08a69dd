// SPDX-License-Identifier: MIT
/* Experiments, which show the cause of a refusal (conclusions.h). */
#ifndef WHY_EXPERIMENTS_H
#define WHY_EXPERIMENTS_H

#include "why/why.h"

/* The objects that are passed instead of the user's. */
enum experiment {
	EXP_WHOLE,      /* NumPy's array of the same memory */
	EXP_COMPACT,    /* its copy: contiguous, writable, aligned, with the same elements */
	EXP_ALIGNED,    /* the same, aligned to 64 bytes */
	EXP_WRITABLE,   /* the same, if the array is read-only */
	EXP_CONTIGUOUS, /* the same, read-only if the array is, if the array is not contiguous */
	EXP_FORTRAN,    /* the same in Fortran order, if the array is not */
	EXP_NATIVE,     /* the same in the byte order of the machine, if the array is not */
	EXP_FILLED,     /* the same without nulls, if it has some */
	EXP_OWN_COPY,   /* a copy by the object's library, which keeps nulls */
	EXP_HOST,       /* a copy in the memory of the host */
	EXP_RESOLVED,   /* without pending operations */
	EXP_ONES,       /* an array of the same type and shape, with other elements */
	EXP_TYPE,       /* the same of another type */
	EXP_EXTENTS,    /* the same with other extents */
	EXP_DIMS,       /* the same with another number of dimensions */
	EXP_NONEMPTY,   /* the same with elements, if the array has none */
	EXP_ARRAY,      /* an array, if the object is not one, nor a list or a buffer */
	N_EXPERIMENTS,
};

/* Calls of the consumer with other objects; none if the array is large. */
struct why_attempts why_plan_experiments(
	struct arena *arena, const struct fact_target *target, const struct why_names *names);

/* Whether the arrays that the object's library makes in experiments are on a device. */
bool why_makes_arrays_on_device(const struct fact_target *target);

#endif
