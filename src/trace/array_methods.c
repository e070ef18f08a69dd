// SPDX-License-Identifier: MIT
#include "trace/array_methods.h"

#include "trace/calls.h"
#include "trace/function_proxy.h"
#include "trace/lock.h"
#include "trace/memory.h"
#include "trace/numpy_api.h"
#include "trace/objects.h"
#include "trace/python.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* TensorFlow's Tensor.numpy(), which copies what Tensor._numpy() returns. */
static void *tensorflow_numpy;

/* Whether the text of an attribute ends so. */
static bool attribute_ends_with(void *object, const char *name, const char *end)
{
	void *value = trace_python.get_attribute(object, name);
	const char *text = value && trace_is_exactly(value, trace_python.text_type)
				   ? trace_utf8(value, NULL)
				   : NULL;
	const bool does = text && strlen(text) >= strlen(end) &&
			  !strcmp(text + strlen(text) - strlen(end), end);

	trace_python.dec_ref(value);
	return does;
}

/* The address of a tensor's memory, which is its buffer; 0: it has none, as one of strings. The
 * buffer of a tensor on another device would be a copy. */
static uint64_t tensor_address(void *tensor)
{
	union trace_buffer view;
	uint64_t address = 0;

	if (attribute_ends_with(tensor, "backing_device", "/device:CPU:0") &&
		!trace_python.get_buffer(tensor, &view.head, PyBUF_FULL_RO)) {
		address = (uint64_t)(uintptr_t)view.head.buf;
		trace_python.release_buffer(&view.head);
	}
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return address;
}

/* Strings become objects of Python, which no array shares. */
static void count_tensor_array(uint32_t library, uint64_t address, void *array)
{
	struct trace_elements elements;

	if (address && trace_array_elements(array, &elements) && elements.kind != 'O')
		trace_array_exported(library, address, array, TRACE_COPY_REQUESTED);
}

static void *call_tensorflow_numpy(void *const *arguments, size_t n_arguments, void *names)
{
	const bool has_tensor = (n_arguments & ~PY_VECTORCALL_ARGUMENTS_OFFSET) > 0;
	uint32_t library;
	void *array = trace_python.vectorcall(tensorflow_numpy, arguments, n_arguments, names);

	if (array && has_tensor && trace_is_on() && trace_numpy_api_address(array)) {
		trace_lock();
		library = trace_memory_library("tensorflow", "");
		trace_unlock();
		count_tensor_array(library, tensor_address(arguments[0]), array);
	}
	return array;
}

static void replace_tensorflow_numpy(void)
{
	void *module, *type, *method = NULL, *proxy = NULL;

	if (tensorflow_numpy)
		return;
	module = trace_python_module("tensorflow.python.framework.ops");
	type = trace_module_attribute(module, "_EagerTensorBase");
	if (type && trace_is_instance(type, trace_python.type_type))
		method = trace_python.get_attribute(type, "numpy");
	if (method)
		proxy = trace_function_proxy_new(method, call_tensorflow_numpy);
	if (proxy) {
		/* Before another thread can call the proxy, which is kept with the method. */
		tensorflow_numpy = method;
		trace_python.set_attribute(type, "numpy", proxy);
	} else {
		trace_python.dec_ref(method);
	}
	trace_python.dec_ref(type);
	trace_python.dec_ref(module);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}

/* PaddlePaddle's Tensor.numpy(), which copies the tensor. */
static void *(*paddle_numpy)(void *self, void *arguments, void *keywords);

/* 0: it is not on the CPU. */
static uint64_t paddle_address(void *tensor)
{
	void *place = trace_python.get_attribute(tensor, "place");
	void *is_on_cpu = place ? trace_call_method(place, "is_cpu_place") : NULL;
	uint64_t address = 0;

	if (is_on_cpu && trace_python.integer_as_size(is_on_cpu) == 1)
		address = trace_address_by_method(tensor, "data_ptr");
	trace_python.dec_ref(is_on_cpu);
	trace_python.dec_ref(place);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return address;
}

static void *call_paddle_numpy(void *self, void *arguments, void *keywords)
{
	void *array = paddle_numpy(self, arguments, keywords);
	uint32_t library;

	if (array && trace_is_on() && trace_numpy_api_address(array)) {
		trace_lock();
		library = trace_objects_library((void *)paddle_numpy);
		trace_unlock();
		count_tensor_array(library, paddle_address(self), array);
	}
	return array;
}

/* A method of a type, whose definition follows its type, its name and its qualified name. */
static void replace_method(void *type, const char *name, void *replacement, void *original)
{
	enum { DEFINITION_OFFSET = 3 * sizeof(void *) };
	struct trace_method_definition *definition;
	void *method = trace_python.get_attribute(type, name), *own_name;
	const char *text;

	own_name = method ? trace_python.get_attribute(method, "__name__") : NULL;
	text = own_name ? trace_utf8(own_name, NULL) : NULL;
	if (text && trace_is_exactly(method, trace_python.method_descriptor_type)) {
		memcpy(&definition, (const char *)method + trace_head_bytes + DEFINITION_OFFSET,
			sizeof(definition));
		if (!strcmp(definition->name, text) &&
			definition->flags == (METH_VARARGS | METH_KEYWORDS)) {
			memcpy(original, &definition->function, sizeof(definition->function));
			trace_objects_write(&definition->function, replacement);
		}
	}
	trace_python.dec_ref(own_name);
	trace_python.dec_ref(method);
}

static void replace_paddle_numpy(void)
{
	void *module, *type;

	if (paddle_numpy)
		return;
	module = trace_python_module("paddle.base.libpaddle.eager");
	type = trace_module_attribute(module, "Tensor");
	if (type && trace_is_instance(type, trace_python.type_type))
		replace_method(type, "numpy", (void *)call_paddle_numpy, &paddle_numpy);
	trace_python.dec_ref(type);
	trace_python.dec_ref(module);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}

void trace_array_methods_update(void)
{
	replace_tensorflow_numpy();
	replace_paddle_numpy();
}
