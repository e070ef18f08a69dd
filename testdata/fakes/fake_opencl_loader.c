// SPDX-License-Identifier: MIT
/* A fake libOpenCL.so.1 that exits the process, or hangs, when it is loaded. */
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void on_load(void)
{
#if defined(FAKE_die)
	abort();
#elif defined(FAKE_leave)
	_exit(3);
#elif defined(FAKE_succeed)
	_exit(0);
#else
	for (;;)
		pause();
#endif
}
