// SPDX-License-Identifier: MIT
#include "trace/conversions.h"

#include "trace/call_site.h"
#include "trace/calls.h"
#include "trace/evaluation.h"
#include "trace/items.h"
#include "trace/lock.h"
#include "trace/memory.h"
#include "trace/modules.h"
#include "trace/native_caller.h"
#include "trace/numpy_api.h"
#include "trace/objects.h"
#include "trace/python.h"
#include "trace/results.h"
#include "trace/site.h"
#include "trace/stack.h"
#include "trace/verdict.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef void *(*fast_function)(
	void *self, void *const *arguments, ptrdiff_t n_arguments, void *names);

/* Types of the first items of lists and tuples whose conversion is not observed: those of
 * trace_scalar_types, at the same positions, until has_unobserved is false. */
static _Atomic(const void *) unobserved_types[TRACE_N_SCALAR_TYPES];
static _Atomic bool has_unobserved;

/* The row of the exchanges of a list whose conversion was not observed: further items of that list
 * are passed without being observed either. */
static _Atomic uint32_t row_of_unobserved = TRACE_NONE;

static void observe_all(void)
{
	has_unobserved = false;
	for (size_t i = 0; i < TRACE_N_SCALAR_TYPES; i++)
		atomic_store_explicit(&unobserved_types[i], NULL, memory_order_relaxed);
}

void trace_conversions_note(const struct trace_passed *passed)
{
	const struct trace_consumer *consumer = trace_calls.consumer;
	const bool is_within_numpy =
		consumer == &trace_numpy_consumer || consumer == &trace_numpy_list_consumer;
	/* A method __array__() converts a list if an array that NumPy converts is in several
	 * places. */
	const bool is_of_other_call =
		!is_within_numpy ||
		(consumer == &trace_numpy_consumer && trace_calls.last.is_set &&
			trace_calls.last.address != passed->address && passed->row != TRACE_NONE &&
			trace_memory.rows[passed->row].kind != TRACE_DLPACK);

	if (!has_unobserved && row_of_unobserved == TRACE_NONE)
		return;
	if (!is_of_other_call || !trace_memory_is_library(passed->consumer, "numpy"))
		return;
	if (has_unobserved)
		observe_all();
	else if (passed->row != row_of_unobserved)
		return;
	trace_calls.is_unsettled = true;
}

/* What a function of NumPy does with its first argument. */
static const struct trace_consumer *numpy_consumer_of(const void *source)
{
	return source && trace_is_sequence_type(trace_type_pointer(source))
		       ? &trace_numpy_list_consumer
		       : &trace_numpy_consumer;
}

/* Between loops of NumPy, whose code and data fill the processor's caches, a call takes longer by
 * each line of a cache that it reads besides them. */
#define ALIGNED_TO_CACHE __attribute__((aligned(64)))

/* A function of NumPy. In one line of a cache are all its values that each call reads. */
struct ALIGNED_TO_CACHE numpy_function {
	fast_function original;
	const void *object; /* as Python code has it, to compare it only */
	const void *array_type, *list_type, *tuple_type; /* NULL: not known */
	enum trace_default_copy by_default;
	void *name; /* of Python, interned; NULL: not known yet */
	const char *name_text;
};

/* A call of a function of NumPy. */
struct fast_call {
	const struct numpy_function *function;
	void *self;
	void *const *arguments;
	ptrdiff_t n_arguments;
	void *names;
	const void *frame; /* of the function: __builtin_dwarf_cfa(); NULL: Python code calls it */
};

/* The library whose compiled code calls NumPy for the program, plus one; 0: none. */
static uint32_t native_caller(const struct fast_call *call, uint32_t package)
{
	return package == TRACE_NONE && call->frame ? trace_native_caller(call->frame) + 1 : 0;
}

/* What the program itself converts is not an exchange. Later calls by its code jump to NumPy's
 * function, also if that returned its argument. */
