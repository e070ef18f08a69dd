// SPDX-License-Identifier: MIT
/* Linked by tools/test-asan: the interpreters that suai starts load the runtime of AddressSanitizer
 * first, as the worker's module requires. Other programs that load this code are left as they are.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

__attribute__((constructor)) static void preload_asan(void)
{
	if (!strcmp(program_invocation_short_name, "suai"))
		setenv("LD_PRELOAD", ASAN_RUNTIME, 0);
}
