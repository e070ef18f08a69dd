// SPDX-License-Identifier: MIT
#include "trace/tensors.h"

#include "trace/events.h"
#include "trace/memory.h"
#include "trace/python.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A number of this thread, which unlike those of the system is not used again when it ends. */
static uint32_t current_thread(void)
{
	static _Atomic uint32_t n_threads;
	static _Thread_local uint32_t own __attribute__((tls_model("initial-exec")));

	if (!own)
		own = atomic_fetch_add(&n_threads, 1) + 1;
	return own;
}

/* Whether a deleter that needs the interpreter would crash or wait forever. The thread that
 * finalizes the interpreter, usually the main thread, can reacquire the GIL that a library released
 * until its thread state is gone. */
static bool is_without_interpreter(void)
{
	return !trace_python.thread_state_current() &&
	       !(trace_python.thread_state_of_this() && syscall(SYS_gettid) == getpid());
}

static void count_release(uint32_t i)
{
	const struct trace_tensor *tensor = &trace_memory.tensors[i];
	struct trace_row *row = &trace_memory.rows[tensor->row];
	uint64_t held_ns = trace_now_ns() - tensor->since_ns;
	bool is_at_end = trace_python.is_finalizing() || !trace_python.is_initialized();

	trace_event_release(i, is_at_end);
	if (is_at_end) {
		row->n_after_end += is_without_interpreter();
		if (tensor->flags & TENSOR_NAMED)
			row->holder |= TRACE_HOLDER_RELEASED;
		row->n_held++;
		row->n_held_bytes += tensor->n_bytes;
	} else {
		row->n_released++;
	}
	row->n_elsewhere += tensor->thread != current_thread();
	if (held_ns > row->held_ns_max)
		row->held_ns_max = held_ns;
}

/* The release is counted with the exchange, whichever comes last. */
static void settle_tensor(uint32_t i)
{
	struct trace_tensor *tensor = &trace_memory.tensors[i];

	if (!tensor->thread)
		tensor->thread = current_thread();
	if ((tensor->flags & TENSOR_RELEASED) && tensor->row != TRACE_NONE)
		count_release(i);
	if ((tensor->flags & (TENSOR_RELEASED | TENSOR_UNOWNED)) &&
		(tensor->flags & TENSOR_CONSUMED))
		trace_memory_free_tensor(i);
}

enum { N_LAST_CONSUMED = 256 };

/* The tensor that each thread consumed last, by the number of the thread: the thread's stack may
 * hold it until it is stored in a variable. */
static struct last_consumed {
	uint32_t thread, tensor;
	pid_t tid;
} last_consumed[N_LAST_CONSUMED];

static void note_last_consumed(uint32_t tensor)
{
	static _Thread_local pid_t tid __attribute__((tls_model("initial-exec")));
	const uint32_t thread = current_thread();

	if (!tid)
		tid = (pid_t)syscall(SYS_gettid);
	last_consumed[thread % N_LAST_CONSUMED] = (struct last_consumed){ thread, tensor, tid };
}

/* The thread that ends the interpreter; 0: none does yet. */
static uint32_t ending_thread;

void trace_tensors_end(void)
{
	ending_thread = current_thread();
	for (size_t i = 0; i < N_LAST_CONSUMED; i++) {
		const struct last_consumed *last = &last_consumed[i];
		struct trace_tensor *tensor = &trace_memory.tensors[last->tensor];

		if (last->thread && last->thread != ending_thread &&
			tensor->thread == last->thread &&
			(tensor->flags & (TENSOR_USED | TENSOR_CONSUMED | TENSOR_RELEASED)) ==
				(TENSOR_USED | TENSOR_CONSUMED) &&
			!syscall(SYS_tgkill, getpid(), last->tid, 0))
			tensor->flags |= TENSOR_OF_THREAD;
	}
}

void trace_tensor_consumed(uint32_t tensor, uint32_t row, uint32_t event)
{
	bool is_unowned = trace_memory.tensors[tensor].flags & TENSOR_UNOWNED;

	trace_event_hold(is_unowned ? TRACE_NONE : event, tensor);
	trace_memory.tensors[tensor].flags |= TENSOR_CONSUMED;
	trace_memory.tensors[tensor].row = row;
	trace_memory.tensors[tensor].since_ns = trace_now_ns();
	/* A daemon thread never releases what it has when it is stopped. */
	if (ending_thread && ending_thread != current_thread())
		trace_memory.tensors[tensor].flags |= TENSOR_OF_THREAD;
	else if (!ending_thread)
		note_last_consumed(tensor);
	settle_tensor(tensor);
}

void trace_tensor_released(uint32_t tensor)
{
	trace_memory.tensors[tensor].flags |= TENSOR_RELEASED;
	settle_tensor(tensor);
}
