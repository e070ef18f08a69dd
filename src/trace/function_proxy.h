// SPDX-License-Identifier: MIT
/*
 * Objects that are called in place of a function of a module, and are otherwise like it: its
 * attributes, class, representation, signature and equality are those of the function, it binds as
 * the function does, and it is pickled by name.
 */
#ifndef TRACE_FUNCTION_PROXY_H
#define TRACE_FUNCTION_PROXY_H

#include <stdbool.h>
#include <stddef.h>

/* A vector call: n_arguments may contain PY_VECTORCALL_ARGUMENTS_OFFSET, and the values of the
 * names, a tuple or NULL, follow the other arguments. */
typedef void *(*trace_proxy_call)(void *const *arguments, size_t n_arguments, void *names);

/* Gives a reference, and keeps original, which the proxy owns one more reference to; NULL: not
 * possible. Clears errors. Call with the GIL. */
void *trace_function_proxy_new(void *original, trace_proxy_call call);

/* Sets the __module__ of a proxy, whose original got another one. Call with the GIL. */
void trace_function_proxy_set_module(void *proxy, void *name);

/* Call with the GIL. */
bool trace_function_is_proxy(void *object);

#endif
