// SPDX-License-Identifier: MIT
/* The job: imports the module, evaluates each target, captures it, and sends the facts. */
#include "worker/capture/attribute.h"
#include "worker/capture/self_reported.h"
#include "worker/consume/consume.h"
#include "worker/consume/pair.h"
#include "worker/consume/pass.h"
#include "worker/convert/convert.h"
#include "worker/memory/devices.h"
#include "worker/process/fork.h"
#include "worker/process/process.h"
#include "worker/process/report.h"
#include "worker/process/survive.h"
#include "worker/process/timers.h"
#include "worker/python/definitions.h"
#include "worker/python/expression.h"
#include "worker/python/import.h"
#include "worker/python/warnings.h"
#include "worker/read/alternatives.h"
#include "worker/read/discover.h"
#include "worker/read/interfaces.h"
#include "worker/target.h"
#include "worker/trials/trials.h"
#include "worker/worker.h"

#include "base/clock.h"
#include "os/working_directory.h"
#include "protocols/protocol.h"

#include <string.h>
#include <unistd.h>

enum { MAX_IDLE_THREADS = 1000 };

struct work {
	const struct job *job;
	PyObject *names;              /* the module's dictionary */
	bool handles_forks;           /* the module's objects may differ in a fork */
	struct process_timers timers; /* that the module has set */
};

static const char *system_text(struct arena *arena, const char *name)
{
	PyObject *object = PySys_GetObject(name); /* borrowed */

	return object ? fact_text(arena, object_to_value(arena, object)) : NULL;
}

struct fact_hello worker_hello(struct arena *arena, const char *host)
{
	return (struct fact_hello){ .present = true,
		.suai = SUAI_VERSION,
		.python = { .present = true,
			.executable = system_text(arena, "executable"),
			.version = system_text(arena, "version"),
			.abi = system_text(arena, "abiflags") },
		.host = host };
}

static struct fact_error killed_error(void)
{
	return (struct fact_error){ .present = true,
		.message = "skipped: this step terminated an earlier worker" };
}

/* --- modules --- */

/* A new reference to __version__ of a module that was imported; NULL: there is none. */
static PyObject *module_version(const char *name)
{
	PyObject *modules = PySys_GetObject("modules"); /* borrowed */
	PyObject *module = modules ? PyMapping_GetItemString(modules, name) : NULL;
	PyObject *version = module ? PyObject_GetAttrString(module, "__version__") : NULL;

	PyErr_Clear();
	Py_DecRef(module);
	return version;
}

/* A new reference to the version of an installed distribution; NULL: there is none. */
static PyObject *distribution_version(const char *name)
{
	PyObject *package = import_for_suai("importlib.metadata");
	PyObject *metadata = package ? PyObject_GetAttrString(package, "metadata") : NULL;
	PyObject *version = metadata ? PyObject_CallMethod(metadata, "version", "s", name) : NULL;

	PyErr_Clear();
	Py_DecRef(metadata);
	Py_DecRef(package);
	return version;
}

/* The version of an installed distribution, or of an imported module of that name: that of CuPy is
 * in cupy-cuda13x. Empty: there is neither. */
static const char *find_version(struct arena *arena, const char *distribution)
{
	PyObject *text;
	const char *version;

	if (!strcmp(distribution, JOB_PYTHON))
		return arena_copy(arena, Py_GetVersion(), strcspn(Py_GetVersion(), " "));
	text = distribution_version(distribution);
	if (!text)
		text = module_version(distribution);
	version = text ? fact_text(arena, object_to_value(arena, text)) : NULL;
	PyErr_Clear();
	Py_DecRef(text);
	return version ? version : "";
}

#define MODULE_DEVICE_STEP "device"

