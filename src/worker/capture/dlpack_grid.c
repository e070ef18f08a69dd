// SPDX-License-Identifier: MIT
/*
 * --calls: __dlpack__ with every keyword of the array API standard (2025.12), in all meaningful
 * combinations, and with arguments that it must refuse. The result of a call is a fact; the rules
 * check it.
 */
#include "base/array_size.h"
#include "base/dynlib.h"
#include "model/trials.h"
#include "protocols/description.h"
#include "worker/capture/dlpack.h"
#include "worker/python/c_values.h"

#include <dlpack/dlpack.h>
#include <string.h>

enum {
	SPY_STREAM = 0x1000,      /* for producers without a driver, which never use it */
	MAX_COPY_BYTES = 1 << 20, /* the largest copy that a call may cause */
};

enum choice_kind {
	ABSENT,
	NONE,
	BOOL,
	NUMBER,
	TEXT,
	PAIR,
	SINGLE,
	OWN_DEVICE,
	OTHER_DEVICE,
	HANDLE
};

struct choice {
	enum choice_kind kind;
	int64_t number, second;
	const char *text;
};

static const struct choice absent = { .kind = ABSENT }, none = { .kind = NONE };

enum { OWN_VERSION = 4 }; /* of suai's headers, by its position */

static const struct choice versions[] = {
	{ .kind = ABSENT },
	{ .kind = NONE },
	{ .kind = PAIR, .number = 0, .second = 8 },
	{ .kind = PAIR, .number = 1, .second = 0 },
	[OWN_VERSION] = { .kind = PAIR,
		.number = DLPACK_MAJOR_VERSION,
		.second = DLPACK_MINOR_VERSION },
	{ .kind = PAIR, .number = 99, .second = 0 },
};
static const struct choice copies[] = {
	{ .kind = ABSENT },
	{ .kind = NONE },
	{ .kind = BOOL, .number = 1 },
	{ .kind = BOOL, .number = 0 },
};
static const struct choice devices[] = {
	{ .kind = ABSENT },
	{ .kind = NONE },
	{ .kind = OWN_DEVICE },
	{ .kind = OTHER_DEVICE },
};
/* Streams that a consumer could pass. Numbers below -1, on which a driver may crash, are left to a
 * trial (trial_stream_lifetime.c). */
static const struct choice streams[] = {
	{ .kind = NUMBER, .number = -1 },
	{ .kind = NUMBER, .number = 0 },
	{ .kind = NUMBER, .number = 1 },
	{ .kind = NUMBER, .number = 2 },
	{ .kind = HANDLE },
	{ .kind = TEXT, .text = "x" },
};
/* Arguments that every producer must refuse. */
static const struct {
	const char *keyword; /* empty: positional */
	struct choice choice;
} invalid_arguments[] = {
	{ "", { .kind = NONE } },
	{ "suai_unknown_keyword", { .kind = NONE } },
	{ "max_version", { .kind = NUMBER, .number = 1 } },
	{ "max_version", { .kind = TEXT, .text = "1.3" } },
	{ "max_version", { .kind = SINGLE, .number = 1 } },
	{ "max_version", { .kind = PAIR, .number = -1, .second = 0 } },
	{ "dl_device", { .kind = NUMBER, .number = 1 } },
	{ "dl_device", { .kind = PAIR, .number = 99, .second = 0 } },
	{ "dl_device", { .kind = TEXT, .text = "cpu" } },
	{ "copy", { .kind = TEXT, .text = "x" } },
};

struct grid {
	struct capture_context *context;
	PyObject *object;
	const struct value *declared, *own_device; /* own_device: NULL if unknown */
	int64_t device_type;
	bool is_big;                    /* copied only with --live */
	PyObject *stream;               /* created by suai; NULL: SPY_STREAM, or no_stream */
	const char *no_stream;          /* why there is no handle; NULL: there is one */
	struct fact_call_list *planned; /* while the calls are planned; otherwise NULL */
	struct fact_call_list *lost; /* calls that terminated an earlier worker, and how (error) */
};

/* The keyword's value for object_from_value(); a map is the stream. */
static struct value *choice_value(const struct grid *grid, const struct choice *choice)
{
	struct arena *arena = grid->context->arena;
	struct value *value;

	switch (choice->kind) {
	case BOOL:
		return value_bool(arena, choice->number);
	case NUMBER:
		return value_int(arena, choice->number);
	case TEXT:
		return value_text(arena, choice->text);
	case PAIR:
		return c_pair_to_value(arena, choice->number, choice->second);
	case SINGLE:
		value = value_tuple(arena);
		value_append(arena, value, value_int(arena, choice->number));
		return value;
	case OWN_DEVICE:
		return value_copy(arena, grid->own_device);
	case OTHER_DEVICE:
		return c_pair_to_value(arena, grid->device_type == kDLCPU ? kDLCUDA : kDLCPU, 0);
	case HANDLE:
		if (!grid->stream)
			return value_int(arena, SPY_STREAM);
		value = value_map(arena);
		value_set(arena, value, "new", value_bool(arena, true));
		return value;
	case ABSENT:
	case NONE:
		break;
	}
	return value_null(arena);
}

