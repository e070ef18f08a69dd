// SPDX-License-Identifier: MIT
/*
 * The cases of --consumer. Each is run twice: with the guard page behind the tensor, where reads
 * past its end are detected, then with the page before it. The first run counts; the second adds
 * only what the first could not detect.
 */
#include "worker/consume/consume.h"

#include "consumers/ignored_parts.h"
#include "worker/consume/examine.h"
#include "worker/consume/tracer.h"
#include "worker/process/process.h"
#include "worker/python/definitions.h"
#include "worker/python/expression.h"
#include "worker/python/warnings.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* How long a consumer may take to call a deleter in another thread: 2 s. */
enum { RELEASE_TRIES = 400, RELEASE_PAUSE_MS = 5 };

/* Reference counts of immortal objects, such as None and small integers, are at least this. */
enum { IMMORTAL_REFERENCES = 1 << 28 };

/* Found once, before processes are forked. */
static struct consumer shared_consumer;

/* Where the consumer is defined; not present: not in a file of the user. */
static struct fact_source shared_source;

struct consumption {
	struct capture_context *context;
	const struct consumer_case *row;
	const struct tensor_interface *interface;
	struct tracer tracer;
	struct fact_consumption *record;
};

void consume_begin_step(const struct fact_consumption *record, const char *step)
{
	struct message message = { .kind = MESSAGE_TRIAL,
		.trial = { .present = true, .step = step, .consumption = *record } };

	message.trial.consumption.step = step;
	worker_step(step);
	worker_send(&message);
}

PyObject *consume_call(struct capture_context *context, struct consumer *consumer, PyObject *object,
	struct fact_consumption *record)
{
	struct caught_warnings caught = warnings_catch();
	PyObject *result = consumer_call(consumer, context->names, object);

	record->outcome = result ? TRIAL_DONE : TRIAL_RAISED;
	if (!result) {
		record->exception = object_builtin_exception(context->arena);
		record->error = object_take_error(context->arena);
	}
	record->warnings = warnings_texts(context->arena, &caught);
	warnings_release(&caught);
	return result;
}

static void describe_case(struct consumption *consumption)
{
	static const char *const words[] = { "elements", "exception", "rejection" };
	struct arena *arena = consumption->context->arena;
	const struct consumer_case *row = consumption->row;
	struct fact_consumption *record = consumption->record;
	struct array layout;
	int64_t n_bytes;

	*record = (struct fact_consumption){ .present = true,
		.consumer = consumption->context->job->consumer.spelled,
		.id = row->id,
		.about = row->about,
		.expected = words[row->expectation],
		.protocol = consumption->interface->protocol->name,
		.calls.known = true,
		.readings.known = true };
	if (!consumer_case_describe(row, &layout, &n_bytes))
		return;
	record->dtype = arena_copy(arena, layout.dtype.name, strlen(layout.dtype.name));
	record->shape = fact_ints(arena, layout.shape, (size_t)layout.n_dims);
	record->readonly = answer_of(layout.readonly == READONLY_YES);
}

static void count_exports(struct consumption *consumption)
{
	const struct tracer_counts counts = tracer_count(&consumption->tracer);
	struct fact_consumption *record = consumption->record;

	record->exports = fact_int(counts.n_exports);
	if (consumption->row->flags & CASE_NULL_DELETER) {
		record->renamed = fact_int(counts.n_renamed);
		return;
	}
	record->deleted = fact_int(counts.n_deleted);
	if (consumption->interface->release != RELEASE_DELETER)
		return;
	record->renamed = fact_int(counts.n_renamed);
	record->deleted_again = fact_int(counts.n_deleted_again);
}

/* Whether the deleter of each export was called, so that the memory may be reused. */
static bool all_deleted(const struct tracer *tracer)
{
	const struct tracer_counts counts = tracer_count(tracer);

	return counts.n_exports && counts.n_deleted == counts.n_exports;
}

static void take_changes(struct consumption *consumption)
{
	struct fact_consumption *record = consumption->record;
	bool changed_elements;

	record->changed_bytes =
		fact_int(tracer_count_changed(&consumption->tracer, &changed_elements));
	record->changed_elements = answer_of(changed_elements);
}

/* Reads the result after the memory was overwritten if nothing keeps it any more. */
static void examine(struct consumption *consumption, PyObject *result)
{
	struct capture_context *context = consumption->context;
	struct fact_consumption *record = consumption->record;

	count_exports(consumption);
	record->deleted_held = record->deleted;
	take_changes(consumption);
	/* The elements of an invalid tensor are not defined. */
	if (!consumer_case_is_legal(consumption->row))
		return;
	if (all_deleted(&consumption->tracer))
		tracer_poison(&consumption->tracer);
	consume_begin_step(consumption->record, PASS_STEP_RESULT);
	examine_result(context->job, &consumption->tracer, result, record);
	worker_step_done();
}