/* The text of the job's expression for the device; NULL: there is none. */
static const char *describe_module_device(struct arena *arena, struct work *work)
{
	const char *expression = work->job->module.device, *text = NULL;
	PyObject *device, *name;

	if (!expression)
		return NULL;
	if (!worker_step(MODULE_DEVICE_STEP))
		return arena_printf(arena, "unknown: %s",
			fact_text_or(worker_loss(MODULE_DEVICE_STEP), "the process was lost"));
	device = expression_evaluate(work->names, expression, "<device>");
	name = device ? PyObject_Str(device) : NULL;
	if (name)
		text = fact_text(arena, object_to_value(arena, name));
	else
		text = arena_printf(
			arena, "unknown: %s", fact_text_or(object_take_error(arena).message, "?"));
	PyErr_Clear();
	Py_DecRef(device);
	Py_DecRef(name);
	return text;
}

/* Imports the module; false, with the reason in result, if that fails. */
static bool import_module(struct arena *arena, struct work *work, struct fact_module_result *result)
{
	struct loaded loaded;
	int failed;

	*result = (struct fact_module_result){ .present = true,
		.module = fact_int(work->job->index),
		.status = STATUS_OK,
		.names.known = true };
	if (!worker_step("import")) {
		result->status = STATUS_UNAVAILABLE;
		result->step = "import";
		result->error = killed_error();
		return false;
	}
	failed = target_load(arena, work->job, &loaded);
	work->names = loaded.names;
	work->handles_forks = loaded.handles_forks;
	result->skipped_lines = loaded.notices;
	if (failed || loaded.failed_step) {
		result->step = loaded.failed_step ? loaded.failed_step : "import";
		result->error = object_take_error(arena);
	}
	if (failed) {
		result->status = loaded.missing ? STATUS_MISSING : STATUS_RAISED;
	} else {
		const struct job_words *distributions = &work->job->module.distributions;

		for (size_t i = 0; i < distributions->n_items; i++)
			fact_texts_add(arena, &result->versions,
				find_version(arena, distributions->items[i]));
		result->device = describe_module_device(arena, work);
		result->names = module_public_names(arena, work->names);
		result->source = definitions_file();
		if (work->job->module.all_objects)
			result->ignores = definitions_all_ignores(arena);
	}
	worker_step_done();
	return !failed;
}

static struct fact_found_target_list list_found(struct arena *arena, const struct target_plan *plan)
{
	struct fact_found_target_list list = { .known = true };

	list.items = arena_alloc(arena, (plan->n_items + 1) * sizeof(*list.items));
	for (size_t i = 0; i < plan->n_items; i++)
		list.items[list.n_items++] = (struct fact_found_target){ .present = true,
			.name = plan->items[i].name,
			.aliases = plan->items[i].aliases,
			.named = plan->items[i].is_named ? ANSWER_YES : ANSWER_NO };
	return list;
}

/* --- targets --- */

static struct fact_target *new_target(
	struct arena *arena, const struct work *work, int index, const char *expression)
{
	struct fact_target *target = arena_alloc(arena, sizeof(*target));

	*target = (struct fact_target){ .present = true,
		.module = fact_int(work->job->index),
		.index = fact_int(index),
		.target = job_target_name(arena, &work->job->module, expression),
		.status = STATUS_OK,
		.source = definitions_find(work->names, expression),
		.ignores.known = true };
	definitions_add_ignores(arena, work->names, expression, &target->ignores);
	return target;
}

/* Turns the pending exception of an expression into the target's failure. */
static void set_evaluation_failure(
	struct arena *arena, const struct work *work, struct fact_target *target)
{
	PyObject *name = expression_undefined_name();

	if (name)
		target->wanted = fact_text(arena, object_to_value(arena, name));
	Py_DecRef(name);
	target->status = name ? STATUS_MISSING : STATUS_RAISED;
	target->step = "evaluate";
	target->error = object_take_error(arena);
	if (!name)
		return;
	target->error.traceback = NULL; /* its only frame is the expression */
	target->names = module_public_names(arena, work->names);
}

