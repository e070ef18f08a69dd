// SPDX-License-Identifier: MIT
/* Settings of convert, checked before anything runs. */
#include "commands/convert_settings.h"

#include "commands/dlpack_options.h"
#include "model/device_name.h"
#include "model/runtimes.h"
#include "protocols/protocol.h"
#include "run/query.h"
#include "targets/call_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NO_VERSION INT64_MIN

#define FIELD(NAME) offsetof(struct convert_settings, NAME)

const struct option convert_options[] = {
	{ .name = "to",
		.kind = OPTION_CHOICE,
		.offset = FIELD(to),
		.argument = "P",
		.choices = PROTOCOL_EXPORTED_NAMES,
		.elsewhere = "opencl cl_mem cl",
		.elsewhere_hint = "use DLPack: --to dlpack --device opencl:P.D",
		.help = "export the new object through this protocol" },
	{ .name = "interface-version",
		.kind = OPTION_NUMBER,
		.offset = FIELD(interface_version),
		.argument = "N",
		.help = "export this version of the interface: dlpack 0 (legacy capsules) or 1, cuda 0 to 3" },
	{ .name = "device",
		.kind = OPTION_TEXT,
		.offset = FIELD(device),
		.argument = "DEVICE",
		.complete = "devices",
		.help = "create the new object on this device: cpu, cuda:N, oneapi:N, sycl:FILTER, opencl:P.D",
		.more = "N is DLPack's device id, which suai devices lists; TYPE,ID are DLPack's device type and id, such as "
			"2,0 for cuda:0. FILTER is a SYCL filter string, such as sycl:opencl:cpu:0; P.D are the platform and "
			"device numbers of clinfo; opencl:N, which reports use, is the Nth device that clinfo lists. rocm:N is "
			"recognized but not supported. By default, the result is on the source's device if --to supports it, or "
			"else on the default device of its runtime: the one that SYCL selects, or cuda:0. NumPy, buffers and "
			"files are in host memory: cpu." },
	{ .name = "order",
		.kind = OPTION_CHOICE,
		.offset = FIELD(order),
		.argument = "ORDER",
		.choices = "C F K",
		.help = "order the elements as C, F, or K (default), which is the order of the source",
		.more = "K keeps any layout, and a copy keeps the order of the dimensions; a file has C or Fortran order, "
			"whichever matches the source. C and F require contiguous elements: a source with another layout is "
			"copied." },
	{ .name = "copy",
		.kind = OPTION_CHOICE,
		.offset = FIELD(copy),
		.argument = "WHEN",
		.choices = "auto always never",
		.help = "copy if required (auto), always, or never",
		.more = "With never, a conversion that requires a copy fails, with the reason." },
	{ .name = "stream",
		.kind = OPTION_TEXT,
		.offset = FIELD(stream),
		.argument = "STREAM",
		.help = "order the result on this stream: none, a number, new, or py:EXPR",
		.more = "A result in host memory is complete when convert ends and has no stream." },
	{ .name = "engine",
		.kind = OPTION_CHOICE,
		.offset = FIELD(engine),
		.argument = "ENGINE",
		.choices = "auto kernel host",
		.help = "copy with a kernel on the device, or with loops on the host",
		.more = "auto uses host loops if the host can access both sides: host memory, USM of a CPU device, and cl_mem "
			"of a CPU device, which is mapped. Otherwise it uses the runtime's copy function if both sides are "
			"dense in the same order, or a kernel or, if there is none, the copy function and host loops. If the "
			"preferred engine is not available, `fallback` has the reason. Kernels are written for GPUs and are "
			"slow on a CPU." },
	{ .name = "call",
		.kind = OPTION_TEXT,
		.offset = FIELD(call),
		.argument = "EXPR",
		.help = "pass the new object to module:function, FILE.py:function, or an expression with _",
		.more = "The consumer's result is inspected and printed. The report also states whether the result shares memory with the new object (a view of a part does) or is a copy, unless the result has no address, or has different elements in different memory. An expression can use the names of the TARGET's module; undefined names are imported, np as numpy: 'np.from_dlpack(_, copy=True)'. The exit status is 3 if the consumer raises an exception, crashes, hangs or exits." },
	{ .name = "verify",
		.kind = OPTION_FLAG,
		.offset = FIELD(verify),
		.help = "compare every element with the source; exit with 1 if one differs",
		.more = "The elements are those of the new object or file, before --call passes it on; the consumer's result "
			"is not compared." },
	{ .name = "dry-run",
		.kind = OPTION_FLAG,
		.offset = FIELD(dry_run),
		.help = "convert nothing; report whether it would be zero-copy, and if not, why",
		.more = "Cannot be used with --timing, --verify or --call." },
	{ .name = "timing",
		.kind = OPTION_FLAG,
		.offset = FIELD(timing),
		.help = "print the time and its parts, GB/s of the result and its share of memcpy's rate",
		.more = "seconds is the wall-clock time of the whole conversion, zero-copy or not, and the sum of its parts. "
			"read_seconds: reading the source's interface, checking its memory, initializing the result's device "
			"and planning the copy. allocate_seconds: allocating memory. copy_seconds: the copy, including the "
			"first touch and, if a kernel runs for the first time, its build or load; for a file, the writing. "
			"describe_seconds: creating the new object, reading its interface and querying its memory. --verify, "
			"--call and its imports are not included. gb_per_s is computed from copy_seconds. steady_seconds and "
			"steady_gb_per_s measure only the copy, repeated into the same memory (the median of up to 15 runs), "
			"and share_of_memcpy is its share of the rate of a plain copy of as many bytes (at most 256 MiB, 1 GiB "
			"on a device) between the same memories, run alternately with it: for host memory, memcpy in as many "
			"threads, with pages that were touched before. It can exceed 100 %: suai's loops use non-temporal "
			"stores, while memcpy may read memory before it overwrites it, and broadcast elements are read once. "
			"With --call or -o there are no steady figures, since the memory then belongs to the consumer." },
	QUERY_OPTION(FIELD(query),
		"print only these keys of the new object, such as copy.path,shape, one per line",
		QUERY_ARRAY_KEYS
		"target, type and status describe the TARGET, as in the document, and all other keys describe the new object (-p "
		"selects only the source's interface). "
		"copy.from, copy.path, copy.engine, copy.kernel, copy.bytes, copy.seconds, copy.read_seconds, "
		"copy.allocate_seconds, copy.copy_seconds, copy.describe_seconds, copy.gb_per_s, "
		"copy.steady_seconds, copy.steady_gb_per_s, copy.share_of_memcpy, copy.reason and copy.verified "
		"describe the conversion, and copy.same_memory the result of --call; the seconds, rates and share "
		"have values only with --timing, verified only with --verify.",
		"."),
	QUERY_FORMAT_OPTION(FIELD(shared.format)),
	{ 0 },
};

