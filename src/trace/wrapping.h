// SPDX-License-Identifier: MIT
/* Wraps functions of modules once these are imported: the definition of a built-in function is
 * changed, and what is looked up in its module at each call is replaced there. */
#ifndef TRACE_WRAPPING_H
#define TRACE_WRAPPING_H

#include <stdbool.h>
#include <stddef.h>

enum trace_consumer_kind {
	TRACE_CONSUMER_FAST,        /* a built-in function, whose definition is changed */
	TRACE_CONSUMER_KEYWORDS,    /* the same */
	TRACE_CONSUMER_ONE,         /* the same */
	TRACE_CONSUMER_OBJECT,      /* an attribute of the module, which is replaced */
	TRACE_CONSUMER_PYTHON,      /* the same, if it is not a built-in function */
	TRACE_CONSUMER_INITIALIZER, /* of a type: its slot, which is changed */
};

struct trace_known_consumer {
	const char *module, *module2, *function; /* module2: an older name, or NULL */
	void *replacement, *original;            /* original: where its pointer is put */
	enum trace_consumer_kind kind;
	bool is_done;
	void *proxy;         /* that took the place of the attribute */
	const void **object; /* where the built-in function is put, to compare it only; or NULL */
	void *const *replacements; /* from which trace_conversions_prepare() chooses; or NULL */
	const char *type;          /* of the module, whose method the function is; or NULL */
	void *fast_replacement;    /* of a method that is called as TRACE_CONSUMER_FAST; or NULL */
};

/* Wraps those of the functions whose modules were imported since the last call. Call with the GIL
 * and without the lock. */
void trace_wrap(struct trace_known_consumer *known, size_t n_known);

/* Wraps a method of a type, or its initializer, if the module is the one that has the type. */
void trace_wrap_in(struct trace_known_consumer *known, void *module);

#endif
