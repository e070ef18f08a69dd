// SPDX-License-Identifier: MIT
#include "trace/passed_function.h"

#include "trace/layout.h"
#include "trace/lock.h"
#include "trace/map.h"
#include "trace/numpy_api.h"
#include "trace/python.h"
#include "trace/record.h"
#include "trace/site.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { MAX_FRAMES = 1 << 10, MAX_NESTED_CODE = 8 };

/* What code is searched for: a function, its name as code objects have it, and NumPy. */
struct wanted_function {
	const void *function;
	void *name, *numpy, *numpy_name; /* names are interned */
	bool is_in_variable;             /* of code that received it, if it did */
};

/* What the names of some code refer to. */
struct found_names {
	bool has_name;  /* that of the function, or one of a global variable with the function */
	bool has_numpy; /* a global variable with NumPy or the function, or an import of NumPy */
};

/* Borrowed; NULL: there is none. */
static void *global_variable(void *globals, void *name)
{
	void *value = globals ? trace_python.dict_get_object(globals, name) : NULL;

	if (!value && trace_python.err_occurred())
		trace_python.err_clear();
	return value;
}

static bool has_name_among(const void *name, void *names)
{
	ptrdiff_t n = trace_python.tuple_size(names);

	for (ptrdiff_t i = 0; i < n; i++)
		if (trace_python.tuple_get(names, i) == name)
			return true;
	return false;
}

/* Whether one of the names is that of the function in a module, as convert in tools.convert(a). */
static bool has_attribute_among(void *module, void *names, const void *function)
{
	void *attributes = trace_is_instance(module, trace_python.module_type)
				   ? trace_python.module_get_dict(module)
				   : NULL;
	ptrdiff_t n = attributes ? trace_python.tuple_size(names) : 0;

	for (ptrdiff_t i = 0; i < n; i++)
		if (global_variable(attributes, trace_python.tuple_get(names, i)) == function)
			return true;
	return false;
}

static void search_names(
	void *names, void *globals, const struct wanted_function *wanted, struct found_names *found)
{
	ptrdiff_t n = trace_python.tuple_size(names);

	for (ptrdiff_t i = 0; i < n; i++) {
		void *name = trace_python.tuple_get(names, i);
		void *value = global_variable(globals, name);

		found->has_name |= name == wanted->name || value == wanted->function ||
				   has_attribute_among(value, names, wanted->function);
		found->has_numpy |=
			name == wanted->numpy_name ||
			(value && (value == wanted->function || value == wanted->numpy));
	}
}

/* Whether code is that of a lambda or a generator, such as <genexpr>. */
static bool is_anonymous(void *code)
{
	void *name = trace_python.get_attribute(code, "co_name");
	const char *text = name ? trace_utf8(name, NULL) : NULL;
	bool is = text && *text == '<';

	trace_python.dec_ref(name);
	return is;
}

/* Includes the code of lambdas and generators within it. */
static void search_code(void *code, void *globals, const struct wanted_function *wanted, int depth,
	struct found_names *found)
{
	void *names = trace_python.get_attribute(code, "co_names");
	void *constants = trace_python.get_attribute(code, "co_consts");
	ptrdiff_t n_constants =
		constants && depth < MAX_NESTED_CODE ? trace_python.tuple_size(constants) : 0;

	if (names)
		search_names(names, globals, wanted, found);
	for (ptrdiff_t i = 0; i < n_constants; i++) {
		void *constant = trace_python.tuple_get(constants, i);

		if (trace_type_pointer(constant) == trace_type_pointer(code) &&
			is_anonymous(constant))
			search_code(constant, globals, wanted, depth + 1, found);
	}
	trace_python.dec_ref(constants);
	trace_python.dec_ref(names);
}

static struct found_names search_frame(void *frame, const struct wanted_function *wanted)
{
	void *code = trace_python.frame_get_code(frame);
	void *globals = trace_python.frame_get_globals(frame);
	struct found_names found = { 0 };

	search_code(code, globals, wanted, 0, &found);
	trace_python.dec_ref(globals);
	trace_python.dec_ref(code);
	return found;
}

/* Whether an object is the function, or a functools.partial of it. */
static bool is_function_or_partial(void *object, const void *function)
{
	void *module = trace_python_module("functools"), *type, *partial_of = NULL;

	if (object == function || !module)
		return object == function;
	type = trace_module_attribute(module, "partial");
	if (type && trace_is_exactly(object, type))
		partial_of = trace_python.get_attribute(object, "func");
	trace_python.dec_ref(partial_of);
	trace_python.dec_ref(type);
	return partial_of == function;
}

static bool has_variable_among(void *frame, const char *attribute, const void *function)
{
	void *code = trace_python.frame_get_code(frame);
	void *names = trace_python.get_attribute(code, attribute);
	ptrdiff_t n = names ? trace_python.tuple_size(names) : 0;
	bool has = false;

	for (ptrdiff_t i = 0; !has && i < n; i++) {
		void *found = trace_local_variable(frame, trace_python.tuple_get(names, i));

		has = found && is_function_or_partial(found, function);
		trace_python.dec_ref(found);
	}
	trace_python.dec_ref(names);
	trace_python.dec_ref(code);
	return has;
}

static bool has_value_among(void *dictionary, const struct wanted_function *wanted)
{
	ptrdiff_t position = 0;
	void *key, *value;

	while (trace_python.dict_next(dictionary, &position, &key, &value))
		if (value == wanted->function || value == wanted->numpy)
			return true;
	return false;
}

