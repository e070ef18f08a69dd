// SPDX-License-Identifier: MIT
#include "trace/direct_readers.h"

#include "trace/calls.h"
#include "trace/items.h"
#include "trace/lock.h"
#include "trace/memory.h"
#include "trace/numpy_api.h"
#include "trace/objects.h"
#include "trace/python.h"
#include "trace/results.h"
#include "trace/site.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef void *(*keyword_function)(void *self, void *arguments, void *keywords);
typedef void *(*fast_function)(
	void *self, void *const *arguments, ptrdiff_t n_arguments, void *names);
typedef int (*initializer)(void *self, void *arguments, void *keywords);

/* Where the address of the memory is found in which the elements of an array are after a call. */
enum destination {
	UNKNOWN_MEMORY,
	DATA_OF_SELF,      /* self.data, an array of NumPy */
	POINTER_OF_RESULT, /* result.data_ptr() */
	NEW_MEMORY,        /* of lists, whose items are copied */
};

struct direct_reader {
	ptrdiff_t position; /* of the argument that is an array, or contains arrays */
	const char *name;   /* of that argument; NULL: it has none */
	enum destination destination;
};

enum { MAX_COUNTED = 32 };

struct trace_direct_call {
	const struct direct_reader *reader;
	uint32_t library;
	void *self, *result;
	/* Addresses of arrays whose exchange was counted during the call, because it requested
	 * their buffer, or NumPy's C API converted them. */
	uint64_t counted[MAX_COUNTED];
	int n_counted;
	struct trace_call_line line;
	struct trace_direct_call *outer; /* that was under way before; NULL: none */
};

void trace_direct_call_note(struct trace_direct_call *call, uint64_t address)
{
	if (call && call->n_counted < MAX_COUNTED)
		call->counted[call->n_counted++] = address;
}

static bool was_counted(const struct trace_direct_call *call, uint64_t address)
{
	for (int i = 0; i < call->n_counted; i++)
		if (call->counted[i] == address)
			return true;
	return false;
}

/* What has the elements of an array after a call. */
struct received {
	void *object;     /* an array; NULL: its elements are unknown */
	uint64_t address; /* 0: unknown */
};

/* Gives a reference to the object. What is not numeric has no address; OpenVINO warns when strings
 * are read. */
static struct received find_received(const struct trace_direct_call *call, void *array)
{
	const enum destination destination = call->reader->destination;
	struct received received = { .object = NULL };
	struct trace_elements elements;

	if ((destination != DATA_OF_SELF && destination != POINTER_OF_RESULT) ||
		!trace_array_elements(array, &elements) || !strchr("biufc", elements.kind))
		return received;
	if (destination == DATA_OF_SELF) {
		received.object = trace_python.get_attribute(call->self, "data");
		received.address = received.object ? trace_numpy_api_address(received.object) : 0;
	} else {
		received.address = trace_address_by_method(call->result, "data_ptr");
	}
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return received;
}

static bool count_read_array(void *item, const void *type, void *opaque)
{
	struct trace_direct_call *call = opaque;
	const bool is_part = call->reader->destination == NEW_MEMORY;
	struct received received;

	if (trace_is_scalar_type(type) || !trace_numpy_api_address(item) ||
		was_counted(call, trace_numpy_api_address(item)))
		return true;
	received = find_received(call, item);
	if (!received.address && !is_part)
		trace_array_read(item, call->library, &call->line);
	else
		trace_array_passed(item, received.object, received.address, call->library,
			&(struct trace_conversion){
				.request = is_part ? TRACE_NO_REQUEST : TRACE_REQUEST,
				.takes_any_order = true,
				.is_part = is_part,
				.line = &call->line });
	trace_python.dec_ref(received.object);
	return true;
}

/* Another thread may have changed the dictionary meanwhile. */
static void count_values(struct trace_direct_call *call, void *dictionary)
{
	ptrdiff_t position = 0;
	void *key, *value;

	while (trace_python.dict_next(dictionary, &position, &key, &value)) {
		trace_python.inc_ref(value);
		count_read_array(value, trace_type_pointer(value), call);
		trace_python.dec_ref(value);
	}
}

static void count_read_arrays(struct trace_direct_call *call, void *argument)
{
	const void *type = trace_type_pointer(argument);

	if (call->reader->destination == NEW_MEMORY) {
		if (trace_is_sequence_type(type))
			trace_items_visit(argument, count_read_array, call);
	} else if (type == trace_python.dict_type) {
		count_values(call, argument);
	} else {
		count_read_array(argument, type, call);
	}
}

static void *positional_argument(const struct trace_call_arguments *arguments, ptrdiff_t i)
{
	if (arguments->fast)
		return i < arguments->n_fast ? arguments->fast[i] : NULL;
	return trace_argument_at(arguments->all, i);
}