/* Whether the process has other threads: /proc/self/task has a link for each thread and two of its
 * own. */
static bool has_other_threads(void)
{
	struct stat status;

	return stat("/proc/self/task", &status) || status.st_nlink > 3;
}

/* Whether the consumer has renamed a capsule whose deleter was not called. */
static bool awaits_deleter(const struct consumption *consumption)
{
	const struct tracer_counts counts = tracer_count(&consumption->tracer);

	return counts.n_renamed > counts.n_deleted &&
	       !(consumption->row->flags & CASE_NULL_DELETER);
}

/* Waits for deleters that run in other threads. Only once in a process for the whole time, since a
 * consumer that never calls them would use it up in each case. */
static void await_deleters(const struct consumption *consumption)
{
	const struct timespec pause = { .tv_nsec = RELEASE_PAUSE_MS * 1000000L };
	static int n_tries = RELEASE_TRIES;

	for (int i = 0; awaits_deleter(consumption) && has_other_threads(); i++) {
		if (i == n_tries) {
			n_tries = RELEASE_TRIES / 20;
			break;
		}
		WITHOUT_GIL(nanosleep(&pause, NULL));
	}
}

/* Whether the consumer has kept a reference to its result, as a cache does. One that returns None
 * or whether it was successful may have stored the array. */
static bool is_kept_elsewhere(PyObject *result)
{
	PyObject *unshared = PyList_New(0);
	bool is_kept;

	is_kept = result == Py_None || result == Py_True || result == Py_False;
	is_kept |= result && object_references(result) > object_references(unshared) &&
		   object_references(result) < IMMORTAL_REFERENCES;
	Py_DecRef(unshared);
	return is_kept;
}

/* Whether a Python object, such as a cache, or a thread keeps the object that was passed. */
static bool is_object_kept(PyObject *object)
{
	PyObject *gc, *referrers = NULL;
	bool is_kept;

	if (has_other_threads())
		return true;
	gc = PyImport_ImportModule("gc");
	/* A worker that forks hid the objects of modules from the collector
	 * (process_freeze_objects). */
	if (gc)
		Py_DecRef(PyObject_CallMethod(gc, "unfreeze", NULL));
	if (gc)
		referrers = PyObject_CallMethod(gc, "get_referrers", "O", object);
	is_kept = !referrers || PyList_Size(referrers) > 0;
	PyErr_Clear();
	Py_DecRef(referrers);
	Py_DecRef(gc);
	return is_kept;
}

/* Takes result, which may be NULL. Deleters count in the first run only. */
static void release(struct consumption *consumption, PyObject *result, bool is_first)
{
	struct fact_consumption *record = consumption->record;
	bool is_kept = is_kept_elsewhere(result);

	consume_begin_step(consumption->record, PASS_STEP_RELEASE);
	Py_DecRef(result);
	PyErr_Clear();
	tracer_release(&consumption->tracer);
	object_collect_garbage();
	if (is_first && !is_kept)
		await_deleters(consumption);
	worker_step_done();
	count_exports(consumption);
	if (consumption->tracer.is_over_released)
		record->references = fact_int(-1);
	else if (!consumption->tracer.object)
		record->references = fact_int(0);
	else if (!is_kept && !is_object_kept(consumption->tracer.object))
		record->references = fact_int(1);
	if (is_kept && record->deleted.value <
			       (record->renamed.known ? record->renamed : record->exports).value)
		record->deleted.known = false;
}

static void take_outside(struct consumption *consumption)
{
	const struct guarded *memory = &consumption->tracer.memory;
	struct fact_consumption *record = consumption->record;

	if (!memory->outside || record->outside.known)
		return;
	record->outside = fact_int(memory->outside);
	record->outside_write = memory->outside_is_write ? ANSWER_YES : ANSWER_UNKNOWN;
#if defined(__x86_64__)
	record->outside_write = answer_of(memory->outside_is_write);
#endif
}

/* Whether a reading of the result found other elements. */
static bool differs(const struct fact_consumption *record)
{
	for (size_t i = 0; i < record->readings.n_items; i++)
		if (record->readings.items[i].equal == ANSWER_NO &&
			record->readings.items[i].reshaped != ANSWER_YES)
			return true;
	return false;
}

