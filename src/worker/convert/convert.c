// SPDX-License-Identifier: MIT
/* convert: from a source to a new object or a file, with the facts of what was done. */
#include "worker/convert/convert.h"
#include "worker/capture/self_reported.h"
#include "worker/export/exported.h"
#include "worker/memory/device_session.h"
#include "worker/read/interfaces.h"

#include "devices/mapping.h"

#include <string.h>

enum { PROBE_BYTES = 64 };

/* The job's context for objects other than the source: target takes their interfaces and calls. */
static struct capture_context context_of_new(
	struct capture_context *context, struct fact_target *target)
{
	struct arena *arena = context->arena;
	struct capture_context fresh = *context;
	struct job *job = arena_alloc(arena, sizeof(*job));
	struct value *list = value_list(arena);

	for (size_t i = 0; captures[i]; i++)
		value_append(arena, list, value_text(arena, captures[i]->protocol->name));
	*job = *context->job;
	job->protocols = list;
	job->dlpack = (struct job_dlpack){ 0 };
	fresh.job = job;
	fresh.target = target;
	return fresh;
}

static bool has_negative_strides(const struct array *array)
{
	for (int i = 0; i < array->n_dims; i++)
		if (array->stride_bytes[i] < 0 && array->shape[i] > 1)
			return true;
	return false;
}

/* The hints, each in parentheses; NULL if there are none. */
static const char *join_hints(struct arena *arena, const char *const *hints, size_t n_hints)
{
	const char *joined = NULL;

	for (size_t i = 0; i < n_hints; i++)
		joined = arena_printf(arena, "%s%sthe new object %s", joined ? joined : "",
			joined ? ") (" : "", hints[i]);
	return joined;
}

/* A likely cause that a consumer's exception, or crash, may not mention: it may not support
 * negative strides, read-only memory or device memory. NULL: none. */
static const char *hint_for_consumer(const struct conversion *conversion)
{
	const struct array *array = &conversion->result.array;
	const struct destination *destination = &conversion->destination;
	bool is_elsewhere = destination->session && !conversion->exporter->protocol->runtime;
	const char *hints[3];
	size_t n_hints = 0;

	if (has_negative_strides(array))
		hints[n_hints++] = "has negative strides; use --order C to avoid them";
	if (array->readonly == READONLY_YES)
		hints[n_hints++] = "is read-only; use --copy always for a writable copy";
	if (is_elsewhere)
		hints[n_hints++] = arena_printf(conversion->context->arena,
			"is on %s:%lld; use --device cpu for a host copy", destination->device.type,
			(long long)destination->device.id);
	return join_hints(conversion->context->arena, hints, n_hints);
}

/* Whether the consumer was called, so that the hints apply. */
static bool reached_consumer(const struct conversion *conversion)
{
	bool was_found = conversion->consumer.function || conversion->consumer.imported;

	return !strcmp(conversion->step, "call") &&
	       !(PyErr_Occurred() && (!was_found || PyErr_ExceptionMatches(PyExc_NameError) ||
					     PyErr_ExceptionMatches(PyExc_ImportError)));
}

/* Sets status, step and error of the target: the pending exception or, without one, err. */
static void set_target_failure(const struct conversion *conversion, const struct err *err)
{
	struct arena *arena = conversion->context->arena;
	struct fact_target *target = conversion->context->target;
	const char *hint = reached_consumer(conversion) ? hint_for_consumer(conversion) : NULL;
	bool is_output = !strcmp(conversion->step, "write") && err->code == EXIT_USAGE;

	target->status = STATUS_RAISED;
	target->step = conversion->step;
	if (PyErr_Occurred()) {
		target->error = object_take_error(arena);
		if (hint)
			target->error.message =
				arena_printf(arena, "%s (%s)", target->error.message, hint);
		return;
	}
	if (err->code == EXIT_UNAVAILABLE)
		target->status = STATUS_UNAVAILABLE;
	target->error = (struct fact_error){ .present = true,
		.type = is_output ? "OSError" : NULL,
		.message = arena_printf(arena, "%s", err->message) };
	if (err->code == EXIT_USAGE)
		target->exit_code = fact_int(EXIT_USAGE);
	/* Recorded before the call: if the consumer crashes the worker, the judge adds the hint to
	 * the report. */
	target->hint = hint;
}

/* What is requested: an object of a protocol, a .npy file (NumPy's types), or a .raw one (any). */
static void choose_exporter(struct conversion *conversion)
{
	static const enum transfer_engine engines[] = { [JOB_ENGINE_AUTO] = TRANSFER_AUTO,
		[JOB_ENGINE_KERNEL] = TRANSFER_KERNEL,
		[JOB_ENGINE_HOST] = TRANSFER_HOST };
	const struct job_convert *options = conversion->options;

	conversion->engine = engines[options->engine];
	conversion->is_file = options->form != JOB_FORM_OBJECT;
	if (conversion->is_file)
		conversion->exporter = options->form == JOB_FORM_NPY ? &numpy_exporter : NULL;
	else
		conversion->exporter = exporter_find(options->to ? options->to : "");
}

