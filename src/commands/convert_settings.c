// SPDX-License-Identifier: MIT
/* Settings of convert, judged before anything is run. */
#include "commands/convert_settings.h"

#include "commands/device_name.h"
#include "commands/dlpack_options.h"
#include "model/runtimes.h"
#include "protocols/protocol.h"
#include "run/query.h"

#include <ctype.h>
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
		.elsewhere_hint = "DLPack carries it: --to dlpack --device opencl:P.D",
		.help = "the protocol that the new object exports" },
	{ .name = "interface-version",
		.kind = OPTION_NUMBER,
		.offset = FIELD(interface_version),
		.argument = "N",
		.help = "its version: dlpack 0 (legacy capsules) or 1, cuda 0 to 3" },
	{ .name = "device",
		.kind = OPTION_TEXT,
		.offset = FIELD(device),
		.argument = "DEVICE",
		.help = "where the new object lives: cpu, cuda:N, oneapi:N, sycl:FILTER, opencl:P.D",
		.more = "N is DLPack's number, which suai devices tells; TYPE,ID are two of them, such as 2,0 for "
			"cuda:0. FILTER is a filter string of SYCL, such as sycl:opencl:cpu:0; P.D are platform and device "
			"by clinfo's numbers; opencl:N, which reports tell, is the Nth of its list. rocm:N is understood, and refused. Without it the result is where the source is, if --to can say so, else on "
			"the default device of its runtime: SYCL's choice, or cuda:0. NumPy, buffers and files are the "
			"host's: cpu." },
	{ .name = "order",
		.kind = OPTION_CHOICE,
		.offset = FIELD(order),
		.argument = "ORDER",
		.choices = "C F K",
		.help = "the order of the elements: C, F, or K (default), the source's own",
		.more = "With K any layout is handed on as it is, and a copy keeps the order of its dimensions; a file "
			"has C or Fortran order, whichever fits the source. C and F ask for contiguous elements, which "
			"needs a copy where the source's are not." },
	{ .name = "copy",
		.kind = OPTION_CHOICE,
		.offset = FIELD(copy),
		.argument = "WHEN",
		.choices = "auto always never",
		.help = "copy where needed (auto), always, or never",
		.more = "never refuses, with the reason, a conversion that needs a copy." },
	{ .name = "stream",
		.kind = OPTION_TEXT,
		.offset = FIELD(stream),
		.argument = "STREAM",
		.help = "order the result on this stream: none, a number, new, or py:EXPR",
		.more = "What is made in host memory is complete when convert ends and takes none." },
	{ .name = "engine",
		.kind = OPTION_CHOICE,
		.offset = FIELD(engine),
		.argument = "ENGINE",
		.choices = "auto kernel host",
		.help = "what copies: a kernel on the device, or the host's loops",
		.more = "auto takes the host's loops where they reach both sides: host memory, a processor's USM, "
			"and a processor's cl_mem, which is mapped for them. Else it takes the runtime's plain copy where "
			"all lies dense alike, or a kernel, and where there is none that copy and the host's loops. Where a way that would have been taken was "
			"closed, fallback has the reason. Kernels are made for GPUs, and slow on a processor." },
	{ .name = "call",
		.kind = OPTION_TEXT,
		.offset = FIELD(call),
		.argument = "EXPR",
		.help = "hand the new object to module:function, or to an expression with _",
		.more = "The consumer's result is inspected and printed, and whether it is in the same memory as the new "
			"object (a view of a part is) or a copy made by the consumer; nothing is said of a result that "
			"has no address, or other elements elsewhere. In an expression the names of the TARGET's "
			"module can be used; those that nothing defines are imported, np being numpy: "
			"'np.from_dlpack(_, copy=True)'. A consumer that raises, crashes, hangs or leaves exits with 3." },
	{ .name = "verify",
		.kind = OPTION_FLAG,
		.offset = FIELD(verify),
		.help = "compare every element with the source; exit with 1 where one differs",
		.more = "The elements are those of the new object or file, before --call hands it on; what a "
			"consumer makes of them is its own." },
	{ .name = "dry-run",
		.kind = OPTION_FLAG,
		.offset = FIELD(dry_run),
		.help = "make nothing; say whether it would be zero-copy, or why a copy",
		.more = "--timing, --verify and --call need what is made, and are refused beside it." },
	{ .name = "timing",
		.kind = OPTION_FLAG,
		.offset = FIELD(timing),
		.help = "print seconds and their parts, GB/s (bytes of the result) and the share of memcpy's rate",
		.more = "seconds are those of the conversion as a whole, as a clock around it would tell, zero-copy or "
			"not; they are the sum of their parts. read_seconds: the source's interface read and its memory "
			"checked, the device of the result started, the copy planned. allocate_seconds: new memory. "
			"copy_seconds: the copy, with the first touch and, where a kernel runs for the first time, its "
			"build or load; of a file, the writing. describe_seconds: the new object made, its interface read "
			"and its memory asked. --verify, --call and its imports are apart. gb_per_s is of copy_seconds. "
			"steady_seconds and steady_gb_per_s are of the copy alone, once more into the same memory (the "
			"median of up to 15), and share_of_memcpy is their part of the rate of a plain copy of as many "
			"bytes (256 MiB at most, 1 GiB on a device) between the same places, in turns with it: where that is the host's memory, memcpy in as many "
			"threads, from and to pages that were touched before. It can be over 100 %: suai's loops write "
			"past the caches what memcpy may read before it overwrites it, and what is broadcast is read "
			"once. With "
			"--call or -o there are no steady figures: the memory is the consumer's by then." },
	QUERY_OPTION(FIELD(query),
		"print these keys of the new object alone, such as copy.path,shape, one line each",
		QUERY_ARRAY_KEYS
		"target, type and status are of the TARGET, as in the document, all others of the new object (-p names the source's interface alone). "
		"copy.from, copy.path, copy.engine, copy.kernel, copy.bytes, copy.seconds, copy.read_seconds, "
		"copy.allocate_seconds, copy.copy_seconds, copy.describe_seconds, copy.gb_per_s, "
		"copy.steady_seconds, copy.steady_gb_per_s, copy.share_of_memcpy, copy.reason and copy.verified tell of the "
		"conversion, and copy.same_memory of what --call gave; the seconds, rates and share have a value with --timing alone, verified with --verify.",
		"."),
	{ .letter = 'f',
		.name = "format",
		.kind = OPTION_CHOICE,
		.offset = FIELD(shared.format),
		.argument = "FORMAT",
		.choices = "text yaml json",
		.help = "text (default), yaml or json" },
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
			"-o '%s': write FILE.npy, FILE.raw, or - for .npy on standard output",
			settings->data_path);
	if (settings->to)
		return err_set(err, EXIT_USAGE,
			"-o writes the elements to a file, and --to makes an object: give one of them");
	if (settings->call)
		return err_set(err, EXIT_USAGE,
			"--call hands over an object, and -o makes a file: give --to instead");
	if (!strcmp(settings->copy, "never"))
		return err_set(err, EXIT_USAGE, "--copy never: a file always holds a copy");
	return 0;
}

