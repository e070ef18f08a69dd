// SPDX-License-Identifier: MIT
#include "trace/torch_function.h"

#include "trace/numpy_api.h"
#include "trace/python.h"

#include <stdatomic.h>
#include <stddef.h>

/* Variables of PyTorch's modules, which are kept; NULL: not found yet. */
static _Atomic(void *) tensor_type, has_torch_function;

static void *find_variable(_Atomic(void *) *variable, const char *module_name, const char *name)
{
	void *module;

	if (!*variable) {
		module = trace_python_module(module_name);
		*variable = trace_module_attribute(module, name);
		trace_python.dec_ref(module);
	}
	return *variable;
}

const void *trace_torch_tensor_type(void)
{
	return find_variable(&tensor_type, "torch", "Tensor");
}

/* Whether a TorchFunctionMode is active. */
static bool is_observed(void *tensor)
{
	void *function =
		find_variable(&has_torch_function, "torch._C", "_has_torch_function_unary");
	void *answer = function ? trace_python.call_one(function, tensor) : NULL;
	const bool is = answer && trace_python.integer_as_size(answer) == 1;

	trace_python.dec_ref(answer);
	return is;
}

/* The context manager that disables it for this thread; NULL: there is none. */
static void *disable_modes(void)
{
	void *module = trace_python_module("torch._C");
	void *type = trace_module_attribute(module, "DisableTorchFunction");
	void *guard = type ? trace_python.call_no_arguments(type) : NULL;
	void *method = guard ? trace_python.get_attribute(guard, "__enter__") : NULL;
	void *entered = method ? trace_python.call_no_arguments(method) : NULL;

	if (!entered) {
		trace_python.dec_ref(guard);
		guard = NULL;
	}
	trace_python.dec_ref(entered);
	trace_python.dec_ref(method);
	trace_python.dec_ref(type);
	trace_python.dec_ref(module);
	return guard;
}

bool trace_torch_begin(void *tensor, void **guard)
{
	bool can_be_read = trace_type_pointer(tensor) == trace_torch_tensor_type();

	*guard = NULL;
	if (can_be_read && is_observed(tensor)) {
		*guard = disable_modes();
		can_be_read = *guard != NULL;
	}
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return can_be_read;
}

void trace_torch_end(void *guard)
{
	void *method = guard ? trace_python.get_attribute(guard, "__exit__") : NULL;
	void *arguments = method ? trace_python.build_value("(OOO)", trace_python.none,
					   trace_python.none, trace_python.none)
				 : NULL;

	trace_python.dec_ref(arguments ? trace_python.call(method, arguments, NULL) : NULL);
	trace_python.dec_ref(arguments);
	trace_python.dec_ref(method);
	trace_python.dec_ref(guard);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}
