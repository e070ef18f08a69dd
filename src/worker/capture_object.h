// SPDX-License-Identifier: MIT
/* Captures of objects of a living process, for `import suai`. */
#ifndef WORKER_CAPTURE_OBJECT_H
#define WORKER_CAPTURE_OBJECT_H

#include "worker/python/python.h"

/*
 * The facts of an object as bytes (facts/capture_stream.h), NULL with an exception pending. The
 * keys of options, a dictionary, are those of a job (docs/facts.md), `name`, `file` and `line` of
 * the target, `piece`, a dictionary, and `comments`, dictionaries with `line` and `text`; what is
 * missing is read as `suai inspect` does.
 */
PyObject *capture_object(PyObject *object, PyObject *options);

/* The hello of each of the captures in bytes: a list of dictionaries; NULL with an exception
 * pending. */
PyObject *capture_read_hellos(PyObject *bytes);

#endif
