// SPDX-License-Identifier: MIT
/* The results of known consumers, whose functions are wrapped: whether what a function returns
 * shares the memory of the exchange that its call caused. Call all of these with the GIL and
 * without the lock. */
#ifndef TRACE_RESULTS_H
#define TRACE_RESULTS_H

#include "trace/attributes.h"
#include "trace/calls.h"
#include "trace/hidden.h"
#include "trace/items.h"
#include "trace/passed.h"
#include "trace/python.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function that returns memory of another library as its own. */
struct trace_consumer {
	const char *library;        /* NULL: NumPy, for the package of the innermost frame */
	const char *address_method; /* of results; NULL: they are arrays of NumPy */
	/* Waits for results without the GIL; NULL: they exist. unsafe_buffer_pointer() waits with
	 * it, forever if the deleter of what was passed needs it in another thread. */
	const char *wait_method;
	bool is_nested; /* its functions call each other: the outermost one is judged */
};

extern TRACE_HIDDEN const struct trace_consumer trace_numpy_consumer, trace_jax_consumer,
	trace_torch_consumer;

/* NumPy with a list or a tuple, whose items it copies. */
extern TRACE_HIDDEN const struct trace_consumer trace_numpy_list_consumer;

/* The state of the call that encloses a call. */
struct trace_outer_call {
	struct trace_passed last;
	uint16_t n_items_before;
	const struct trace_consumer *consumer;
	void *dtype;
};

/* What a function does without an argument that requests a copy or forbids it. */
enum trace_default_copy {
	TRACE_MAY_SHARE,
	TRACE_COPIES,
	TRACE_MAY_STAGE, /* jax.numpy.asarray: see stages_array() */
};

enum { TRACE_DTYPE_BY_NAME = -1, TRACE_DTYPE_SECOND = 1 };

/* The arguments of a call. */
struct trace_call_arguments {
	const struct trace_consumer *consumer;
	void *source;      /* the first one; NULL: none */
	void *const *fast; /* of a vector call, the named ones last; NULL: a tuple, which is all */
	void *all;
	ptrdiff_t n_fast;   /* without the named ones */
	void *names;        /* a tuple of a vector call, otherwise a dictionary; NULL: none */
	int dtype_position; /* of the type of elements, or TRACE_DTYPE_BY_NAME */
	enum trace_default_copy by_default;
	uint32_t native; /* the library whose compiled code calls NumPy, plus one; 0: none */
	/* The function of NumPy, as Python code has it, to compare it only, and its name, interned;
	 * NULL: unknown. */
	const void *function;
	void *function_name;
};

static inline void *trace_argument_at(void *arguments, ptrdiff_t i)
{
	return i >= 0 && i < trace_python.tuple_size(arguments)
		       ? trace_python.tuple_get(arguments, i)
		       : NULL;
}

/* Whether objects of a type are not arrays and have no interface. */
static inline bool trace_is_value_type(const void *type)
{
	return trace_is_sequence_type(type) || trace_is_number_type(type);
}

/* Whether there is nothing to replace in the type of an object, which has an interface or not. */
static inline bool trace_is_known_source(const void *source)
{
	const void *type = trace_type_pointer(source);

	return trace_is_value_type(type) || type == trace_array_type ||
	       trace_attributes_are_known(source);
}

/* An argument by its name; NULL: it was not passed. Borrowed. */
void *trace_named_argument(const struct trace_call_arguments *arguments, const char *name);

/* The type of elements that the program or a package requests; NULL: none. Borrowed. */
void *trace_requested_dtype(const struct trace_call_arguments *arguments);

/* Whether the innermost frame is JAX's, which passes arrays of its own to its functions and its
 * native code. */
bool trace_is_within_jax(void);

/* Before the call of a function. source: its first argument, whose type is prepared; or NULL. */
void trace_call_begin(
	struct trace_outer_call *outer, const struct trace_consumer *consumer, void *source);

/* Whether there was an exchange during a call or may have been one. */
bool trace_call_is_judged(
	const struct trace_outer_call *outer, const void *source, const void *result);

/* What of a call is compared with its result. */
enum trace_judged {
	TRACE_NOTHING,
	TRACE_EXCHANGE_OR_ARRAY, /* that it caused, or that was its first argument */
	TRACE_LISTED_ARRAYS,     /* of a list or a tuple */
	TRACE_TREE,              /* of jax.device_put */
};

/* After a call: counts the exchanges that it caused, and restores those of the call around it.
 * result: NULL if the function raised an exception. */
void trace_call_judge(const struct trace_outer_call *outer,
	const struct trace_call_arguments *arguments, enum trace_judged judged, void *result);

static inline void trace_call_leave(const struct trace_outer_call *outer)
{
	trace_calls.consumer = outer->consumer;
}

/* The last two, if there is something to count. */
void trace_call_end(const struct trace_outer_call *outer,
	const struct trace_call_arguments *arguments, void *result);

#endif
