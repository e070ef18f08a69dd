// SPDX-License-Identifier: MIT
#include "trace/results.h"

#include "trace/attributes.h"
#include "trace/call_site.h"
#include "trace/calls.h"
#include "trace/evaluation.h"
#include "trace/events.h"
#include "trace/function_proxy.h"
#include "trace/holders.h"
#include "trace/items.h"
#include "trace/lock.h"
#include "trace/memory.h"
#include "trace/modules.h"
#include "trace/native_caller.h"
#include "trace/numpy_api.h"
#include "trace/objects.h"
#include "trace/python.h"
#include "trace/site.h"
#include "trace/stack.h"
#include "trace/torch_function.h"
#include "trace/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The flags of a method that decide how it is called. */
enum { CALL_KINDS = METH_VARARGS | METH_KEYWORDS | METH_NOARGS | METH_O | METH_FASTCALL };

typedef void *(*fast_function)(
	void *self, void *const *arguments, ptrdiff_t n_arguments, void *names);
typedef void *(*keyword_function)(void *self, void *arguments, void *keywords);
typedef void *(*one_function)(void *self, void *argument);

/* A library may request a memoryview of an object first, and then the buffer of that, whose type is
 * the interpreter's. */
bool trace_results_repeat(uint32_t row, uint64_t address)
{
	const struct trace_row *rows = trace_memory.rows;
	const struct trace_passed *last = trace_results_last();

	return trace_calls.consumer && last && last->row != TRACE_NONE &&
	       rows[last->row].kind == rows[row].kind &&
	       rows[last->row].consumer == rows[row].consumer && last->address == address;
}

/* --- verdicts --- */

/* The result of a method that is called without arguments; NULL: it raised an exception. */
static void *call_of_result(void *object, const char *name)
{
	void *method = trace_python.get_attribute(object, name);
	void *value = method ? trace_python.call_no_arguments(method) : NULL;

	trace_python.dec_ref(method);
	return value;
}

/* The address that a method without arguments returns; 0: unknown. */
static uint64_t call_for_address(void *object, const char *method_name)
{
	void *value = call_of_result(object, method_name);
	ptrdiff_t address = value ? trace_python.integer_as_size(value) : 0;

	trace_python.dec_ref(value);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return address > 0 ? (uint64_t)address : 0;
}

static bool is_within(const struct trace_passed *passed, uint64_t address)
{
	return address >= passed->address && address - passed->address < passed->n_bytes;
}

/* A copy that the producer flagged has been counted already. */
static void judge_exchange(const struct trace_passed *passed, void *result, void *dtype,
	uint64_t address, enum trace_copy_request request, bool is_list)
{
	struct trace_verdict verdict = { .is_copy = false };

	if (is_list || !is_within(passed, address) || passed->is_known_copy)
		verdict = trace_verdict_of_copy(result, dtype,
			&(struct trace_elements){ .n_bytes = passed->n_bytes,
				.item_bytes = passed->item_bytes,
				.kind = passed->item_kind,
				.is_part = is_list });
	if (is_list)
		verdict.n_before = trace_calls.n_items_before;
	trace_lock();
	trace_verdict_check_alignment(&verdict, passed->address, passed->consumer);
	trace_verdict_add_request(&verdict, request);
	if (passed->is_known_copy)
		trace_verdict_count_narrowing(passed->row, passed->event, &verdict);
	else
		trace_verdict_count(passed->row, passed->event, &verdict);
	trace_unlock();
}

/* A function that returns memory of another library as its own. */
struct wrapped_consumer {
	const char *library;        /* NULL: NumPy, for the package of the innermost frame */
	const char *address_method; /* of results; NULL: they are arrays of NumPy */
	/* Waits for results without the GIL; NULL: they exist. unsafe_buffer_pointer() waits with
	 * it, forever if the deleter of what was passed needs it in another thread. */
	const char *wait_method;
	bool is_nested; /* its functions call each other: the outermost one is judged */
};

static const struct wrapped_consumer numpy_consumer = { NULL, NULL, NULL, false };
/* The same for a list or a tuple, whose items NumPy copies. */
static const struct wrapped_consumer numpy_list_consumer = { NULL, NULL, NULL, false };
static const struct wrapped_consumer jax_consumer = { "jaxlib", "unsafe_buffer_pointer",
	"block_until_ready", true };
static const struct wrapped_consumer torch_consumer = { "torch", "data_ptr", NULL, false };

/* The state of the call that encloses a call. */
struct outer_call {
	struct trace_passed last;
	uint16_t n_items_before;
	const struct wrapped_consumer *consumer;
	void *dtype;
};

/* What a function does without an argument that requests a copy or forbids it. */
enum default_copy {
	MAY_SHARE,
	COPIES,
	MAY_STAGE, /* jax.numpy.asarray: see stages_array() */
};

/* The arguments of a call. */
struct call_arguments {
	const struct wrapped_consumer *consumer;
	void *source;      /* the first one; NULL: none */
	void *const *fast; /* of a vector call, the named ones last; NULL: a tuple, which is all */
	void *all;
	ptrdiff_t n_fast;   /* without the named ones */
	void *names;        /* a tuple of a vector call, otherwise a dictionary; NULL: none */
	int dtype_position; /* of the type of elements, or DTYPE_BY_NAME */
	enum default_copy by_default;
	uint32_t native; /* the library whose compiled code calls NumPy, plus one; 0: none */
};

enum { DTYPE_BY_NAME = -1, DTYPE_SECOND = 1, COPY_THIRD = 2 };

enum { MAX_CONSTANT_BYTES = 1024 }; /* of an array that a library copies for itself */

/* Types of the first items of lists whose conversion is not observed; NULL: each one is. */
static _Atomic(const void *) unobserved_float, unobserved_integer;

/* The row of the exchanges of a list whose conversion was not observed: further items of that list
 * are passed without being observed either. */
static _Atomic uint32_t row_of_unobserved = TRACE_NONE;

/* Notes that NumPy reads memory of another library, perhaps for a list whose conversion is not
 * observed. */
static void note_unobserved(const struct trace_passed *passed)
{
	const struct wrapped_consumer *consumer = trace_calls.consumer;
	const bool is_within_numpy =
		consumer == &numpy_consumer || consumer == &numpy_list_consumer;
	/* A method __array__() converts a list if an array that NumPy converts is in several
	 * places. */
	const bool is_of_other_call =
		!is_within_numpy ||
		(consumer == &numpy_consumer && trace_calls.last.is_set &&
			trace_calls.last.address != passed->address && passed->row != TRACE_NONE &&
			trace_memory.rows[passed->row].kind != TRACE_DLPACK);

	if (!is_of_other_call || !trace_memory_is_library(passed->consumer, "numpy"))
		return;
	if (unobserved_float)
		unobserved_float = unobserved_integer = NULL;
	else if (passed->row != row_of_unobserved)
		return;
	trace_calls.is_unsettled = true;
}

static bool is_of_same_elements(const struct trace_passed *a, const struct trace_passed *b)
{
	return a->row == b->row && a->item_bytes == b->item_bytes && a->item_kind == b->item_kind;
}

