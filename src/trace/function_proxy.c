// SPDX-License-Identifier: MIT
#include "trace/function_proxy.h"

#include "trace/numpy_api.h"
#include "trace/python.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What follows the head of an object. */
struct proxy_fields {
	/* Read by the interpreter, which finds it by __vectorcalloffset__. */
	void *(*vector_call)(void *self, void *const *arguments, size_t n_arguments, void *names);
	void *original;
	trace_proxy_call call;
	void *weak_references;
	void *module_name; /* __module__; NULL: that of the original */
};

static void *proxy_type;

static struct proxy_fields *fields_of(void *self)
{
	return (struct proxy_fields *)((char *)self + trace_head_bytes);
}

bool trace_function_is_proxy(void *object)
{
	void *type = trace_python.type_of(object);

	trace_python.dec_ref(type);
	return type == proxy_type;
}

static void *call_proxy(void *self, void *const *arguments, size_t n_arguments, void *names)
{
	return fields_of(self)->call(arguments, n_arguments, names);
}

static void *read_proxy_attribute(void *self, void *name)
{
	const char *text = trace_utf8(name, NULL);

	if (text && (!strcmp(text, "__reduce_ex__") || !strcmp(text, "__deepcopy__")))
		return trace_python.generic_get_attribute(self, name);
	if (text && !strcmp(text, "__module__") && fields_of(self)->module_name) {
		trace_python.inc_ref(fields_of(self)->module_name);
		return fields_of(self)->module_name;
	}
	if (!text)
		trace_python.err_clear();
	return trace_python.get_attribute_of(fields_of(self)->original, name);
}

static int set_proxy_attribute(void *self, void *name, void *value)
{
	return trace_python.set_attribute_of(fields_of(self)->original, name, value);
}

static void *represent_proxy(void *self)
{
	return trace_python.represent(fields_of(self)->original);
}

static ptrdiff_t hash_proxy(void *self)
{
	return trace_python.hash(fields_of(self)->original);
}

static void *compare_proxy(void *self, void *other, int operation)
{
	return trace_python.compare(fields_of(self)->original,
		trace_function_is_proxy(other) ? fields_of(other)->original : other, operation);
}

/* Binds the proxy to an object, as a function does, if the original can be bound. */
static void *bind_proxy(void *self, void *object, void *type)
{
	void *original_type = trace_python.type_of(fields_of(self)->original);
	bool binds = object && object != trace_python.none &&
		     trace_python.type_get_slot(original_type, Py_tp_descr_get);

	(void)type;
	trace_python.dec_ref(original_type);
	if (binds)
		return trace_python.method_new(self, object);
	trace_python.inc_ref(self);
	return self;
}

/* Whether the module has the object by that name. */
static bool is_found_by_name(void *self, void *module_name, void *name)
{
	void *module = trace_python.import_get_module(module_name);
	void *found = module ? trace_python.get_attribute_of(module, name) : NULL;
	bool is = found == self;

	trace_python.dec_ref(found);
	trace_python.dec_ref(module);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return is;
}

/* Returns what pickle stores: the name, by which it finds the proxy in the module. If the module
 * has another object by that name, copy.copy(original), which returns the original. */
static void *reduce_proxy(void *self, void *protocol)
{
	void *original = fields_of(self)->original, *module, *copy, *tuple = NULL;
	void *name = trace_python.get_attribute(original, "__qualname__");
	void *module_name = name ? trace_python.get_attribute(self, "__module__") : NULL;

	(void)protocol;
	if (module_name && is_found_by_name(self, module_name, name)) {
		trace_python.dec_ref(module_name);
		return name;
	}
	trace_python.dec_ref(module_name);
	trace_python.dec_ref(name);
	if (trace_python.err_occurred())
		return NULL;
	module = trace_python.import_module("copy");
	copy = module ? trace_python.get_attribute(module, "copy") : NULL;
	if (copy)
		tuple = trace_python.build_value("O(O)", copy, original);
	trace_python.dec_ref(copy);
	trace_python.dec_ref(module);
	return tuple;
}

static void *copy_proxy(void *self, void *unused)
{
	(void)unused;
	trace_python.inc_ref(self);
	return self;
}

/* pydoc reads the documentation where object.__getattribute__() finds it: in the type. */
static void *read_documentation(void *self, void *closure)
{
	(void)closure;
	return trace_python.get_attribute(fields_of(self)->original, "__doc__");
}

static void *create_proxy_type(void)
{
	static struct trace_getset_definition attributes[] = {
		{ "__doc__", read_documentation, NULL, NULL, NULL },
		{ NULL, NULL, NULL, NULL, NULL },
	};
	static struct trace_method_definition methods[] = {
		{ "__reduce_ex__", (void *)reduce_proxy, METH_O, NULL },
		{ "__deepcopy__", (void *)copy_proxy, METH_O, NULL },
		{ "__copy__", (void *)copy_proxy, METH_NOARGS, NULL },
		{ NULL, NULL, 0, NULL },
	};
	static struct trace_member_definition members[] = {
		{ "__weaklistoffset__", T_PYSSIZET, 0, READONLY, NULL },
		{ "__vectorcalloffset__", T_PYSSIZET, 0, READONLY, NULL },
		{ NULL, 0, 0, 0, NULL },
	};
	static struct trace_type_slot slots[] = {
		{ Py_tp_call, NULL },
		{ Py_tp_descr_get, (void *)bind_proxy },
		{ Py_tp_getattro, (void *)read_proxy_attribute },
		{ Py_tp_setattro, (void *)set_proxy_attribute },
		{ Py_tp_hash, (void *)hash_proxy },
		{ Py_tp_repr, (void *)represent_proxy },
		{ Py_tp_richcompare, (void *)compare_proxy },
		{ Py_tp_methods, methods },
		{ Py_tp_members, members },
		{ Py_tp_getset, attributes },
		{ 0, NULL },
	};
	const ptrdiff_t head_bytes = (ptrdiff_t)trace_head_bytes;
	struct trace_type_spec spec = { "builtins.function",
		(int)(head_bytes + (ptrdiff_t)sizeof(struct proxy_fields)), 0,
		Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_VECTORCALL, slots };

	memcpy(&slots[0].function, &trace_python.vectorcall_call, sizeof(slots[0].function));
	members[1].offset = head_bytes + (ptrdiff_t)offsetof(struct proxy_fields, vector_call);
	members[0].offset = head_bytes + (ptrdiff_t)offsetof(struct proxy_fields, weak_references);
	return trace_python.type_from_spec(&spec);
}

void *trace_function_proxy_new(void *original, trace_proxy_call call)
{
	void *proxy;

	if (!proxy_type)
		proxy_type = create_proxy_type();
	proxy = proxy_type ? trace_python.type_allocate(proxy_type, 0) : NULL;
	if (proxy) {
		trace_python.inc_ref(original);
		fields_of(proxy)->vector_call = call_proxy;
		fields_of(proxy)->original = original;
		fields_of(proxy)->call = call;
	} else {
		trace_python.err_clear();
	}
	return proxy;
}

void trace_function_proxy_set_module(void *proxy, void *name)
{
	void *previous = fields_of(proxy)->module_name;

	trace_python.inc_ref(name);
	fields_of(proxy)->module_name = name;
	trace_python.dec_ref(previous);
}
