// SPDX-License-Identifier: MIT
/* Consumers that the command line names: module:function, FILE.py:function, or an expression with
 * `_`. */
#ifndef WORKER_PYTHON_CONSUMER_H
#define WORKER_PYTHON_CONSUMER_H

#include "worker/python/python.h"

#include "base/arena.h"
#include "base/error.h"
#include "model/job.h"

/* consumer.py, embedded by tools/embed-text. */
extern const char consumer_source[];

/* Zeroed: not found yet. */
struct consumer {
	PyObject *function; /* of module:function or FILE.py:function; NULL: an expression */
	PyObject *module;   /* of FILE.py:function */
	PyObject *code,
		*imported;  /* the expression, and the modules imported for its undefined names */
	PyObject *error[3]; /* why there is none, from PyErr_Fetch */
};

/* The first half: compiles an expression. EXIT_USAGE, naming the option, if it is not valid. */
int consumer_compile(struct arena *arena, const struct job_call *call, const char *option,
	struct consumer *consumer, struct err *err);

/* The second: imports what the call names. An exception is kept, and raised by consumer_call(). A
 * name of an expression that nothing defines is one if is_required; otherwise the call raises it.
 */
void consumer_find(struct arena *arena, const struct job_call *call, PyObject *names,
	bool is_required, struct consumer *consumer);

/* consumer_compile() and consumer_find(). Their exceptions, such as the SyntaxError of an invalid
 * expression, are raised by consumer_call(). */
void consumer_open(struct arena *arena, const struct job_call *call, const char *option,
	PyObject *names, bool is_required, struct consumer *consumer);

/* Raises what an attribute of the module with these names does that does not exist: an
 * AttributeError with a suggestion. */
void consumer_raise_no_attribute(PyObject *names, PyObject *name);

/* Extends the ModuleNotFoundError of a module package.Class, whose function is named, by the name
 * package:Class.function, if that exists. */
void consumer_suggest_class(const char *dotted, const char *function);

/* Whether consumer_find() raised an exception, which consumer_call() raises. */
bool consumer_is_missing(const struct consumer *consumer);

/* Its result for object, with `names` for an expression; NULL with the exception pending. Runs in
 * the directory that suai was started in, since it may name files. */
PyObject *consumer_call(struct consumer *consumer, PyObject *names, PyObject *object);

void consumer_drop(struct consumer *consumer);

#endif