static __attribute__((noinline)) void judge_fast_call(
	const struct trace_outer_call *outer, const struct fast_call *call, void *result)
{
	void *const source = call->n_arguments > 0 ? call->arguments[0] : NULL;
	const bool is_due = trace_call_is_judged(outer, source, result);
	uint32_t package, native;

	if (!trace_is_on() || (!is_due && (!result || result != source || outer->consumer)))
		return;
	package = trace_site_package();
	native = native_caller(call, package);
	if (!trace_calls.last.is_set && !outer->last.is_set && package == TRACE_NONE && !native) {
		if (call->frame)
			trace_frame_site_note(call->frame);
		else
			trace_call_site_note(call->arguments);
		return;
	}
	if (!is_due)
		return;
	trace_call_judge(outer,
		&(struct trace_call_arguments){ .consumer = numpy_consumer_of(source),
			.source = source,
			.fast = call->arguments,
			.n_fast = call->n_arguments,
			.names = call->names,
			.dtype_position = TRACE_DTYPE_SECOND,
			.by_default = call->function->by_default,
			.native = native,
			.function = call->function->object,
			.function_name = call->function->name },
		TRACE_EXCHANGE_OR_ARRAY, result);
}

static void *call_function(const struct fast_call *call)
{
	return call->function->original(
		call->self, call->arguments, call->n_arguments, call->names);
}

static __attribute__((noinline)) void *call_nested_and_compare(const struct fast_call *call)
{
	void *const source = call->n_arguments > 0 ? call->arguments[0] : NULL;
	struct trace_outer_call outer;
	void *result;

	trace_call_begin(&outer, numpy_consumer_of(source), source);
	result = call_function(call);
	trace_calls_update();
	judge_fast_call(&outer, call, result);
	trace_call_leave(&outer);
	return result;
}

static __attribute__((noinline)) void *call_fast_and_compare(const struct fast_call *call)
{
	static const struct trace_outer_call no_call;
	const void *type;
	bool is_convertible;
	void *result;

	trace_calls_update();
	if (trace_calls.consumer || trace_calls.last.is_set || call->n_arguments < 1 ||
		trace_modules_are_due() || !trace_is_known_source(call->arguments[0]))
		return call_nested_and_compare(call);
	type = trace_type_pointer(call->arguments[0]);
	is_convertible = !trace_is_value_type(type);
	trace_calls.consumer = &trace_numpy_consumer;
	if (trace_is_sequence_type(type)) {
		trace_items_examine(call->arguments[0]);
		trace_calls.consumer = &trace_numpy_list_consumer;
	}
	result = call_function(call);
	trace_calls_update();
	if (trace_calls.last.is_set || is_convertible)
		judge_fast_call(&no_call, call, result);
	trace_calls.consumer = NULL;
	return result;
}

/* The dtype of an array of NumPy, borrowed. */
static inline const char *array_descriptor_after(const void *array, size_t head_bytes)
{
	const char *descriptor;

	memcpy(&descriptor, (const char *)array + head_bytes + ARRAY_DESCRIPTOR_OFFSET,
		sizeof(descriptor));
	return descriptor;
}

/* Whether elements are not objects, nor structures, which may contain some. */
static inline bool is_plain_descriptor(const char *descriptor, size_t head_bytes)
{
	const char kind = descriptor[head_bytes + DESCRIPTOR_KIND_OFFSET];

	return kind != 'O' && kind != 'V';
}

/* Whether the conversion of an array of NumPy calls no function of Python. */
static inline bool has_plain_elements(const void *array, size_t head_bytes)
{
	return is_plain_descriptor(array_descriptor_after(array, head_bytes), head_bytes);
}

/* Whether a call with an array is no exchange: NumPy itself or Python code of the program calls.
 * frame: NULL if Python code calls. */
