// SPDX-License-Identifier: MIT
/* What several captures share: reading an attribute as a step, and C structs as facts. */
#ifndef WORKER_CAPTURE_ATTRIBUTE_H
#define WORKER_CAPTURE_ATTRIBUTE_H

#include "worker/worker.h"

/* Whether the type has the attribute (a property is found, and not run), or else the object, which
 * is asked as a step. True too where it raises, or is not asked because that killed a worker. */
bool attribute_exposes(PyObject *object, const char *attribute, const char *step);

/* Whether the object has the attribute, as hasattr() says; a property is run, as a step. True where
 * it raises anything but AttributeError, or is not asked because that killed a worker. */
bool attribute_is_there(PyObject *object, const char *attribute, const char *step);

/*
 * Reads the protocol's attribute, as a step named after it, into a new interface: *out (a new
 * reference, held as well), or NULL where it raised, which the interface then says. NULL: the
 * attribute is gone, or the step is skipped.
 */
struct fact_interface *attribute_read(struct capture_context *context, PyObject *object,
	const struct protocol *protocol, PyObject **out);

/*
 * Reads the attribute of an interface that was read well once more, as a step of its own, and sets
 * `again` of interface: what it raised, if it did. Gives what was read (a new reference), or NULL.
 */
PyObject *attribute_read_again(
	struct capture_context *context, PyObject *object, struct fact_interface *interface);

/* Adds to again.differs those keys (a list that ends with NULL) of declared that the second reading
 * has, and otherwise. */
void facts_compare_again(struct arena *arena, struct fact_interface *interface,
	const struct value *second, const char *const *keys);

/* Sets again.returned: what came back is nothing that the interface can be read from, as it could
 * the first time. */
void facts_return_again(struct arena *arena, struct fact_interface *interface, PyObject *returned);

/* Compares what a second reading gave with declared, the dictionary of the first; where that was
 * none, there is nothing to say. */
void facts_compare_dictionary(
	struct arena *arena, struct fact_interface *interface, PyObject *second);

/* Reads a dictionary once more, and compares it: capture->read_again. */
void attribute_compare_dictionary(
	struct capture_context *context, PyObject *object, struct fact_interface *interface);

/* `mask` of declared, captured from dictionary, becomes {exposes, declared} where it is an object:
 * whether that has the attribute, which is read as a step, or the other (or NULL), and what the
 * attribute says. */
void attribute_read_mask(struct arena *arena, struct value *declared, PyObject *dictionary,
	const char *attribute, const char *other);

/* What consumers make of `data`, a pair, beyond its plain form: {is_int, readonly, readonly_error}:
 * whether data[0] is an int and not another object with __index__, and the truth value of a data[1]
 * that only its own type tells, or the exception it raised. Null where the plain form tells all. */
struct value *fact_of_data(struct arena *arena, PyObject *dictionary);

/* {name, destructor} of a capsule; of any other object, its plain form. */
struct value *fact_of_capsule(struct arena *arena, PyObject *object);

/* The name of a capsule, read safely, its bytes that are no UTF-8 escaped; NULL where it has none,
 * or one that cannot be read. */
const char *capsule_name(struct arena *arena, PyObject *capsule);

/* n_items integers of 64 bits at address as a tuple, no more than 64 of them; null for a NULL
 * address, an opaque where they cannot be read. */
struct value *fact_of_integers(struct arena *arena, const void *address, int64_t n_items);

/* The same, but all of them up to 1024: what else is wrong of too many dimensions is seen as well.
 */
struct value *fact_of_long_integers(struct arena *arena, const void *address, int64_t n_items);

struct value *fact_of_pointer(struct arena *arena, const void *pointer);

/* A C string that may lie anywhere. */
struct value *fact_of_text(struct arena *arena, const char *text);

struct value *fact_unreadable(struct arena *arena, const void *address);

#endif