/* The object of an expression: a new reference, or NULL with the reason in target. */
static PyObject *evaluate(struct arena *arena, const struct work *work, const char *expression,
	struct fact_target *target)
{
	PyObject *object;

	if (!worker_step("evaluate")) {
		target->status = STATUS_UNAVAILABLE;
		target->step = "evaluate";
		target->error = killed_error();
		return NULL;
	}
	object = expression_evaluate(work->names, expression, "<expression>");
	if (!object)
		set_evaluation_failure(arena, work, target);
	worker_step_done();
	return object;
}

static void set_instead(
	const struct capture_context *context, const char *expression, PyObject *object)
{
	struct arena *arena = context->arena;
	struct fact_instead *instead = &context->target->instead;

	*instead = (struct fact_instead){ .present = true,
		.looked_for = alternatives_looked_for(arena, context->job) };
	alternatives_add(context, expression, object, &instead->alternatives);
}

void worker_capture(struct capture_context *context, const char *expression, PyObject *object)
{
	struct arena *arena = context->arena;
	const struct job *job = context->job;
	struct fact_target *target = context->target;
	const struct fact_draft head = { .present = true,
		.type = target->type = object_type_name(arena, object),
		.mro = target->mro = object_mro(arena, object),
		.aliases = target->aliases,
		.source = target->source,
		.ignores = target->ignores };

	context->drafts = !job->convert && report_is_open();
	/* Fills what is known before the object's interfaces are read. */
	if (context->drafts)
		worker_draft(&head);
	if (job->convert) {
		convert_object(context, object);
		target->own.present = true;
	} else {
		read_interfaces(context, object);
		target->own = self_reported_read(arena, object);
	}
	if (expression && !target->interfaces.n_items &&
		(!job->convert ||
			(target->status == STATUS_RAISED && !capture_exposes_any(context, object))))
		set_instead(context, expression, object);
}

/* A signal that C code of an object sends, for example to interrupt itself, would otherwise raise
 * an exception in the code of the next object. */
static void drop_signals(void)
{
	PyErr_Clear();
	if (PyErr_CheckSignals())
		PyErr_Clear();
}

/* Sends the target, then releases object, which may run its finalizer. */
static void send_and_release(const struct work *work, struct fact_target *target, PyObject *object)
{
	target->spent_ms = fact_int(report_spent_ms());
	drop_signals();
	worker_send_target(target);
	if (worker_step("release"))
		Py_DecRef(object);
	drop_signals();
	process_stop_other_timers(work->timers);
	worker_step_done();
}

static struct capture_context context_of(
	const struct work *work, struct arena *arena, struct fact_target *target)
{
	return (struct capture_context){
		.arena = arena, .job = work->job, .names = work->names, .target = target
	};
}

/* A trial of suai why. */
static void pass_target(struct arena *arena, const struct work *work, const char *expression,
	PyObject *object, struct fact_target *target)
{
	const struct job_trial *trial = &work->job->module.trials[target->index.value];
	struct capture_context context = context_of(work, arena, target);

	target->interfaces.known = true;
	if (!strcmp(trial->name, PASS_CAPTURE))
		worker_capture(&context, expression, object);
	else
		pass_object(&context, object, trial);
}

/* Takes object, which a trial may drop. */
static void hold_trial(
	struct arena *arena, const struct work *work, PyObject *object, struct fact_target *target)
{
	struct fact_target captured = { .present = true };
	struct capture_context context = context_of(work, arena, &captured);

	target->trials.items = arena_alloc(arena, sizeof(*target->trials.items));
	target->trials.n_items = 1;
	target->trials.known = true;
	if (!trial_run(&context, object, &work->job->module.trials[target->index.value],
		    &target->trials.items[0]))
		target->status = STATUS_UNAVAILABLE;
}

