// SPDX-License-Identifier: MIT
/* sigsetjmp around one call, for the thread that makes it. */
#include "os/fault.h"

#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N_SIGNALS = 2 };
static const int signals[N_SIGNALS] = { SIGSEGV, SIGBUS };
static struct sigaction before[N_SIGNALS];
/* volatile, and fenced where it is set: the compiler may inline the call, and see no reader of it
 * there. */
static _Thread_local sigjmp_buf *volatile guarded;

/* For a thread without a guard the previous action is restored and the instruction is restarted. */
static void on_fault(int number)
{
	if (guarded)
		siglongjmp(*guarded, number);
	for (int i = 0; i < N_SIGNALS; i++)
		if (signals[i] == number)
			(void)sigaction(number, &before[i], NULL);
}

int fault_guard(void (*call)(void *context), void *context)
{
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_ONSTACK };
	sigjmp_buf here;
	int number;

	for (int i = 0; i < N_SIGNALS; i++)
		(void)sigaction(signals[i], &action, &before[i]);
	number = sigsetjmp(here, 1);
	if (!number) {
		guarded = &here;
		atomic_signal_fence(memory_order_seq_cst);
		call(context);
		atomic_signal_fence(memory_order_seq_cst);
	}
	guarded = NULL;
	for (int i = 0; i < N_SIGNALS; i++)
		(void)sigaction(signals[i], &before[i], NULL);
	return number;
}