static int check_interface_version(const struct convert_settings *settings, struct err *err)
{
	const struct protocol *protocol = settings->to ? protocol_find(settings->to) : NULL;
	int64_t version = settings->interface_version;

	if (version == NO_VERSION)
		return 0;
	if (!protocol || !protocol->highest_version)
		return err_set(err, EXIT_USAGE, "--interface-version: %s has no versions",
			protocol ? protocol->name : "a file");
	if (version >= protocol->lowest_version && version <= protocol->highest_version)
		return 0;
	if (protocol->lowest_version == protocol->highest_version)
		return err_set(err, EXIT_USAGE,
			"--interface-version %" PRId64 ": %s has only %" PRId64, version,
			protocol->name, protocol->lowest_version);
	return err_set(err, EXIT_USAGE,
		"--interface-version %" PRId64 ": %s has %" PRId64 " to %" PRId64, version,
		protocol->name, protocol->lowest_version, protocol->highest_version);
}

/* A device that convert can allocate memory on, if it is here. */
static int parse_device(const char *text, struct job_device *device, struct err *err)
{
	if (device_name_parse(text, device, err))
		return err_wrap(err, "--device");
	if (device->runtime && device->id >= 0 &&
		(strcmp(device->runtime, "host") != 0 || !device->id))
		return 0;
	return err_set(err, EXIT_USAGE,
		"--device '%s': convert makes no memory there; write " DEVICE_NAMES
		"; 'suai devices' lists what is here",
		text);
}