/* A case of --consumer. */
static void run_consumer(const struct work *work, int index, const char *name)
{
	struct arena arena = { 0 };
	struct fact_target *target = arena_alloc(&arena, sizeof(*target));
	struct capture_context context = context_of(work, &arena, target);

	worker_at(index);
	*target = (struct fact_target){ .present = true,
		.module = fact_int(work->job->index),
		.index = fact_int(index),
		.target = job_target_name(&arena, &work->job->module, name),
		.status = STATUS_OK };
	if (work->job->consumer.spelled)
		consume_case(&context);
	else
		pair_exchange(&context);
	target->spent_ms = fact_int(report_spent_ms());
	process_stop_other_timers(work->timers);
	worker_send_target(target);
	arena_free(&arena);
}

static void run_expression(const struct work *work, int index, const char *expression)
{
	struct arena arena = { 0 };
	struct capture_context context;
	struct fact_target *target;
	PyObject *object;

	worker_at(index);
	target = new_target(&arena, work, index, expression);
	context = context_of(work, &arena, target);
	object = evaluate(&arena, work, expression, target);
	if (object && work->job->passes_objects && work->job->module.trials) {
		pass_target(&arena, work, expression, object, target);
	} else if (object && work->job->module.trials) {
		hold_trial(&arena, work, object, target);
		object = NULL;
	} else if (object) {
		worker_capture(&context, expression, object);
	}
	if (trial_waits_for_exit()) {
		trial_send_at_exit(target); /* and its arena */
		return;
	}
	send_and_release(work, target, object);
	arena_free(&arena);
}

/* Whether every interface of the object's type raises AttributeError, so that the object exposes
 * none. */
static bool hides_interfaces(const struct job *job, PyObject *object)
{
	if (PyObject_CheckBuffer(object))
		return false;
	for (size_t i = 0; protocols[i]; i++)
		if (protocols[i] != &buffer_protocol && !protocols[i]->is_of_files &&
			value_lists_text(job->protocols, protocols[i]->name) &&
			attribute_is_there(
				object, protocols[i]->attribute, protocols[i]->attribute))
			return false;
	return true;
}

static void run_found(const struct work *work, int index, const struct found *found)
{
	struct arena arena = { 0 };
	struct capture_context context;
	struct fact_target *target;

	worker_at(index);
	target = new_target(&arena, work, index, found->name);
	context = context_of(work, &arena, target);
	target->aliases = found->aliases;
	for (size_t i = 0; i < found->aliases.n_items; i++)
		definitions_add_ignores(
			&arena, work->names, found->aliases.items[i], &target->ignores);
	worker_capture(&context, NULL, found->object);
	/* Like inspect, convert skips objects that no argument names and that expose nothing. */
	if (work->job->convert && !found->is_named && target->status == STATUS_RAISED &&
		hides_interfaces(work->job, found->object)) {
		target = new_target(&arena, work, index, found->name);
		target->type = object_type_name(&arena, found->object);
		target->interfaces.known = true;
	}
	send_and_release(work, target, found->object);
	arena_free(&arena);
}

/* Reports a trial that is not run, since the time of its object is used up. */
static void skip_trial(const struct work *work, int index)
{
	const struct job_module *module = &work->job->module;
	struct arena arena = { 0 };
	struct fact_target *target;

	worker_at(index);
	target = new_target(&arena, work, index, module->expressions.items[index]);
	target->status = STATUS_UNAVAILABLE;
	target->trials.known = true;
	*FACT_LIST_ADD(&arena, &target->trials) = (struct fact_trial){ .present = true,
		.trial = module->trials[index].name,
		.protocol = module->trials[index].protocol,
		.outcome = TRIAL_SKIPPED,
		.error = { .present = true, .message = JOB_NO_TIME } };
	if (trial_waits_for_exit()) {
		trial_send_at_exit(target); /* and its arena */
		return;
	}
	worker_send_target(target);
	arena_free(&arena);
}

struct guarded_trial {
	const struct work *work;
	int index;
};

static void run_guarded_trial(void *context)
{
	const struct guarded_trial *guarded = context;

	run_expression(guarded->work, guarded->index,
		guarded->work->job->module.expressions.items[guarded->index]);
}