/* Whether the host can access what will be allocated: only allocated memory shows that, so a dry
 * run allocates a little. */
static bool host_reaches_destination(
	const struct conversion *conversion, const struct memory_location *source)
{
	const struct destination *destination = &conversion->destination;
	struct session_memory memory;
	struct err ignored;

	if (!destination->session || destination->knows_source)
		return !destination->session || mapping_reaches(source);
	if (!conversion->options->dry_run)
		return false;
	if (session_allocate(destination->session, destination->session_ref, destination->kind,
		    PROBE_BYTES, &memory, &ignored))
		return false;
	Py_DecRef(memory.owner);
	return mapping_reaches(&memory.location);
}

static int fill_path(struct conversion *conversion, struct err *err)
{
	struct transfer transfer = { .path = PATH_ZERO_COPY };
	struct memory_location source = convert_source_location(conversion);
	struct memory_location result = { .session = conversion->destination.session };
	const struct transfer_end from = { &conversion->source.elements.array, &source };
	const struct transfer_end to = { &conversion->result.array, &result };

	result.host_reaches = host_reaches_destination(conversion, &source);
	if (conversion->reason) {
		if (transfer_predict(&transfer, &from, &to, conversion->engine, err))
			return -1;
	} else if (conversion->source.producer_copied) {
		transfer.path = PATH_MEMCPY;
		transfer.engine = "producer";
	}
	convert_fill_transfer(conversion, &transfer);
	return 0;
}

static int fill_decision(struct conversion *conversion, struct err *err)
{
	const struct source *source = &conversion->source;
	struct fact_conversion *facts = &conversion->facts;

	facts->reason = conversion->reason ? conversion->reason : source->producer_copied;
	if (conversion->reason && source->producer_copied)
		facts->reason = arena_printf(conversion->context->arena, "%s; %s",
			conversion->reason, source->producer_copied);
	facts->from = conversion->origin ? conversion->origin : source->protocol->name;
	facts->bytes = fact_int(array_nbytes(&source->elements.array));
	return fill_path(conversion, err);
}

/* Each step has a name; one that terminated an earlier worker is skipped. */
static int begin(struct conversion *conversion, const char *step, struct err *err)
{
	conversion->step = step;
	return worker_step(step) ? 0
				 : err_set(err, EXIT_TARGET,
					   "skipped: this step terminated an earlier worker");
}

static int make_result(struct conversion *conversion, struct err *err)
{
	int rc;

	if (conversion->is_file) {
		if (begin(conversion, "write", err))
			return -1;
		rc = convert_write_file(conversion, err);
		convert_end_part(conversion, PART_COPY);
	} else {
		if (begin(conversion, "copy", err))
			return -1;
		rc = convert_make_object(conversion, err);
	}
	worker_step_done();
	return rc;
}

static int verify(struct conversion *conversion, const struct fact_interface_list *interfaces,
	struct err *err)
{
	int rc;

	if (!conversion->options->verify)
		return 0;
	if (begin(conversion, "verify", err))
		return -1;
	rc = convert_verify(conversion, interfaces, err);
	worker_step_done();
	return rc;
}

static bool calls_consumer(const struct conversion *conversion)
{
	return conversion->options->call.function || conversion->options->call.expression;
}

/* If its import terminated an earlier worker, convert_call() reports it. */
static int find_consumer(struct conversion *conversion, struct err *err)
{
	int rc;

	if (!calls_consumer(conversion) || !worker_step("call"))
		return 0;
	conversion->step = "options";
	rc = consumer_compile(conversion->context->arena, &conversion->options->call, "--call",
		&conversion->consumer, err);
	if (!rc)
		consumer_find(conversion->context->arena, &conversion->options->call,
			conversion->context->names, false, &conversion->consumer);
	worker_step_done();
	return rc;
}

static int call(struct conversion *conversion, struct err *err)
{
	int rc;

	if (!calls_consumer(conversion))
		return 0;
	if (begin(conversion, "call", err))
		return -1;
	rc = convert_call(conversion);
	worker_step_done();
	return rc;
}

static int show_result(struct conversion *conversion, struct err *err)
{
	struct fact_target made = { .present = true }, *target = conversion->context->target;
	struct capture_context fresh = context_of_new(conversion->context, &made);
	struct capture_context *source_context = conversion->context;
	int rc;

	if (conversion->object) {
		read_interfaces(&fresh, conversion->object);
		target->own = self_reported_read(fresh.arena, conversion->object);
		target->interfaces = made.interfaces;
		convert_end_part(conversion, PART_DESCRIBE);
	}
	convert_fill_timing(conversion);
	if (verify(conversion, &made.interfaces, err))
		return -1;
	conversion->context = &fresh;
	rc = call(conversion, err);
	conversion->context = source_context;
	return rc;
}

/* Shared memory was not copied, and a consumer may still hold a copy's memory. */
static int time_again(struct conversion *conversion, struct err *err)
{
	int rc;

	if (!conversion->facts.seconds.known || !conversion->reason || conversion->is_file ||
		calls_consumer(conversion))
		return 0;
	if (begin(conversion, "timing", err))
		return -1;
	rc = convert_fill_steady(conversion, err);
	worker_step_done();
	return rc;
}

