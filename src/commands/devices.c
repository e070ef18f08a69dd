// SPDX-License-Identifier: MIT
/*
 * `suai devices`: the host, and what each runtime sees, with the numbers that protocols use. SYCL
 * is asked in a worker, the others in a child each that holds no Python; where one is missing the
 * list says so.
 */
#include "cli/command.h"
#include "model/runtimes.h"
#include "run/query.h"
#include "run/run.h"
#include "supervisor/probe.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct devices_settings {
	struct shared_settings shared;
	const char *query;
};

static const struct document_key device_keys[] = {
	{ "type", .kinds = KEY_TEXT },
	{ "id", .kinds = KEY_INT },
	{ 0 },
};

static const struct document_key entry_keys[] = {
	{ "runtime", .kinds = KEY_TEXT },
	{ "device", .kinds = KEY_MAP, .inner = device_keys },
	{ "name", .kinds = KEY_TEXT },
	{ "filter", .kinds = KEY_TEXT },
	{ "backend", .kinds = KEY_TEXT },
	{ "driver_version", .kinds = KEY_TEXT },
	{ "cores", .kinds = KEY_INT },
	{ "memory_bytes", .kinds = KEY_INT },
	{ "aspects", .kinds = KEY_LIST },
	{ "usm_kinds", .kinds = KEY_LIST },
	{ 0 },
};

static const struct query_table query_devices = { "a device", entry_keys, NULL };

static const struct option options[] = {
	{ .letter = 'f',
		.name = "format",
		.kind = OPTION_CHOICE,
		.offset = offsetof(struct devices_settings, shared.format),
		.argument = "FORMAT",
		.choices = "text yaml json",
		.help = "text (default), yaml or json" },
	QUERY_OPTION(offsetof(struct devices_settings, query),
		"print these keys of each device alone, such as runtime,name, one line each",
		"Keys are runtime, device.type, device.id, name, filter, backend, driver_version, cores, memory_bytes, aspects "
		"and usm_kinds. A runtime without a device has no lines.",
		"."),
	{ 0 },
};

static const struct runtime {
	const char *name, *device_type;
	enum { IN_WORKER, PROBED, DESCRIBED } how;
} runtimes[] = {
#define ROW(NAME, TYPE, ASKED, TEXT) { #NAME, #TYPE, ASKED },
	DEVICE_RUNTIME_LIST(ROW) DESCRIBED_RUNTIME_LIST(ROW)
};

enum { N_RUNTIMES = sizeof(runtimes) / sizeof(*runtimes) };

/* The answers of the runtimes; null: none came. */
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

/* The entry of a device, or, where that is null, of a runtime that has none: every key. */
static struct value *entry_new(struct arena *arena, const char *runtime, const char *device_type,
	const struct fact_device_entry *found)
{
	struct fact_device_entry known = *found;
	struct value *entry = value_map(arena), *device = value_map(arena), *fields;

	known.present = true;
	fields = fact_write(&fact_device_entry_record, arena, &known, FACT_DOCUMENT, NULL);
	value_set(arena, device, "type", value_text(arena, device_type));
	value_set(arena, device, "id", (struct value *)value_get(fields, "id"));
	value_set(arena, entry, "runtime", value_text(arena, runtime));
	value_set(arena, entry, "status", value_text(arena, "ok"));
	value_set(arena, entry, "reason", value_null(arena));
	value_set(arena, entry, "device", device);
	for (size_t i = 0; i < fields->n_items; i++)
		if (strcmp(fields->keys[i], "id") != 0)
			value_set(arena, entry, fields->keys[i], fields->items[i]);
	return entry;
}

static struct value *entry_without_device(
	struct arena *arena, const struct runtime *runtime, const char *status, const char *reason)
{
	struct value *entry = entry_new(
		arena, runtime->name, runtime->device_type, &(const struct fact_device_entry){ 0 });

	value_set(arena, entry, "status", value_text(arena, status));
	value_set(arena, entry, "reason", value_text(arena, reason));
	return entry;
}

/* "model name" of /proc/cpuinfo; NULL where the kernel does not say. */
static char *cpu_name(struct arena *arena)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256], *name = NULL;

	while (file && !name && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');

		if (strncmp(line, "model name", 10) != 0 || !colon)
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		name = arena_copy(arena, colon, strcspn(colon, "\n"));
	}
	if (file)
		fclose(file);
	return name;
}

static struct value *host_entry(struct arena *arena)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	const struct fact_device_entry host = { .id = fact_int(0),
		.name = cpu_name(arena),
		.cores = fact_int(sysconf(_SC_NPROCESSORS_ONLN)),
		.memory_bytes = fact_uint((uint64_t)sysconf(_SC_PHYS_PAGES) * page_bytes) };

	return entry_new(arena, "host", "cpu", &host);
}

