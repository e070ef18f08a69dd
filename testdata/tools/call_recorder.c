// SPDX-License-Identifier: MIT
/* Linked into a program built with -finstrument-functions (tools/call-count): writes the offset of
 * each function that was entered, once, to the file that CALLS_FILE names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_FUNCTIONS = 4096 };

#define NOT_RECORDED __attribute__((no_instrument_function))

static void *functions[MAX_FUNCTIONS];
static int n_functions;

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

NOT_RECORDED void __cyg_profile_func_enter(void *function, void *call_site)
{
	(void)call_site;
	for (int i = 0; i < n_functions; i++)
		if (functions[i] == function)
			return;
	if (n_functions < MAX_FUNCTIONS)
		functions[n_functions++] = function;
}

NOT_RECORDED void __cyg_profile_func_exit(void *function, void *call_site)
{
	(void)function;
	(void)call_site;
}

NOT_RECORDED static __attribute__((destructor)) void write_functions(void)
{
	const char *path = getenv("CALLS_FILE");
	FILE *file = path ? fopen(path, "w") : NULL;
	Dl_info info;

	for (int i = 0; file && i < n_functions; i++)
		if (dladdr(functions[i], &info))
			fprintf(file, "0x%lx\n",
				(unsigned long)((char *)functions[i] - (char *)info.dli_fbase));
	if (file)
		fclose(file);
}