/* A crash is reported as that of a fork. False: there was one. */
static bool survive_trial(const struct work *work, int index)
{
	struct guarded_trial guarded = { work, index };
	int number;

	if (process_survives(run_guarded_trial, &guarded, &number))
		return true;
	report_end_of_fork(number, true);
	return false;
}

static void run_trial(const struct work *work, size_t i)
{
	const char *name = work->job->module.expressions.items[i];

	if (job_has_consumer(work->job))
		run_consumer(work, (int)i, name);
	else
		run_expression(work, (int)i, name);
}

/* One past the last of the trials from i on that share a process. */
static size_t find_group_end(const struct work *work, size_t i)
{
	const struct job_module *module = &work->job->module;
	const struct job_trial *first = &module->trials[i];
	size_t end = i + 1;

	while (first->producer && !work->job->passes_objects && end < module->expressions.n_items &&
		!strcmp(module->trials[end].producer, first->producer) &&
		!strcmp(module->trials[end].consumer, first->consumer))
		end++;
	return end;
}

static bool may_fork_trials(const struct work *work)
{
	/* Losses of `suai matrix` in a fork are repeated without one. */
	bool is_of_pairs = job_has_consumer(work->job) && !work->job->consumer.spelled;
	struct caught_warnings caught;
	bool may_fork;

	if (work->job->module.expressions.n_items < 2 || work->job->module.one_process ||
		(work->handles_forks && !is_of_pairs))
		return false;
	caught = warnings_catch(); /* of libraries, about forks */
	may_fork = !process_fork_obstacle(
		(struct process_idle){ .n_threads = is_of_pairs ? MAX_IDLE_THREADS : 0 });
	warnings_release(&caught);
	return may_fork;
}

/* Lines of `suai why` need the consumer's module, which each fork would import again. */
static void prepare_lines(struct arena *arena, const struct work *work)
{
	enum { MIN_LINES = 3 }; /* one import is only tried */
	struct capture_context context = context_of(work, arena, NULL);
	struct caught_warnings caught;

	if (!work->job->passes_objects || work->job->module.expressions.n_items < MIN_LINES ||
		!may_fork_trials(work))
		return;
	caught = warnings_catch(); /* of libraries, about forks */
	pass_import_modules(&context);
	warnings_release(&caught);
}

static pid_t fork_trial(void)
{
	struct caught_warnings caught = warnings_catch(); /* of libraries, about forks */
	pid_t child;

	process_flush(); /* the child must not write buffered output again */
	child = process_fork_child();
	warnings_release(&caught);
	return child;
}

/*
 * The trials from i on that share a process: a fork of this process if that is safe, otherwise this
 * process. Returns one past the last of them; 0 in a fork whose trial goes on at interpreter exit.
 */
static size_t run_trial_group(const struct work *work, size_t i, bool forks, bool *is_damaged)
{
	const struct job_module *module = &work->job->module;
	size_t end = find_group_end(work, i);
	pid_t child = forks ? fork_trial() : -1;
	int status;

	if (child > 0) {
		if (process_await_child(child, &status))
			return end;
		report_end_of_fork(status, false);
		return (size_t)report_target() + 1;
	}
	if (module->expressions.n_items > 1 && child < 0 &&
		trial_misuses_driver(&module->trials[i])) {
		*is_damaged |= !survive_trial(work, (int)i);
		return end;
	}
	for (; i < end; i++)
		run_trial(work, i);
	if (child == 0 && trial_waits_for_exit())
		return 0;
	/* Prints what the consumer wrote. In other trials, exporters only repeat what they wrote
	 * when the object was read. */
	if (child == 0 && work->job->passes_objects)
		process_flush();
	if (child == 0)
		process_end_child();
	return end;
}

