// SPDX-License-Identifier: MIT
/*
 * suai matrix and suai why: suai fills memory of its own, a producer makes an object of a NumPy
 * array of it, which may be a copy, and a consumer receives that object. Only an object that has
 * the elements is passed on: what a producer cannot make says nothing about the consumer.
 */
#include "worker/consume/pair.h"

#include "worker/consume/examine.h"
#include "worker/consume/tracer.h"
#include "worker/process/process.h"
#include "worker/python/consumer.h"
#include "worker/python/warnings.h"

#include <string.h>

/* An expression of the job, found once for consecutive cases. */
struct found_expression {
	const char *text; /* NULL: none */
	struct consumer consumer;
};

static struct found_expression producer, consumer;

struct pair {
	struct capture_context *context;
	struct consumer_case row; /* at the trial's alignment */
	struct tracer tracer;
	struct fact_consumption *record;
};

static void begin_pair_step(struct pair *pair, const char *step)
{
	struct message message = { .kind = MESSAGE_TRIAL,
		.trial = { .present = true, .step = step, .consumption = *pair->record } };

	message.trial.consumption.step = step;
	worker_step(step);
	worker_send(&message);
}

/* The value of the expression for object, which it names _; NULL with an exception. */
static PyObject *apply(struct capture_context *context, struct found_expression *found,
	const char *text, PyObject *object)
{
	const struct job_call call = { .expression = text, .spelled = text };
	struct err err = { 0 };
	bool was_left;
	PyObject *result;

	if (!found->text || strcmp(found->text, text) != 0) {
		consumer_drop(&found->consumer);
		found->text = NULL;
		if (consumer_compile(context->arena, &call, "expression", &found->consumer, &err)) {
			PyErr_SetString(PyExc_SyntaxError, err.message);
			return NULL;
		}
		consumer_find(context->arena, &call, context->names, false, &found->consumer);
		found->text = text; /* of the job */
	}
	was_left = directory_return(); /* it may name files */
	result = consumer_call(&found->consumer, context->names, object);
	if (was_left)
		directory_leave();
	return result;
}

static void describe_pair(struct pair *pair, const struct job_trial *trial)
{
	struct arena *arena = pair->context->arena;
	const struct array *layout = &pair->tracer.layout;

	*pair->record = (struct fact_consumption){ .present = true,
		.consumer = trial->consumer,
		.producer = trial->producer,
		.id = pair->row.id,
		.about = pair->row.about,
		.expected = "elements",
		.protocol = dlpack_protocol.name,
		.calls.known = true,
		.warnings.known = true,
		.readings.known = true,
		.dtype = arena_copy(arena, layout->dtype.name, strlen(layout->dtype.name)),
		.shape = fact_ints(arena, layout->shape, (size_t)layout->n_dims),
		.readonly = answer_of(layout->readonly == READONLY_YES) };
}

/* Why the object does not have the elements; NULL: it has. Sets where it has them. */
static const char *find_producer_fault(struct pair *pair, PyObject *object)
{
	struct fact_consumption made = { .present = true, .readings.known = true };
	struct arena *arena = pair->context->arena;
	struct tracer *tracer = &pair->tracer;

	examine_result(pair->context->job, tracer, object, &made);
	for (size_t i = 0; i < made.readings.n_items; i++)
		if (made.readings.items[i].equal == ANSWER_NO)
			return arena_printf(arena, "the producer's object differs: %s",
				fact_text_or(made.readings.items[i].difference, "?"));
	if (made.result_dtype && strcmp(made.result_dtype, pair->record->dtype) != 0)
		return arena_printf(arena, "the producer's object has elements of %s, not %s",
			made.result_dtype, pair->record->dtype);
	if (made.result_low.known) {
		tracer->low = made.result_low.value;
		tracer->high = made.result_high.value;
	}
	return NULL;
}

/* The object to pass on: a new reference, or NULL with producer_error set. */
static PyObject *produce(struct pair *pair, const struct job_trial *trial)
{
	struct capture_context *context = pair->context;
	struct fact_consumption *record = pair->record;
	PyObject *array, *object = NULL;
	const char *fault;

	begin_pair_step(pair, "the producer");
	array = tracer_numpy_array(&pair->tracer);
	if (array)
		object = apply(context, &producer, trial->producer, array);
	Py_DecRef(array);
	if (!object) {
		record->producer_error = object_take_error(context->arena);
		worker_step_done();
		return NULL;
	}
	fault = find_producer_fault(pair, object);
	worker_step_done();
	if (!fault)
		return object;
	Py_DecRef(object);
	record->producer_error = (struct fact_error){ .present = true, .message = fault };
	return NULL;
}

static void pass_to_consumer(struct pair *pair, const struct job_trial *trial, PyObject *object)
{
	struct capture_context *context = pair->context;
	struct fact_consumption *record = pair->record;
	struct caught_warnings caught;
	PyObject *result;

	begin_pair_step(pair, "the consumer");
	caught = warnings_catch();
	result = apply(context, &consumer, trial->consumer, object);
	record->outcome = result ? TRIAL_DONE : TRIAL_RAISED;
	if (!result) {
		record->exception = object_builtin_exception(context->arena);
		record->error = object_take_error(context->arena);
	}
	record->warnings = warnings_texts(context->arena, &caught);
	warnings_release(&caught);
	worker_step_done();
	if (!result)
		return;
	record->type = object_type_name(context->arena, result);
	record->same_object = answer_of(result == object);
	begin_pair_step(pair, "the result of the consumer");
	examine_result(context->job, &pair->tracer, result, record);
	begin_pair_step(pair, "the release of the result");
	Py_DecRef(result);
	PyErr_Clear();
	worker_step_done();
}

void pair_exchange(struct capture_context *context)
{
	struct fact_target *target = context->target;
	const struct job_trial *trial = &context->job->module.trials[target->index.value];
	const struct consumer_case *row = consumer_case_find(context->arena, trial->name);
	struct pair pair = { .context = context, .record = &target->consumption };
	PyObject *object;

	target->interfaces.known = true;
	if (row)
		pair.row = *row;
	pair.row.misalignment += (int)trial->offset_bytes;
	if (!row || !tracer_open(&pair.tracer, context->arena, &pair.row, GUARD_BEHIND)) {
		target->status = STATUS_UNAVAILABLE;
		target->step = "the producer";
		target->error = (struct fact_error){ .present = true,
			.message = row ? "out of memory" : "no such case" };
		return;
	}
	describe_pair(&pair, trial);
	object = produce(&pair, trial);
	if (object)
		pass_to_consumer(&pair, trial, object);
	else
		pair.record->outcome = TRIAL_UNAVAILABLE;
	Py_DecRef(object);
	PyErr_Clear();
	/* Objects that libraries cache may still use the memory, which stays mapped. */
}