/* Whether a global variable of a loaded module of the package has NumPy or the function. */
static bool has_numpy_in_modules(
	const char *package, size_t n_chars, const struct wanted_function *wanted)
{
	void *modules = trace_python.import_modules(), *key, *module;
	ptrdiff_t position = 0;

	while (trace_python.dict_next(modules, &position, &key, &module)) {
		const char *name = trace_is_exactly(key, trace_python.text_type)
					   ? trace_utf8(key, NULL)
					   : NULL;

		if (name && !strncmp(name, package, n_chars) && strchr(".", name[n_chars]) &&
			trace_is_instance(module, trace_python.module_type) &&
			has_value_among(trace_python.module_get_dict(module), wanted))
			return true;
	}
	return false;
}

/* The same, searched only once for the same number of modules: there can be thousands. */
static bool has_numpy_in_package(const char *module, const struct wanted_function *wanted)
{
	/* By package and function, the number of modules when none had these; 0: one has. */
	static struct trace_map searched;
	const size_t n_chars = strcspn(module, ".");
	const uint64_t n_modules = (uint64_t)trace_python.dict_size(trace_python.import_modules());
	const uint64_t key =
		(trace_hash(module, n_chars) ^ (uint64_t)(uintptr_t)wanted->function) | 1;
	uint64_t *found;
	bool is_known, has;

	trace_lock();
	found = trace_map_find(&searched, key);
	is_known = found && (!*found || *found == n_modules);
	has = is_known && !*found;
	trace_unlock();
	if (is_known)
		return has;
	has = has_numpy_in_modules(module, n_chars, wanted);
	trace_lock();
	trace_map_set(&searched, key, has ? 0 : n_modules);
	trace_unlock();
	return has;
}

/* Whether the package of a frame may have chosen a function of NumPy, since it uses NumPy. Unknown
 * without a GIL, where other threads may change dictionaries meanwhile. */
static bool package_uses_numpy(void *frame, const struct wanted_function *wanted)
{
	void *globals = trace_python.frame_get_globals(frame);
	void *name = globals ? trace_python.dict_get(globals, "__name__") : NULL;
	const char *text = name && trace_is_exactly(name, trace_python.text_type)
				   ? trace_utf8(name, NULL)
				   : NULL;
	bool uses = !text || trace_head_bytes != GIL_HEAD_BYTES ||
		    has_value_among(globals, wanted) || has_numpy_in_package(text, wanted);

	trace_python.dec_ref(globals);
	return uses;
}

/* Whether a frame's code received a function, which it does not name: in a variable or, if its
 * package does not use NumPy, in an attribute or a container. */
static bool received_function(void *frame, const struct wanted_function *wanted)
{
	return !search_frame(frame, wanted).has_name &&
	       (has_variable_among(frame, "co_varnames", wanted->function) ||
		       has_variable_among(frame, "co_freevars", wanted->function) ||
		       (!wanted->is_in_variable && !package_uses_numpy(frame, wanted)));
}

/* The innermost frame around another one whose code names the function, in a new reference. */
static void *find_naming_frame(void *inner, const struct wanted_function *wanted)
{
	void *frame = trace_python.frame_get_back(inner), *back;

	for (int n = 0; frame && n < MAX_FRAMES; n++) {
		struct found_names found = search_frame(frame, wanted);

		if (found.has_name && found.has_numpy)
			return frame;
		back = trace_python.frame_get_back(frame);
		trace_python.dec_ref(frame);
		frame = back;
	}
	trace_python.dec_ref(frame);
	return NULL;
}

/* Whether a frame's code has the name of the function among its own, as numpy.array(a) does. */
static bool has_name_of_function(void *frame, const void *name)
{
	static _Atomic(void *) co_names;
	void *code = trace_python.frame_get_code(frame), *names;
	bool has;

	if (!co_names)
		co_names = trace_python.text_intern("co_names");
	names = co_names ? trace_python.get_attribute_of(code, co_names) : NULL;
	has = names && has_name_among(name, names);
	trace_python.dec_ref(names);
	trace_python.dec_ref(code);
	return has;
}

/* The package of the code that passed the function to that of a frame; package if none did. */
static uint32_t passing_package(void *frame, struct wanted_function *wanted, uint32_t package)
{
	void *naming = NULL;

	wanted->numpy = trace_python_module("numpy");
	wanted->numpy_name = trace_python.text_intern("numpy");
	if (received_function(frame, wanted))
		naming = find_naming_frame(frame, wanted);
	if (naming)
		package = trace_site_package_of_frame(naming);
	trace_python.dec_ref(naming);
	trace_python.dec_ref(wanted->numpy_name);
	trace_python.dec_ref(wanted->numpy);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return package;
}

uint32_t trace_passed_function_package(const void *function, void *name, uint32_t native)
{
	struct wanted_function wanted = {
		.function = function, .name = name, .is_in_variable = native != TRACE_NONE
	};
	const uint32_t site = trace_site_package();
	const uint32_t package = native == TRACE_NONE ? site : native;
	void *frame;

	if (site == TRACE_NONE || !function || !name)
		return package;
	frame = trace_python.eval_get_frame();
	return frame && !has_name_of_function(frame, name)
		       ? passing_package(frame, &wanted, package)
		       : package;
}