void convert_settings_default(void *opaque)
{
	struct convert_settings *settings = opaque;

	settings->interface_version = NO_VERSION;
	settings->order = "K";
	settings->copy = "auto";
	settings->engine = "auto";
}

static enum job_form form_of(const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;

	if (path && (!strcmp(path, "-") || (dot && !strcmp(dot, ".npy"))))
		return JOB_FORM_NPY;
	return dot && !strcmp(dot, ".raw") ? JOB_FORM_RAW : JOB_FORM_OBJECT;
}

static int check_file(const struct convert_settings *settings, struct err *err)
{
	if (form_of(settings->data_path) == JOB_FORM_OBJECT)
		return err_set(err, EXIT_USAGE,
			"-o '%s': expected FILE.npy, FILE.raw, or - for .npy on standard output",
			settings->data_path);
	if (settings->to)
		return err_set(err, EXIT_USAGE, "--to cannot be used with -o");
	if (settings->call)
		return err_set(err, EXIT_USAGE, "--call cannot be used with -o; use --to");
	if (!strcmp(settings->copy, "never"))
		return err_set(err, EXIT_USAGE, "--copy never cannot be used with -o");
	return 0;
}

static int check_interface_version(const struct convert_settings *settings, struct err *err)
{
	const struct protocol *protocol = settings->to ? protocol_find(settings->to) : NULL;
	int64_t version = settings->interface_version;

	if (version == NO_VERSION)
		return 0;
	if (!protocol)
		return err_set(err, EXIT_USAGE, "--interface-version cannot be used with -o");
	if (!protocol->highest_version)
		return err_set(
			err, EXIT_USAGE, "--interface-version: %s has no versions", protocol->name);
	if (version >= protocol->lowest_version && version <= protocol->highest_version)
		return 0;
	if (protocol->lowest_version == protocol->highest_version)
		return err_set(err, EXIT_USAGE,
			"--interface-version %" PRId64 ": expected %" PRId64 " for %s", version,
			protocol->lowest_version, protocol->name);
	return err_set(err, EXIT_USAGE,
		"--interface-version %" PRId64 ": expected %" PRId64 " to %" PRId64 " for %s",
		version, protocol->lowest_version, protocol->highest_version, protocol->name);
}

