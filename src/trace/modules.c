// SPDX-License-Identifier: MIT
#include "trace/modules.h"

#include "trace/attributes.h"
#include "trace/memory.h"
#include "trace/numpy_api.h"
#include "trace/python.h"
#include "trace/results.h"

#include <stdatomic.h>
#include <stdbool.h>

static _Atomic bool is_due;

void trace_modules_update(void)
{
	if (!is_due || !trace_python.gil_check() || trace_python.err_occurred())
		return;
	is_due = false;
	if (!(trace_memory.layers &
		    (TRACE_LAYER_NUMPY_API | TRACE_LAYER_RESULTS | TRACE_LAYER_ATTRIBUTES)))
		return;
	trace_numpy_api_find();
	if (trace_memory.layers & TRACE_LAYER_NUMPY_API)
		trace_numpy_api_replace();
	if (trace_memory.layers & TRACE_LAYER_RESULTS)
		trace_results_update();
	if (trace_memory.layers & TRACE_LAYER_ATTRIBUTES)
		trace_attributes_update();
}

void trace_modules_loaded(void)
{
	is_due = true;
	trace_modules_update();
	is_due = true; /* the module itself is not complete yet */
}