static inline bool is_own_conversion(
	void *const *arguments, ptrdiff_t n_arguments, const void *names, const void *frame)
{
	const struct trace_known_module *known;

	if ((n_arguments != 1 || names) && !has_plain_elements(arguments[0], trace_head_bytes))
		return false;
	known = trace_site_known_module();
	return known && known->is_own &&
	       (!frame || known->library != TRACE_NONE || trace_native_caller(frame) == TRACE_NONE);
}

/* These are not inlined, so that the wrappers save no registers, nor do calls that need no
 * comparison. */
static __attribute__((noinline)) void *convert_other(void *self, void *const *arguments,
	ptrdiff_t n_arguments, void *names, const struct numpy_function *function,
	const void *frame)
{
	return call_fast_and_compare(
		&(struct fast_call){ function, self, arguments, n_arguments, names, frame });
}

static __attribute__((noinline)) void *convert_array(void *self, void *const *arguments,
	ptrdiff_t n_arguments, void *names, const struct numpy_function *function,
	const void *frame)
{
	const bool is_python = trace_call_site_is_python(function->object, arguments, frame);
	const void *const native_frame = is_python ? NULL : frame;

	if (trace_modules_are_due() ||
		!is_own_conversion(arguments, n_arguments, names, native_frame))
		return convert_other(self, arguments, n_arguments, names, function, native_frame);
	if (is_python)
		trace_call_site_note(arguments);
	else
		trace_frame_site_note(frame);
	return function->original(self, arguments, n_arguments, names);
}

static __attribute__((noinline, cold)) void judge_list_call(void *const *arguments,
	ptrdiff_t n_arguments, void *names, const struct numpy_function *function,
	const void *frame, void *result)
{
	static const struct trace_outer_call no_call;

	trace_calls_update();
	judge_fast_call(&no_call,
		&(struct fast_call){ .function = function,
			.arguments = arguments,
			.n_arguments = n_arguments,
			.names = names,
			.frame = frame },
		result);
}

/* Whether no other call is under way, and nothing has to be updated before one. */
static inline bool is_outermost_call(void)
{
	return !trace_calls.consumer &&
	       !atomic_load_explicit(&trace_get_greenlet, memory_order_relaxed) &&
	       !trace_modules_are_due();
}

static inline __attribute__((always_inline)) void *convert_observed_sequence(void *self,
	void *const *arguments, ptrdiff_t n_arguments, void *names,
	const struct numpy_function *function, const void *frame)
{
	void *result;

	trace_calls.last.is_set = false;
	trace_calls.consumer = &trace_numpy_list_consumer;
	result = function->original(self, arguments, n_arguments, names);
	if (trace_calls.last.is_set)
		judge_list_call(arguments, n_arguments, names, function, frame, result);
	trace_calls.consumer = NULL;
	return result;
}

static inline bool is_unobserved_type(const void *type)
{
	return atomic_load_explicit(&unobserved_types[trace_scalar_type_position(type)],
		       memory_order_relaxed) == type;
}

/* Whether a list or a tuple begins with a number, a string or another scalar. Until NumPy reads
 * memory of another library in a call that is not observed, it is then assumed to contain only
 * these; any other item of such a list has a single element. */
static inline bool begins_with_unobserved_scalar(struct trace_list_items fields)
{
	return __builtin_expect(fields.n_items > 0, 1) &&
	       is_unobserved_type(trace_type_pointer_after(fields.items[0], GIL_HEAD_BYTES));
}

/* Whether the conversion of an item of a list or a tuple is no exchange, unless the item is itself
 * a list or a tuple. */
static inline bool is_plain_item(const void *item, const void *type)
{
	return trace_is_scalar_type(type) ||
	       (type == trace_array_type && has_plain_elements(item, GIL_HEAD_BYTES));
}

/* Whether all items are arrays of NumPy whose elements are plain. Those of one type often share
 * their descriptor. */
static inline __attribute__((always_inline)) bool are_plain_arrays(
	struct trace_list_items fields, const struct numpy_function *function)
{
	void *const *item = fields.items, *const *const end = item + fields.n_items;
	const char *plain = NULL, *descriptor;

