// SPDX-License-Identifier: MIT
/* Properties that observe what they return, and are like others for the program: objects of a
 * subclass of property with the same functions and documentation. */
#ifndef TRACE_PROPERTY_H
#define TRACE_PROPERTY_H

#include <stdbool.h>
#include <stdint.h>

/* What a property of a type exports. */
struct trace_interface {
	uint32_t kind;     /* enum trace_kind */
	uint32_t producer; /* a library */
};

/* Calls read() of an attribute, which returns a new reference to its value, and observes that. */
typedef void *(*trace_property_function)(void *property, void *object, void *type);
typedef void *(*trace_property_read)(trace_property_function read, void *property, void *object,
	void *type, struct trace_interface interface);

/* A traced property like the original, whose type is exactly property; NULL: this version of Python
 * stores properties in another way. Requires that the head of objects is known. */
void *trace_property_new(
	void *original, struct trace_interface interface, trace_property_read observe);

/* Whether an object's type is that of such properties. */
bool trace_property_is_traced(void *object);

#endif
