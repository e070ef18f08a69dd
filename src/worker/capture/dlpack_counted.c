// SPDX-License-Identifier: MIT
/* A deleter that counts its calls (dlpack.h 1.3, DLManagedTensorVersioned.deleter). */
#include "worker/capture/dlpack.h"

static struct {
	void (*original)(void *tensor);
	int n_calls;
} counted;

static void count_call(void *tensor)
{
	if (!counted.n_calls++)
		counted.original(tensor);
}

void dlpack_count_deleter(void (**deleter)(void *tensor))
{
	counted.n_calls = 0;
	counted.original = *deleter;
	*deleter = count_call;
}

int dlpack_deleter_calls(void)
{
	return counted.n_calls;
}

void dlpack_delete_counted(void *tensor)
{
	if (!counted.n_calls)
		count_call(tensor);
}