/* The argument that may be an array or contain arrays, borrowed from the arguments; NULL: none. */
static void *find_read_argument(
	const struct direct_reader *reader, const struct trace_call_arguments *arguments)
{
	void *argument;
	const void *type;

	if (!trace_is_on() || !trace_head_bytes)
		return NULL;
	argument = positional_argument(arguments, reader->position);
	if (!argument && reader->name)
		argument = trace_named_argument(arguments, reader->name);
	if (!argument)
		return NULL;
	type = trace_type_pointer(argument);
	if (reader->destination == NEW_MEMORY)
		return type == trace_python.tuple_type ||
				       (type == trace_python.list_type &&
					       !trace_list_begins_with_numbers(argument))
			       ? argument
			       : NULL;
	return type == trace_python.dict_type || trace_numpy_api_address(argument) ? argument
										   : NULL;
}

static void begin_direct_call(struct trace_direct_call *call, const void *original)
{
	trace_lock();
	call->library = trace_objects_library(original);
	trace_unlock();
	trace_calls_update();
	call->outer = trace_calls.direct;
	trace_calls.direct = call;
}

static void end_direct_call(struct trace_direct_call *call, void *argument, bool has_succeeded)
{
	trace_calls_update();
	trace_calls.direct = call->outer;
	if (has_succeeded && trace_is_on() && !trace_python.err_occurred())
		count_read_arrays(call, argument);
}

/* Of a vector call without arguments, which may pass NULL. */
static void *const no_arguments[1];

/* The pointer to a function takes either form. */
union original {
	keyword_function with_keywords;
	fast_function fast;
};

static void *call_direct_original(
	const union original *original, void *self, const struct trace_call_arguments *arguments)
{
	if (arguments->fast)
		return original->fast(self, arguments->fast, arguments->n_fast, arguments->names);
	return original->with_keywords(self, arguments->all, arguments->names);
}

/* A method of a type is called with the object as its first argument, unless it is static. */
static void *call_and_count(const struct direct_reader *reader, const union original *original,
	void *self, const struct trace_call_arguments *arguments)
{
	void *argument = find_read_argument(reader, arguments), *result;
	struct trace_direct_call call = { .reader = reader };

	if (!argument)
		return call_direct_original(original, self, arguments);
	begin_direct_call(&call, (void *)original->fast);
	result = call_direct_original(original, self, arguments);
	call.result = result;
	if (reader->destination == DATA_OF_SELF)
		call.self = positional_argument(arguments, 0);
	end_direct_call(&call, argument, result != NULL);
	return result;
}

static int initialize_and_count(const struct direct_reader *reader, initializer original,
	void *self, void *arguments, void *keywords)
{
	void *argument = find_read_argument(
		reader, &(struct trace_call_arguments){ .all = arguments, .names = keywords });
	struct trace_direct_call call = { .reader = reader, .self = self };
	int status;

	if (!argument)
		return original(self, arguments, keywords);
	begin_direct_call(&call, (void *)original);
	status = original(self, arguments, keywords);
	end_direct_call(&call, argument, status == 0);
	return status;
}

#define METHOD_WRAPPER(NAME, DESTINATION, POSITION, ARGUMENT)                                   \
	static const struct direct_reader reader_##NAME = { POSITION, ARGUMENT, DESTINATION };  \
	static union original original_##NAME;                                                  \
	static void *wrapped_##NAME(void *self, void *arguments, void *keywords)                \
	{                                                                                       \
		return call_and_count(&reader_##NAME, &original_##NAME, self,                   \
			&(struct trace_call_arguments){ .all = arguments, .names = keywords }); \
	}                                                                                       \
	static void *wrapped_fast_##NAME(                                                       \
		void *self, void *const *arguments, ptrdiff_t n_arguments, void *names)         \
	{                                                                                       \
		return call_and_count(&reader_##NAME, &original_##NAME, self,                   \
			&(struct trace_call_arguments){                                         \
				.fast = arguments ? arguments : no_arguments,                   \
				.n_fast = n_arguments,                                          \
				.names = names });                                              \
	}