/* Whether the protocol can describe what is on the device. */
static int check_device(const char *to, const struct job_device *device, struct err *err)
{
	const struct protocol *protocol = protocol_find(to);
	const char *runtime = protocol ? protocol->runtime : "host";

	if (!strcmp(device->runtime, "rocm"))
		return err_set(err, EXIT_UNAVAILABLE,
			"--device %s: ROCm is " DESCRIBED_RUNTIME
			": suai reads what its arrays declare, and makes none",
			device->spelled);
	if (!runtime || !strcmp(device->runtime, runtime))
		return 0;
	if (!strcmp(runtime, "host"))
		return err_set(err, EXIT_USAGE,
			"--device %s: %s holds host memory; --to dlpack can describe a device's",
			device->spelled, to);
	return err_set(err, EXIT_USAGE,
		"--device %s: %s holds only memory of the %s runtime; 'suai devices' lists its "
		"devices",
		device->spelled, to, runtime);
}

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/* Whether the name _ stands somewhere in the expression. */
static bool names_object(const char *text)
{
	for (const char *at = strchr(text, '_'); at; at = strchr(at + 1, '_'))
		if ((at == text || !is_of_name(at[-1])) && !is_of_name(at[1]))
			return true;
	return false;
}

/* Behind the last of a dotted name's characters; NULL: there is none at text. */
static const char *end_of_name(const char *text)
{
	do {
		if (!is_of_name(*text) || isdigit((unsigned char)*text))
			return NULL;
		while (is_of_name(*text))
			text++;
	} while (*text == '.' && *++text);
	return text[-1] == '.' ? NULL : text;
}

/* What is not Python the worker reports, which has the interpreter. */
static int parse_call(struct arena *arena, const char *text, struct job_call *call, struct err *err)
{
	const char *end = text ? end_of_name(text) : NULL;
	const char *end_of_function = end && *end == ':' ? end_of_name(end + 1) : NULL;

	if (!text)
		return 0;
	if (end_of_function && !*end_of_function) {
		call->module = arena_copy(arena, text, (size_t)(end - text));
		call->function = end + 1;
		return 0;
	}
	call->expression = text;
	if (names_object(text))
		return 0;
	if (end && !*end)
		return err_set(err, EXIT_USAGE,
			"--call '%s' hands nothing over: write '%s(_)', where _ is the new object",
			text, text);
	return err_set(err, EXIT_USAGE,
		"--call '%s' is neither module:function nor an expression with _, where the new object is "
		"to stand: write such as numpy:from_dlpack or 'np.from_dlpack(_)'",
		text);
}

/* What is in host memory has neither a device nor a stream. */
static int parse_place(
	const struct convert_settings *settings, struct job_convert *convert, struct err *err)
{
	const char *to = settings->to ? settings->to : "a file";
	const struct protocol *protocol = settings->to ? protocol_find(to) : NULL;
	const char *runtime = protocol ? protocol->runtime : "host";
	const struct job_device *device = &convert->device;
	bool on_host = runtime && !strcmp(runtime, "host");

	if (settings->device && (parse_device(settings->device, &convert->device, err) ||
					check_device(to, device, err)))
		return -1;
	on_host = on_host || (device->runtime && !strcmp(device->runtime, "host"));
	if (on_host && settings->stream && strcmp(settings->stream, "none") != 0)
		return err_set(err, EXIT_USAGE,
			"--stream %s: the result is in host memory and complete when convert ends",
			settings->stream);
	return stream_option_parse(settings->stream, &convert->stream, err);
}

/* A dry run makes nothing that could be timed, compared or handed over. */
static int check_dry_run(const struct convert_settings *settings, struct err *err)
{
	const char *clash = settings->call     ? "--call"
			    : settings->verify ? "--verify"
			    : settings->timing ? "--timing"
					       : NULL;

	if (!settings->dry_run || !clash)
		return 0;
	return err_set(err, EXIT_USAGE,
		"--dry-run makes nothing, and %s needs what is made: give one of them", clash);
}

int convert_settings_parse(struct arena *arena, const struct convert_settings *settings,
	struct job_convert *convert, struct err *err)
{
	const struct option_list *from = &settings->shared.protocols;
	bool has_version = settings->interface_version != NO_VERSION;

	if (!settings->to && !settings->data_path)
		return err_set(
			err, EXIT_USAGE, "say what to convert to: --to PROTOCOL, or -o FILE.npy");
	if (settings->data_path && check_file(settings, err))
		return -1;
	if (settings->query && query_check(&query_arrays, settings->query, err))
		return -1;
	if (from->n_items > 1)
		return err_set(err, EXIT_USAGE, "-p: one interface is read, and %zu are named",
			from->n_items);
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
		parse_call(arena, settings->call, &convert->call, err) ||
		check_dry_run(settings, err))
		return -1;
	return parse_place(settings, convert, err);
}