	do {
		if (trace_type_pointer_after(*item, GIL_HEAD_BYTES) != function->array_type)
			return false;
		descriptor = array_descriptor_after(*item, GIL_HEAD_BYTES);
		if (descriptor != plain && !is_plain_descriptor(descriptor, GIL_HEAD_BYTES))
			return false;
		plain = descriptor;
	} while (++item != end);
	return true;
}

/* Whether all items are lists or tuples, and the first one, which has these items, begins with a
 * scalar: any item of the others has a single element as well. */
static inline __attribute__((always_inline)) bool are_plain_rows(struct trace_list_items fields,
	const void *first_type, struct trace_list_items first,
	const struct numpy_function *function)
{
	void *const *item = fields.items, *const *const end = item + fields.n_items;
	const void *type;

	if (!begins_with_unobserved_scalar(first))
		return false;
	while (++item != end) {
		type = trace_type_pointer_after(*item, GIL_HEAD_BYTES);
		if (__builtin_expect(type != first_type, 0) && type != function->list_type &&
			type != function->tuple_type)
			return false;
	}
	return true;
}

/* Whether the conversion of a list or a tuple that does not begin with a scalar is no exchange, as
 * far as that is known of it at once. */
static inline __attribute__((always_inline)) bool has_similar_items(
	struct trace_list_items fields, const struct numpy_function *function)
{
	const void *type;

	if (__builtin_expect(fields.n_items < 1, 0))
		return false;
	type = trace_type_pointer_after(fields.items[0], GIL_HEAD_BYTES);
	if (type == function->list_type)
		return are_plain_rows(fields, type, trace_list_items(fields.items[0]), function);
	if (type == function->array_type)
		return are_plain_arrays(fields, function);
	return type == function->tuple_type &&
	       are_plain_rows(fields, type, trace_tuple_items(fields.items[0]), function);
}

/* Whether the conversion of any list or tuple is no exchange. */
static bool has_plain_items(const void *sequence, const struct trace_outer_sequence *outer,
	const struct numpy_function *function)
{
	const struct trace_outer_sequence this = { sequence, outer, outer ? outer->depth + 1 : 0 };
	const struct trace_list_items fields =
		trace_sequence_items(sequence, trace_type_pointer_after(sequence, GIL_HEAD_BYTES));

	if (begins_with_unobserved_scalar(fields) || has_similar_items(fields, function))
		return true;
	for (ptrdiff_t i = 0; i < fields.n_items; i++) {
		void *const item = fields.items[i];
		const void *const type = trace_type_pointer_after(item, GIL_HEAD_BYTES);

		if (trace_is_sequence_type(type) ? !trace_may_enter_sequence(item, &this) ||
							   !has_plain_items(item, &this, function)
						 : !is_plain_item(item, type))
			return false;
	}
	return true;
}

static __attribute__((noinline)) void *convert_deep_sequence(void *self, void *const *arguments,
	ptrdiff_t n_arguments, void *names, const struct numpy_function *function,
	const void *frame)
{
	if (trace_tuple_items_offset && has_plain_items(arguments[0], NULL, function))
		return function->original(self, arguments, n_arguments, names);
	if (!is_outermost_call())
		return convert_other(self, arguments, n_arguments, names, function, frame);
	trace_items_examine(arguments[0]);
	return convert_observed_sequence(self, arguments, n_arguments, names, function, frame);
}

/* A list or a tuple that does not begin with a scalar. It is not a source itself, but may contain
 * sources at any depth. Inlined in functions of their own, so that calls with other objects save no
 * registers. Requires trace_tuple_items_offset. */
