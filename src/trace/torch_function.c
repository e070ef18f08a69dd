// SPDX-License-Identifier: MIT
#include "trace/torch_function.h"

#include "trace/python.h"

#include <stddef.h>

static bool is_plain_tensor(void *object)
{
	void *module = trace_python_module("torch");
	void *type = trace_module_attribute(module, "Tensor");
	const bool is = trace_is_exactly(object, type);

	trace_python.dec_ref(type);
	trace_python.dec_ref(module);
	return is;
}

/* Whether a TorchFunctionMode is active. */
static bool is_observed(void *module, void *tensor)
{
	void *function = trace_module_attribute(module, "_has_torch_function_unary");
	void *answer = function ? trace_python.call_one(function, tensor) : NULL;
	const bool is = answer && trace_python.integer_as_size(answer) == 1;

	trace_python.dec_ref(answer);
	trace_python.dec_ref(function);
	return is;
}

/* The context manager that disables it for this thread; NULL: there is none. */
static void *disable_modes(void *module)
{
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
	return guard;
}

bool trace_torch_begin(void *tensor, void **guard)
{
	void *module = trace_python_module("torch._C");
	bool can_be_read = is_plain_tensor(tensor);

	*guard = NULL;
	if (can_be_read && is_observed(module, tensor)) {
		*guard = disable_modes(module);
		can_be_read = *guard != NULL;
	}
	trace_python.dec_ref(module);
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