/* Adds the items of a list that were passed before to those of an exchange that has the same
 * verdict, or counts them as copies of which no more is known. */
static void note_list_items(struct trace_passed *passed)
{
	const struct trace_passed *last = &trace_calls.last;
	struct trace_verdict verdict = { .is_copy = true };

	if (!last->is_set || last->is_known_copy || last->row == TRACE_NONE ||
		!trace_memory_is_library(last->consumer, "numpy")) {
		trace_calls.n_items_before = 0;
		return;
	}
	verdict.n_before = trace_calls.n_items_before;
	verdict.result_bytes = last->n_bytes;
	if (is_of_same_elements(last, passed) && !passed->is_known_copy &&
		trace_calls.n_items_before < UINT16_MAX) {
		trace_event_set_verdict(last->event, &verdict);
		passed->n_bytes += last->n_bytes;
		trace_calls.n_items_before++;
		return;
	}
	/* The buffer to which an attribute refers has the same memory. */
	if (last->address != passed->address || trace_calls.n_items_before)
		trace_verdict_count(last->row, last->event, &verdict);
	trace_calls.n_items_before = 0;
}

void trace_results_note(const struct trace_passed *passed)
{
	struct trace_passed noted = *passed;

	if (unobserved_float || row_of_unobserved != TRACE_NONE)
		note_unobserved(passed);
	if (trace_calls.consumer == &numpy_list_consumer)
		note_list_items(&noted);
	/* The result of the call under way is not that of the list. */
	if (trace_calls.is_unsettled && trace_calls.consumer)
		return;
	/* The ones after the first are constants of the code that JAX compiles. */
	if (!trace_calls.consumer || !trace_calls.consumer->is_nested || !trace_calls.last.is_set) {
		trace_calls.last = noted;
		trace_calls.last.is_set = true;
	}
}

const struct trace_passed *trace_results_last(void)
{
	return trace_calls.last.is_set ? &trace_calls.last : NULL;
}

void trace_results_forget(uint32_t tensor)
{
	if (trace_calls.last.is_set && trace_calls.last.tensor == tensor + 1)
		trace_calls.last.is_set = false;
}

static void *argument_at(void *arguments, ptrdiff_t i)
{
	return i >= 0 && i < trace_python.tuple_size(arguments)
		       ? trace_python.tuple_get(arguments, i)
		       : NULL;
}

static inline bool is_type_of_numbers(const void *type)
{
	return type == trace_python.float_type || type == trace_python.integer_type;
}

/* Whether objects of a type are not arrays and have no interface. */
static inline bool is_type_of_values(const void *type)
{
	return trace_is_sequence_type(type) || is_type_of_numbers(type);
}

/* Whether there is nothing to replace in the type of an object, which has an interface or not. */
static inline bool is_known_source(const void *source)
{
	const void *type = trace_type_pointer(source);

	return is_type_of_values(type) || type == trace_array_type ||
	       trace_attributes_are_known(source);
}

/* What a function of NumPy does with its first argument. */
static const struct wrapped_consumer *numpy_consumer_of(const void *source)
{
	return source && trace_is_sequence_type(trace_type_pointer(source)) ? &numpy_list_consumer
									    : &numpy_consumer;
}

static inline void begin_wrapped_call(
	struct outer_call *outer, const struct wrapped_consumer *consumer, void *source)
{
	trace_calls_update();
	outer->consumer = trace_calls.consumer;
	outer->last.is_set = trace_calls.last.is_set;
	if (trace_calls.last.is_set) {
		outer->last = trace_calls.last;
		outer->n_items_before = trace_calls.n_items_before;
	}
	if (trace_is_on) {
		trace_modules_update_changed();
		if (source && !is_known_source(source))
			trace_attributes_examine(source);
		else if (source && trace_is_sequence_type(trace_type_pointer(source)))
			trace_items_examine(source);
	}
	trace_calls.last.is_set = false;
	trace_calls.consumer = consumer;
}

static bool is_library_named(uint32_t library, const char *name)
{
	bool is;

	trace_lock();
	is = trace_memory_is_library(library, name);
	trace_unlock();
	return is;
}

static uint64_t result_address(void *result, const struct wrapped_consumer *consumer)
{
	if (!consumer->address_method)
		return trace_numpy_api_address(result);
	if (consumer->wait_method) {
		void *waited = call_of_result(result, consumer->wait_method);

		trace_python.dec_ref(waited);
		if (!waited) {
			trace_python.err_clear();
			return 0;
		}
	}
	return call_for_address(result, consumer->address_method);
}

static void *named_fast_argument(const struct call_arguments *arguments, const char *wanted)
{
	for (ptrdiff_t i = 0; arguments->names && i < trace_python.tuple_size(arguments->names);
		i++) {
		const char *name = trace_utf8(trace_python.tuple_get(arguments->names, i), NULL);

		if (name && !strcmp(name, wanted))
			return arguments->fast[arguments->n_fast + i];
	}
	return NULL;
}

/* The type of elements that the program or a package requests; NULL: none. */
static void *requested_dtype(const struct call_arguments *arguments)
{
	ptrdiff_t position = arguments->dtype_position;
	void *dtype = NULL;

	if (arguments->native)
		return NULL;
	if (arguments->fast)
		dtype = position >= 0 && position < arguments->n_fast
				? arguments->fast[position]
				: named_fast_argument(arguments, "dtype");
	else if (arguments->all)
		dtype = argument_at(arguments->all, position);
	if (!dtype && !arguments->fast && arguments->names)
		dtype = trace_python.dict_get(arguments->names, "dtype");
	return dtype == trace_python.none ? NULL : dtype;
}

static void *named_argument(const struct call_arguments *arguments, const char *name)
{
	if (arguments->fast)
		return named_fast_argument(arguments, name);
	return arguments->names ? trace_python.dict_get(arguments->names, name) : NULL;
}

static bool jax_stages_arrays(void);

/* Whether jax.numpy.array or asarray copied an array of NumPy whatever its alignment is, also with
 * copy=False: from JAX 0.10 on, lax.stage() copies what is not converted, and a device is a reason
 * for the path of conversions. */
static bool stages_array(const struct call_arguments *arguments)
{
	void *device = named_argument(arguments, "device");

	return ((device && device != trace_python.none) || !requested_dtype(arguments)) &&
	       jax_stages_arrays();
}

/* Whether the call requests a copy; jax.numpy.array has an argument for it without a name. */
static enum trace_copy_request requested_copy(const struct call_arguments *arguments)
{
	void *copy = named_argument(arguments, "copy");
	bool is_requested = arguments->by_default == COPIES;

	if (!copy && is_requested && arguments->consumer->is_nested &&
		COPY_THIRD < arguments->n_fast)
		copy = arguments->fast[COPY_THIRD];
	if (copy)
		is_requested = trace_is_exactly(copy, trace_python.bool_type) &&
			       trace_python.integer_as_size(copy) == 1;
	if (is_requested)
		return TRACE_REQUEST;
	if (!arguments->consumer->is_nested || arguments->by_default == MAY_SHARE)
		return TRACE_NO_REQUEST;
	return stages_array(arguments) ? TRACE_REQUEST : TRACE_REQUEST_IF_UNEXPLAINED;
}