static void set_keyword(const struct grid *grid, struct value *keywords, const char *name,
	const struct choice *choice)
{
	if (choice->kind != ABSENT)
		value_set(grid->context->arena, keywords, name, choice_value(grid, choice));
}

/* The record of a call that is not made. reason NULL: unknown until the draft is completed. */
static struct fact_call skipped_call(
	const struct grid *grid, const struct value *keywords, const char *reason, bool is_lost)
{
	struct arena *arena = grid->context->arena;

	return (struct fact_call){
		.present = true,
		.step = dlpack_call_text(arena, keywords),
		.arguments = keywords,
		.outcome = CALL_SKIPPED,
		.error = { .present = reason != NULL, .message = reason },
		.held = ANSWER_NO,
		.lost = answer_of(is_lost),
	};
}

static void record_skip(
	const struct grid *grid, const struct value *keywords, const char *reason, bool is_lost)
{
	struct fact_call call = skipped_call(grid, keywords, reason, is_lost);

	capture_add_call(grid->context, &call);
}

/* How an earlier worker was lost in this call or in the deleter of what it returned; NULL: it was
 * not. */
static const char *loss_of_call(const struct grid *grid, const char *step)
{
	const char *loss = worker_loss(step);

	if (loss)
		return loss;
	return worker_loss(arena_printf(grid->context->arena, "deleter of %s", step));
}

static bool has_keywords(const struct value *keywords, const struct value *needed)
{
	for (size_t i = 0; i < needed->n_items; i++)
		if (!value_get(keywords, needed->keys[i]))
			return false;
	return needed->n_items > 0;
}

/* Why the call is skipped: it ended a worker, or has all keywords of one that did, and would cost
 * another worker. NULL: make it. */
static const char *why_lost(const struct grid *grid, const struct value *keywords)
{
	struct arena *arena = grid->context->arena;
	const char *step = dlpack_call_text(arena, keywords), *loss = loss_of_call(grid, step);

	if (loss) {
		*FACT_LIST_ADD(arena, grid->lost) = skipped_call(grid, keywords, loss, true);
		return arena_printf(arena, "%s terminated an earlier worker: %s",
			worker_loss(step) ? "this call" : "the deleter of its result", loss);
	}
	for (size_t i = 0; i < grid->lost->n_items; i++) {
		const struct fact_call *lost = &grid->lost->items[i];

		if (has_keywords(keywords, lost->arguments))
			return arena_printf(arena,
				"this call has all keywords of %s; that call, or the deleter of its result, terminated an earlier worker: %s",
				lost->step, lost->error.message);
	}
	return worker_has_time() ? NULL : JOB_NO_TIME;
}

static void make_cell(const struct grid *grid, const struct value *keywords)
{
	struct arena *arena = grid->context->arena;
	struct fact_call call;
	PyObject *returned =
		dlpack_call(grid->context, grid->object, keywords, grid->stream, &call);

	if (call.present) {
		call.held = ANSWER_NO;
		capture_add_call(grid->context, &call);
	}
	/* Deleters of a newer major version share one step, so that only one worker is lost in
	 * them. */
	if (returned &&
		worker_step(call.newer_deleter ? CALLS_STEP_NEWER_DELETER
					       : arena_printf(arena, "deleter of %s", call.step))) {
		dlpack_consume(arena, returned);
		Py_DecRef(returned);
	}
	object_drop_error();
	worker_step_done();
}

/* Makes the call unless it has a reason to be skipped; while calls are planned, only lists it. */
static void try_keywords(const struct grid *grid, const struct value *keywords, const char *reason)
{
	struct arena *arena = grid->context->arena;

	if (!job_has_step(grid->context->job, dlpack_call_text(arena, keywords)))
		return;
	if (grid->planned) {
		*FACT_LIST_ADD(arena, grid->planned) =
			skipped_call(grid, keywords, reason, !reason);
		return;
	}
	if (reason) {
		record_skip(grid, keywords, reason, false);
		return;
	}
	reason = why_lost(grid, keywords);
	if (reason)
		record_skip(grid, keywords, reason, true);
	else
		make_cell(grid, keywords);
}

static void try_cell(const struct grid *grid, const struct choice *version,
	const struct choice *copy, const struct choice *device, const struct choice *stream)
{
	struct value *keywords = value_map(grid->context->arena);
	bool copies_data = (copy->kind == BOOL && copy->number) || device->kind == OTHER_DEVICE;

	set_keyword(grid, keywords, "max_version", version);
	set_keyword(grid, keywords, "copy", copy);
	set_keyword(grid, keywords, "dl_device", device);
	set_keyword(grid, keywords, "stream", stream);
	if (copies_data && grid->is_big)
		try_keywords(
			grid, keywords, "the call may copy more than 1 MiB, which requires --live");
	else
		try_keywords(grid, keywords, stream->kind == HANDLE ? grid->no_stream : NULL);
}