/* Whether the object of the trial has time left, which is then the trial's limit. */
static bool limit_trial(struct job_trial *trial, const int64_t *spent_ms)
{
	if (!trial->limit_ms)
		return true;
	trial->limit_ms -= spent_ms[trial->first];
	return trial->limit_ms > 0;
}

/*
 * All trials of the module. In one process, they follow each other: it endures those of objects
 * that conform, and crashes of drivers. The judge repeats what is in doubt (run/trials.c). In a
 * fork, returns if its trial goes on at interpreter exit.
 */
static void run_module_trials(struct arena *arena, const struct work *work, bool forks)
{
	const struct job_module *module = &work->job->module;
	size_t n = module->expressions.n_items, end;
	int64_t *spent_ms = arena_alloc(arena, (n + 1) * sizeof(*spent_ms)); /* on each object */
	bool is_damaged = false;

	if (n > 1)
		process_freeze_objects();
	for (size_t i = work->job->start > 0 ? (size_t)work->job->start : 0; i < n; i = end) {
		int64_t begun_ms = clock_ms();

		if (limit_trial(&module->trials[i], spent_ms)) {
			end = run_trial_group(work, i, forks, &is_damaged);
		} else {
			skip_trial(work, (int)i);
			end = i + 1;
		}
		if (!end)
			return;
		spent_ms[module->trials[i].first] += clock_ms() - begun_ms;
	}
	if (is_damaged) {
		report_done();
		_exit(0);
	}
}

/* --- the job --- */

/* Fills what the module's message states of its targets, if it is more than the job does. */
static void set_plan(struct arena *arena, const struct work *work, const struct target_plan *plan,
	struct fact_module_result *result)
{
	const struct capture_context context = context_of(work, arena, NULL);

	for (size_t i = 0; i < plan->notices.n_items; i++)
		fact_texts_add(arena, &result->notices, plan->notices.items[i]);
	if (!work->job->module.all_objects && !plan->is_expanded)
		return;
	result->targets = list_found(arena, plan);
	result->buffers = fact_int(plan->n_buffers);
	result->stopped_at = plan->stopped_at;
	if (plan->n_found && work->job->module.all_objects)
		result->without_interface =
			alternatives_without_interface(arena, work->names, &result->targets);
	if (plan->n_found || !work->job->module.all_objects)
		return;
	result->instead = (struct fact_instead){ .present = true,
		.looked_for = alternatives_looked_for(arena, work->job) };
	alternatives_add_module(&context, &result->instead.alternatives);
}

static void run_module(struct work *work)
{
	struct arena arena = { 0 };
	struct message message = { .kind = MESSAGE_MODULE };
	struct fact_module_result *result = &message.module;
	struct target_plan plan;
	bool forks;

	if (work->job->module.kind == JOB_MODULE_NPY)
		directory_leave();
	process_note_descriptors();
	worker_at(-1);
	if (!import_module(&arena, work, result) ||
		(work->job->consumer.spelled && !work->job->passes_objects &&
			consume_prepare(&arena, work->job, work->names, result))) {
		worker_send(&message);
		goto out;
	}
	work->timers = process_timers();
	if (work->job->module.trials) {
		prepare_lines(&arena, work);
		forks = may_fork_trials(work);
		result->shares_process = answer_of(!forks);
		worker_send(&message);
		run_module_trials(&arena, work, forks);
		goto out;
	}
	target_discover(&arena, work->job, work->names, &plan);
	set_plan(&arena, work, &plan, result);
	worker_send(&message);
	for (size_t i = work->job->start > 0 ? (size_t)work->job->start : 0; i < plan.n_items; i++)
		if (plan.items[i].object)
			run_found(work, (int)i, &plan.items[i]);
		else
			run_expression(work, (int)i, plan.items[i].name);
out:
	directory_return();
	arena_free(&arena);
}

void worker_run(const struct job *job)
{
	struct work work = { .job = job };

	if (job->lists_devices) {
		directory_leave();
		worker_list_devices();
	} else if (job->module.kind) {
		run_module(&work);
	}
}