/* Whether a result of JAX has as many elements as what was passed: otherwise that is a constant of
 * what JAX compiled for the call, to which it passes arrays of its own and those of other
 * libraries unseen. */
static bool has_as_many_elements(const struct trace_passed *passed, void *result)
{
	ptrdiff_t n_elements = trace_integer_attribute(result, "size");

	return !passed->item_bytes || n_elements < 0 ||
	       passed->n_bytes / passed->item_bytes == (uint64_t)n_elements;
}

static void compare_result(const struct call_arguments *arguments, void *result)
{
	const struct wrapped_consumer *consumer = arguments->consumer;
	const struct trace_passed exchange = trace_calls.last;
	uint64_t address;

	if (!exchange.n_bytes || exchange.row == TRACE_NONE ||
		(consumer->is_nested && !has_as_many_elements(&exchange, result)) ||
		!is_library_named(
			exchange.consumer, consumer->library ? consumer->library : "numpy"))
		return;
	address = result_address(result, consumer);
	if (!address)
		return;
	judge_exchange(&exchange, result, requested_dtype(arguments), address,
		requested_copy(arguments), consumer == &numpy_list_consumer);
	/* The address of an array of NumPy can be read when its holder is searched for. */
	if (consumer->library && exchange.tensor && is_within(&exchange, address))
		trace_holders_note(exchange.tensor - 1, result);
}

static uint32_t library_named(const char *name)
{
	uint32_t library;

	trace_lock();
	library = trace_memory_library(name, "");
	trace_unlock();
	return library;
}

static bool is_jax(uint32_t library)
{
	static _Atomic uint32_t known_jax = TRACE_NONE;

	if (library != TRACE_NONE && known_jax == TRACE_NONE && is_library_named(library, "jax"))
		known_jax = library;
	return library != TRACE_NONE && library == known_jax;
}

bool trace_results_is_within_jax(void)
{
	return is_jax(trace_site_package());
}

/* Whether an array probably belongs to the library itself: numbers, axes and indices of a
 * program that JAX compiles, and small arrays that compiled code copies. */
static bool is_own_array(const struct call_arguments *arguments, void *result, uint32_t package)
{
	const bool is_of_jax = is_jax(package);
	struct trace_elements from, to;

	return (is_of_jax || arguments->native) && trace_array_elements(arguments->source, &from) &&
	       trace_array_elements(result, &to) &&
	       ((is_of_jax && !from.n_dimensions) ||
		       (from.n_bytes <= MAX_CONSTANT_BYTES && from.item_bytes == to.item_bytes));
}

/* An array of NumPy that a function received without a protocol. Those of NumPy itself count if a
 * library calls them and they copy: they often return their argument. */
static void compare_converted_array(const struct call_arguments *arguments, void *result)
{
	const struct wrapped_consumer *consumer = arguments->consumer;
	uint64_t source_address = trace_numpy_api_address(arguments->source), address;
	enum trace_copy_request request;
	uint32_t library;

	if (!source_address)
		return;
	address = result_address(result, consumer);
	if (!address || (!consumer->library && address == source_address))
		return;
	library = consumer->library   ? library_named(consumer->library)
		  : arguments->native ? arguments->native - 1
				      : trace_site_package();
	if (library == TRACE_NONE || is_library_named(library, "numpy") ||
		(!consumer->library && is_own_array(arguments, result, library)))
		return;
	request = requested_copy(arguments);
	/* PyTorch has strides, and what NumPy copies on request has any order. */
	trace_array_passed(arguments->source, result, address, library,
		&(struct trace_conversion){ .dtype = requested_dtype(arguments),
			.request = request,
			.takes_any_order =
				consumer == &torch_consumer ||
				(consumer == &numpy_consumer && request == TRACE_REQUEST) });
}

/* Whether an object is an array of NumPy other than that of the last exchange. */
static bool is_other_array(void *object)
{
	uint64_t address = object ? trace_numpy_api_address(object) : 0;

	return address && address != trace_calls.last.address;
}

/* Whether an object is a number of Python, a list or a tuple, of which JAX makes constants. */
static bool is_plain_value(const void *object)
{
	const void *type = trace_type_pointer(object);

	return is_type_of_values(type) || type == trace_python.complex_type ||
	       type == trace_python.bool_type;
}

/* A call of JAX with a list or a tuple. */
struct listed_conversion {
	const struct call_arguments *arguments;
	void *result;
	uint64_t address; /* of the result; 0: not known yet */
};

/* Counts an array of NumPy in a list or a tuple, which JAX copies. The result is waited for once
 * there is an array; it has no address while JAX traces a function. */
static bool compare_listed_array(void *item, const void *type, void *opaque)
{
	struct listed_conversion *conversion = opaque;
	const struct call_arguments *arguments = conversion->arguments;

	(void)type;
	if (!trace_numpy_api_address(item))
		return true;
	if (!conversion->address)
		conversion->address = result_address(conversion->result, arguments->consumer);
	if (!conversion->address)
		return false;
	trace_array_passed(item, conversion->result, conversion->address,
		library_named(arguments->consumer->library),
		&(struct trace_conversion){ .dtype = requested_dtype(arguments),
			.request = arguments->by_default == COPIES ? requested_copy(arguments)
								   : TRACE_NO_REQUEST,
			.takes_any_order = true,
			.is_part = true });
	return true;
}

/* Whether jax.numpy.array or asarray received a list or a tuple that may contain arrays. */
static bool receives_listed_arrays(const struct call_arguments *arguments)
{
	const void *type;

	if (!arguments->consumer->is_nested || arguments->by_default == MAY_SHARE ||
		!arguments->source)
		return false;
	type = trace_type_pointer(arguments->source);
	return trace_is_sequence_type(type) &&
	       (type != trace_python.list_type ||
		       !trace_list_begins_with_numbers(arguments->source));
}

/* The exchange during a call, or the array that was its first argument; NULL: none. */
static void judge_call(const struct call_arguments *arguments, void *result, bool is_outermost)
{
	void *source = arguments->source, *guard = NULL;

	if (!result || !trace_is_on || trace_python.err_occurred())
		return;
	if (arguments->consumer->is_nested && source && is_plain_value(source)) {
		if (!is_outermost || !receives_listed_arrays(arguments))
			return;
		trace_items_visit(source, compare_listed_array,
			&(struct listed_conversion){ arguments, result, 0 });
		if (trace_python.err_occurred())
			trace_python.err_clear();
		return;
	}
	if (source == result && arguments->consumer->is_nested)
		return;
	if (arguments->consumer == &torch_consumer && !trace_torch_begin(result, &guard))
		return;
	if (trace_calls.last.is_set && !is_other_array(source))
		compare_result(arguments, result);
	else if (source && result != source && is_outermost)
		compare_converted_array(arguments, result);
	if (guard)
		trace_torch_end(guard);
}

static inline void restore_outer_exchange(const struct outer_call *outer)
{
	if (!outer->last.is_set)
		return;
	trace_calls.last = outer->last;
	trace_calls.n_items_before = outer->n_items_before;
}