/* Host memory has neither a device nor a stream. */
static int parse_destination(
	const struct convert_settings *settings, struct job_convert *convert, struct err *err)
{
	const struct protocol *protocol = settings->to ? protocol_find(settings->to) : NULL;
	const char *runtime = protocol ? protocol->runtime : RUNTIME_HOST;
	const struct job_device *device = &convert->device;
	bool on_host = runtime && !strcmp(runtime, RUNTIME_HOST);

	if (settings->device &&
		(device_name_parse_allocatable(settings->device, &convert->device, err) ||
			protocol_check_device(protocol, device, err)))
		return err_wrap(err, "--device");
	on_host = on_host || (device->runtime && !strcmp(device->runtime, RUNTIME_HOST));
	if (on_host && settings->stream && strcmp(settings->stream, "none") != 0)
		return err_set(err, EXIT_USAGE,
			"--stream '%s': the result is in host memory, which has no stream",
			settings->stream);
	return stream_option_parse(settings->stream, &convert->stream, err);
}

/* A dry run creates nothing that could be timed, compared or passed on. */
static int check_dry_run(const struct convert_settings *settings, struct err *err)
{
	const char *clash = settings->call     ? "--call"
			    : settings->verify ? "--verify"
			    : settings->timing ? "--timing"
					       : NULL;

	if (!settings->dry_run || !clash)
		return 0;
	return err_set(err, EXIT_USAGE, "--dry-run cannot be used with %s", clash);
}

int convert_settings_parse(struct arena *arena, const struct convert_settings *settings,
	struct job_convert *convert, struct err *err)
{
	const struct option_list *from = &settings->shared.protocols;
	bool has_version = settings->interface_version != NO_VERSION;

	if (!settings->to && !settings->data_path)
		return err_set(err, EXIT_USAGE, "no destination; use --to PROTOCOL or -o FILE.npy");
	if (settings->data_path && check_file(settings, err))
		return -1;
	if (query_check(&query_conversions, settings->query, settings->shared.format, err))
		return -1;
	if (from->n_items > 1)
		return err_set(
			err, EXIT_USAGE, "-p: expected one protocol, got %zu", from->n_items);
	*convert = (struct job_convert){
		.to = settings->to,
		.from = from->n_items ? from->items[0] : NULL,
		.interface_version = has_version ? settings->interface_version : -1,
		.order = settings->order[0],
		.copy = job_copy_from_word(settings->copy),
		.engine = job_engine_from_word(settings->engine),
		.verify = settings->verify,
		.dry_run = settings->dry_run,
		.timing = settings->timing,
		.form = form_of(settings->data_path),
		.fault = job_fault_from_word(getenv("SUAI_FAULT")),
	};
	if (check_interface_version(settings, err) ||
		call_text_parse(arena, "--call", settings->call, &convert->call, err) ||
		check_dry_run(settings, err))
		return -1;
	return parse_destination(settings, convert, err);
}
