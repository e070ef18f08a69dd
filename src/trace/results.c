// SPDX-License-Identifier: MIT
#include "trace/results.h"

#include "trace/lock.h"
#include "trace/memory.h"
#include "trace/numpy_api.h"
#include "trace/objects.h"
#include "trace/python.h"

#include <stddef.h>
#include <string.h>

/* Of methodobject.h. */
enum { CALL_VARARGS = 1, CALL_KEYWORDS = 2, CALL_FAST = 0x80, CALL_KINDS = 0xff };

/* PyMethodDef, which is part of the stable ABI. */
struct method_definition {
	const char *name;
	void *function;
	int flags;
	const char *doc;
};

typedef void *(*fast_function)(
	void *self, void *const *arguments, ptrdiff_t n_arguments, void *names);
typedef void *(*keyword_function)(void *self, void *arguments, void *keywords);

/* An exchange during the call of a consumer. */
struct last_exchange {
	uint64_t address, n_bytes;
	uint32_t row, consumer;
	bool is_set, is_known_copy;
};

/* Needs no function of the loader: the library is loaded when the program starts. */
static _Thread_local struct last_exchange last __attribute__((tls_model("initial-exec")));
static _Thread_local unsigned int n_calls __attribute__((tls_model("initial-exec")));

void trace_results_note(
	uint32_t row, uint32_t consumer, uint64_t address, uint64_t n_bytes, bool is_known_copy)
{
	last = (struct last_exchange){ address, n_bytes, row, consumer, true, is_known_copy };
}

bool trace_results_repeat(uint32_t row, uint64_t address)
{
	return n_calls && last.is_set && last.row == row && last.address == address;
}

static struct last_exchange begin_wrapped_call(void)
{
	const struct last_exchange outer = last;

	last.is_set = false;
	n_calls++;
	return outer;
}

static void end_wrapped_call(const struct last_exchange *outer)
{
	last = *outer;
	n_calls--;
}

/* --- verdicts --- */

/* The address that a method without arguments returns; 0: unknown. */
static uint64_t call_for_address(void *object, const char *method_name)
{
	void *method = trace_python.get_attribute(object, method_name);
	void *value = method ? trace_python.call_no_arguments(method) : NULL;
	ptrdiff_t address = value ? trace_python.integer_as_size(value) : 0;

	if (value)
		trace_python.dec_ref(value);
	if (method)
		trace_python.dec_ref(method);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return address > 0 ? (uint64_t)address : 0;
}

/* A copy that the producer flagged is counted already. */
static void count_shared_or_copied(const struct last_exchange *exchange, uint64_t address)
{
	struct trace_row *row = &trace_memory.rows[exchange->row];

	if (exchange->is_known_copy)
		return;
	if (address >= exchange->address && address - exchange->address < exchange->n_bytes) {
		row->n_shared++;
	} else {
		row->n_copied++;
		row->n_copied_bytes += exchange->n_bytes;
	}
}

/* address_method NULL: the result is an array of NumPy. */
static void compare_result(void *result, const char *library, const char *address_method)
{
	const struct last_exchange exchange = last;
	bool is_of_library = false;
	uint64_t address;

	if (!result || !trace_is_on || !exchange.is_set || !exchange.n_bytes ||
		exchange.row == TRACE_NONE || trace_python.err_occurred())
		return;
	trace_lock();
	if (exchange.consumer < trace_memory.segment->n_libraries)
		is_of_library = !strcmp(library,
			trace_memory.strings + trace_memory.libraries[exchange.consumer].name);
	trace_unlock();
	if (!is_of_library)
		return;
	address = address_method ? call_for_address(result, address_method)
				 : trace_numpy_api_address(result);
	if (!address)
		return;
	trace_lock();
	count_shared_or_copied(&exchange, address);
	trace_unlock();
}

/* --- functions of NumPy: their definitions, so that every reference to them is wrapped --- */

static fast_function numpy_from_dlpack, numpy_array, numpy_asarray;
static keyword_function numpy_frombuffer;

static void *call_fast_and_compare(fast_function function, void *self, void *const *arguments,
	ptrdiff_t n_arguments, void *names)
{
	const struct last_exchange outer = begin_wrapped_call();
	void *result = function(self, arguments, n_arguments, names);
	compare_result(result, "numpy", NULL);
	end_wrapped_call(&outer);
	return result;
}

static void *traced_from_dlpack(
	void *self, void *const *arguments, ptrdiff_t n_arguments, void *names)
{
	return call_fast_and_compare(numpy_from_dlpack, self, arguments, n_arguments, names);
}

static void *traced_array(void *self, void *const *arguments, ptrdiff_t n_arguments, void *names)
{
	return call_fast_and_compare(numpy_array, self, arguments, n_arguments, names);
}

static void *traced_asarray(void *self, void *const *arguments, ptrdiff_t n_arguments, void *names)
{
	return call_fast_and_compare(numpy_asarray, self, arguments, n_arguments, names);
}

static void *traced_frombuffer(void *self, void *arguments, void *keywords)
{
	const struct last_exchange outer = begin_wrapped_call();
	void *result = numpy_frombuffer(self, arguments, keywords);
	compare_result(result, "numpy", NULL);
	end_wrapped_call(&outer);
	return result;
}

