// SPDX-License-Identifier: MIT
#include "trace/consumers.h"

#include "trace/array_methods.h"
#include "trace/calls.h"
#include "trace/conversions.h"
#include "trace/direct_readers.h"
#include "trace/function_proxy.h"
#include "trace/items.h"
#include "trace/lock.h"
#include "trace/modules.h"
#include "trace/numpy_api.h"
#include "trace/python.h"
#include "trace/results.h"
#include "trace/torch_function.h"
#include "trace/wrapping.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef void *(*keyword_function)(void *self, void *arguments, void *keywords);
typedef void *(*one_function)(void *self, void *argument);

/* The object that a function converts, if it is passed by name: those of jax.numpy.asarray, array
 * and device_put, and of torch.tensor, as_tensor and asarray. */
static void *named_source(const struct trace_call_arguments *arguments)
{
	static const char *const names[] = { "a", "object", "x", "data", "obj" };
	void *source = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !source; i++)
		source = trace_named_argument(arguments, names[i]);
	return source;
}

/* Whether what a function of PyTorch converts, or the first item of a list or a tuple or of the
 * first one in it, is a tensor or a scalar. PyTorch then accepts other items with a single element
 * only. */
static bool is_own_value(const void *object)
{
	const void *type = trace_type_pointer(object);
	struct trace_list_items fields;

	for (int depth = 0; trace_tuple_items_offset && trace_is_sequence_type(type); depth++) {
		fields = trace_sequence_items(object, type);
		if (!fields.n_items || depth == TRACE_MAX_LIST_DEPTH)
			return true;
		object = fields.items[0];
		type = trace_type_pointer(object);
	}
	return trace_is_scalar_type(type) || type == trace_torch_tensor_type();
}

static void *call_keywords_and_compare(keyword_function function, void *self, void *arguments,
	void *keywords, const struct trace_consumer *consumer, enum trace_default_copy by_default)
{
	struct trace_call_arguments call = { .consumer = consumer,
		.source = trace_argument_at(arguments, 0),
		.all = arguments,
		.names = keywords,
		.dtype_position = TRACE_DTYPE_BY_NAME,
		.by_default = by_default };
	struct trace_outer_call outer;
	void *result;

	if (!call.source && keywords)
		call.source = named_source(&call);
	if (consumer == &trace_torch_consumer && call.source && is_own_value(call.source) &&
		!trace_modules_are_due())
		return function(self, arguments, keywords);
	trace_call_begin(&outer, consumer, call.source);
	result = function(self, arguments, keywords);
	trace_call_end(&outer, &call, result);
	return result;
}

static void *call_one_and_compare(
	one_function function, void *self, void *argument, const struct trace_consumer *consumer)
{
	struct trace_outer_call outer;
	void *result;

	trace_call_begin(&outer, consumer, argument);
	result = function(self, argument);
	trace_call_end(&outer,
		&(struct trace_call_arguments){ .consumer = consumer,
			.source = argument,
			.dtype_position = TRACE_DTYPE_BY_NAME },
		result);
	return result;
}

static void *call_object_and_compare(void *original, void *const *arguments, size_t n_arguments,
	void *names, const struct trace_consumer *consumer, int dtype_position,
	enum trace_default_copy by_default)
{
	const ptrdiff_t n_fast = (ptrdiff_t)(n_arguments & ~PY_VECTORCALL_ARGUMENTS_OFFSET);
	struct trace_call_arguments call = { .consumer = consumer,
		.source = n_fast ? arguments[0] : NULL,
		.fast = arguments,
		.n_fast = n_fast,
		.names = names,
		.dtype_position = dtype_position,
		.by_default = by_default };
	struct trace_outer_call outer;
	void *result;

	if (!n_fast && names && consumer->is_nested)
		call.source = named_source(&call);
	trace_call_begin(&outer, consumer, call.source);
	outer.dtype = trace_calls.dtype;
	if (consumer->is_nested)
		trace_calls.dtype = trace_requested_dtype(&call);
	result = trace_python.vectorcall(original, arguments, n_arguments, names);
	trace_call_end(&outer, &call, result);
	trace_calls.dtype = outer.dtype;
	return result;
}

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