static __attribute__((noinline)) void judge_and_restore(
	const struct outer_call *outer, const struct call_arguments *arguments, void *result)
{
	bool is_judged = outer->consumer != arguments->consumer || !arguments->consumer->is_nested;

	if (is_judged)
		judge_call(arguments, result, !outer->consumer);
	if (outer->last.is_set)
		restore_outer_exchange(outer);
	else if (is_judged)
		trace_calls.last.is_set = false;
}

/* Whether the outermost call received an array of NumPy, and did not return it. */
static inline bool is_conversion_possible(
	const struct outer_call *outer, const void *source, const void *result)
{
	const void *type;

	if (!source || result == source || outer->consumer)
		return false;
	type = trace_type_pointer(source);
	return type == trace_array_type ||
	       (!is_type_of_values(type) && trace_numpy_api_address(source));
}

/* Most calls have no exchange. */
static inline bool is_judgement_due(
	const struct outer_call *outer, const void *source, const void *result)
{
	return trace_calls.last.is_set || outer->last.is_set ||
	       is_conversion_possible(outer, source, result);
}

static inline void end_wrapped_call(const struct outer_call *outer)
{
	trace_calls.consumer = outer->consumer;
}

static void judge_and_end(
	const struct outer_call *outer, const struct call_arguments *arguments, void *result)
{
	trace_calls_update();
	if (trace_calls.last.is_set || is_conversion_possible(outer, arguments->source, result) ||
		(!outer->consumer && result && receives_listed_arrays(arguments)))
		judge_and_restore(outer, arguments, result);
	else
		restore_outer_exchange(outer);
	end_wrapped_call(outer);
}

/* --- the wrappers: one for each function, which knows its consumer --- */

/* A function of NumPy. */
struct numpy_function {
	fast_function original;
	const void *object; /* as Python code has it, to compare it only */
	enum default_copy by_default;
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
	const struct outer_call *outer, const struct fast_call *call, void *result)
{
	void *const source = call->n_arguments > 0 ? call->arguments[0] : NULL;
	const bool is_due = is_judgement_due(outer, source, result);
	uint32_t package, native;

	if (!trace_is_on || (!is_due && (!result || result != source || outer->consumer)))
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
	judge_and_restore(outer,
		&(struct call_arguments){ .consumer = numpy_consumer_of(source),
			.source = source,
			.fast = call->arguments,
			.n_fast = call->n_arguments,
			.names = call->names,
			.dtype_position = DTYPE_SECOND,
			.by_default = call->function->by_default,
			.native = native },
		result);
}

static void *call_function(const struct fast_call *call)
{
	return call->function->original(
		call->self, call->arguments, call->n_arguments, call->names);
}

static __attribute__((noinline)) void *call_nested_and_compare(const struct fast_call *call)
{
	void *const source = call->n_arguments > 0 ? call->arguments[0] : NULL;
	struct outer_call outer;
	void *result;

	begin_wrapped_call(&outer, numpy_consumer_of(source), source);
	result = call_function(call);
	trace_calls_update();
	judge_fast_call(&outer, call, result);
	end_wrapped_call(&outer);
	return result;
}

static __attribute__((noinline)) void *call_fast_and_compare(const struct fast_call *call)
{
	static const struct outer_call no_call;
	const void *type;
	bool is_convertible;
	void *result;

	trace_calls_update();
	if (trace_calls.consumer || trace_calls.last.is_set || call->n_arguments < 1 ||
		trace_modules_are_due() || !is_known_source(call->arguments[0]))
		return call_nested_and_compare(call);
	type = trace_type_pointer(call->arguments[0]);
	is_convertible = !is_type_of_values(type);
	trace_calls.consumer = &numpy_consumer;
	if (trace_is_sequence_type(type)) {
		trace_items_examine(call->arguments[0]);
		trace_calls.consumer = &numpy_list_consumer;
	}
	result = call_function(call);
	trace_calls_update();
	if (trace_calls.last.is_set || is_convertible)
		judge_fast_call(&no_call, call, result);
	trace_calls.consumer = NULL;
	return result;
}

/* Whether the conversion of an array of NumPy calls no function of Python: its elements are not
 * objects, nor structures, which may contain some. */
static inline bool has_plain_elements(const void *array, size_t head_bytes)
{
	const char *descriptor;
	char kind;

	memcpy(&descriptor, (const char *)array + head_bytes + ARRAY_DESCRIPTOR_OFFSET,
		sizeof(descriptor));
	kind = descriptor[head_bytes + DESCRIPTOR_KIND_OFFSET];
	return kind != 'O' && kind != 'V';
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
	static const struct outer_call no_call;

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
	trace_calls.consumer = &numpy_list_consumer;
	result = function->original(self, arguments, n_arguments, names);
	if (trace_calls.last.is_set)
		judge_list_call(arguments, n_arguments, names, function, frame, result);
	trace_calls.consumer = NULL;
	return result;
}

/* Whether a list or a tuple begins with a number. Until NumPy reads memory of another library in a
 * call that is not observed, it is then assumed to contain only numbers; any other item of such a
 * list has a single element. */
static inline bool begins_with_unobserved_number(struct trace_list_items fields)
{
	const void *const type = trace_type_pointer_after(fields.items[0], GIL_HEAD_BYTES);

	return type == atomic_load_explicit(&unobserved_float, memory_order_relaxed) ||
	       type == atomic_load_explicit(&unobserved_integer, memory_order_relaxed);
}

/* Whether the conversion of an item of a list or a tuple is no exchange, unless the item is itself
 * a list or a tuple. */
static inline bool is_plain_item(const void *item, const void *type)
{
	return trace_is_scalar_type(type) ||
	       (type == trace_array_type && has_plain_elements(item, GIL_HEAD_BYTES));
}

/* Whether the conversion of a list or a tuple is no exchange: it begins with a number, or consists
 * of plain items and of lists and tuples that begin with a number or are empty. It calls no
 * function, so that convert_list_or_tuple() saves no registers. */
static inline __attribute__((always_inline)) bool has_plain_rows(const void *sequence)
{
	const struct trace_list_items fields =
		trace_sequence_items(sequence, trace_type_pointer_after(sequence, GIL_HEAD_BYTES));
	struct trace_list_items row;

	if (fields.n_items && begins_with_unobserved_number(fields))
		return true;
	for (ptrdiff_t i = 0; i < fields.n_items; i++) {
		const void *const type = trace_type_pointer_after(fields.items[i], GIL_HEAD_BYTES);

		if (is_plain_item(fields.items[i], type))
			continue;
		if (!trace_is_sequence_type(type))
			return false;
		row = trace_sequence_items(fields.items[i], type);
		if (row.n_items && !begins_with_unobserved_number(row))
			return false;
	}
	return true;
}