static inline __attribute__((always_inline)) void *convert_list_or_tuple(void *self,
	void *const *arguments, ptrdiff_t n_arguments, void *names,
	const struct numpy_function *function, const void *frame)
{
	const void *const type = trace_type_pointer_after(arguments[0], GIL_HEAD_BYTES);
	const struct trace_list_items fields = type == function->list_type
						       ? trace_list_items(arguments[0])
						       : trace_tuple_items(arguments[0]);

	if (has_similar_items(fields, function))
		return function->original(self, arguments, n_arguments, names);
	return convert_deep_sequence(self, arguments, n_arguments, names, function, frame);
}

/* What the fastest path of a call depends on: where the interpreter has the arguments of calls by
 * Python code, and how large the heads of objects are. */
enum interpreter_kind {
	ARGUMENTS_ON_PYTHON_STACK,
	ARGUMENTS_ON_NATIVE_STACK, /* from CPython 3.14 on */
	WITHOUT_GIL, /* or if the items of lists are read by functions for another reason */
	N_INTERPRETER_KINDS,
};

static enum interpreter_kind find_interpreter_kind(void)
{
	if (!trace_tuple_items_offset || !trace_evaluation_is_known())
		return WITHOUT_GIL;
	return trace_evaluation_is_described() ? ARGUMENTS_ON_NATIVE_STACK
					       : ARGUMENTS_ON_PYTHON_STACK;
}

/* trace_type_pointer(), without looking up the size of the head. */
static inline const void *type_of_source(const void *object, enum interpreter_kind kind)
{
	return kind == WITHOUT_GIL ? trace_type_pointer(object)
				   : trace_type_pointer_after(object, GIL_HEAD_BYTES);
}

/* Whether code that was noted calls a function. */
static inline bool is_known_call(const struct numpy_function *function, void *const *arguments,
	const void *frame, enum interpreter_kind kind)
{
	return kind == ARGUMENTS_ON_PYTHON_STACK
		       ? trace_call_site_is_known(&function->object, arguments)
		       : kind == ARGUMENTS_ON_NATIVE_STACK && trace_frame_site_is_known(frame);
}

/* Otherwise the compiler would load the values that both then have once more. */
static inline bool is_only_argument(ptrdiff_t n_arguments, const void *names)
{
	uintptr_t others = (uintptr_t)(n_arguments - 1) | (uintptr_t)names;

	__asm__("" : "+r"(others));
	return !others;
}

/* Whether a call with an array of NumPy is no exchange, as far as that is known of it at once. */
static inline bool is_plain_conversion(void *const *arguments, ptrdiff_t n_arguments,
	const void *names, const struct numpy_function *function, const void *frame,
	enum interpreter_kind kind)
{
	const size_t head_bytes = kind == WITHOUT_GIL ? trace_head_bytes : GIL_HEAD_BYTES;

	return (__builtin_expect(has_plain_elements(arguments[0], head_bytes), 1) ||
		       is_only_argument(n_arguments, names)) &&
	       __builtin_expect(is_known_call(function, arguments, frame, kind), 1);
}

/* Keeps the compiler from joining the ends of two paths, which would be a jump to another line of a
 * cache. */
#define SEPARATE_PATH(NUMBER) __asm__ volatile("" : : "i"(NUMBER))

/* An array of NumPy. Inlined with constants from function on. */
static inline __attribute__((always_inline)) void *convert_any_array(void *self,
	void *const *arguments, ptrdiff_t n_arguments, void *names,
	const struct numpy_function *function, enum interpreter_kind kind)
{
	if (is_plain_conversion(
		    arguments, n_arguments, names, function, __builtin_dwarf_cfa(), kind)) {
		SEPARATE_PATH(1);
		return function->original(self, arguments, n_arguments, names);
	}
	return convert_array(self, arguments, n_arguments, names, function, __builtin_dwarf_cfa());
}

/* The functions of a wrapper for what is not known at once to be no exchange. */
struct slow_paths {
	fast_function convert_more;     /* with other arguments; NULL: the wrapper does that */
	fast_function convert_sequence; /* a list or a tuple that does not begin with a scalar */
};

