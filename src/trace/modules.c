// SPDX-License-Identifier: MIT
#include "trace/modules.h"

#include "trace/attributes.h"
#include "trace/calls.h"
#include "trace/consumers.h"
#include "trace/holders.h"
#include "trace/lock.h"
#include "trace/memory.h"
#include "trace/numpy_api.h"
#include "trace/objects.h"
#include "trace/python.h"

#include <stdatomic.h>
#include <stdbool.h>

static const _Atomic ptrdiff_t unknown_number = TRACE_MODULES_UNKNOWN;
struct trace_considered trace_considered = { .n_modules = TRACE_MODULES_DUE,
	.n_present = &unknown_number };

static _Atomic bool is_updating;
static bool searches_holders;

static void find_present_modules(void *modules, ptrdiff_t n_modules)
{
	const _Atomic ptrdiff_t *size = (const void *)((char *)modules + trace_head_bytes);

	if (!trace_has_dictionary_size || *size != n_modules)
		return;
	trace_python.inc_ref(modules);
	trace_considered.n_present = size;
}

/* Whether there may be modules that were not considered, of shared objects or of Python code. The
 * objects that replace functions and properties cannot be those of several interpreters. */
static bool find_due(void)
{
	ptrdiff_t n_modules, n_considered = trace_considered.n_modules;
	void *modules;

	if (!trace_python.gil_check() || trace_python.is_finalizing() ||
		!trace_python.is_initialized() || trace_python.err_occurred() ||
		!trace_is_main_interpreter())
		return false;
	modules = trace_python.import_modules();
	n_modules = trace_python.dict_size(modules);
	if (trace_considered.n_present == &unknown_number)
		find_present_modules(modules, n_modules);
	/* Not if another thread loaded a module meanwhile. */
	return n_modules != n_considered &&
	       atomic_compare_exchange_strong(
		       &trace_considered.n_modules, &n_considered, n_modules);
}

static const char *exact_text(void *object)
{
	return object && trace_is_exactly(object, trace_python.text_type) ? trace_utf8(object, NULL)
									  : NULL;
}

/* For modules that are never found, such as those that were imported and removed. */
enum { MAX_SEARCHES = 1000 };

/* Modules that are not below site-packages, as those of programs that PyInstaller made. */
static void name_packages(void)
{
	void *copy = trace_python.get_attribute(trace_python.import_modules(), "copy");
	void *modules = copy ? trace_python.call_no_arguments(copy) : NULL, *key, *module;
	ptrdiff_t position = 0;

	while (modules && trace_python.dict_next(modules, &position, &key, &module)) {
		const char *name = exact_text(key), *file = NULL;

		if (name && trace_is_instance(module, trace_python.module_type))
			file = exact_text(trace_python.dict_get(
				trace_python.module_get_dict(module), "__file__"));
		if (!file)
			continue;
		trace_lock();
		trace_objects_name_package(file, name);
		trace_unlock();
	}
	trace_python.dec_ref(modules);
	trace_python.dec_ref(copy);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}

static void update_modules(void)
{
	static unsigned int n_searches;
	bool has_unnamed;

	if (!find_due())
		return;
	trace_lock();
	has_unnamed = trace_objects_have_unnamed_modules();
	trace_unlock();
	if (has_unnamed && n_searches < MAX_SEARCHES) {
		n_searches++;
		name_packages();
	}
	trace_numpy_api_find();
	trace_calls_find_greenlets();
	if (trace_memory.layers & TRACE_LAYER_NUMPY_API)
		trace_numpy_api_replace();
	if (trace_memory.layers & TRACE_LAYER_RESULTS)
		trace_consumers_update();
	if (trace_memory.layers & TRACE_LAYER_ATTRIBUTES)
		trace_attributes_update();
	if ((trace_memory.layers & TRACE_LAYER_DELETERS) && searches_holders)
		trace_holders_register();
}

/* Attributes of modules may be Python code, during which another thread runs. */
void trace_modules_update(void)
{
	const uint32_t layers =
		TRACE_LAYER_NUMPY_API | TRACE_LAYER_RESULTS | TRACE_LAYER_ATTRIBUTES;

	if (!(trace_memory.layers & layers) || is_updating || atomic_exchange(&is_updating, true))
		return;
	update_modules();
	is_updating = false;
}

void trace_modules_fork(void)
{
	is_updating = false;
}

void trace_modules_search_holders(void)
{
	searches_holders = true;
}

void trace_modules_loaded(void)
{
	trace_considered.n_modules = TRACE_MODULES_DUE;
	trace_modules_update();
	trace_considered.n_modules = TRACE_MODULES_DUE; /* the module itself is not complete yet */
}