/* The same for other nested lists and tuples. */
static bool has_plain_items(const void *sequence, const struct trace_outer_sequence *outer)
{
	const struct trace_outer_sequence this = { sequence, outer, outer ? outer->depth + 1 : 0 };
	const struct trace_list_items fields =
		trace_sequence_items(sequence, trace_type_pointer_after(sequence, GIL_HEAD_BYTES));

	if (fields.n_items && begins_with_unobserved_number(fields))
		return true;
	for (ptrdiff_t i = 0; i < fields.n_items; i++) {
		void *const item = fields.items[i];
		const void *const type = trace_type_pointer_after(item, GIL_HEAD_BYTES);

		if (trace_is_sequence_type(type) ? !trace_may_enter_sequence(item, &this) ||
							   !has_plain_items(item, &this)
						 : !is_plain_item(item, type))
			return false;
	}
	return true;
}

static __attribute__((noinline)) void *convert_deep_sequence(void *self, void *const *arguments,
	ptrdiff_t n_arguments, void *names, const struct numpy_function *function,
	const void *frame)
{
	if (trace_tuple_items_offset && has_plain_items(arguments[0], NULL))
		return function->original(self, arguments, n_arguments, names);
	if (!is_outermost_call())
		return convert_other(self, arguments, n_arguments, names, function, frame);
	trace_items_examine(arguments[0]);
	return convert_observed_sequence(self, arguments, n_arguments, names, function, frame);
}

/* A list is not a source itself, but may contain sources at any depth. Inlined in functions of
 * their own, so that calls with other objects save no registers. */
static inline __attribute__((always_inline)) void *convert_list_or_tuple(void *self,
	void *const *arguments, ptrdiff_t n_arguments, void *names,
	const struct numpy_function *function, const void *frame)
{
	if (trace_tuple_items_offset && has_plain_rows(arguments[0]))
		return function->original(self, arguments, n_arguments, names);
	return convert_deep_sequence(self, arguments, n_arguments, names, function, frame);
}

static __attribute__((noinline)) void *convert_sequence_with_arguments(void *self,
	void *const *arguments, ptrdiff_t n_arguments, void *names,
	const struct numpy_function *function, const void *frame)
{
	return convert_list_or_tuple(self, arguments, n_arguments, names, function, frame);
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
	if (!trace_tuple_items_offset)
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

/* Whether a list begins with a number. */
static inline bool begins_with_number(const void *list, enum interpreter_kind kind)
{
	struct trace_list_items fields;

	if (kind == WITHOUT_GIL)
		return false;
	fields = trace_list_items(list);
	return fields.n_items && begins_with_unobserved_number(fields);
}

/* Otherwise the compiler would load the values that both then have once more. */
static inline bool is_only_argument(ptrdiff_t n_arguments, const void *names)
{
	uintptr_t others = (uintptr_t)(n_arguments - 1) | (uintptr_t)names;

	__asm__("" : "+r"(others));
	return !others;
}

/* Whether a call with an array of NumPy is no exchange, as far as that is known of it at once. */
static inline bool is_plain_conversion(void *const *arguments, bool is_only,
	const struct numpy_function *function, const void *frame, enum interpreter_kind kind)
{
	const size_t head_bytes = kind == WITHOUT_GIL ? trace_head_bytes : GIL_HEAD_BYTES;

	return (is_only || has_plain_elements(arguments[0], head_bytes)) &&
	       is_known_call(function, arguments, frame, kind);
}

typedef void *(*sequence_function)(void *self, void *const *arguments);

/* Inlined with constants from function on, so that each wrapper jumps to its original directly.
 * convert_only: for a list or a tuple that is the only argument. */
static inline __attribute__((always_inline)) void *convert(void *self, void *const *arguments,
	ptrdiff_t n_arguments, void *names, const struct numpy_function *function,
	sequence_function convert_only, enum interpreter_kind kind, bool is_only,
	bool returns_arrays)
{
	const void *const type = type_of_source(arguments[0], kind);

	if (__builtin_expect(type == trace_array_type, 1)) {
		if ((is_only && returns_arrays) || is_plain_conversion(arguments, is_only, function,
							   __builtin_dwarf_cfa(), kind))
			return function->original(self, arguments, n_arguments, names);
		return convert_array(
			self, arguments, n_arguments, names, function, __builtin_dwarf_cfa());
	}
	if (__builtin_expect(type == trace_python.list_type, 1)) {
		if (begins_with_number(arguments[0], kind))
			return function->original(self, arguments, n_arguments, names);
		return is_only ? convert_only(self, arguments)
			       : convert_sequence_with_arguments(self, arguments, n_arguments,
					 names, function, __builtin_dwarf_cfa());
	}
	if (trace_is_scalar_type(type))
		return function->original(self, arguments, n_arguments, names);
	if (type == trace_python.tuple_type)
		return is_only ? convert_only(self, arguments)
			       : convert_sequence_with_arguments(self, arguments, n_arguments,
					 names, function, __builtin_dwarf_cfa());
	return convert_other(self, arguments, n_arguments, names, function, __builtin_dwarf_cfa());
}

static void *call_keywords_and_compare(keyword_function function, void *self, void *arguments,
	void *keywords, const struct wrapped_consumer *consumer, enum default_copy by_default)
{
	struct outer_call outer;
	void *result;

	begin_wrapped_call(&outer, consumer, argument_at(arguments, 0));
	result = function(self, arguments, keywords);
	judge_and_end(&outer,
		&(struct call_arguments){ .consumer = consumer,
			.source = argument_at(arguments, 0),
			.all = arguments,
			.names = keywords,
			.dtype_position = DTYPE_BY_NAME,
			.by_default = by_default },
		result);
	return result;
}

static void *call_one_and_compare(
	one_function function, void *self, void *argument, const struct wrapped_consumer *consumer)
{
	struct outer_call outer;
	void *result;

	begin_wrapped_call(&outer, consumer, argument);
	result = function(self, argument);
	judge_and_end(&outer,
		&(struct call_arguments){
			.consumer = consumer, .source = argument, .dtype_position = DTYPE_BY_NAME },
		result);
	return result;
}

/* A bit of the number of arguments of a vector call. */
#define PY_VECTORCALL_ARGUMENTS_OFFSET (SIZE_MAX / 2 + 1)

/* The object that jax.numpy.asarray, array or device_put converts, if it is passed by name. */
static void *named_source(const struct call_arguments *arguments)
{
	static const char *const names[] = { "a", "object", "x" };
	void *source = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !source; i++)
		source = named_fast_argument(arguments, names[i]);
	return source;
}

static void *call_object_and_compare(void *original, void *const *arguments, size_t n_arguments,
	void *names, const struct wrapped_consumer *consumer, int dtype_position,
	enum default_copy by_default)
{
	const ptrdiff_t n_fast = (ptrdiff_t)(n_arguments & ~PY_VECTORCALL_ARGUMENTS_OFFSET);
	struct call_arguments call = { .consumer = consumer,
		.source = n_fast ? arguments[0] : NULL,
		.fast = arguments,
		.n_fast = n_fast,
		.names = names,
		.dtype_position = dtype_position,
		.by_default = by_default };
	struct outer_call outer;
	void *result;

