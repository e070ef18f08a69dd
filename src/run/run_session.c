// SPDX-License-Identifier: MIT
/* Runs the job of a command in a session. */
#include "run/run.h"

#include "base/cpus.h"
#include "protocols/names.h"
#include "protocols/protocol.h"
#include "settings/settings.h"

#include <string.h>

enum { MAX_CONFIRMING = 4 };

static enum host_mode host_mode(const char *name)
{
	if (!strcmp(name, "embed"))
		return HOST_EMBED;
	return !strcmp(name, "exec") ? HOST_EXEC : HOST_AUTO;
}

/* The protocols to capture: those of -p, or all. */
static struct value *job_protocols(struct arena *arena, const struct option_list *named)
{
	struct value *list = value_list(arena);

	for (size_t i = 0; i < named->n_items; i++)
		value_append(arena, list, value_text(arena, named->items[i]));
	for (size_t i = 0; !named->n_items && protocols[i]; i++)
		if (!protocols[i]->is_of_files)
			value_append(arena, list, value_text(arena, protocols[i]->name));
	return list;
}

int64_t run_jobs(const struct run *run)
{
	return run->settings->jobs ? run->settings->jobs : cpus_count_usable();
}

int64_t run_jobs_to_confirm(const struct run *run)
{
	int64_t n_cores = cpus_count_usable();

	if (settings_source(command_find(run->command), run->settings, "jobs"))
		return run_jobs(run);
	return n_cores < MAX_CONFIRMING ? n_cores : MAX_CONFIRMING;
}

int run_session(struct run *run, const struct job_modules *modules, struct session *session,
	struct err *err)
{
	const struct shared_settings *settings = run->settings;
	struct session_options *options = &session->options;
	const struct option_list none = { 0 }, *named = &none;
	struct job job = run->job;
	const char *source = settings_source(command_find(run->command), settings, "python");

	options->python = settings->python;
	options->python_source = source && strchr(source, ':') ? source : NULL;
	options->host = host_mode(settings->host);
	options->timeout_seconds = (double)settings->timeout_seconds;
	/* The rest of the time is for what is tried after a consumer that hangs. */
	if (job.passes_objects && !(options->step_timeout_seconds > 0))
		options->step_timeout_seconds = options->timeout_seconds / 2;
	options->wrap = settings->wrap;
	if (!options->jobs)
		options->jobs = run_jobs(run);
	options->stdin_is_input |=
		options->jobs > 1; /* several workers would each consume part of it */
	/* With --consumer, -p chooses the interface of suai's tensors. */
	if (!job_has_consumer(&job))
		named = &settings->protocols;
	job.protocols = job_protocols(run->arena, named);
	job.protocols_named = named->n_items > 0;
	return session_run(session, &job, modules, err);
}