/* Calls the consumer, examines its result and releases both. */
static void pass_tracer(struct consumption *consumption, PyObject *object, enum guarded_place place)
{
	struct capture_context *context = consumption->context;
	struct fact_consumption *record = consumption->record;
	PyObject *result;

	consume_begin_step(consumption->record, PASS_STEP_CALL);
	consumption->tracer.is_held = true;
	result = consume_call(context, &shared_consumer, object, record);
	worker_step_done();
	take_outside(consumption);
	record->calls = consumption->tracer.calls;
	tracer_release(&consumption->tracer);
	if (result) {
		record->type = object_type_name(context->arena, result);
		record->same_object = answer_of(result == object);
	}
	consumption->tracer.is_held = false;
	if (!consumption->tracer.is_over_released)
		Py_DecRef(object); /* as the consumer's caller may */
	if (result && record->same_object == ANSWER_NO)
		examine(consumption, result);
	else
		take_changes(consumption);
	release(consumption, result, place == GUARD_BEHIND);
	if (consumption->row->expectation == EXPECT_ELEMENTS)
		record->calls = consumption->tracer.calls; /* a result may read the tensor later */
	/* Reading a result that differs may access other memory than the tensor's. */
	if (!differs(record))
		take_outside(consumption);
}

/* One run. -1: the tensor could not be made. */
static int run_placed(struct consumption *consumption, enum guarded_place place, struct err *err)
{
	struct tracer *tracer = &consumption->tracer;
	PyObject *object;

	describe_case(consumption);
	worker_step("the memory of the tensor");
	if (tracer_open(tracer, consumption->context->arena, consumption->row,
		    consumption->interface, place, err)) {
		worker_step_done();
		return -1;
	}
	worker_step_done();
	object = tracer_object(tracer);
	if (object)
		pass_tracer(consumption, object, place);
	PyErr_Clear();
	tracer_close(tracer);
	return object ? 0 : err_set(err, EXIT_BUG, "out of memory");
}

/* Adds to the record of the first run what only the second one saw. */
static void merge_second(struct fact_consumption *first, const struct fact_consumption *second)
{
	if (!first->outside.known) {
		first->outside = second->outside;
		first->outside_write = second->outside_write;
	}
	if (fact_int_or(second->changed_bytes, 0) > fact_int_or(first->changed_bytes, 0))
		first->changed_bytes = second->changed_bytes;
	if (!differs(first) && differs(second)) {
		first->readings = second->readings;
		first->read_as = second->read_as;
	}
	/* Elements outside the pages of the first run may be inside those of the second. */
	if (differs(first) && differs(second) && !first->read_as)
		first->read_as = second->read_as;
}

/* Whether the consumer ignores strides that are not negative. */
static bool ignores_positive_strides(struct consumption *consumption)
{
	const struct consumer_case *row = consumption->row;
	struct fact_consumption *record = consumption->record, other = { .present = true };
	struct err ignored;
	bool ignores = false;

	consumption->row = consumer_case_find_for(
		consumption->context->arena, "every-second", consumption->interface);
	consumption->record = &other;
	if (consumption->row && !run_placed(consumption, GUARD_BEHIND, &ignored))
		ignores = differs(&other);
	consumption->row = row;
	consumption->record = record;
	return ignores;
}

/* The elements of a reversed tensor show either that all strides are ignored or only their sign. */
static void distinguish_signs_from_strides(struct consumption *consumption)
{
	struct fact_consumption *record = consumption->record;
	int ignored = ignored_parts_from_name(record->read_as);

	if (!(ignored & IGNORED_STRIDE_SIGNS) || !ignores_positive_strides(consumption))
		return;
	record->read_as = ignored_parts_name((ignored & ~IGNORED_STRIDE_SIGNS) | IGNORED_STRIDES);
}

static void run_case(struct consumption *consumption)
{
	struct fact_consumption first;
	struct err err;

	if (run_placed(consumption, GUARD_BEHIND, &err)) {
		consumption->record->outcome = TRIAL_UNAVAILABLE;
		consumption->record->error = (struct fact_error){ .present = true,
			.message = arena_printf(consumption->context->arena, "%s", err.message) };
		return;
	}
	first = *consumption->record;
	/* Memory of a device has no guard pages, so a second run would detect nothing more. */
	if (consumption->tracer.session)
		return;
	if (!run_placed(consumption, GUARD_BEFORE, &err))
		merge_second(&first, consumption->record);
	*consumption->record = first;
	distinguish_signs_from_strides(consumption);
}

/* The function of the user's file that the consumer, without "(_)", names. NULL with an exception:
 * an undefined name raises what a missing attribute of the file's module raises. */
