// SPDX-License-Identifier: MIT
/* What an object reports about itself outside any protocol. */
#ifndef WORKER_CAPTURE_SELF_REPORTED_H
#define WORKER_CAPTURE_SELF_REPORTED_H

#include "worker/python/python.h"

#include "base/arena.h"
#include "base/error.h"
#include "facts/facts.h"

struct fact_self_reported self_reported_read(struct arena *arena, PyObject *object);

/* PyTorch's requires_grad, set if autograd records operations on a tensor: 1 or 0; -1 if the object
 * has no such attribute, or not a bool. */
int object_requires_grad(PyObject *object);

/* Whether the object is an instance of module.name; false if the module is not imported. */
bool object_is_instance(PyObject *object, const char *module, const char *name);

/* The object's own mask, which interfaces do not report. Unknown: numpy.ma raised, or a library
 * other than NumPy has a boolean `mask` of the object's shape. */
enum object_mask { OBJECT_NO_MASK, OBJECT_UNMASKED, OBJECT_MASKED, OBJECT_MASK_UNKNOWN };

enum object_mask object_mask_of(struct arena *arena, PyObject *object);

/* The field `pending` of struct fact_self_reported: operations still to be applied to the elements
 * in memory. */
struct fact_texts object_pending(struct arena *arena, PyObject *object, enum object_mask mask);

/* Whether the object's memory contains its values. *pending is 0 if it does; otherwise that of the
 * object that object_values_resolve() returns does. -1 with err set: no memory contains them, or
 * that is unknown. */
int object_values_check(struct arena *arena, PyObject *object, int *pending, struct err *err);

/*
 * The object whose memory holds the values, a new reference: object itself, or the object that its
 * library returns from *resolved_by ("resolve_neg()"; otherwise NULL). pending is
 * object_values_check's. NULL with err set.
 */
PyObject *object_values_resolve(struct arena *arena, PyObject *object, int pending,
	const char **resolved_by, struct err *err);

/* The name of the element type if it is one of ml_dtypes' or, as far as DLPack has it, of
 * PyTorch's: a typestr cannot express some of these, such as "bfloat16", so interfaces report raw
 * bytes; otherwise NULL. */
const char *object_inexpressible_type(struct arena *arena, PyObject *object);

/* Whether the object's NumPy dtype has pointers to Python objects (dtype.hasobject). Only a dtype
 * with fields and of item_bytes proves that a structure has none. */
enum answer object_dtype_holds_objects(PyObject *object, int64_t item_bytes);

#endif
