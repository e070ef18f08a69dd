// SPDX-License-Identifier: MIT
/* The job: imports the module, evaluates each target, captures it, and sends what was found. */
#include "worker/report.h"
#include "worker/target.h"
#include "worker/trials/trials.h"

#include <string.h>

struct work {
	const struct job *job;
	const struct value *module;
	PyObject *names; /* the module's dictionary */
};

static void set_failure(struct arena *arena, struct value *message, const char *status,
	const char *step, struct value *error)
{
	value_set(arena, message, "status", value_text(arena, status));
	value_set(arena, message, "step", value_text(arena, step));
	value_set(arena, message, "error", error);
}

static struct value *killed_error(struct arena *arena)
{
	return value_error(arena, NULL, "it killed an earlier worker");
}

/* --- modules --- */

static struct value *module_message(struct arena *arena, const struct work *work)
{
	struct value *message = value_map(arena);

	value_set(arena, message, "kind", value_text(arena, "module"));
	value_set(arena, message, "module", value_int(arena, work->job->index));
	value_set(arena, message, "status", value_text(arena, "ok"));
	value_set(arena, message, "step", value_null(arena));
	value_set(arena, message, "error", value_null(arena));
	value_set(arena, message, "names", value_list(arena));
	value_set(arena, message, "targets", value_null(arena));
	return message;
}

/* Imports the module; false where it cannot be had, which message then says. */
static bool import_module(struct arena *arena, struct work *work, struct value *message)
{
	bool missing;
	int failed;

	if (!worker_step("import")) {
		set_failure(arena, message, "unavailable", "import", killed_error(arena));
		return false;
	}
	failed = target_load(work->module, &work->names, &missing);
	if (failed)
		set_failure(arena, message, missing ? "missing" : "raised", "import",
			object_take_error_value(arena));
	else
		value_set(arena, message, "names", target_names(arena, work->names));
	worker_step_done();
	return !failed;
}

/* How many expressions the job names beside all objects of the module. */
static size_t count_named(const struct work *work)
{
	const struct value *named = value_get(work->module, "named");

	return !value_is_sequence(value_get(work->module, "targets")) && value_is_sequence(named)
		       ? named->n_items
		       : 0;
}

static void list_found(struct arena *arena, const struct work *work, struct value *message,
	const struct found *found, size_t n_found)
{
	const struct value *named = value_get(work->module, "named");
	struct value *list = value_list(arena);

	for (size_t i = 0; i < n_found; i++) {
		struct value *item = value_map(arena);

		value_set(arena, item, "name", value_text(arena, found[i].name));
		value_set(arena, item, "aliases", found[i].aliases);
		value_set(arena, item, "named", value_bool(arena, false));
		value_append(arena, list, item);
	}
	for (size_t i = 0; i < count_named(work); i++) {
		struct value *item = value_map(arena);

		value_set(arena, item, "name", value_copy(arena, named->items[i]));
		value_set(arena, item, "aliases", value_list(arena));
		value_set(arena, item, "named", value_bool(arena, true));
		value_append(arena, list, item);
	}
	value_set(arena, message, "targets", list);
}

/* --- targets --- */

static struct value *target_message(
	struct arena *arena, const struct work *work, int index, const char *name)
{
	static const char *const empty[] = { "step", "error", "type", "mro", "own", "data",
		"convert" };
	struct value *message = value_map(arena);

	value_set(arena, message, "kind", value_text(arena, "target"));
	value_set(arena, message, "module", value_int(arena, work->job->index));
	value_set(arena, message, "target", value_int(arena, index));
	value_set(arena, message, "name", value_text(arena, name));
	value_set(arena, message, "aliases", value_list(arena));
	value_set(arena, message, "status", value_text(arena, "ok"));
	for (size_t i = 0; i < sizeof(empty) / sizeof(*empty); i++)
		value_set(arena, message, empty[i], value_null(arena));
	value_set(arena, message, "interfaces", value_list(arena));
	value_set(arena, message, "calls", value_list(arena));
	value_set(arena, message, "trials", value_list(arena));
	return message;
}

/* Turns the pending exception of an expression into the message's failure. */
static void set_evaluation_failure(
	struct arena *arena, const struct work *work, struct value *message)
{
	PyObject *name = target_undefined_name();
	struct value *wanted = name ? object_to_value(arena, name) : NULL;

	Py_DecRef(name);
	set_failure(arena, message, wanted ? "missing" : "raised", "evaluate",
		object_take_error_value(arena));
	if (!wanted)
		return;
	/* Its only frame is the expression. */
	value_set(
		arena, (struct value *)value_get(message, "error"), "traceback", value_null(arena));
	value_set(arena, message, "wanted", wanted);
	value_set(arena, message, "names", target_names(arena, work->names));
}

/* The object of an expression: a new reference, or NULL where message says why not. */
static PyObject *evaluate(
	struct arena *arena, const struct work *work, const char *expression, struct value *message)
{
	PyObject *object;

	if (!worker_step("evaluate")) {
		set_failure(arena, message, "unavailable", "evaluate", killed_error(arena));
		return NULL;
	}
	object = target_evaluate(work->names, expression, "<expression>");
	if (!object)
		set_evaluation_failure(arena, work, message);
	worker_step_done();
	return object;
}

