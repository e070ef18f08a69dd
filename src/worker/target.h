// SPDX-License-Identifier: MIT
/* The user's modules: loading them, their names, and the objects in them. For worker/run.c. */
#ifndef WORKER_TARGET_H
#define WORKER_TARGET_H

#include "worker/worker.h"

struct loaded {
	PyObject *names;  /* the module's dictionary; kept for good */
	PyObject *folder; /* what sys.path begins with while the module is in use; or NULL */
};

/*
 * Loads the module that one item of the job's `modules` names: a file, a dotted name, or code.
 * -1 with the exception pending; *missing tells that there is no such file or module.
 */
int target_load(const struct value *module, struct loaded *loaded, bool *missing);

/* Takes the module's folder from sys.path; the module stays, as in any program. */
void target_leave(struct loaded *loaded);

/* The name that the pending exception calls undefined, where the expression itself uses it and not
 * a function that it calls; a new reference, or NULL. The exception stays. */
PyObject *target_undefined_name(void);

/* The module's public names but for modules, as a list of texts, for suggestions. */
struct value *target_names(struct arena *arena, PyObject *names);

/* A module-level object that exposes an interface. */
struct found {
	PyObject *object; /* a new reference */
	const char *name;
	struct value *aliases; /* its other names */
};

/* The objects of a module that a job without expressions is about (PRODUCT.md, Targets);
 * *n_buffers are those left out because they have nothing but a buffer. */
struct found *target_discover(struct arena *arena, const struct value *job, PyObject *names,
	size_t *n_found, int64_t *n_buffers);

/* Fills the map `own` (docs/facts.md) of an object. */
void own_read(struct arena *arena, PyObject *object, struct value *own);

/* PyTorch's requires_grad, of a tensor whose use is recorded: 1 or 0; -1 where the object has no
 * such attribute, or not a bool. */
int own_requires_grad(PyObject *object);

/* What masks the elements of an object; unknown: it is numpy.ma's, which raised when asked. */
enum own_mask { OWN_NO_MASK, OWN_UNMASKED, OWN_MASKED, OWN_MASK_UNKNOWN };

enum own_mask own_masked(PyObject *object);

/* The name of the element type where it is one of ml_dtypes', such as "bfloat16", which NumPy's
 * interfaces tell as raw bytes; else NULL. */
const char *own_ml_dtype(struct arena *arena, PyObject *object);

#endif