/* Inlined with constants from function on, so that each wrapper jumps to its original directly. */
static inline __attribute__((always_inline)) void *convert(void *self, void *const *arguments,
	ptrdiff_t n_arguments, void *names, const struct numpy_function *function,
	struct slow_paths slow, enum interpreter_kind kind)
{
	const void *type;

	if (slow.convert_more) {
		if (__builtin_expect(!is_only_argument(n_arguments, names), 0))
			return slow.convert_more(self, arguments, n_arguments, names);
	} else if (__builtin_expect(n_arguments < 1, 0)) {
		return convert_other(
			self, arguments, n_arguments, names, function, __builtin_dwarf_cfa());
	}
	type = type_of_source(arguments[0], kind);
	if (__builtin_expect(type == function->array_type, 1)) {
		if (!slow.convert_more)
			return convert_any_array(
				self, arguments, n_arguments, names, function, kind);
		SEPARATE_PATH(5);
		return function->original(self, arguments, n_arguments, names);
	}
	if (__builtin_expect(type == function->list_type, 1)) {
		if (kind != WITHOUT_GIL &&
			begins_with_unobserved_scalar(trace_list_items(arguments[0]))) {
			SEPARATE_PATH(2);
			return function->original(self, arguments, n_arguments, names);
		}
	} else if (trace_is_scalar_type(type)) {
		SEPARATE_PATH(3);
		return function->original(self, arguments, n_arguments, names);
	} else if (type == function->tuple_type) {
		if (kind != WITHOUT_GIL &&
			begins_with_unobserved_scalar(trace_tuple_items(arguments[0]))) {
			SEPARATE_PATH(4);
			return function->original(self, arguments, n_arguments, names);
		}
	} else {
		return convert_other(
			self, arguments, n_arguments, names, function, __builtin_dwarf_cfa());
	}
	return kind == WITHOUT_GIL ? convert_deep_sequence(self, arguments, n_arguments, names,
					     function, __builtin_dwarf_cfa())
				   : slow.convert_sequence(self, arguments, n_arguments, names);
}

#define NAME_IN_NUMPY(NAME) &#NAME[sizeof("numpy_") - 1]

#define FAST_WRAPPER(NAME, BY_DEFAULT)                                                    \
	static struct numpy_function function_##NAME = { .by_default = BY_DEFAULT,        \
		.name_text = NAME_IN_NUMPY(NAME) };                                       \
	static void *wrapped_##NAME(                                                      \
		void *self, void *const *arguments, ptrdiff_t n_arguments, void *names)   \
	{                                                                                 \
		return call_fast_and_compare(&(struct fast_call){ &function_##NAME, self, \
			arguments, n_arguments, names, __builtin_dwarf_cfa() });          \
	}