static PyObject *find_file_function(struct arena *arena, const char *expression, PyObject *names)
{
	static const char call[] = "(_)";
	size_t n_chars = strlen(expression);
	PyObject *function, *name;

	if (n_chars <= strlen(call) || strcmp(expression + n_chars - strlen(call), call) != 0)
		return NULL;
	expression = arena_copy(arena, expression, n_chars - strlen(call));
	function = expression_evaluate(names, expression, "<consumer>");
	if (function)
		shared_source = definitions_find(names, expression);
	name = function ? NULL : expression_undefined_name();
	if (name) {
		PyErr_Clear();
		consumer_raise_no_attribute(names, name);
	}
	Py_DecRef(name);
	return function;
}

/*
 * Imports what a function of the user's file imports when it is called: each case runs in a fork,
 * which would import it again. A module that cannot be imported raises in the cases, and one that
 * ends the process ends that of each case: a step of its own, which the next worker skips.
 */
static void import_modules_of_call(struct arena *arena, PyObject *function, PyObject *names)
{
	static const char modules_of[] =
		"[each.argval for each in __import__('dis').get_instructions(_)"
		" if each.opname == 'IMPORT_NAME' and each.argval]";
	PyObject *scope = function ? PyDict_Copy(names) : NULL, *modules = NULL;

	if (scope && !PyDict_SetItemString(scope, "_", function))
		modules = expression_evaluate(scope, modules_of, "<imports>");
	for (Py_ssize_t i = 0; modules && i < PyList_Size(modules); i++) {
		PyObject *module = PyList_GetItem(modules, i);
		const char *name = fact_text(arena, object_to_value(arena, module));

		PyErr_Clear();
		if (!worker_step(arena_printf(arena, "import %s", name)))
			continue;
		Py_DecRef(PyImport_Import(module));
		worker_step_done();
	}
	PyErr_Clear();
	Py_DecRef(modules);
	Py_DecRef(scope);
}

/* The status of a consumer that cannot be called: STATUS_MISSING or STATUS_RAISED with the
 * exception. */
static int report_missing(struct arena *arena, struct fact_module_result *result)
{
	result->status = PyErr_ExceptionMatches(PyExc_AttributeError) ||
					 PyErr_ExceptionMatches(PyExc_ModuleNotFoundError)
				 ? STATUS_MISSING
				 : STATUS_RAISED;
	result->step = "evaluate";
	result->error = object_take_error(arena);
	return -1;
}

int consume_prepare(struct arena *arena, const struct job *job, PyObject *names,
	struct fact_module_result *result)
{
	PyObject *function = NULL;
	struct err err = { 0 };

	if (consumer_compile(arena, &job->consumer, "--consumer", &shared_consumer, &err)) {
		result->status = STATUS_MISSING;
		result->step = "evaluate";
		result->error = (struct fact_error){ .present = true,
			.message = arena_printf(arena, "%s", err.message) };
		return -1;
	}
	if (job->module.kind == JOB_MODULE_FILE) {
		function = find_file_function(arena, job->consumer.expression, names);
		if (!function && PyErr_ExceptionMatches(PyExc_AttributeError))
			return report_missing(arena, result);
		PyErr_Clear();
	}
	consumer_find(arena, &job->consumer, names, true, &shared_consumer);
	if (consumer_is_missing(&shared_consumer)) {
		Py_DecRef(function);
		consumer_call(&shared_consumer, names, Py_None);
		return report_missing(arena, result);
	}
	import_modules_of_call(arena, function, names);
	Py_DecRef(function);
	return 0;
}

void consume_case(struct capture_context *context)
{
	struct fact_target *target = context->target;
	const struct job_trial *trial = &context->job->module.trials[target->index.value];
	struct consumption consumption = { .context = context,
		.interface = tensor_interface_named(trial->protocol),
		.record = &target->consumption };

	target->interfaces.known = true;
	target->source = shared_source;
	if (consumption.interface)
		consumption.row =
			consumer_case_find_for(context->arena, trial->name, consumption.interface);
	if (!consumption.row) {
		target->status = STATUS_UNAVAILABLE;
		target->step = "evaluate";
		target->error = (struct fact_error){ .present = true, .message = "no such case" };
		return;
	}
	if (!worker_step("evaluate")) {
		describe_case(&consumption);
		consumption.record->outcome = TRIAL_SKIPPED;
		consumption.record->error = (struct fact_error){ .present = true,
			.message = "the consumer did not return in other cases" };
		return;
	}
	worker_step_done();
	run_case(&consumption);
}