	if (!n_fast && names && consumer->is_nested)
		call.source = named_source(&call);
	begin_wrapped_call(&outer, consumer, call.source);
	outer.dtype = trace_calls.dtype;
	if (consumer->is_nested)
		trace_calls.dtype = requested_dtype(&call);
	result = trace_python.vectorcall(original, arguments, n_arguments, names);
	judge_and_end(&outer, &call, result);
	trace_calls.dtype = outer.dtype;
	return result;
}

#define FAST_WRAPPER(NAME, BY_DEFAULT)                                                    \
	static struct numpy_function function_##NAME = { .by_default = BY_DEFAULT };      \
	static void *wrapped_##NAME(                                                      \
		void *self, void *const *arguments, ptrdiff_t n_arguments, void *names)   \
	{                                                                                 \
		return call_fast_and_compare(&(struct fast_call){ &function_##NAME, self, \
			arguments, n_arguments, names, __builtin_dwarf_cfa() });          \
	}

/* A function that converts arrays of NumPy; it may return them if it has no other arguments. */
#define CONVERTING_FUNCTION(NAME, KIND, RETURNS_ARRAYS)                                      \
	static __attribute__((noinline)) void *convert_##NAME##_##KIND(                      \
		void *self, void *const *arguments, ptrdiff_t n_arguments, void *names)      \
	{                                                                                    \
		if (n_arguments < 1)                                                         \
			return convert_other(self, arguments, n_arguments, names,            \
				&function_##NAME, __builtin_dwarf_cfa());                    \
		return convert(self, arguments, n_arguments, names, &function_##NAME,        \
			convert_sequence_##NAME, KIND, false, RETURNS_ARRAYS);               \
	}                                                                                    \
	static void *wrapped_##NAME##_##KIND(                                                \
		void *self, void *const *arguments, ptrdiff_t n_arguments, void *names)      \
	{                                                                                    \
		if (!is_only_argument(n_arguments, names))                                   \
			return convert_##NAME##_##KIND(self, arguments, n_arguments, names); \
		return convert(self, arguments, n_arguments, names, &function_##NAME,        \
			convert_sequence_##NAME, KIND, true, RETURNS_ARRAYS);                \
	}

#define CONVERTING_WRAPPER(NAME, RETURNS_ARRAYS, BY_DEFAULT)                                      \
	static struct numpy_function function_##NAME = { .by_default = BY_DEFAULT };              \
	static __attribute__((noinline)) void *convert_sequence_##NAME(                           \
		void *self, void *const *arguments)                                               \
	{                                                                                         \
		return convert_list_or_tuple(                                                     \
			self, arguments, 1, NULL, &function_##NAME, __builtin_dwarf_cfa());       \
	}                                                                                         \
	CONVERTING_FUNCTION(NAME, ARGUMENTS_ON_PYTHON_STACK, RETURNS_ARRAYS)                      \
	CONVERTING_FUNCTION(NAME, ARGUMENTS_ON_NATIVE_STACK, RETURNS_ARRAYS)                      \
	CONVERTING_FUNCTION(NAME, WITHOUT_GIL, RETURNS_ARRAYS)                                    \
	static void *const wrappers_##NAME[N_INTERPRETER_KINDS] = {                               \
		[ARGUMENTS_ON_PYTHON_STACK] = (void *)wrapped_##NAME##_ARGUMENTS_ON_PYTHON_STACK, \
		[ARGUMENTS_ON_NATIVE_STACK] = (void *)wrapped_##NAME##_ARGUMENTS_ON_NATIVE_STACK, \
		[WITHOUT_GIL] = (void *)wrapped_##NAME##_WITHOUT_GIL,                             \
	};

#define KEYWORD_WRAPPER(NAME, CONSUMER, BY_DEFAULT)                                         \
	static keyword_function original_##NAME;                                            \
	static void *wrapped_##NAME(void *self, void *arguments, void *keywords)            \
	{                                                                                   \
		return call_keywords_and_compare(                                           \
			original_##NAME, self, arguments, keywords, &CONSUMER, BY_DEFAULT); \
	}

#define ONE_WRAPPER(NAME, CONSUMER)                                                      \
	static one_function original_##NAME;                                             \
	static void *wrapped_##NAME(void *self, void *argument)                          \
	{                                                                                \
		return call_one_and_compare(original_##NAME, self, argument, &CONSUMER); \
	}

static const void *jax_array_type; /* NULL: not found */

/* Whether the only argument is an array of JAX. */
static inline bool receives_own_array(void *const *arguments, size_t n_arguments, const void *names)
{
	return (n_arguments & ~PY_VECTORCALL_ARGUMENTS_OFFSET) == 1 && !names &&
	       trace_type_pointer(arguments[0]) == jax_array_type;
}

/* A function of JAX that programs and JAX itself call. IS_CONVERSION: what it does with an array of
 * JAX is no exchange. */
#define JAX_WRAPPER(NAME, DTYPE_POSITION, BY_DEFAULT, IS_CONVERSION)                              \
	static void *original_##NAME;                                                             \
	static void *wrapped_##NAME(void *const *arguments, size_t n_arguments, void *names)      \
	{                                                                                         \
		return !trace_is_on ||                                                            \
				       (IS_CONVERSION && receives_own_array(arguments,            \
								 n_arguments, names)) ||          \
				       trace_results_is_within_jax()                              \
			       ? trace_python.vectorcall(                                         \
					 original_##NAME, arguments, n_arguments, names)          \
			       : call_object_and_compare(original_##NAME, arguments, n_arguments, \
					 names, &jax_consumer, DTYPE_POSITION, BY_DEFAULT);       \
	}

/* In place of an object that is looked up in its module at each call. */
#define OBJECT_WRAPPER(NAME, CONSUMER, DTYPE_POSITION)                                         \
	static void *original_##NAME;                                                          \
	static void *wrapped_##NAME(void *const *arguments, size_t n_arguments, void *names)   \
	{                                                                                      \
		return call_object_and_compare(original_##NAME, arguments, n_arguments, names, \
			&CONSUMER, DTYPE_POSITION, MAY_SHARE);                                 \
	}

FAST_WRAPPER(numpy_from_dlpack, MAY_SHARE)
CONVERTING_WRAPPER(numpy_array, false, COPIES)
CONVERTING_WRAPPER(numpy_asarray, true, MAY_SHARE)
CONVERTING_WRAPPER(numpy_asanyarray, true, MAY_SHARE)
CONVERTING_WRAPPER(numpy_ascontiguousarray, false, MAY_SHARE)
CONVERTING_WRAPPER(numpy_asfortranarray, false, MAY_SHARE)
KEYWORD_WRAPPER(numpy_frombuffer, numpy_consumer, MAY_SHARE)
OBJECT_WRAPPER(jax_managed_tensor_to_buffer, jax_consumer, DTYPE_BY_NAME)
JAX_WRAPPER(jax_from_dlpack, DTYPE_BY_NAME, MAY_SHARE, false)
JAX_WRAPPER(jax_numpy_from_dlpack, DTYPE_BY_NAME, MAY_SHARE, false)
JAX_WRAPPER(jax_array, DTYPE_SECOND, COPIES, true)
JAX_WRAPPER(jax_asarray, DTYPE_SECOND, MAY_STAGE, true)
JAX_WRAPPER(jax_device_put, DTYPE_BY_NAME, MAY_SHARE, true)
ONE_WRAPPER(torch_from_dlpack, torch_consumer)
OBJECT_WRAPPER(torch_other_from_dlpack, torch_consumer, DTYPE_BY_NAME)
ONE_WRAPPER(torch_from_numpy, torch_consumer)
KEYWORD_WRAPPER(torch_as_tensor, torch_consumer, MAY_SHARE)
KEYWORD_WRAPPER(torch_asarray, torch_consumer, MAY_SHARE)
KEYWORD_WRAPPER(torch_tensor, torch_consumer, COPIES)
KEYWORD_WRAPPER(torch_frombuffer, torch_consumer, MAY_SHARE)

/* Reads the names that the code of jax.numpy.array uses, once. */
static bool jax_stages_arrays(void)
{
	static _Atomic int found; /* 0: not read yet */
	void *code, *names;
	int stages = -1;

	if (found)
		return found > 0;
	code = trace_python.get_attribute(original_jax_array, "__code__");
	names = code ? trace_python.get_attribute(code, "co_names") : NULL;
	for (ptrdiff_t i = 0; names && i < trace_python.tuple_size(names); i++) {
		const char *name = trace_utf8(trace_python.tuple_get(names, i), NULL);

		if (name && !strcmp(name, "stage"))
			stages = 1;
	}
	trace_python.dec_ref(names);
	trace_python.dec_ref(code);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	found = stages;
	return stages > 0;
}

/* --- lists whose conversion is not observed --- */

static const struct numpy_function *const converting_functions[] = { &function_numpy_array,
	&function_numpy_asarray, &function_numpy_asanyarray, &function_numpy_ascontiguousarray,
	&function_numpy_asfortranarray };

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
	if (function->by_default == COPIES)
		verdict.causes = TRACE_COPY_REQUESTED;
	trace_lock();
	trace_verdict_count(passed->row, passed->event, &verdict);
	trace_unlock();
}

/* The other calls of these functions during which NumPy reads memory of another library are
 * observed. */
void trace_results_settle(const struct trace_passed *passed)
{
	struct conversion_search search = { .numpy = passed->consumer };
	const bool is_within_numpy = trace_calls.consumer == &numpy_consumer;

	if (!trace_calls.is_unsettled)
		return;
	trace_calls.is_unsettled = false;
	trace_lock();
	search.tracer = trace_objects_library((void *)trace_results_settle);
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

/* --- wrapping --- */

enum consumer_kind {
	CONSUMER_FAST,     /* a built-in function, whose definition is changed */
	CONSUMER_KEYWORDS, /* the same */
	CONSUMER_ONE,      /* the same */
	CONSUMER_OBJECT,   /* an attribute of the module, which is replaced */
	CONSUMER_PYTHON,   /* the same, if it is not a built-in function */
};

struct known_consumer {
	const char *module, *module2, *function; /* module2: an older name, or NULL */
	void *replacement, *original;            /* original: where its pointer is put */
	enum consumer_kind kind;
	bool is_done;
	void *proxy;         /* that took the place of the attribute */
	const void **object; /* where the built-in function is put, to compare it only; or NULL */
	void *const *replacements; /* for each enum interpreter_kind; NULL: the same for all */
};

#define NUMPY_MODULES "numpy._core._multiarray_umath", "numpy.core._multiarray_umath"
#define KNOWN(NAME, FUNCTION, KIND) \
	FUNCTION, (void *)wrapped_##NAME, (void *)&original_##NAME, KIND, false, NULL, NULL, NULL
#define KNOWN_NUMPY(NAME, FUNCTION)                                                                \
	FUNCTION, (void *)wrapped_##NAME, (void *)&function_##NAME.original, CONSUMER_FAST, false, \
		NULL, &function_##NAME.object, NULL
#define KNOWN_CONVERTING(NAME, FUNCTION)                                               \
	FUNCTION, NULL, (void *)&function_##NAME.original, CONSUMER_FAST, false, NULL, \
		&function_##NAME.object, wrappers_##NAME

static struct known_consumer known_consumers[] = {
	{ NUMPY_MODULES, KNOWN_NUMPY(numpy_from_dlpack, "from_dlpack") },
	{ NUMPY_MODULES, KNOWN_CONVERTING(numpy_array, "array") },
	{ NUMPY_MODULES, KNOWN_CONVERTING(numpy_asarray, "asarray") },
	{ NUMPY_MODULES, KNOWN_CONVERTING(numpy_asanyarray, "asanyarray") },
	{ NUMPY_MODULES, KNOWN_CONVERTING(numpy_ascontiguousarray, "ascontiguousarray") },
	{ NUMPY_MODULES, KNOWN_CONVERTING(numpy_asfortranarray, "asfortranarray") },
	{ NUMPY_MODULES, KNOWN(numpy_frombuffer, "frombuffer", CONSUMER_KEYWORDS) },
	{ "jaxlib._jax", "jaxlib.xla_extension",
		KNOWN(jax_managed_tensor_to_buffer, "dlpack_managed_tensor_to_buffer",
			CONSUMER_OBJECT) },
	/* Where JAX defines them: jax.numpy may be called before anything is seen after its import.
	 */
	{ "jax._src.dlpack", NULL, KNOWN(jax_from_dlpack, "from_dlpack", CONSUMER_OBJECT) },
	{ "jax._src.numpy.lax_numpy", NULL,
		KNOWN(jax_numpy_from_dlpack, "from_dlpack", CONSUMER_OBJECT) },
	{ "jax._src.numpy.array_constructors", "jax._src.numpy.lax_numpy",
		KNOWN(jax_array, "array", CONSUMER_OBJECT) },
	{ "jax._src.numpy.array_constructors", "jax._src.numpy.lax_numpy",
		KNOWN(jax_asarray, "asarray", CONSUMER_OBJECT) },
	{ "jax._src.api", NULL, KNOWN(jax_device_put, "device_put", CONSUMER_OBJECT) },
	{ "jax.dlpack", NULL, KNOWN(jax_from_dlpack, "from_dlpack", CONSUMER_OBJECT) },
	{ "jax.numpy", NULL, KNOWN(jax_numpy_from_dlpack, "from_dlpack", CONSUMER_OBJECT) },
	{ "jax.numpy", NULL, KNOWN(jax_array, "array", CONSUMER_OBJECT) },
	{ "jax.numpy", NULL, KNOWN(jax_asarray, "asarray", CONSUMER_OBJECT) },
	{ "jax", NULL, KNOWN(jax_device_put, "device_put", CONSUMER_OBJECT) },
	{ "torch._C", NULL, KNOWN(torch_from_dlpack, "_from_dlpack", CONSUMER_ONE) },
	{ "torch._C", NULL, KNOWN(torch_other_from_dlpack, "_from_dlpack", CONSUMER_PYTHON) },
	{ "torch", NULL, KNOWN(torch_from_numpy, "from_numpy", CONSUMER_ONE) },
	{ "torch", NULL, KNOWN(torch_as_tensor, "as_tensor", CONSUMER_KEYWORDS) },
	{ "torch", NULL, KNOWN(torch_asarray, "asarray", CONSUMER_KEYWORDS) },
	{ "torch", NULL, KNOWN(torch_tensor, "tensor", CONSUMER_KEYWORDS) },
	{ "torch", NULL, KNOWN(torch_frombuffer, "frombuffer", CONSUMER_KEYWORDS) },
};

static int calling_convention(enum consumer_kind kind)
{
	return kind == CONSUMER_FAST  ? METH_FASTCALL | METH_KEYWORDS
	       : kind == CONSUMER_ONE ? METH_O
				      : METH_VARARGS | METH_KEYWORDS;
}

enum { NOT_BUILT_IN = -1 };

/* The flags of a built-in function, or NOT_BUILT_IN. */
static int read_built_in_flags(void *function)
{
	int flags = trace_python.function_get_flags(function);

	if (!trace_python.err_occurred())
		return flags;
	trace_python.err_clear();
	return NOT_BUILT_IN;
}

/* What is replaced of a function. */
enum replaced_part { NO_PART, DEFINITION, ATTRIBUTE };

static enum replaced_part part_to_replace(enum consumer_kind kind, int flags)
{
	const bool is_built_in = flags != NOT_BUILT_IN;

	switch (kind) {
	case CONSUMER_OBJECT:
		return ATTRIBUTE;
	case CONSUMER_PYTHON:
		return is_built_in ? NO_PART : ATTRIBUTE;
	default:
		return is_built_in ? DEFINITION : NO_PART;
	}
}

/* The definition that a built-in function refers to is the first field after the head, in static
 * memory or, of PyTorch, in a list; all of it is compared with what Python returns. False: it is
 * something else. */
static bool replace_definition(struct known_consumer *known, void *function, int flags)
{
	void *const replacement = known->replacements ? known->replacements[find_interpreter_kind()]
						      : known->replacement;
	struct trace_method_definition *definition;
	void *original = trace_python.function_get_function(function);

	memcpy(&definition, (const char *)function + trace_numpy_api_head_bytes(),
		sizeof(definition));
	if ((flags & CALL_KINDS) != calling_convention(known->kind) ||
		definition->function != original || definition->flags != flags ||
		strcmp(definition->name, known->function) != 0)
		return false;
	memcpy(known->original, &original, sizeof(original));
	if (known->object)
		*known->object = function;
	return trace_objects_write(&definition->function, replacement);
}

/* Gives a reference to the proxy of a function that is in another module, too; NULL: none. */
static void *find_known_proxy(const struct known_consumer *known, const void *function)
{
	for (size_t i = 0; i < sizeof(known_consumers) / sizeof(known_consumers[0]); i++) {
		const struct known_consumer *other = &known_consumers[i];

		if (other->proxy && other->original == known->original &&
			!memcmp(other->original, &function, sizeof(function))) {
			trace_python.inc_ref(other->proxy);
			return other->proxy;
		}
	}
	return NULL;
}

/* Gives the module of a function and its name; NULL: it is not imported. */
static void *find_module_of_consumer(const struct known_consumer *known, const char **name)
{
	void *module = trace_python_module(known->module);

	*name = known->module;
	if (!module && known->module2) {
		module = trace_python_module(known->module2);
		*name = known->module2;
	}
	return module;
}

/* Lets pickle find a function by the name of the module that defines it, if its name led to the
 * module in which the proxy is now. */
static void rename_function_module(
	const struct known_consumer *known, void *function, void *proxy, const char *definer)
{
	void *text = trace_python.get_attribute(function, "__module__"), *renamed;
	const char *name = text ? trace_utf8(text, NULL) : NULL;

	if (name && !strcmp(name, known->module)) {
		renamed = trace_python.build_value("s", definer);
		if (renamed && !trace_python.set_attribute(function, "__module__", renamed))
			trace_function_proxy_set_module(proxy, text);
		trace_python.dec_ref(renamed);
	}
	trace_python.dec_ref(text);
}

/* Puts a function back where it is defined, which is earlier in the list, once a module that
 * programs use has the proxy. JAX calls it there without a detour. The program may have read it
 * from the other module before that had the proxy, and pickle stores a function only if its name
 * leads to it. */
static void restore_definition(const struct known_consumer *known, void *function, void *proxy)
{
	for (const struct known_consumer *other = known_consumers; other < known; other++) {
		const char *name;
		void *module;

		if (other->proxy != proxy)
			continue;
		module = find_module_of_consumer(other, &name);
		if (module && !trace_python.set_attribute(module, other->function, function))
			rename_function_module(known, function, proxy, name);
		trace_python.dec_ref(module);
	}
	if (trace_python.err_occurred())
		trace_python.err_clear();
}

/* Takes the reference to the function if it succeeds. */
static bool replace_attribute(struct known_consumer *known, void *module, void *function)
{
	trace_proxy_call call;
	void *proxy, *original;

	if (trace_function_is_proxy(function)) {
		memcpy(&original, known->original, sizeof(original));
		restore_definition(known, original, function);
		trace_python.dec_ref(function);
		return true;
	}
	memcpy(&call, &known->replacement, sizeof(call));
	proxy = find_known_proxy(known, function);
	if (!proxy)
		proxy = trace_function_proxy_new(function, call);
	/* Before another thread can call the proxy. */
	memcpy(known->original, &function, sizeof(function));
	if (!proxy || trace_python.set_attribute(module, known->function, proxy)) {
		trace_python.dec_ref(proxy);
		return false;
	}
	restore_definition(known, function, proxy);
	/* Keeps both references: the proxy is called until the end. */
	known->proxy = proxy;
	return true;
}

static void wrap_consumer(struct known_consumer *known)
{
	const char *name;
	void *module = find_module_of_consumer(known, &name);
	void *function = trace_module_attribute(module, known->function);

	if (function) {
		const int flags = read_built_in_flags(function);
		const enum replaced_part part = part_to_replace(known->kind, flags);

		if (part == ATTRIBUTE)
			known->is_done = replace_attribute(known, module, function);
		else if (part == DEFINITION)
			known->is_done = replace_definition(known, function, flags);
		if (part != ATTRIBUTE || !known->is_done)
			trace_python.dec_ref(function);
	}
	trace_python.dec_ref(module);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}

/* The type is never freed: a reference to it is kept. */
static void find_jax_array_type(void)
{
	void *module = trace_python_module("jaxlib._jax");

	jax_array_type = trace_module_attribute(module, "ArrayImpl");
	trace_python.dec_ref(module);
}

void trace_results_update(void)
{
	static bool is_prepared;

	if (!trace_numpy_api_head_bytes())
		return;
	if (!is_prepared) {
		is_prepared = true;
		unobserved_float = trace_python.float_type;
		unobserved_integer = trace_python.integer_type;
	}
	if (!jax_array_type)
		find_jax_array_type();
	for (size_t i = 0; i < sizeof(known_consumers) / sizeof(known_consumers[0]); i++)
		if (!known_consumers[i].is_done)
			wrap_consumer(&known_consumers[i]);
}
