// SPDX-License-Identifier: MIT
#include "trace/wrapping.h"

#include "trace/function_proxy.h"
#include "trace/numpy_api.h"
#include "trace/objects.h"
#include "trace/python.h"

#include <string.h>

/* The flags of a method that decide how it is called. */
enum { CALL_KINDS = METH_VARARGS | METH_KEYWORDS | METH_NOARGS | METH_O | METH_FASTCALL };

static int calling_convention(enum trace_consumer_kind kind)
{
	return kind == TRACE_CONSUMER_FAST  ? METH_FASTCALL | METH_KEYWORDS
	       : kind == TRACE_CONSUMER_ONE ? METH_O
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

static enum replaced_part part_to_replace(enum trace_consumer_kind kind, int flags)
{
	const bool is_built_in = flags != NOT_BUILT_IN;

	switch (kind) {
	case TRACE_CONSUMER_OBJECT:
		return ATTRIBUTE;
	case TRACE_CONSUMER_PYTHON:
		return is_built_in ? NO_PART : ATTRIBUTE;
	default:
		return is_built_in ? DEFINITION : NO_PART;
	}
}

/* The definition that a built-in function refers to is the first field after the head, in static
 * memory or, of PyTorch, in a list; all of it is compared with what Python returns. False: it is
 * something else. */
static bool replace_definition(struct trace_known_consumer *known, void *function, int flags)
{
	struct trace_method_definition *definition;
	void *original = trace_python.function_get_function(function);
	void *replacement = known->replacement;

	memcpy(&definition, (const char *)function + trace_head_bytes, sizeof(definition));
	if (known->fast_replacement &&
		(flags & CALL_KINDS) == calling_convention(TRACE_CONSUMER_FAST))
		replacement = known->fast_replacement;
	else if ((flags & CALL_KINDS) != calling_convention(known->kind))
		return false;
	if (definition->function != original || definition->flags != flags ||
		strcmp(definition->name, known->function) != 0)
		return false;
	memcpy(known->original, &original, sizeof(original));
	if (known->object)
		*known->object = function;
	return trace_objects_write(&definition->function, replacement);
}

/* Changes the slot of a type that initializes its objects, which is found by its value. */
static bool replace_initializer(struct trace_known_consumer *known, void *type)
{
	enum { N_WORDS = 64 }; /* of all versions of the structure */
	void *original = trace_python.type_get_slot(type, Py_tp_init);
	void **found = NULL;

	for (size_t i = 0; original && i < N_WORDS; i++) {
		char *word = (char *)type + trace_head_bytes + i * sizeof(void *);

		if (memcmp(word, &original, sizeof(original)) != 0)
			continue;
		if (found)
			return false;
		found = (void **)(void *)word;
	}
	if (!found)
		return false;
	memcpy(known->original, &original, sizeof(original));
	return trace_objects_write(found, known->replacement);
}

/* The functions that are wrapped together. */
struct known_table {
	struct trace_known_consumer *rows;
	size_t n;
};

/* Gives a reference to the proxy of a function that is in another module, too; NULL: none. */
static void *find_known_proxy(const struct known_table *table,
	const struct trace_known_consumer *known, const void *function)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct trace_known_consumer *other = &table->rows[i];

		if (other->proxy && other->original == known->original &&
			!memcmp(other->original, &function, sizeof(function))) {
			trace_python.inc_ref(other->proxy);
			return other->proxy;
		}
	}
	return NULL;
}

/* Gives the module of a function and its name; NULL: it is not imported. */
static void *find_module_of_consumer(const struct trace_known_consumer *known, const char **name)
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
	const struct trace_known_consumer *known, void *function, void *proxy, const char *definer)
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
static void restore_definition(const struct known_table *table,
	const struct trace_known_consumer *known, void *function, void *proxy)
{
	for (const struct trace_known_consumer *other = table->rows; other < known; other++) {
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
static bool replace_attribute(const struct known_table *table, struct trace_known_consumer *known,
	void *module, void *function)
{
	trace_proxy_call call;
	void *proxy, *original;

	if (trace_function_is_proxy(function)) {
		memcpy(&original, known->original, sizeof(original));
		restore_definition(table, known, original, function);
		trace_python.dec_ref(function);
		return true;
	}
	memcpy(&call, &known->replacement, sizeof(call));
	proxy = find_known_proxy(table, known, function);
	if (!proxy)
		proxy = trace_function_proxy_new(function, call);
	/* Before another thread can call the proxy. */
	memcpy(known->original, &function, sizeof(function));
	if (!proxy || trace_python.set_attribute(module, known->function, proxy)) {
		trace_python.dec_ref(proxy);
		return false;
	}
	restore_definition(table, known, function, proxy);
	/* Keeps both references: the proxy is called until the end. */
	known->proxy = proxy;
	return true;
}

/* The built-in function in a method of a type, which pybind11 creates; NULL: there is none. */
static void *find_method(void *type, const char *name)
{
	void *method = trace_python.get_attribute(type, name), *function;

	if (!method || read_built_in_flags(method) != NOT_BUILT_IN)
		return method;
	function = trace_python.get_attribute(method, "__func__");
	trace_python.dec_ref(method);
	return function;
}

void trace_wrap_in(struct trace_known_consumer *known, void *module)
{
	void *type = trace_module_attribute(module, known->type), *function = NULL;

	if (!known->is_done && type && trace_is_instance(type, trace_python.type_type)) {
		if (known->kind == TRACE_CONSUMER_INITIALIZER) {
			known->is_done = replace_initializer(known, type);
		} else {
			function = find_method(type, known->function);
			known->is_done = function && replace_definition(known, function,
							     read_built_in_flags(function));
		}
	}
	trace_python.dec_ref(function);
	trace_python.dec_ref(type);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}

static void wrap_consumer(const struct known_table *table, struct trace_known_consumer *known)
{
	const char *name;
	void *module = find_module_of_consumer(known, &name);
	void *function = known->type ? NULL : trace_module_attribute(module, known->function);

	if (module && known->type)
		trace_wrap_in(known, module);
	if (function) {
		const int flags = read_built_in_flags(function);
		const enum replaced_part part = part_to_replace(known->kind, flags);

		if (part == ATTRIBUTE)
			known->is_done = replace_attribute(table, known, module, function);
		else if (part == DEFINITION)
			known->is_done = replace_definition(known, function, flags);
		if (part != ATTRIBUTE || !known->is_done)
			trace_python.dec_ref(function);
	}
	trace_python.dec_ref(module);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}

void trace_wrap(struct trace_known_consumer *known, size_t n_known)
{
	const struct known_table table = { known, n_known };

	for (size_t i = 0; i < n_known; i++)
		if (!known[i].is_done)
			wrap_consumer(&table, &known[i]);
}