/* A function that converts arrays of NumPy; it may return them if it has no other arguments. */
#define CONVERTING_FUNCTION(NAME, KIND, RETURNS_ARRAYS)                                            \
	static __attribute__((noinline)) ALIGNED_TO_CACHE void *convert_more_##NAME##_##KIND(      \
		void *self, void *const *arguments, ptrdiff_t n_arguments, void *names)            \
	{                                                                                          \
		return convert(self, arguments, n_arguments, names, &function_##NAME,              \
			(struct slow_paths){ NULL, convert_sequence_##NAME }, KIND);               \
	}                                                                                          \
	static ALIGNED_TO_CACHE void *wrapped_##NAME##_##KIND(                                     \
		void *self, void *const *arguments, ptrdiff_t n_arguments, void *names)            \
	{                                                                                          \
		return convert(self, arguments, n_arguments, names, &function_##NAME,              \
			(struct slow_paths){ RETURNS_ARRAYS ? convert_more_##NAME##_##KIND : NULL, \
				convert_sequence_##NAME },                                         \
			KIND);                                                                     \
	}

#define CONVERTING_WRAPPER(NAME, RETURNS_ARRAYS, BY_DEFAULT)                                      \
	static struct numpy_function function_##NAME = { .by_default = BY_DEFAULT,                \
		.name_text = NAME_IN_NUMPY(NAME) };                                               \
	static __attribute__((noinline)) ALIGNED_TO_CACHE void *convert_sequence_##NAME(          \
		void *self, void *const *arguments, ptrdiff_t n_arguments, void *names)           \
	{                                                                                         \
		return convert_list_or_tuple(self, arguments, n_arguments, names,                 \
			&function_##NAME, __builtin_dwarf_cfa());                                 \
	}                                                                                         \
	CONVERTING_FUNCTION(NAME, ARGUMENTS_ON_PYTHON_STACK, RETURNS_ARRAYS)                      \
	CONVERTING_FUNCTION(NAME, ARGUMENTS_ON_NATIVE_STACK, RETURNS_ARRAYS)                      \
	CONVERTING_FUNCTION(NAME, WITHOUT_GIL, RETURNS_ARRAYS)                                    \
	static void *const wrappers_##NAME[N_INTERPRETER_KINDS] = {                               \
		[ARGUMENTS_ON_PYTHON_STACK] = (void *)wrapped_##NAME##_ARGUMENTS_ON_PYTHON_STACK, \
		[ARGUMENTS_ON_NATIVE_STACK] = (void *)wrapped_##NAME##_ARGUMENTS_ON_NATIVE_STACK, \
		[WITHOUT_GIL] = (void *)wrapped_##NAME##_WITHOUT_GIL,                             \
	};

FAST_WRAPPER(numpy_from_dlpack, TRACE_MAY_SHARE)
CONVERTING_WRAPPER(numpy_array, false, TRACE_COPIES)
CONVERTING_WRAPPER(numpy_asarray, true, TRACE_MAY_SHARE)
CONVERTING_WRAPPER(numpy_asanyarray, true, TRACE_MAY_SHARE)
CONVERTING_WRAPPER(numpy_ascontiguousarray, false, TRACE_MAY_SHARE)
CONVERTING_WRAPPER(numpy_asfortranarray, false, TRACE_MAY_SHARE)

#define KNOWN_NUMPY(NAME, FUNCTION)                                                               \
	FUNCTION, (void *)wrapped_##NAME, (void *)&function_##NAME.original, TRACE_CONSUMER_FAST, \
		false, NULL, &function_##NAME.object, NULL, NULL, NULL
#define KNOWN_CONVERTING(NAME, FUNCTION)                                                     \
	FUNCTION, NULL, (void *)&function_##NAME.original, TRACE_CONSUMER_FAST, false, NULL, \
		&function_##NAME.object, wrappers_##NAME, NULL, NULL

struct trace_known_consumer trace_numpy_functions[] = {
	{ NUMPY_MODULES, KNOWN_NUMPY(numpy_from_dlpack, "from_dlpack") },
	{ NUMPY_MODULES, KNOWN_CONVERTING(numpy_array, "array") },
	{ NUMPY_MODULES, KNOWN_CONVERTING(numpy_asarray, "asarray") },
	{ NUMPY_MODULES, KNOWN_CONVERTING(numpy_asanyarray, "asanyarray") },
	{ NUMPY_MODULES, KNOWN_CONVERTING(numpy_ascontiguousarray, "ascontiguousarray") },
	{ NUMPY_MODULES, KNOWN_CONVERTING(numpy_asfortranarray, "asfortranarray") },
};

const size_t trace_n_numpy_functions =
	sizeof(trace_numpy_functions) / sizeof(trace_numpy_functions[0]);

/* Once NumPy's types are known. */
static void assume_scalars(void)
{
	static bool is_done;

	if (is_done || !trace_array_type)
		return;
	is_done = true;
	for (size_t i = 0; i < TRACE_N_SCALAR_TYPES; i++)
		unobserved_types[i] = trace_scalar_types[i];
	has_unobserved = true;
}

