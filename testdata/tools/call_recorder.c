// SPDX-License-Identifier: MIT
/*
 * Linked into a program built with -finstrument-functions (tools/call-count): writes the offset of
 * each function that was entered, once, to the file that CALLS_FILE names; with CALLS_WITHIN, the
 * offset of a function in hexadecimal, only of those entered from its beginning to its end.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_FUNCTIONS = 4096 };

#define NOT_RECORDED __attribute__((no_instrument_function))

static void *functions[MAX_FUNCTIONS];
static int n_functions, n_within; /* calls of the function that have not returned */

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

/* Whether this is the function of CALLS_WITHIN. */
NOT_RECORDED static int is_root(void *function)
{
	static int is_known;
	static char *root;
	const char *offset;
	Dl_info info;

	if (!is_known && dladdr(function, &info)) {
		is_known = 1;
		offset = getenv("CALLS_WITHIN");
		if (offset && *offset)
			root = (char *)info.dli_fbase + strtoul(offset, NULL, 16);
		else
			n_within = 1;
	}
	return function == root;
}

NOT_RECORDED void __cyg_profile_func_enter(void *function, void *call_site)
{
	(void)call_site;
	n_within += is_root(function);
	for (int i = 0; i < n_functions; i++)
		if (functions[i] == function)
			return;
	if (n_within && n_functions < MAX_FUNCTIONS)
		functions[n_functions++] = function;
}

NOT_RECORDED void __cyg_profile_func_exit(void *function, void *call_site)
{
	(void)call_site;
	n_within -= is_root(function);
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
