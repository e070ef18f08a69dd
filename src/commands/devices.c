// SPDX-License-Identifier: MIT
/*
 * `suai devices`: the host and the devices of each runtime, with the numbers that protocols use.
 * SYCL is queried in a worker, each other runtime in a child process without Python; a runtime that
 * is missing is listed with the reason.
 */
#include "commands/devices.h"

#include "base/array_size.h"
#include "base/cpu_name.h"
#include "cli/command.h"
#include "model/device.h"
#include "model/runtimes.h"
#include "run/query.h"
#include "run/run.h"
#include "settings/settings.h"
#include "supervisor/probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct devices_settings {
	struct shared_settings shared;
	const char *query;
};

static const struct query_table query_devices = {
	.subject = "a device",
	.keys = { { &fact_listed_device_record,
		"runtime device name filter backend driver_version cores memory_bytes aspects usm_kinds" } }
};

static const struct option options[] = {
	QUERY_FORMAT_OPTION(offsetof(struct devices_settings, shared.format)),
	QUERY_OPTION(offsetof(struct devices_settings, query),
		"print only these keys of each device, such as runtime,name, one per line",
		"Keys are runtime, device.type, device.id, name, filter, backend, driver_version, cores, memory_bytes, aspects "
		"and usm_kinds. A runtime without devices has no lines.",
		"."),
	{ 0 },
};

static const struct runtime {
	const char *name, *device_type;
	enum { IN_WORKER, PROBED, DESCRIBED } method;
} runtimes[] = {
#define ROW(NAME, TYPE, ASKED, TEXT) { #NAME, #TYPE, ASKED },
	DEVICE_RUNTIME_LIST(ROW) DESCRIBED_RUNTIME_LIST(ROW)
};

enum { N_RUNTIMES = ARRAY_SIZE(runtimes) };

/* The answers of the runtimes; null: none arrived. */
struct answers {
	struct arena *arena;
	struct fact_device_list of[N_RUNTIMES];
};

static int on_message(void *context, struct arena *arena, struct message *message, struct err *err)
{
	struct answers *answers = context;

	(void)err;
	for (size_t i = 0; message->kind == MESSAGE_DEVICES && i < N_RUNTIMES; i++)
		if (fact_text_is(message->devices.runtime, runtimes[i].name))
			answers->of[i] = message->devices;
	arena_join(answers->arena, arena);
	return 0;
}

static void add_listed_device(struct arena *arena, struct fact_listed_device_list *list,
	const char *runtime, const char *device_type, const struct fact_device_entry *found)
{
	*FACT_LIST_ADD(arena, list) = (struct fact_listed_device){ .present = true,
		.runtime = runtime,
		.status = DEVICE_STATUS_OK,
		.device = { .present = true, .type = device_type, .id = found->id },
		.name = found->name,
		.filter = found->filter,
		.backend = found->backend,
		.driver_version = found->driver_version,
		.cores = found->cores,
		.memory_bytes = found->memory_bytes,
		.aspects = found->aspects,
		.usm_kinds = found->usm_kinds };
}

static void add_host(struct arena *arena, struct fact_listed_device_list *list)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	const struct fact_device_entry host = { .id = fact_int(0),
		.name = cpu_name(arena),
		.cores = fact_int(sysconf(_SC_NPROCESSORS_ONLN)),
		.memory_bytes = fact_uint((uint64_t)sysconf(_SC_PHYS_PAGES) * page_bytes) };

	add_listed_device(arena, list, RUNTIME_HOST, DEVICE_CPU, &host);
}

static void add_runtime(struct arena *arena, struct fact_listed_device_list *list,
	const struct runtime *runtime, const struct fact_device_list *answer, const char *no_answer)
{
	const char *reason = answer->reason;
	bool is_queried = runtime->method != DESCRIBED;

	if (!is_queried)
		reason = DESCRIBED_RUNTIME;
	else if (!answer->present)
		reason = no_answer;
	else if (!reason && !answer->devices.n_items)
		reason = "no device found";
	if (reason)
		*FACT_LIST_ADD(arena, list) = (struct fact_listed_device){ .present = true,
			.runtime = runtime->name,
			.status = is_queried ? DEVICE_STATUS_UNAVAILABLE : DEVICE_STATUS_DESCRIBED,
			.reason = reason,
			.device = { .present = true, .type = runtime->device_type } };
	for (size_t i = 0; !reason && i < answer->devices.n_items; i++)
		add_listed_device(arena, list, runtime->name, runtime->device_type,
			&answer->devices.items[i]);
}

/* Queries devices in a worker. Without an interpreter there are no answers, and *reason is why. */
static int query_in_worker(
	struct run *run, struct answers *answers, const char **reason, struct err *err)
{
	struct session session = { .on_message = on_message, .context = answers };

	/* The runtimes of Intel wait without end for files in it. */
	if (access("/proc/self", F_OK)) {
		*reason = "not queried: /proc is not mounted";
		return 0;
	}
	*reason = "the worker exited without returning a result";
	if (!run_session(run, &(const struct job_modules){ 0 }, &session, err))
		return 0;
	if (err->code != EXIT_UNAVAILABLE)
		return -1;
	*reason = arena_copy(run->arena, err->message, strlen(err->message));
	return 0;
}

