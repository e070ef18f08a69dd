// SPDX-License-Identifier: MIT
#include "trace/results.h"

#include "trace/consumers.h"
#include "trace/events.h"
#include "trace/holders.h"
#include "trace/lock.h"
#include "trace/memory.h"
#include "trace/modules.h"
#include "trace/numpy_api.h"
#include "trace/passed_function.h"
#include "trace/site.h"
#include "trace/torch_function.h"
#include "trace/verdict.h"

#include <string.h>

enum { TRACE_COPY_THIRD = 2 }; /* position of the argument */

enum { MAX_CONSTANT_BYTES = 1024 }; /* of an array that a library copies for itself */

const struct trace_consumer trace_numpy_consumer = { NULL, NULL, NULL, false };
const struct trace_consumer trace_numpy_list_consumer = { NULL, NULL, NULL, false };
const struct trace_consumer trace_jax_consumer = { "jaxlib", "unsafe_buffer_pointer",
	"block_until_ready", true };
const struct trace_consumer trace_torch_consumer = { "torch", "data_ptr", NULL, false };

static bool is_within(const struct trace_passed *passed, uint64_t address)
{
	return address >= passed->address && address - passed->address < passed->n_bytes;
}

/* A copy that the producer flagged has been counted already. */
static void judge_exchange(const struct trace_passed *passed, void *result, void *dtype,
	uint64_t address, enum trace_copy_request request, bool is_list)
{
	struct trace_verdict verdict = { .is_copy = false };

	/* What is at an unknown address may be the memory of the result. */
	if (!passed->address && !is_list && !passed->is_known_copy)
		return;
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

void trace_call_begin(
	struct trace_outer_call *outer, const struct trace_consumer *consumer, void *source)
{
	trace_calls_update();
	outer->consumer = trace_calls.consumer;
	outer->last.is_set = trace_calls.last.is_set;
	if (trace_calls.last.is_set) {
		outer->last = trace_calls.last;
		outer->n_items_before = trace_calls.n_items_before;
	}
	if (trace_is_on()) {
		trace_modules_update_changed();
		if (source && !trace_is_known_source(source))
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

static uint64_t result_address(void *result, const struct trace_consumer *consumer)
{
	if (!consumer->address_method)
		return trace_numpy_api_address(result);
	if (consumer->wait_method) {
		void *waited = trace_call_method(result, consumer->wait_method);

		trace_python.dec_ref(waited);
		if (!waited) {
			trace_python.err_clear();
			return 0;
		}
	}
	return trace_address_by_method(result, consumer->address_method);
}

static void *named_fast_argument(const struct trace_call_arguments *arguments, const char *wanted)
{
	for (ptrdiff_t i = 0; arguments->names && i < trace_python.tuple_size(arguments->names);
		i++) {
		const char *name = trace_utf8(trace_python.tuple_get(arguments->names, i), NULL);

		if (name && !strcmp(name, wanted))
			return arguments->fast[arguments->n_fast + i];
	}
	return NULL;
}

void *trace_requested_dtype(const struct trace_call_arguments *arguments)
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
		dtype = trace_argument_at(arguments->all, position);
	if (!dtype && !arguments->fast && arguments->names)
		dtype = trace_python.dict_get(arguments->names, "dtype");
	return dtype == trace_python.none ? NULL : dtype;
}

void *trace_named_argument(const struct trace_call_arguments *arguments, const char *name)
{
	if (arguments->fast)
		return named_fast_argument(arguments, name);
	return arguments->names ? trace_python.dict_get(arguments->names, name) : NULL;
}

/* Whether jax.numpy.array or asarray copied an array of NumPy whatever its alignment is, also with
 * copy=False: from JAX 0.10 on, lax.stage() copies what is not converted, and a device is a reason
 * for the path of conversions. */
static bool stages_array(const struct trace_call_arguments *arguments)
{
	void *device = trace_named_argument(arguments, "device");

	return ((device && device != trace_python.none) || !trace_requested_dtype(arguments)) &&
	       trace_jax_stages_arrays();
}

/* Whether the call requests a copy; jax.numpy.array has an argument for it without a name. */
static enum trace_copy_request requested_copy(const struct trace_call_arguments *arguments)
{
	void *copy = trace_named_argument(arguments, "copy");
	bool is_requested = arguments->by_default == TRACE_COPIES;

	if (!copy && is_requested && arguments->consumer->is_nested &&
		TRACE_COPY_THIRD < arguments->n_fast)
		copy = arguments->fast[TRACE_COPY_THIRD];
	if (copy)
		is_requested = trace_is_exactly(copy, trace_python.bool_type) &&
			       trace_python.integer_as_size(copy) == 1;
	if (is_requested)
		return TRACE_REQUEST;
	if (!arguments->consumer->is_nested || arguments->by_default == TRACE_MAY_SHARE)
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

/* The address of the elements of what was passed, which JAX copies to export them if a copy is
 * requested, without flagging the tensor. */
static uint64_t address_before_export(void *source, const struct trace_passed *exchange)
{
	uint64_t address = 0;

	if (source && trace_jax_array_type && trace_type_pointer(source) == trace_jax_array_type)
		address = result_address(source, &trace_jax_consumer);
	return address ? address : exchange->address;
}

static void compare_result(const struct trace_call_arguments *arguments, void *result)
{
	const struct trace_consumer *consumer = arguments->consumer;
	const struct trace_passed exchange = trace_calls.last;
	struct trace_passed source = exchange;
	enum trace_copy_request request;
	uint64_t address;

	if (!exchange.n_bytes || exchange.row == TRACE_NONE ||
		(consumer->is_nested && !has_as_many_elements(&exchange, result)) ||
		!is_library_named(
			exchange.consumer, consumer->library ? consumer->library : "numpy"))
		return;
	address = result_address(result, consumer);
	if (!address)
		return;
	request = requested_copy(arguments);
	if (request == TRACE_REQUEST)
		source.address = address_before_export(arguments->source, &exchange);
	judge_exchange(&source, result, trace_requested_dtype(arguments), address, request,
		consumer == &trace_numpy_list_consumer);
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

bool trace_is_within_jax(void)
{
	/* jax.tree.map() calls functions of the program, such as jax.numpy.asarray, and of JAX. */
	return is_jax(trace_site_package()) && is_jax(trace_site_package_above("jax._src.tree"));
}

/* Whether an array probably belongs to the library itself: numbers, axes and indices of a
 * program that JAX compiles, and small arrays that compiled code copies. */
static bool is_own_array(
	const struct trace_call_arguments *arguments, void *result, uint32_t package)
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
static void compare_converted_array(const struct trace_call_arguments *arguments, void *result)
{
	const struct trace_consumer *consumer = arguments->consumer;
	uint64_t source_address = trace_numpy_api_address(arguments->source), address;
	enum trace_copy_request request;
	uint32_t library;

	if (!source_address)
		return;
	address = result_address(result, consumer);
	if (!address || (!consumer->library && address == source_address))
		return;
	library = consumer->library
			  ? library_named(consumer->library)
			  : trace_passed_function_package(arguments->function,
				    arguments->function_name,
				    arguments->native ? arguments->native - 1 : TRACE_NONE);
	if (library == TRACE_NONE || is_library_named(library, "numpy") ||
		(!consumer->library && is_own_array(arguments, result, library)))
		return;
	request = requested_copy(arguments);
	/* PyTorch has strides, and what NumPy copies on request has any order. */
	trace_array_passed(arguments->source, result, address, library,
		&(struct trace_conversion){ .dtype = trace_requested_dtype(arguments),
			.request = request,
			.takes_any_order =
				consumer == &trace_torch_consumer ||
				(consumer == &trace_numpy_consumer && request == TRACE_REQUEST) });
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

	return trace_is_value_type(type) || type == trace_python.complex_type ||
	       type == trace_python.bool_type;
}

/* A call of JAX or PyTorch with a list or a tuple. */
struct listed_conversion {
	const struct trace_call_arguments *arguments;
	void *result;
	uint64_t address; /* of the result; 0: not known yet */
	void *guard;      /* of PyTorch */
	struct trace_call_line line;
};

static struct trace_conversion conversion_of_item(const struct trace_call_arguments *arguments)
{
	return (struct trace_conversion){ .dtype = trace_requested_dtype(arguments),
		.request = arguments->by_default == TRACE_COPIES ? requested_copy(arguments)
								 : TRACE_NO_REQUEST,
		.takes_any_order = true,
		.is_part = true };
}

/* The address of the result, for which that is waited; 0: it has none, as while JAX traces a
 * function. */
static uint64_t address_of_listed(struct listed_conversion *listed)
{
	const struct trace_consumer *consumer = listed->arguments->consumer;

	if (!listed->address && (consumer != &trace_torch_consumer ||
					trace_torch_begin(listed->result, &listed->guard)))
		listed->address = result_address(listed->result, consumer);
	return listed->address;
}

/* Counts an array of NumPy in a list or a tuple, which is copied to a part of the result. The
 * result is read once there is an array. */
static bool compare_listed_array(void *item, const void *type, void *opaque)
{
	struct listed_conversion *listed = opaque;
	const struct trace_call_arguments *arguments = listed->arguments;
	struct trace_conversion conversion;

	if (trace_is_scalar_type(type) || !trace_numpy_api_address(item))
		return true;
	if (!address_of_listed(listed))
		return false;
	conversion = conversion_of_item(arguments);
	conversion.line = &listed->line;
	trace_array_passed(item, listed->result, listed->address,
		library_named(arguments->consumer->library), &conversion);
	return true;
}

/* Whether jax.numpy.array or asarray, or a function of PyTorch, received a list or a tuple that may
 * contain arrays. */
static bool receives_listed_arrays(const struct trace_call_arguments *arguments)
{
	const struct trace_consumer *consumer = arguments->consumer;
	const void *type;

	if (!arguments->source || (consumer->is_nested ? arguments->by_default == TRACE_MAY_SHARE
						       : consumer != &trace_torch_consumer))
		return false;
	type = trace_type_pointer(arguments->source);
	if (!trace_is_sequence_type(type))
		return false;
	return consumer == &trace_torch_consumer || type != trace_python.list_type ||
	       !trace_list_begins_with_numbers(arguments->source);
}

static void judge_listed_arrays(const struct trace_call_arguments *arguments, void *result)
{
	struct listed_conversion listed = { .arguments = arguments, .result = result };

	trace_items_visit(arguments->source, compare_listed_array, &listed);
	if (listed.guard)
		trace_torch_end(listed.guard);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}

/* Whether jax.device_put received a list, a tuple or a dictionary, whose items it converts. */
static bool receives_tree(const struct trace_call_arguments *arguments)
{
	const void *type;

	if (!arguments->consumer->is_nested || arguments->by_default != TRACE_MAY_SHARE ||
		!arguments->source)
		return false;
	type = trace_type_pointer(arguments->source);
	return trace_is_sequence_type(type) || type == trace_python.dict_type;
}

static void compare_tree(
	const struct trace_call_arguments *arguments, void *source, void *result, int depth);

static void compare_sequences(
	const struct trace_call_arguments *arguments, void *source, void *result, int depth)
{
	const bool is_list = trace_type_pointer(source) == trace_python.list_type;
	ptrdiff_t (*const get_size)(void *) =
		is_list ? trace_python.list_size : trace_python.tuple_size;
	void *(*const get_item)(void *, ptrdiff_t) =
		is_list ? trace_python.list_get : trace_python.tuple_get;

	for (ptrdiff_t i = 0; i < get_size(source) && i < get_size(result); i++)
		compare_tree(arguments, get_item(source, i), get_item(result, i), depth);
}

/* Looking up keys of other types may run code of the program. */
static bool is_plain_key(void *key)
{
	return trace_is_exactly(key, trace_python.text_type) ||
	       trace_is_exactly(key, trace_python.integer_type);
}

static void compare_dictionaries(
	const struct trace_call_arguments *arguments, void *source, void *result, int depth)
{
	ptrdiff_t position = 0;
	void *key, *value;

	while (trace_python.dict_next(source, &position, &key, &value))
		if (is_plain_key(key))
			compare_tree(
				arguments, value, trace_python.dict_get_object(result, key), depth);
}

/* Compares each array of NumPy in a tree with what is in its place in the result. The result is
 * waited for, during which another thread may modify both. */
static void compare_tree(
	const struct trace_call_arguments *arguments, void *source, void *result, int depth)
{
	struct trace_call_arguments leaf = *arguments;
	const void *type;

	if (!source || !result || source == result || depth == TRACE_MAX_LIST_DEPTH)
		return;
	trace_python.inc_ref(source);
	trace_python.inc_ref(result);
	type = trace_type_pointer(source);
	leaf.source = source;
	if (type == trace_array_type)
		compare_converted_array(&leaf, result);
	else if (trace_is_sequence_type(type) && trace_type_pointer(result) == type)
		compare_sequences(arguments, source, result, depth + 1);
	else if (type == trace_python.dict_type && trace_type_pointer(result) == type)
		compare_dictionaries(arguments, source, result, depth + 1);
	trace_python.dec_ref(result);
	trace_python.dec_ref(source);
}

static void judge_tree(const struct trace_call_arguments *arguments, void *result)
{
	compare_tree(arguments, arguments->source, result, 0);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}

/* The exchange during a call, or the array that was its first argument; NULL: none. */
static void judge_exchange_or_array(
	const struct trace_call_arguments *arguments, void *result, bool is_outermost)
{
	void *source = arguments->source, *guard = NULL;

	if (arguments->consumer->is_nested && source && is_plain_value(source))
		return;
	if (source == result && arguments->consumer->is_nested)
		return;
	if (arguments->consumer == &trace_torch_consumer && !trace_torch_begin(result, &guard))
		return;
	if (trace_calls.last.is_set && !is_other_array(source))
		compare_result(arguments, result);
	else if (source && result != source && is_outermost)
		compare_converted_array(arguments, result);
	if (guard)
		trace_torch_end(guard);
}

static inline void restore_outer_exchange(const struct trace_outer_call *outer)
{
	if (!outer->last.is_set)
		return;
	trace_calls.last = outer->last;
	trace_calls.n_items_before = outer->n_items_before;
}

/* Whether what the call around this one returns is compared instead: torch.tensor() consumes the
 * capsule of an object by torch.from_dlpack(), and copies the result. */
static bool is_capsule_of_outer_call(
	const struct trace_outer_call *outer, const struct trace_call_arguments *arguments)
{
	const void *source = arguments->source;

	return outer->consumer == &trace_torch_consumer &&
	       arguments->consumer == &trace_torch_consumer && source &&
	       trace_type_pointer(source) == trace_python.capsule_type;
}

void trace_call_judge(const struct trace_outer_call *outer,
	const struct trace_call_arguments *arguments, enum trace_judged judged, void *result)
{
	const bool is_capsule = is_capsule_of_outer_call(outer, arguments);
	bool is_judged = !is_capsule && (!arguments->consumer->is_nested ||
						outer->consumer != arguments->consumer);

	if (is_judged && result && trace_is_on() && !trace_python.err_occurred()) {
		if (judged == TRACE_LISTED_ARRAYS)
			judge_listed_arrays(arguments, result);
		else if (judged == TRACE_TREE)
			judge_tree(arguments, result);
		else
			judge_exchange_or_array(arguments, result, !outer->consumer);
	}
	if (outer->last.is_set && !is_capsule)
		restore_outer_exchange(outer);
	else if (is_judged)
		trace_calls.last.is_set = false;
}

/* Whether the outermost call received an array of NumPy, and did not return it. */
static inline bool is_conversion_possible(
	const struct trace_outer_call *outer, const void *source, const void *result)
{
	const void *type;

	if (!source || result == source || outer->consumer)
		return false;
	type = trace_type_pointer(source);
	return type == trace_array_type ||
	       (!trace_is_value_type(type) && trace_numpy_api_address(source));
}

bool trace_call_is_judged(
	const struct trace_outer_call *outer, const void *source, const void *result)
{
	return trace_calls.last.is_set || outer->last.is_set ||
	       is_conversion_possible(outer, source, result);
}

/* What the outermost call of JAX or PyTorch received is compared as a whole, whatever it passed. */
static enum trace_judged find_judged(const struct trace_outer_call *outer,
	const struct trace_call_arguments *arguments, const void *result)
{
	if (result && !outer->consumer && receives_listed_arrays(arguments))
		return TRACE_LISTED_ARRAYS;
	if (result && !outer->consumer && receives_tree(arguments))
		return TRACE_TREE;
	if (trace_calls.last.is_set || is_conversion_possible(outer, arguments->source, result))
		return TRACE_EXCHANGE_OR_ARRAY;
	return TRACE_NOTHING;
}

void trace_call_end(const struct trace_outer_call *outer,
	const struct trace_call_arguments *arguments, void *result)
{
	enum trace_judged judged;

	trace_calls_update();
	judged = find_judged(outer, arguments, result);
	if (judged == TRACE_NOTHING)
		restore_outer_exchange(outer);
	else
		trace_call_judge(outer, arguments, judged, result);
	trace_call_leave(outer);
}
