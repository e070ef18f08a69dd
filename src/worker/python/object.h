// SPDX-License-Identifier: MIT
/* Python objects as values, and what is read of any object. */
#ifndef WORKER_PYTHON_OBJECT_H
#define WORKER_PYTHON_OBJECT_H

#include "worker/python/python.h"

#include "base/arena.h"
#include "facts/facts.h"
#include "model/value.h"

#include <stdbool.h>

/* The whole object as a value; never raises: what cannot be read becomes an opaque with the reason.
 */
struct value *object_to_value(struct arena *arena, PyObject *object);

/* "numpy.ndarray"; built-in types without their module. Reads slots of the type: no code of a
 * metaclass runs, here or in the next three functions. */
char *object_type_name(struct arena *arena, PyObject *object);

/* The names of the types in whose order attributes of the object are looked up (tp_mro), its own
 * first; at most 256. */
struct fact_texts object_mro(struct arena *arena, PyObject *object);

/* The name of the type in that order that defines the attribute ("buffer": its getbuffer slot);
 * NULL if none does: it is the object's own attribute, or __getattr__ returns it. */
const char *object_definer(struct arena *arena, PyObject *object, const char *attribute);

/* Whether a type in that order defines the attribute. */
bool object_type_has(PyObject *object, const char *attribute);

/* Returns and clears the pending exception; the second as a map, for `details`. */
struct fact_error object_take_error(struct arena *arena);
struct value *object_take_error_value(struct arena *arena);

/* Clears the pending exception, if there is one. */
void object_drop_error(void);

/* A capture that KeyboardInterrupt ends: the last function returns whether one of the three above
 * cleared one, and the second whether the remaining reads are to be omitted. */
void object_begin_interruptible(void);
bool object_is_interrupted(void);
bool object_end_interruptible(void);

/* Whether the pending exception is a ModuleNotFoundError of the module or of one of its packages.
 * It stays pending. */
bool object_is_missing_module(const char *name);

/* The built-in exception that the pending one is or derives from: "TypeError"; NULL if there is
 * none. It stays pending. */
const char *object_builtin_exception(struct arena *arena);

/* A value as a new Python object (null, bool, int, real, text, bytes, list, tuple, map); NULL with
 * an exception set. */
PyObject *object_from_value(const struct value *value);

/*
 * Reads an attribute as hasattr does: 1 and *out (a new reference); 0 if the type or object has
 * none (AttributeError); -1 with the exception pending.
 */
int object_attribute(PyObject *object, const char *name, PyObject **out);

/* Closes a coroutine, which nothing awaits: Python would warn of each one that is released. NULL
 * and other objects are left as they are. */
void object_close_coroutine(PyObject *object);

/* Runs gc.collect(). No exception is left pending. */
void object_collect_garbage(void);

/* How many references the object has, as sys.getrefcount() reports it; -1 if it does not. */
int64_t object_references(PyObject *object);

#endif
