// SPDX-License-Identifier: MIT
/*
 * The loaded objects: their relocation tables, in which calls of Python's functions are redirected
 * to hooks, and the library that an address belongs to. Symbols of the same name in a preloaded
 * library would not do: a static interpreter's own definitions come first.
 */
#ifndef TRACE_OBJECTS_H
#define TRACE_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

/* A function that objects other than the interpreter, or only the interpreter, call through a hook.
 */
struct trace_hook {
	const char *name;
	void *replacement, *original;
	bool is_for_python; /* redirect calls by the interpreter */
};

/* Redirects the calls of all objects that are loaded, except for those that were before. The hooks,
 * a list that ends with a NULL name, are the same in each call. False: nothing was loaded since the
 * last call. Call without the lock. */
bool trace_objects_update(const struct trace_hook *hooks);

/* The library of the object that contains an address, an index of trace_memory.libraries;
 * TRACE_NONE: in no object. Call with the lock. */
uint32_t trace_objects_library(const void *address);

/* The same for code that called a hook, or the library of other if the caller is the interpreter:
 * a call in tail position returns to the caller of the caller. */
uint32_t trace_objects_caller(const void *address, const void *other);

/* Writes to a table of an object, which may be read-only. */
bool trace_objects_write(void **slot, void *value);

/* Whether an address is in an object: static memory, which may be read-only. Call with the lock. */
bool trace_objects_contain(const void *address);

/* Whether the library is the interpreter with its standard library. */
bool trace_objects_is_python(uint32_t library);

#endif
