// SPDX-License-Identifier: MIT
#include "supervisor/worker_options.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

int worker_find_part(const char *name, const char *chosen, char **path, struct err *err)
{
	const char *started_as = (const char *)getauxval(AT_EXECFN);
	char *own = realpath("/proc/self/exe", NULL), *slash;
	struct text candidates[3] = { 0 }, tried = { 0 };
	int status = -1;

	if (!own && started_as)
		own = realpath(started_as, NULL);
	slash = own ? strrchr(own, '/') : NULL;
	if (slash) {
		*slash = '\0';
		text_printf(&candidates[0], "%s/%s", own, name);
		text_printf(&candidates[1], "%s/../%s/%s", own, SUAI_MODULE_DIR, name);
	}
	if (chosen && *chosen)
		text_add(&candidates[2], chosen);
	for (size_t i = 0; i < 3 && status; i++) {
		if (!candidates[i].n_bytes)
			continue;
		text_printf(&tried, "%s'%s'", tried.n_bytes ? ", " : "", candidates[i].bytes);
		if (access(candidates[i].bytes, R_OK))
			continue;
		*path = realpath(candidates[i].bytes, NULL);
		status = *path ? 0 : -1;
	}
	if (status)
		err_set(err, EXIT_UNAVAILABLE, "cannot find suai's file '%s': tried %s", name,
			tried.n_bytes ? tried.bytes : "nothing");
	for (size_t i = 0; i < 3; i++)
		text_free(&candidates[i]);
	text_free(&tried);
	free(own);
	return status;
}

int worker_find_module(struct worker_options *options, struct err *err)
{
	struct text beside = { 0 };
	struct err why;
	int status;

	if (worker_find_part("_suai.abi3.so", getenv("SUAI_MODULE"), &options->module, &why))
		return err_set(err, why.code, "%s; set $SUAI_MODULE to its path", why.message);
	text_printf(&beside, "%.*s/suai-bootstrap.py",
		(int)(strrchr(options->module, '/') - options->module), options->module);
	status = worker_find_part("suai-bootstrap.py", beside.bytes, &options->bootstrap, err);
	text_free(&beside);
	return status;
}
