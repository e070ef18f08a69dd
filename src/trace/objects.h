// SPDX-License-Identifier: MIT
/* The loaded objects: their relocation tables, in which calls of Python's functions are
 * redirected to hooks, and the library that an address belongs to. Defining these functions in the
 * preloaded library would not suffice, since the definitions of a static interpreter take
 * precedence. */
#ifndef TRACE_OBJECTS_H
#define TRACE_OBJECTS_H

#include "trace/hidden.h"

#include <stdbool.h>
#include <stdint.h>

/* The kind of a loaded object, which determines the hooks that apply to it. */
enum trace_object_kind {
	TRACE_INTERPRETER = 1,
	TRACE_STANDARD_MODULE = 2, /* an extension module of the standard library */
	TRACE_OTHER_OBJECT = 4,
};

/* A function that objects of some kinds call through a hook. */
struct trace_hook {
	const char *name;
	void *replacement, *original;
	unsigned int callers; /* enum trace_object_kind */
};

/* Redirects the calls of all loaded objects that were not redirected before. The hooks, a list
 * that ends with a NULL name, are the same in each call. False: nothing was loaded since the last
 * call. Call without the lock. */
bool trace_objects_update(const struct trace_hook *hooks);

/* Redirects the calls of all objects while the process has no interpreter and records nothing. */
void trace_objects_redirect(const struct trace_hook *hooks);

/* How many objects were loaded so far. */
unsigned long long trace_objects_count_loaded(void);

/* Whether there are modules whose package is not known from their path. Call with the lock. */
bool trace_objects_have_unnamed_modules(void);

/* Names such a module, and the other objects in the directory of its package, after the package.
 * Call with the lock. */
void trace_objects_name_package(const char *file, const char *module);

/* The library of the object that contains an address, an index of trace_memory.libraries;
 * TRACE_NONE: in no object. Call with the lock. */
uint32_t trace_objects_library(const void *address);

/* The library of code that called a hook, or that of `other` if the caller is the interpreter,
 * since a tail call returns to the caller of the caller. Call with the lock. */
uint32_t trace_objects_caller(const void *address, const void *other);

/* Whether the address is in the interpreter itself, not in a module of its standard library. The
 * interpreter's own calls are not redirected, so that such a return address means that the caller
 * of a hook made a tail call. Call with the lock. */
bool trace_objects_is_interpreter(const void *address);

/* Pairs of a calling address and a type in static memory that belong to the same library, within
 * which most buffers are passed. Read without the lock: an entry is valid if both of its words
 * match. */
enum { TRACE_INTERNAL_PAIRS = 64 };
extern TRACE_HIDDEN struct trace_internal_pair {
	_Atomic uintptr_t type, mixed;
} trace_internal_pairs[TRACE_INTERNAL_PAIRS];

static inline struct trace_internal_pair *trace_internal_pair(const void *caller, const void *type)
{
	uint64_t mixed = (uint64_t)((uintptr_t)caller ^ (uintptr_t)type >> 4);

	return &trace_internal_pairs[(mixed * UINT64_C(0x9e3779b97f4a7c15) >> 32) %
				     TRACE_INTERNAL_PAIRS];
}

/* Whether a calling address and a type were noted as belonging to one library since the last
 * object was loaded. */
static inline bool trace_objects_is_internal(const void *caller, const void *type)
{
	const struct trace_internal_pair *pair = trace_internal_pair(caller, type);

	return pair->type == (uintptr_t)type &&
	       pair->mixed == ((uintptr_t)caller ^ (uintptr_t)type) && type;
}

/* Notes such a pair if the type is in static memory, where no other type can get its address.
 * Call with the lock. */
void trace_objects_note_internal(const void *caller, const void *type);

/* Writes to a relocation table, which may be read-only. */
bool trace_objects_write(void **slot, void *value);

/* Whether an address is in the static memory of a loaded object, which may be read-only. Call
 * with the lock. */
bool trace_objects_contain(const void *address);

/* Whether the library is the interpreter with its standard library. */
bool trace_objects_is_python(uint32_t library);

#endif