static void add_runtime(struct arena *arena, struct value *list, const struct runtime *runtime,
	const struct fact_device_list *answer, const char *no_answer)
{
	const char *reason = answer->reason;

	if (runtime->how == DESCRIBED) {
		value_append(arena, list,
			entry_without_device(arena, runtime, "described", DESCRIBED_RUNTIME));
		return;
	}
	if (!answer->present)
		reason = no_answer;
	else if (!reason && !answer->devices.n_items)
		reason = "it finds no device";
	if (reason) {
		value_append(
			arena, list, entry_without_device(arena, runtime, "unavailable", reason));
		return;
	}
	for (size_t i = 0; i < answer->devices.n_items; i++)
		value_append(arena, list,
			entry_new(arena, runtime->name, runtime->device_type,
				&answer->devices.items[i]));
}

/* Asks in a worker. A machine without an interpreter has no answers, and *reason says so. */
static int ask_worker(
	struct run *run, struct answers *answers, const char **reason, struct err *err)
{
	struct session session = { .on_message = on_message, .context = answers };

	*reason = "the worker ended without an answer";
	if (!run_session(run, value_list(run->arena), &session, err))
		return 0;
	if (err->code != EXIT_UNAVAILABLE)
		return -1;
	*reason = arena_copy(run->arena, err->message, strlen(err->message));
	return 0;
}

/* The answer of a runtime that needs no Python; where none came, a reason. */
static struct fact_device_list probe(struct run *run, const char *runtime)
{
	struct fact_device_list answer;
	struct err err = { 0 };

	if (!probe_run(runtime, (double)run->settings->timeout_seconds, run->arena, &answer, &err))
		return answer;
	return (struct fact_device_list){ .present = true,
		.reason = arena_copy(run->arena, err.message, strlen(err.message)) };
}

static struct value *list_all_devices(struct run *run, struct err *err)
{
	struct value *list = value_list(run->arena);
	struct answers answers = { .arena = run->arena };
	const char *no_answer;

	if (ask_worker(run, &answers, &no_answer, err))
		return NULL;
	value_append(run->arena, list, host_entry(run->arena));
	for (size_t i = 0; i < N_RUNTIMES; i++)
		if (runtimes[i].how == PROBED)
			answers.of[i] = probe(run, runtimes[i].name);
	for (size_t i = 0; i < N_RUNTIMES; i++)
		add_runtime(run->arena, list, &runtimes[i], &answers.of[i], no_answer);
	return list;
}

/* The entries that are devices, and no word on a runtime. */
static struct value *only_devices(struct arena *arena, const struct value *entries)
{
	struct value *list = value_list(arena);

	for (size_t i = 0; i < entries->n_items; i++)
		if (value_is_text(value_get(entries->items[i], "status"), "ok"))
			value_append(arena, list, entries->items[i]);
	return list;
}

static int devices_run(void *opaque, const struct option_list *operands, struct err *err)
{
	struct devices_settings *settings = opaque;
	struct arena arena = { 0 };
	struct run run = { .command = "devices",
		.settings = &settings->shared,
		.arena = &arena,
		.job = { .lists_devices = true },
		.head = value_map(&arena) };
	struct value *devices;
	int status = -1;

	if (operands->n_items) {
		err_set(err, EXIT_USAGE, "devices takes no target, '%s' was given",
			operands->items[0]);
		goto out;
	}
	if (settings->query && query_check(&query_devices, settings->query, err))
		goto out;
	devices = list_all_devices(&run, err);
	if (!devices)
		goto out;
	value_set(&arena, run.head, "devices", devices);
	status = settings->query ? query_print_list(&run, only_devices(&arena, devices),
					   settings->query, err)
				 : run_print(&run, err);
out:
	arena_free(&arena);
	return status;
}

const struct command devices_command = {
	.name = "devices",
	.summary = "list the devices that each runtime sees, with the numbers that protocols use",
	.usage = "",
	.prose =
		"Prints the host and the devices of each runtime. SYCL is asked through dpctl, in the "
		"interpreter that targets would be loaded with; its number is DLPack's device_id for "
		"kDLOneAPI, the position in dpctl.get_devices(). CUDA and OpenCL are asked without Python: CUDA's number is the "
		"ordinal that CUDA_VISIBLE_DEVICES leaves, OpenCL's filter holds clinfo's numbers of platform and device.\n\n"
		"A runtime that is missing is one line that says why, and no failure. ROCm's arrays are described by "
		"their interfaces, and its devices are not asked.",
	.examples =
		"suai devices\n"
		"  the host, and what SYCL, CUDA and OpenCL see\n"
		"suai devices -f json | jq -r '.devices[] | select(.runtime == \"sycl\") | .filter'\n"
		"  the filter string of each SYCL device\n"
		"suai devices --query name,device.id | while IFS= read -r name && read -r id; do echo \"$id: $name\"; done\n"
		"  the same kind of list in a shell\n",
	.options = options,
	.shares = true,
	.settings_bytes = sizeof(struct devices_settings),
	.run = devices_run,
};
