// SPDX-License-Identifier: MIT
/* Objects that are called in place of a function of a module and otherwise behave like it: they
 * have its attributes, class, representation, signature and equality, bind like the function, and
 * are pickled by name. */
#ifndef TRACE_FUNCTION_PROXY_H
#define TRACE_FUNCTION_PROXY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A bit of the number of arguments of a vector call. */
#define PY_VECTORCALL_ARGUMENTS_OFFSET (SIZE_MAX / 2 + 1)

/* A vector call: n_arguments may contain PY_VECTORCALL_ARGUMENTS_OFFSET, and the values of the
 * names, a tuple or NULL, follow the other arguments. */
typedef void *(*trace_proxy_call)(void *const *arguments, size_t n_arguments, void *names);

/* Gives a new proxy, which owns a reference to original; NULL: it could not be created. Clears
 * errors. Call with the GIL. */
void *trace_function_proxy_new(void *original, trace_proxy_call call);

/* Sets the __module__ of a proxy if that of its original was changed. Call with the GIL. */
void trace_function_proxy_set_module(void *proxy, void *name);

/* Call with the GIL. */
bool trace_function_is_proxy(void *object);

#endif