/* The answer of a runtime that needs no Python, or the reason why there is none. */
static struct fact_device_list probe(struct run *run, const char *runtime)
{
	struct fact_device_list answer;
	struct err err = { 0 };

	if (!probe_run(runtime, (double)run->settings->timeout_seconds, run->arena, &answer, &err))
		return answer;
	return (struct fact_device_list){ .present = true,
		.reason = arena_copy(run->arena, err.message, strlen(err.message)) };
}

static int list_all_devices(struct run *run, struct fact_listed_device_list *list, struct err *err)
{
	struct answers answers = { .arena = run->arena };
	const char *no_answer;

	if (query_in_worker(run, &answers, &no_answer, err))
		return -1;
	add_host(run->arena, list);
	for (size_t i = 0; i < N_RUNTIMES; i++)
		if (runtimes[i].method == PROBED)
			answers.of[i] = probe(run, runtimes[i].name);
	for (size_t i = 0; i < N_RUNTIMES; i++)
		add_runtime(run->arena, list, &runtimes[i], &answers.of[i], no_answer);
	return 0;
}

/* The entries that are devices, without those of missing runtimes. */
static struct fact_listed_device_list only_devices(
	struct arena *arena, const struct fact_listed_device_list *entries)
{
	struct fact_listed_device_list list = { .known = true };

	for (size_t i = 0; i < entries->n_items; i++)
		if (entries->items[i].status == DEVICE_STATUS_OK)
			*FACT_LIST_ADD(arena, &list) = entries->items[i];
	return list;
}

int devices_print_names(FILE *out, struct err *err)
{
	struct arena arena = { 0 };
	const struct command *command = command_find("devices");
	struct devices_settings *settings = settings_new(command);
	struct run run = { .command = "devices",
		.settings = &settings->shared,
		.arena = &arena,
		.job = { .lists_devices = true } };
	struct fact_listed_device_list list = { .known = true };
	int status = list_all_devices(&run, &list, err);

	list = only_devices(&arena, &list);
	for (size_t i = 0; i < list.n_items && !status; i++) {
		const struct fact_listed_device *device = &list.items[i];
		size_t n_runtime = strlen(device->runtime);
		/* OpenCL filters have the form of --device; SYCL filters have their own. */
		bool is_whole = device->filter &&
				!strncmp(device->filter, device->runtime, n_runtime) &&
				device->filter[n_runtime] == ':';

		if (device->filter)
			fprintf(out, "%s%s%s\n", is_whole ? "" : device->runtime,
				is_whole ? "" : ":", device->filter);
		else if (!strcmp(device->runtime, RUNTIME_HOST))
			fprintf(out, "%s\n", device->device.type);
		else
			fprintf(out, "%s:%" PRId64 "\n", device->device.type,
				device->device.id.value);
	}
	settings_free(command, settings);
	arena_free(&arena);
	return status ? -1 : EXIT_DONE;
}

static int devices_run(void *opaque, const struct option_list *operands, struct err *err)
{
	struct devices_settings *settings = opaque;
	struct arena arena = { 0 };
	struct run run = { .command = "devices",
		.settings = &settings->shared,
		.arena = &arena,
		.job = { .lists_devices = true } };
	struct fact_listed_device_list devices;
	int status = -1;

	if (operands->n_items) {
		err_set(err, EXIT_USAGE, "devices: unexpected argument '%s'", operands->items[0]);
		goto out;
	}
	if (query_check(&query_devices, settings->query, settings->shared.format, err))
		goto out;
	if (list_all_devices(&run, &run.head.devices, err))
		goto out;
	devices = only_devices(&arena, &run.head.devices);
	status = settings->query ? query_print_list(&run, &fact_listed_device_record, &devices,
					   settings->query, err)
				 : run_print(&run, err);
out:
	arena_free(&arena);
	return status;
}

const struct command devices_command = {
	.name = "devices",
	.summary = "list the devices of each runtime, with the numbers that protocols use",
	.usage = "",
	.prose =
		"Prints the host and the devices of each runtime. SYCL is queried through dpctl, in the interpreter "
		"that would load targets; its number is DLPack's device_id for kDLOneAPI, the position in "
		"dpctl.get_devices(). CUDA and OpenCL are queried without Python: CUDA's number is the ordinal among "
		"CUDA_VISIBLE_DEVICES, OpenCL's filter consists of clinfo's numbers of platform and device.\n\n"
		"A missing runtime is listed with the reason and is not a failure. suai reads the interfaces of ROCm "
		"arrays, but does not query ROCm devices.",
	.examples =
		"suai devices\n"
		"  the host and the devices of SYCL, CUDA and OpenCL\n"
		"suai devices -f json | jq -r '.devices[] | select(.runtime == \"sycl\") | .filter'\n"
		"  the filter string of each SYCL device\n"
		"suai devices --query name,device.id | while IFS= read -r name && read -r id; do echo \"$id: $name\"; done\n"
		"  loop over the devices in a shell\n",
	.options = options,
	.shares = true,
	.query = &query_devices,
	.settings_bytes = sizeof(struct devices_settings),
	.run = devices_run,
};