#define INITIALIZER_WRAPPER(NAME, DESTINATION, POSITION, ARGUMENT)                             \
	static const struct direct_reader reader_##NAME = { POSITION, ARGUMENT, DESTINATION }; \
	static initializer original_##NAME;                                                    \
	static int wrapped_##NAME(void *self, void *arguments, void *keywords)                 \
	{                                                                                      \
		return initialize_and_count(                                                   \
			&reader_##NAME, original_##NAME, self, arguments, keywords);           \
	}

METHOD_WRAPPER(openvino_tensor, DATA_OF_SELF, 1, "array")
METHOD_WRAPPER(onnx_value, POINTER_OF_RESULT, 0, NULL)
METHOD_WRAPPER(onnx_run, UNKNOWN_MEMORY, 2, NULL)
METHOD_WRAPPER(onnx_bind, UNKNOWN_MEMORY, 2, NULL)
INITIALIZER_WRAPPER(tensorflow_tensor, NEW_MEMORY, 0, "value")

#define READER(MODULE, TYPE, NAME)                                                 \
	.module = (MODULE), .type = (TYPE), .replacement = (void *)wrapped_##NAME, \
	.original = (void *)&original_##NAME
#define METHOD(MODULE, TYPE, FUNCTION, NAME)                                                 \
	{                                                                                    \
		READER(MODULE, TYPE, NAME), .function = (FUNCTION),                          \
					    .fast_replacement = (void *)wrapped_fast_##NAME, \
					    .kind = TRACE_CONSUMER_KEYWORDS                  \
	}
#define INITIALIZER(MODULE, TYPE, NAME)                                        \
	{                                                                      \
		READER(MODULE, TYPE, NAME), .kind = TRACE_CONSUMER_INITIALIZER \
	}

#define ONNX_RUNTIME "onnxruntime.capi.onnxruntime_pybind11_state"

struct trace_known_consumer trace_direct_readers[] = {
	METHOD("openvino._pyopenvino", "Tensor", "__init__", openvino_tensor),
	METHOD(ONNX_RUNTIME, "OrtValue", "ortvalue_from_numpy", onnx_value),
	METHOD(ONNX_RUNTIME, "InferenceSession", "run", onnx_run),
	METHOD(ONNX_RUNTIME, "SessionIOBinding", "bind_input", onnx_bind),
	INITIALIZER("tensorflow.python.framework.ops", "EagerTensor", tensorflow_tensor),
};

const size_t trace_n_direct_readers =
	sizeof(trace_direct_readers) / sizeof(trace_direct_readers[0]);

/* --- the completion of modules --- */

enum { Py_mod_exec = 2, MAX_MODULE_SLOTS = 16 };

/* PyModuleDef, after its head, and PyModuleDef_Slot. */
struct module_slot {
	int number;
	void *value;
};

struct module_definition {
	void *initialize;
	ptrdiff_t index;
	void *copy;
	const char *name, *documentation;
	ptrdiff_t n_bytes;
	void *methods;
	struct module_slot *slots;
};

/* A module that is initialized in one phase, or in two. */
struct observed_module {
	const char *symbol, *name;
	void *(*initialize)(void);
	struct module_slot slots[MAX_MODULE_SLOTS + 1]; /* with an end */
};

static void wrap_functions(const struct observed_module *observed, void *module)
{
	if (!trace_is_on() || !module || trace_python.err_occurred() ||
		!trace_is_main_interpreter() || !(trace_memory.layers & TRACE_LAYER_RESULTS))
		return;
	for (size_t i = 0; i < trace_n_direct_readers; i++)
		if (!strcmp(trace_direct_readers[i].module, observed->name))
			trace_wrap_in(&trace_direct_readers[i], module);
}

/* Appends a function to those that Python calls to execute the module. */
static void append_execution(
	struct observed_module *observed, void *definition, int (*execute)(void *module))
{
	struct module_definition fields;
	char *const at = (char *)definition + trace_head_bytes;
	int n = 0;

	memcpy(&fields, at, sizeof(fields));
	if (!fields.slots || fields.slots == observed->slots)
		return;
	for (; fields.slots[n].number; n++) {
		if (n == MAX_MODULE_SLOTS - 1)
			return;
		observed->slots[n] = fields.slots[n];
	}
	observed->slots[n].number = Py_mod_exec;
	memcpy(&observed->slots[n].value, &execute, sizeof(execute));
	observed->slots[n + 1] = (struct module_slot){ 0, NULL };
	fields.slots = observed->slots;
	memcpy(at, &fields, sizeof(fields));
}

static void *initialize_module(struct observed_module *observed, int (*execute)(void *module))
{
	void *module = observed->initialize();

	trace_layout_find();
	if (!module || !trace_head_bytes)
		return module;
	if (trace_is_instance(module, trace_python.module_type))
		wrap_functions(observed, module);
	else if (trace_is_exactly(module, trace_python.module_definition_type))
		append_execution(observed, module, execute);
	return module;
}

#define OBSERVED_MODULE(NUMBER, MODULE, SYMBOL)                                         \
	static struct observed_module observed_##NUMBER = { .symbol = "PyInit_" SYMBOL, \
		.name = (MODULE) };                                                     \
	static int execute_##NUMBER(void *module)                                       \
	{                                                                               \
		wrap_functions(&observed_##NUMBER, module);                             \
		return 0;                                                               \
	}                                                                               \
	static void *initialize_##NUMBER(void)                                          \
	{                                                                               \
		return initialize_module(&observed_##NUMBER, execute_##NUMBER);         \
	}

OBSERVED_MODULE(openvino, "openvino._pyopenvino", "_pyopenvino")
OBSERVED_MODULE(onnx, ONNX_RUNTIME, "onnxruntime_pybind11_state")

void *trace_direct_readers_replace(const char *symbol, void *initialization)
{
	static const struct {
		struct observed_module *observed;
		void *(*initialize)(void);
	} modules[] = {
		{ &observed_openvino, initialize_openvino },
		{ &observed_onnx, initialize_onnx },
	};

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		if (strcmp(symbol, modules[i].observed->symbol) != 0)
			continue;
		memcpy(&modules[i].observed->initialize, &initialization, sizeof(initialization));
		return (void *)modules[i].initialize;
	}
	return initialization;
}