static int find_destination(struct conversion *conversion, struct err *err)
{
	int rc;

	if (begin(conversion, "device", err))
		return -1;
	rc = convert_find_destination(conversion, err);
	worker_step_done();
	return rc;
}

/* Opens the object that holds the values, which its library may have to compute first. */
static int open_source(
	struct conversion *conversion, PyObject *object, const char *protocol, struct err *err)
{
	struct source *source = &conversion->source;
	struct arena *arena = conversion->context->arena;
	const char *resolved_by;
	PyObject *values =
		object_values_resolve(arena, object, conversion->pending, &resolved_by, err);
	int rc = values ? convert_open_source(conversion->context, values, protocol, source, err)
			: -1;

	Py_DecRef(values);
	if (!rc && resolved_by && !source->producer_copied)
		source->producer_copied = arena_printf(arena,
			"the elements in memory are not the object's values, which %s computed into a copy",
			resolved_by);
	return rc;
}

/* Decides what to do with the interface of a protocol (NULL: the best), from the settings and the
 * source; creates nothing. */
static int decide_from(
	struct conversion *conversion, PyObject *object, const char *protocol, struct err *err)
{
	conversion->step = "convert";
	conversion->origin = exported_origin(object);
	choose_exporter(conversion);
	if (open_source(conversion, object, protocol, err) ||
		convert_check_elements(conversion, err) || find_destination(conversion, err))
		return -1;
	conversion->step = "convert";
	if (convert_decide(conversion, err) || fill_decision(conversion, err))
		return -1;
	convert_end_part(conversion, PART_READ);
	return 0;
}

/* Resets a refused conversion, to try another interface. */
struct other_source {
	const struct conversion *refused;
	PyObject *object;
};

static bool would_convert(void *data, const char *protocol)
{
	const struct other_source *other = data;
	struct conversion trial = { .context = other->refused->context,
		.options = other->refused->options,
		.pending = other->refused->pending };
	struct err ignored;
	int rc = decide_from(&trial, other->object, protocol, &ignored);

	PyErr_Clear();
	Py_DecRef(trial.destination.session_ref);
	source_close(&trial.source);
	return !rc;
}

static int decide(struct conversion *conversion, PyObject *object, struct err *err)
{
	const char *from = conversion->options->from;
	struct other_source other = { conversion, object };
	const char *tried, *others;

	if (!decide_from(conversion, object, from, err))
		return 0;
	/* Without -p and without a source, every interface was tried. A mask that one interface has
	 * belongs to the object, and interfaces without it would lose it. */
	tried = from                          ? from
		: conversion->source.protocol ? conversion->source.protocol->name
					      : NULL;
	if (err->code != EXIT_TARGET || !tried || conversion->source.is_masked || PyErr_Occurred())
		return -1;
	others = convert_list_sources(conversion->context, object, tried, would_convert, &other);
	if (*others)
		err_set(err, EXIT_TARGET, "%s; %s avoids this",
			arena_printf(conversion->context->arena, "%s", err->message), others);
	return -1;
}

/* Queries what the object reports about its values, before the clock starts: that is not part of
 * the conversion. */
static int check_values(struct conversion *conversion, PyObject *object, struct err *err)
{
	conversion->step = "convert";
	if (!conversion->options->from && !capture_exposes_any(conversion->context, object))
		return err_set(
			err, EXIT_TARGET, "the object exposes no interface that convert can read");
	return object_values_check(conversion->context->arena, object, &conversion->pending, err);
}

static int convert_source_to_result(
	struct conversion *conversion, PyObject *object, struct err *err)
{
	if (find_consumer(conversion, err) || check_values(conversion, object, err))
		return -1;
	convert_begin_timing(conversion);
	if (decide(conversion, object, err))
		return -1;
	if (conversion->options->dry_run)
		return 0;
	if (make_result(conversion, err) || show_result(conversion, err))
		return -1;
	return time_again(conversion, err);
}

PyObject *convert_new(
	struct capture_context *context, PyObject *object, const struct job_convert *options)
{
	struct conversion conversion = { .context = context, .options = options };
	struct err err = { 0 };

	if ((check_values(&conversion, object, &err) || decide(&conversion, object, &err) ||
		    make_result(&conversion, &err)) &&
		!PyErr_Occurred())
		PyErr_SetString(PyExc_BufferError, err.message);
	Py_DecRef(conversion.destination.session_ref);
	source_close(&conversion.source);
	return conversion.object;
}

void convert_object(struct capture_context *context, PyObject *object)
{
	struct conversion conversion = {
		.context = context, .options = context->job->convert, .facts.present = true
	};
	struct err err = { 0 };

	if (convert_source_to_result(&conversion, object, &err))
		set_target_failure(&conversion, &err);
	PyErr_Clear();
	consumer_drop(&conversion.consumer);
	context->target->copy = conversion.facts;
	if (worker_step("release of the new object")) {
		Py_DecRef(conversion.object);
		Py_DecRef(conversion.destination.session_ref);
		source_close(&conversion.source);
	}
	PyErr_Clear();
	worker_step_done();
}