/* What is known of the target before anything is asked of the object. */
static void draft_head(struct arena *arena, const struct value *message)
{
	static const char *const keys[] = { "type", "mro", "aliases" };
	struct value *draft = value_map(arena);

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		value_set(arena, draft, keys[i], (struct value *)value_get(message, keys[i]));
	worker_draft(draft);
}

/* Captures or converts object into message. */
static void capture(
	struct arena *arena, const struct work *work, PyObject *object, struct value *message)
{
	bool converts = work->job->convert != NULL;
	struct capture_context context = {
		.arena = arena,
		.job = work->job,
		.drafts = !converts,
		.calls = (struct value *)value_get(message, "calls"),
		.own = value_set(arena, message, "own", value_map(arena)),
		.names = work->names,
	};

	value_set(arena, message, "type", value_text(arena, object_type_name(arena, object)));
	value_set(arena, message, "mro", object_mro(arena, object));
	if (context.drafts)
		draft_head(arena, message);
	if (converts)
		convert_object(&context, object, message);
	else
		value_set(arena, message, "interfaces", capture_interfaces(&context, object));
	if (context.data)
		value_set(arena, message, "data", context.data);
	for (size_t i = 0; context.failure && i < context.failure->n_items; i++)
		value_set(arena, message, context.failure->keys[i], context.failure->items[i]);
	if (!converts)
		own_read(arena, object, context.own);
}

/* Sends the message, then takes object, whose end may run its own code. */
static void send_and_release(struct arena *arena, struct value *message, PyObject *object)
{
	value_set(arena, message, "spent_ms", value_int(arena, report_spent_ms()));
	worker_send(message);
	if (worker_step("release"))
		Py_DecRef(object);
	PyErr_Clear();
	worker_step_done();
}

/* Takes object, which a trial may drop. */
static void hold_trial(
	struct arena *arena, const struct work *work, PyObject *object, struct value *message)
{
	struct capture_context context = { .arena = arena,
		.job = work->job,
		.calls = (struct value *)value_get(message, "calls"),
		.own = value_map(arena),
		.names = work->names };

	trial_run(&context, object, message);
}

static void run_expression(const struct work *work, int index, const char *expression)
{
	const char *label = value_text_or(value_get(work->module, "label"), "?");
	bool is_plain = value_bool_or(value_get(work->module, "plain_expressions"), false);
	struct arena arena = { 0 };
	struct value *message;
	PyObject *object;

	worker_at(index);
	message = target_message(&arena, work, index,
		is_plain ? expression : arena_printf(&arena, "%s:%s", label, expression));
	object = evaluate(&arena, work, expression, message);
	if (object && work->job->trial.name) {
		hold_trial(&arena, work, object, message);
		object = NULL;
	} else if (object) {
		capture(&arena, work, object, message);
	}
	if (trial_waits_for_exit()) {
		trial_keep_message(message); /* and its arena */
		return;
	}
	send_and_release(&arena, message, object);
	arena_free(&arena);
}

static void run_found(const struct work *work, int index, const struct found *found)
{
	const char *label = value_text_or(value_get(work->module, "label"), "?");
	struct arena arena = { 0 };
	struct value *message;

	worker_at(index);
	message = target_message(
		&arena, work, index, arena_printf(&arena, "%s:%s", label, found->name));
	value_set(&arena, message, "aliases", value_copy(&arena, found->aliases));
	capture(&arena, work, found->object, message);
	send_and_release(&arena, message, found->object);
	arena_free(&arena);
}

/* --- the job --- */

static void run_module(struct work *work)
{
	const struct value *expressions = value_get(work->module, "targets");
	struct arena arena = { 0 };
	struct value *message;
	struct found *found = NULL;
	size_t n_found = 0, first = work->job->start > 0 ? (size_t)work->job->start : 0;
	int64_t n_buffers;

	if (value_is_text(value_get(work->module, "kind"), "npy"))
		directory_leave();
	worker_at(-1);
	message = module_message(&arena, work);
	if (!import_module(&arena, work, message)) {
		worker_send(message);
		goto out;
	}
	if (!value_is_sequence(expressions)) {
		found = target_discover(&arena, work->job, work->names, &n_found, &n_buffers);
		list_found(&arena, work, message, found, n_found);
		value_set(&arena, message, "buffers", value_int(&arena, n_buffers));
	}
	worker_send(message);
	for (size_t i = first; value_is_sequence(expressions) && i < expressions->n_items; i++)
		run_expression(work, (int)i, value_text_or(expressions->items[i], ""));
	for (size_t i = first; i < n_found; i++)
		run_found(work, (int)i, &found[i]);
	for (size_t i = 0; i < count_named(work); i++)
		if (n_found + i >= first)
			run_expression(work, (int)(n_found + i),
				value_text_or(value_get(work->module, "named")->items[i], ""));
out:
	directory_return();
	arena_free(&arena);
}

void worker_run(const struct job *job)
{
	struct work work = { .job = job, .module = job->module };

	if (job->lists_devices) {
		directory_leave();
		worker_list_devices();
	} else if (value_is(work.module, VALUE_MAP)) {
		run_module(&work);
	}
}
