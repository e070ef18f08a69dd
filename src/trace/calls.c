// SPDX-License-Identifier: MIT
#include "trace/calls.h"

#include "trace/python.h"

#include <stdlib.h>
#include <string.h>

enum { API_GET_CURRENT = 4 }; /* position in greenlet's table, which only grows */

_Thread_local struct trace_calls trace_calls __attribute__((tls_model("initial-exec")));
_Atomic(trace_current_greenlet) trace_get_greenlet;

/* The calls of a greenlet that another one interrupted. */
struct suspended_calls {
	const void *greenlet;
	struct trace_calls calls;
	struct suspended_calls *next;
};

static _Thread_local struct {
	const void *greenlet; /* whose calls trace_calls are; NULL: not known yet */
	struct suspended_calls *suspended;
} thread __attribute__((tls_model("initial-exec")));

void trace_calls_find_greenlets(void)
{
	void *module, *capsule;
	void *const *table;
	trace_current_greenlet get_current;

	if (trace_get_greenlet)
		return;
	module = trace_python_module("greenlet");
	capsule = trace_module_attribute(module, "_C_API");
	table = capsule ? trace_python.capsule_get_pointer(capsule, "greenlet._C_API") : NULL;
	if (table) {
		memcpy(&get_current, &table[API_GET_CURRENT], sizeof(get_current));
		trace_get_greenlet = get_current;
	}
	trace_python.dec_ref(capsule);
	trace_python.dec_ref(module);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}

/* The greenlet that runs, which is compared only; NULL: unknown. An error may be pending: a
 * greenlet that is ended returns from its calls with one. */
static const void *find_greenlet(void)
{
	const bool has_error = trace_python.err_occurred() != NULL;
	void *greenlet;

	if (trace_python.is_finalizing() || !trace_is_main_interpreter())
		return NULL;
	greenlet = trace_get_greenlet();
	if (!greenlet && !has_error)
		trace_python.err_clear();
	trace_python.dec_ref(greenlet);
	return greenlet;
}

/* Keeps the calls of a greenlet that another one interrupts. Without calls under way, nothing is
 * kept, since the greenlet may end. */
static void suspend_calls(void)
{
	struct suspended_calls *suspended =
		trace_calls.consumer || trace_calls.n_reads ? malloc(sizeof(*suspended)) : NULL;

	if (suspended) {
		*suspended =
			(struct suspended_calls){ thread.greenlet, trace_calls, thread.suspended };
		thread.suspended = suspended;
	}
	trace_calls = (struct trace_calls){ .n_reads = 0 };
}

static void resume_calls(const void *greenlet)
{
	struct suspended_calls **at = &thread.suspended, *resumed;

	while (*at && (*at)->greenlet != greenlet)
		at = &(*at)->next;
	resumed = *at;
	if (resumed) {
		trace_calls = resumed->calls;
		*at = resumed->next;
		free(resumed);
	}
}

void trace_calls_switch(void)
{
	const void *greenlet = find_greenlet();

	if (!greenlet || greenlet == thread.greenlet)
		return;
	if (thread.greenlet) {
		suspend_calls();
		resume_calls(greenlet);
	}
	thread.greenlet = greenlet;
}