/* --- functions that are looked up in their module at each call --- */

static void *jax_original, *torch_original;

static void *call_and_compare(void *original, void *arguments, void *keywords, const char *library,
	const char *address_method)
{
	const struct last_exchange outer = begin_wrapped_call();
	void *result = trace_python.call(original, arguments, keywords);
	compare_result(result, library, address_method);
	end_wrapped_call(&outer);
	return result;
}

static void *traced_managed_tensor_to_buffer(void *self, void *arguments, void *keywords)
{
	(void)self;
	return call_and_compare(
		jax_original, arguments, keywords, "jaxlib", "unsafe_buffer_pointer");
}

static void *traced_torch_from_dlpack(void *self, void *arguments, void *keywords)
{
	(void)self;
	return call_and_compare(torch_original, arguments, keywords, "torch", "data_ptr");
}

/* --- wrapping --- */

struct known_consumer {
	const char *module, *module2, *function; /* module2: an older name, or NULL */
	void *replacement, *original;            /* original: where its pointer is put */
	int flags;
	bool is_attribute; /* an attribute of the module is replaced, otherwise a definition */
	bool is_done;
};

static struct known_consumer known_consumers[] = {
	{ "numpy._core._multiarray_umath", "numpy.core._multiarray_umath", "from_dlpack",
		(void *)traced_from_dlpack, &numpy_from_dlpack, CALL_FAST | CALL_KEYWORDS, false,
		false },
	{ "numpy._core._multiarray_umath", "numpy.core._multiarray_umath", "array",
		(void *)traced_array, &numpy_array, CALL_FAST | CALL_KEYWORDS, false, false },
	{ "numpy._core._multiarray_umath", "numpy.core._multiarray_umath", "asarray",
		(void *)traced_asarray, &numpy_asarray, CALL_FAST | CALL_KEYWORDS, false, false },
	{ "numpy._core._multiarray_umath", "numpy.core._multiarray_umath", "frombuffer",
		(void *)traced_frombuffer, &numpy_frombuffer, CALL_VARARGS | CALL_KEYWORDS, false,
		false },
	{ "jaxlib._jax", "jaxlib.xla_extension", "dlpack_managed_tensor_to_buffer",
		(void *)traced_managed_tensor_to_buffer, &jax_original,
		CALL_VARARGS | CALL_KEYWORDS, true, false },
	{ "torch._C", NULL, "_from_dlpack", (void *)traced_torch_from_dlpack, &torch_original,
		CALL_VARARGS | CALL_KEYWORDS, true, false },
};

/* The definition that a built-in function refers to is the first field after the head; all of it
 * is compared with what Python returns. False: it is something else. */
static bool replace_definition(struct known_consumer *known, void *function)
{
	struct method_definition *definition;
	void *original;
	int flags = trace_python.function_get_flags(function);
	bool is_static;

	if (trace_python.err_occurred()) {
		trace_python.err_clear();
		return false;
	}
	original = trace_python.function_get_function(function);
	memcpy(&definition, (const char *)function + trace_numpy_api_head_bytes(),
		sizeof(definition));
	trace_lock();
	is_static = trace_objects_contain(definition);
	trace_unlock();
	if ((flags & CALL_KINDS) != known->flags || !is_static ||
		definition->function != original || definition->flags != flags ||
		strcmp(definition->name, known->function) != 0)
		return false;
	memcpy(known->original, &original, sizeof(original));
	return trace_objects_write(&definition->function, known->replacement);
}

static bool replace_attribute(struct known_consumer *known, void *module, void *function)
{
	static struct method_definition
		definitions[sizeof(known_consumers) / sizeof(known_consumers[0])];
	struct method_definition *definition = &definitions[known - known_consumers];
	void *wrapper;
	bool is_done;

	*definition = (struct method_definition){ known->function, known->replacement, known->flags,
		NULL };
	wrapper = trace_python.function_new(definition, NULL, NULL);
	is_done = wrapper && !trace_python.set_attribute(module, known->function, wrapper);
	if (is_done) /* keeps the reference: the wrapper calls it until the end */
		memcpy(known->original, &function, sizeof(function));
	if (wrapper)
		trace_python.dec_ref(wrapper);
	return is_done;
}

static void wrap_consumer(struct known_consumer *known)
{
	void *module = trace_python_module(known->module), *function;

	if (!module && known->module2)
		module = trace_python_module(known->module2);
	function = module ? trace_python.get_attribute(module, known->function) : NULL;
	if (function) {
		bool is_attribute = known->is_attribute;

		known->is_done = is_attribute ? replace_attribute(known, module, function)
					      : replace_definition(known, function);
		if (!is_attribute || !known->is_done)
			trace_python.dec_ref(function);
	}
	if (module)
		trace_python.dec_ref(module);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}

void trace_results_update(void)
{
	if (!trace_numpy_api_head_bytes())
		return;
	for (size_t i = 0; i < sizeof(known_consumers) / sizeof(known_consumers[0]); i++)
		if (!known_consumers[i].is_done)
			wrap_consumer(&known_consumers[i]);
}