static void try_combinations(const struct grid *grid)
{
	for (size_t v = 0; v < ARRAY_SIZE(versions); v++)
		for (size_t c = 0; c < ARRAY_SIZE(copies); c++)
			for (size_t d = 0; d < ARRAY_SIZE(devices); d++) {
				try_cell(grid, &versions[v], &copies[c], &devices[d], &absent);
				try_cell(grid, &versions[v], &copies[c], &devices[d], &none);
			}
}

/* Every stream without other keywords, for a versioned capsule, and for a copy to the host. */
static void try_streams(const struct grid *grid)
{
	static const struct choice host = { .kind = OTHER_DEVICE };

	for (size_t i = 0; i < ARRAY_SIZE(streams); i++) {
		try_cell(grid, &absent, &absent, &absent, &streams[i]);
		try_cell(grid, &versions[OWN_VERSION], &absent, &absent, &streams[i]);
		if (grid->device_type != kDLCPU)
			try_cell(grid, &versions[OWN_VERSION], &absent, &host, &streams[i]);
	}
}

static void try_invalid_arguments(const struct grid *grid)
{
	for (size_t i = 0; i < ARRAY_SIZE(invalid_arguments); i++) {
		struct value *keywords = value_map(grid->context->arena);

		set_keyword(
			grid, keywords, invalid_arguments[i].keyword, &invalid_arguments[i].choice);
		try_keywords(grid, keywords, NULL);
	}
}

static void walk(const struct grid *grid)
{
	try_combinations(grid);
	try_streams(grid);
	try_invalid_arguments(grid);
}

static bool is_loaded(const char *library)
{
	const char *const names[] = { library, NULL };
	static const struct dynlib_symbol nothing[] = { { 0 } };
	void *handle, *table[1];
	struct err ignored;

	return !dynlib_open(names, true, nothing, table, &handle, &ignored);
}

/* Finds the handle of a stream on the object's device. If no driver is loaded, only Python code
 * uses the number, and SPY_STREAM is sufficient. A driver may dereference an invalid number: JAX
 * crashes on one for its pinned host memory. */
static void find_stream(struct grid *grid)
{
	bool is_oneapi = grid->device_type == kDLOneAPI;
	bool is_cuda = grid->device_type == kDLCUDA || grid->device_type == kDLCUDAManaged;
	bool is_rocm = grid->device_type == kDLROCM;

	if (is_rocm && is_loaded("libamdhip64.so.6"))
		grid->no_stream = "suai does not create HIP streams";
	else if (!is_cuda && !is_oneapi && is_loaded("libcuda.so.1"))
		grid->no_stream =
			"the array is not on a CUDA device, and the loaded CUDA driver may dereference the stream handle";
	if (!is_oneapi && !(is_cuda && is_loaded("libcuda.so.1")))
		return;
	grid->stream = dlpack_new_stream(grid->context, grid->object, grid->declared);
	if (!grid->stream)
		grid->no_stream = arena_printf(grid->context->arena,
			"cannot create a stream on the array's device: %s",
			fact_text_or(
				object_take_error(grid->context->arena).message, "unknown reason"));
}

/* Whether a copy is expensive; a copy of unknown size counts as expensive. */
static bool is_big(struct arena *arena, struct fact_interface *interface)
{
	const struct array *array = protocol_describe(arena, interface)->strict;

	return !array || array_nbytes(array) < 0 || array_nbytes(array) > MAX_COPY_BYTES;
}

static bool fits_dldevice(const struct value *value)
{
	int64_t number;

	return value_is_integer(value) && value_to_int64(value, &number) &&
	       number == (int32_t)number;
}

/* What __dlpack_device__() returned or, if no consumer can pass that, the device of the tensor. */
static const struct value *find_own_device(struct arena *arena, const struct value *declared)
{
	const struct value *pair = value_get(declared, "device");
	const struct value *tensor = value_at(declared, "dl_tensor.device");
	int64_t type, id;

	if ((value_is_sequence(pair) && pair->n_items == 2 && fits_dldevice(pair->items[0]) &&
		    fits_dldevice(pair->items[1])) ||
		!value_to_int64(value_get(tensor, "device_type"), &type) ||
		!value_to_int64(value_get(tensor, "device_id"), &id))
		return pair;
	return c_pair_to_value(arena, type, id);
}

void dlpack_grid(
	struct capture_context *context, PyObject *object, struct fact_interface *interface)
{
	const struct value *own_device = find_own_device(context->arena, interface->declared);
	struct fact_call_list planned = { .known = true }, lost = { .known = true };
	struct grid grid = {
		.context = context,
		.object = object,
		.declared = interface->declared,
		.own_device = own_device,
		.device_type = value_int_or(value_item(own_device, 0), 0),
		.is_big = !(context->job->facts & FACT_LIVE) && is_big(context->arena, interface),
	};

	if (!value_bool_or(value_get(interface->details, "has_dlpack"), false))
		return;
	find_stream(&grid);
	grid.lost = &lost;
	grid.planned = &planned;
	walk(&grid);
	capture_draft_planned(context, &planned);
	grid.planned = NULL;
	walk(&grid);
	Py_DecRef(grid.stream);
}