static struct numpy_function *const converting_functions[] = { &function_numpy_array,
	&function_numpy_asarray, &function_numpy_asanyarray, &function_numpy_ascontiguousarray,
	&function_numpy_asfortranarray };

void trace_conversions_prepare(void)
{
	const enum interpreter_kind kind = find_interpreter_kind();
	static bool is_prepared;

	assume_scalars();
	for (size_t i = 0; i < sizeof(converting_functions) / sizeof(converting_functions[0]); i++)
		if (!converting_functions[i]->array_type)
			converting_functions[i]->array_type = trace_array_type;
	if (is_prepared)
		return;
	is_prepared = true;
	for (size_t i = 0; i < sizeof(converting_functions) / sizeof(converting_functions[0]);
		i++) {
		converting_functions[i]->name =
			trace_python.text_intern(converting_functions[i]->name_text);
		converting_functions[i]->list_type = trace_python.list_type;
		converting_functions[i]->tuple_type = trace_python.tuple_type;
	}
	for (size_t i = 0; i < trace_n_numpy_functions; i++)
		if (trace_numpy_functions[i].replacements)
			trace_numpy_functions[i].replacement =
				trace_numpy_functions[i].replacements[kind];
}

struct conversion_search {
	uint32_t numpy, tracer;
	bool has_begun; /* NumPy's frames */
	const struct numpy_function *found;
	bool is_observed; /* the tracer called the function, and did not jump to it */
};

static bool visit_frame_of_conversion(const struct trace_visited_frame *frame, void *opaque)
{
	struct conversion_search *search = opaque;
	const void *function;
	uint32_t library;

	if (!frame->depth) {
		search->has_begun = false;
		search->found = NULL;
	}
	trace_lock();
	library = trace_objects_library(frame->address);
	trace_unlock();
	if (search->found) {
		search->is_observed = library == search->tracer;
		return true;
	}
	if (library != search->numpy)
		return search->has_begun;
	search->has_begun = true;
	function = trace_stack_function(frame->address);
	for (size_t i = 0; i < sizeof(converting_functions) / sizeof(converting_functions[0]); i++)
		if (function && function == (const void *)converting_functions[i]->original)
			search->found = converting_functions[i];
	return false;
}

/* NumPy copies what is in lists. */
static void count_unobserved_item(
	const struct trace_passed *passed, const struct numpy_function *function)
{
	struct trace_verdict verdict = { .is_copy = true, .result_bytes = passed->n_bytes };

	if (passed->is_known_copy)
		return;
	if (function->by_default == TRACE_COPIES)
		verdict.causes = TRACE_COPY_REQUESTED;
	trace_lock();
	trace_verdict_count(passed->row, passed->event, &verdict);
	trace_unlock();
}

/* The other calls of these functions during which NumPy reads memory of another library are
 * observed. */
void trace_conversions_settle(const struct trace_passed *passed)
{
	struct conversion_search search = { .numpy = passed->consumer };
	const bool is_within_numpy = trace_calls.consumer == &trace_numpy_consumer;

	if (!trace_calls.is_unsettled)
		return;
	trace_calls.is_unsettled = false;
	trace_lock();
	search.tracer = trace_objects_library((void *)trace_conversions_settle);
	trace_unlock();
	trace_stack_walk(visit_frame_of_conversion, &search, true);
	if (is_within_numpy && (!search.found || search.is_observed)) {
		trace_calls.last = *passed;
		trace_calls.last.is_set = true;
		return;
	}
	if (!search.found)
		return;
	row_of_unobserved = passed->row;
	/* What was passed at the same line before it, during the call that encloses that of the
	 * list, is an item as well. The result of that call is compared with neither. */
	if (is_within_numpy) {
		if (trace_calls.last.n_bytes && trace_calls.last.row == passed->row)
			count_unobserved_item(&trace_calls.last, search.found);
		trace_calls.last = *passed;
		trace_calls.last.is_set = true;
		trace_calls.last.n_bytes = 0;
	}
	count_unobserved_item(passed, search.found);
}