const void *trace_jax_array_type;

/* Whether the only argument is an array of JAX. */
static inline bool receives_own_array(void *const *arguments, size_t n_arguments, const void *names)
{
	return (n_arguments & ~PY_VECTORCALL_ARGUMENTS_OFFSET) == 1 && !names &&
	       trace_type_pointer(arguments[0]) == trace_jax_array_type;
}

/* A function of JAX that programs and JAX itself call. IS_CONVERSION: what it does with an array of
 * JAX is no exchange. */
#define JAX_WRAPPER(NAME, DTYPE_POSITION, BY_DEFAULT, IS_CONVERSION)                              \
	static void *original_##NAME;                                                             \
	static void *wrapped_##NAME(void *const *arguments, size_t n_arguments, void *names)      \
	{                                                                                         \
		return !trace_is_on() ||                                                          \
				       (IS_CONVERSION && receives_own_array(arguments,            \
								 n_arguments, names)) ||          \
				       trace_is_within_jax()                                      \
			       ? trace_python.vectorcall(                                         \
					 original_##NAME, arguments, n_arguments, names)          \
			       : call_object_and_compare(original_##NAME, arguments, n_arguments, \
					 names, &trace_jax_consumer, DTYPE_POSITION, BY_DEFAULT); \
	}

/* In place of an object that is looked up in its module at each call. */
#define OBJECT_WRAPPER(NAME, CONSUMER, DTYPE_POSITION)                                         \
	static void *original_##NAME;                                                          \
	static void *wrapped_##NAME(void *const *arguments, size_t n_arguments, void *names)   \
	{                                                                                      \
		return call_object_and_compare(original_##NAME, arguments, n_arguments, names, \
			&CONSUMER, DTYPE_POSITION, TRACE_MAY_SHARE);                           \
	}

KEYWORD_WRAPPER(numpy_frombuffer, trace_numpy_consumer, TRACE_MAY_SHARE)
ONE_WRAPPER(numpy_1_from_dlpack, trace_numpy_consumer)
OBJECT_WRAPPER(jax_managed_tensor_to_buffer, trace_jax_consumer, TRACE_DTYPE_BY_NAME)
JAX_WRAPPER(jax_from_dlpack, TRACE_DTYPE_BY_NAME, TRACE_MAY_SHARE, false)
JAX_WRAPPER(jax_numpy_from_dlpack, TRACE_DTYPE_BY_NAME, TRACE_MAY_SHARE, false)
JAX_WRAPPER(jax_array, TRACE_DTYPE_SECOND, TRACE_COPIES, true)
JAX_WRAPPER(jax_asarray, TRACE_DTYPE_SECOND, TRACE_MAY_STAGE, true)
JAX_WRAPPER(jax_device_put, TRACE_DTYPE_BY_NAME, TRACE_MAY_SHARE, true)
ONE_WRAPPER(torch_from_dlpack, trace_torch_consumer)
OBJECT_WRAPPER(torch_other_from_dlpack, trace_torch_consumer, TRACE_DTYPE_BY_NAME)
ONE_WRAPPER(torch_from_numpy, trace_torch_consumer)
KEYWORD_WRAPPER(torch_as_tensor, trace_torch_consumer, TRACE_MAY_SHARE)
KEYWORD_WRAPPER(torch_asarray, trace_torch_consumer, TRACE_MAY_SHARE)
KEYWORD_WRAPPER(torch_tensor, trace_torch_consumer, TRACE_COPIES)
KEYWORD_WRAPPER(torch_frombuffer, trace_torch_consumer, TRACE_MAY_SHARE)

/* Reads the names that its code uses, once. */
bool trace_jax_stages_arrays(void)
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

#define KNOWN(NAME, FUNCTION, KIND)                                                                \
	FUNCTION, (void *)wrapped_##NAME, (void *)&original_##NAME, KIND, false, NULL, NULL, NULL, \
		NULL, NULL

static struct trace_known_consumer known_consumers[] = {
	{ NUMPY_MODULES, KNOWN(numpy_frombuffer, "frombuffer", TRACE_CONSUMER_KEYWORDS) },
	/* Before NumPy 2, which is among trace_numpy_functions. */
	{ NUMPY_MODULES, KNOWN(numpy_1_from_dlpack, "from_dlpack", TRACE_CONSUMER_ONE) },
	{ "jaxlib._jax", "jaxlib.xla_extension",
		KNOWN(jax_managed_tensor_to_buffer, "dlpack_managed_tensor_to_buffer",
			TRACE_CONSUMER_OBJECT) },
	/* Where JAX defines them: jax.numpy may be called before anything is seen after its import.
	 */
	{ "jax._src.dlpack", NULL, KNOWN(jax_from_dlpack, "from_dlpack", TRACE_CONSUMER_OBJECT) },
	{ "jax._src.numpy.lax_numpy", NULL,
		KNOWN(jax_numpy_from_dlpack, "from_dlpack", TRACE_CONSUMER_OBJECT) },
	{ "jax._src.numpy.array_constructors", "jax._src.numpy.lax_numpy",
		KNOWN(jax_array, "array", TRACE_CONSUMER_OBJECT) },
	{ "jax._src.numpy.array_constructors", "jax._src.numpy.lax_numpy",
		KNOWN(jax_asarray, "asarray", TRACE_CONSUMER_OBJECT) },
	{ "jax._src.api", NULL, KNOWN(jax_device_put, "device_put", TRACE_CONSUMER_OBJECT) },
	{ "jax.dlpack", NULL, KNOWN(jax_from_dlpack, "from_dlpack", TRACE_CONSUMER_OBJECT) },
	{ "jax.numpy", NULL, KNOWN(jax_numpy_from_dlpack, "from_dlpack", TRACE_CONSUMER_OBJECT) },
	{ "jax.numpy", NULL, KNOWN(jax_array, "array", TRACE_CONSUMER_OBJECT) },
	{ "jax.numpy", NULL, KNOWN(jax_asarray, "asarray", TRACE_CONSUMER_OBJECT) },
	{ "jax", NULL, KNOWN(jax_device_put, "device_put", TRACE_CONSUMER_OBJECT) },
	{ "torch._C", NULL, KNOWN(torch_from_dlpack, "_from_dlpack", TRACE_CONSUMER_ONE) },
	{ "torch._C", NULL, KNOWN(torch_other_from_dlpack, "_from_dlpack", TRACE_CONSUMER_PYTHON) },
	{ "torch", NULL, KNOWN(torch_from_numpy, "from_numpy", TRACE_CONSUMER_ONE) },
	{ "torch", NULL, KNOWN(torch_as_tensor, "as_tensor", TRACE_CONSUMER_KEYWORDS) },
	{ "torch", NULL, KNOWN(torch_asarray, "asarray", TRACE_CONSUMER_KEYWORDS) },
	{ "torch", NULL, KNOWN(torch_tensor, "tensor", TRACE_CONSUMER_KEYWORDS) },
	{ "torch", NULL, KNOWN(torch_frombuffer, "frombuffer", TRACE_CONSUMER_KEYWORDS) },
};

/* The type is never freed: a reference to it is kept. */
static void find_jax_array_type(void)
{
	void *module = trace_python_module("jaxlib._jax");

	trace_jax_array_type = trace_module_attribute(module, "ArrayImpl");
	trace_python.dec_ref(module);
}

void trace_consumers_update(void)
{
	if (!trace_head_bytes)
		return;
	trace_conversions_prepare();
	if (!trace_jax_array_type)
		find_jax_array_type();
	trace_wrap(trace_numpy_functions, trace_n_numpy_functions);
	trace_array_methods_update();
	trace_wrap(trace_direct_readers, trace_n_direct_readers);
	trace_wrap(known_consumers, sizeof(known_consumers) / sizeof(known_consumers[0]));
}
