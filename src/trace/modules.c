// SPDX-License-Identifier: MIT
#include "trace/modules.h"

#include "trace/attributes.h"
#include "trace/holders.h"
#include "trace/memory.h"
#include "trace/numpy_api.h"
#include "trace/python.h"
#include "trace/results.h"

#include <stdatomic.h>
#include <stdbool.h>

static _Atomic bool is_due, is_updating;
static bool searches_holders;

/* Whether there may be modules that were not considered, of shared objects or of Python code. */
static bool find_due(void)
{
	static ptrdiff_t n_considered;
	ptrdiff_t n_modules;

	if (!trace_python.gil_check() || trace_python.is_finalizing() ||
		!trace_python.is_initialized() || trace_python.err_occurred())
		return false;
	n_modules = trace_python.dict_size(trace_python.import_modules());
	if (!is_due && n_modules == n_considered)
		return false;
	n_considered = n_modules;
	is_due = false;
	return true;
}

static void update_modules(void)
{
	if (!find_due())
		return;
	trace_numpy_api_find();
	if (trace_memory.layers & TRACE_LAYER_NUMPY_API)
		trace_numpy_api_replace();
	if (trace_memory.layers & TRACE_LAYER_RESULTS)
		trace_results_update();
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
	is_due = true;
	trace_modules_update();
	is_due = true; /* the module itself is not complete yet */
}
