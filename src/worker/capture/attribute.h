// SPDX-License-Identifier: MIT
/* Attributes of objects: whether they exist, their value, and a second read of it. */
#ifndef WORKER_CAPTURE_ATTRIBUTE_H
#define WORKER_CAPTURE_ATTRIBUTE_H

#include "worker/capture/capture.h"

/* Whether the type has the attribute, of which no code is run, or otherwise the object, whose
 * attribute is read as a step. Also true if reading it raises, or is skipped because it ended an
 * earlier worker. */
bool attribute_exposes(PyObject *object, const char *attribute, const char *step);

/* Whether the object has the attribute, as hasattr() does; runs a property, as a step. Also true if
 * it raises anything but AttributeError, or is skipped because it terminated an earlier worker. */
bool attribute_is_there(PyObject *object, const char *attribute, const char *step);

/*
 * Reads the protocol's attribute, in a step named after it, into a new interface. Sets *out to the
 * value (a new reference, which is also kept until keepalive_release()), or to NULL with the
 * exception in the interface. NULL: the attribute does not exist, or the step is skipped.
 */
struct fact_interface *attribute_read(struct capture_context *context, PyObject *object,
	const struct protocol *protocol, PyObject **out);

/*
 * Reads the attribute of an interface with status ok a second time, as a separate step, and sets
 * `again` of interface. Returns the value (a new reference), or NULL, with the exception, if any,
 * in again.error.
 */
PyObject *again_read(
	struct capture_context *context, PyObject *object, struct fact_interface *interface);

/* Adds to again.differs the keys (a list that ends with NULL) whose values differ between declared
 * and second. */
void again_compare_keys(struct arena *arena, struct fact_interface *interface,
	const struct value *second, const char *const *keys);

/* Compares the value of a second reading with declared by the keys of dictionary protocols; sets
 * again.returned if only the first reading returned a dictionary. */
void again_compare_dictionary(
	struct arena *arena, struct fact_interface *interface, PyObject *second);

/* capture->read_again of a dictionary protocol: reads and compares. */
void again_read_dictionary(
	struct capture_context *context, PyObject *object, struct fact_interface *interface);

/* If `mask` of declared, captured from dictionary, is an object, replaces it by {exposes,
 * declared}: whether the mask has the attribute, which is read as a step, or the other one (NULL:
 * none), and the attribute's value. */
void attribute_read_mask(struct arena *arena, struct value *declared, PyObject *dictionary,
	const char *attribute, const char *other);

/* What consumers read of the pair `data` beyond its value: {is_int, readonly, readonly_error}.
 * is_int: whether data[0] is an int rather than another object with __index__; readonly: the truth
 * value of data[1] if it has __bool__(), or readonly_error, the type of the exception that it
 * raised. Null if the value is sufficient. */
struct value *data_to_details(struct arena *arena, PyObject *dictionary);

/* The names of the items of shape and strides, and of the keys, that are integers by __index__ and
 * neither ints nor NumPy's; null if there are none. */
struct value *by_index_to_details(struct arena *arena, PyObject *dictionary);

#endif
