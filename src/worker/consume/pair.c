// SPDX-License-Identifier: MIT
/*
 * suai matrix and suai why: suai fills memory of its own, a producer makes an object of a NumPy
 * array of it, which may be a copy, and a consumer receives that object. Only an object that has
 * the elements is passed on: what a producer cannot make says nothing about the consumer.
 */
#include "worker/consume/pair.h"

#include "worker/capture/dlpack_read.h"
#include "worker/consume/consume.h"
#include "worker/consume/examine.h"
#include "worker/consume/pending_work.h"
#include "worker/consume/tracer.h"
#include "worker/process/process.h"

#include <dlpack/dlpack.h>
#include <stdlib.h>
#include <string.h>

/*
 * Memory that the producer allocates has any alignment, on which it may depend whether the consumer
 * shares it. So objects are made until one begins at ALIGNMENT_OF_COPIES, or for memory of suai's
 * that is off it, MISALIGNMENT_OF_COPIES past it, which is what malloc() aligns to. Libraries whose
 * first objects are all aligned align each of them.
 */
enum {
	ALIGNMENT_OF_COPIES = 64,
	MISALIGNMENT_OF_COPIES = 16,
	MAX_COPIES = 64,
	MIN_COPIES = 8,
	FILLER_STEP_BYTES = 16,
	N_FILLER_SIZES = 5
};

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

/* Finds the expression of a library. If that raises an exception, calling it raises the same
 * one. */
static struct consumer *find_expression(
	struct capture_context *context, struct found_expression *found, const char *text)
{
	const struct job_call call = { .expression = text, .spelled = text };

	if (found->text && !strcmp(found->text, text))
		return &found->consumer;
	consumer_drop(&found->consumer);
	consumer_open(context->arena, &call, "expression", context->names, false, &found->consumer);
	found->text = text; /* of the job */
	return &found->consumer;
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
			return arena_printf(arena, PRODUCER_DIFFERS "%s",
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

/* A new object of the array: a new reference, or NULL with producer_error set. */
static PyObject *produce_once(struct pair *pair, const struct job_trial *trial, PyObject *array)
{
	struct capture_context *context = pair->context;
	struct fact_consumption *record = pair->record;
	const char *fault;
	PyObject *object = consumer_call(
		find_expression(context, &producer, trial->producer), context->names, array);

	if (!object) {
		record->producer_error = object_take_error(context->arena);
		return NULL;
	}
	fault = find_producer_fault(pair, object);
	if (!fault)
		return object;
	Py_DecRef(object);
	record->producer_error = (struct fact_error){ .present = true, .message = fault };
	return NULL;
}

/* An object that was made, and where it has its elements. */
struct copy {
	PyObject *object;
	uint64_t low, high;
	void *filler; /* between it and the next one, so that they differ in alignment */
};

/* The distance in bytes of the copy's address from the alignment that the trial requires. */
static uint64_t distance_of(const struct copy *copy, const struct job_trial *trial)
{
	uint64_t wanted = trial->offset_bytes ? MISALIGNMENT_OF_COPIES : 0;

	return (copy->low - wanted) % ALIGNMENT_OF_COPIES;
}

/* Whether all copies have the same, wrong alignment, so that another copy is unlikely to have the
 * right one. */
static bool copies_start_alike(const struct copy *copies, size_t n_copies)
{
	if (n_copies < MIN_COPIES)
		return false;
	for (size_t i = 0; i < n_copies; i++)
		if (copies[i].low % ALIGNMENT_OF_COPIES != copies[0].low % ALIGNMENT_OF_COPIES)
			return false;
	return true;
}

/* Makes copies until one begins where the trial's are to begin; returns their number, *best is the
 * index of the one that is nearest. 0: producer_error is set. */
static size_t make_copies(struct pair *pair, const struct job_trial *trial, PyObject *array,
	struct copy *copies, size_t *best)
{
	struct tracer *tracer = &pair->tracer;
	const uint64_t low = tracer->low, high = tracer->high;
	size_t n_copies = 0;

	*best = 0;
	while (n_copies < MAX_COPIES && !copies_start_alike(copies, n_copies)) {
		struct copy *copy = &copies[n_copies];

		tracer->low = low;
		tracer->high = high;
		*copy = (struct copy){ .object = produce_once(pair, trial, array) };
		if (!copy->object)
			break;
		copy->low = tracer->low;
		copy->high = tracer->high;
		n_copies++;
		if (distance_of(copy, trial) < distance_of(&copies[*best], trial))
			*best = n_copies - 1;
		if ((copy->low >= low && copy->low < high) || !distance_of(copy, trial))
			break;
		copy->filler = malloc(n_copies % N_FILLER_SIZES * FILLER_STEP_BYTES + 1);
	}
	return n_copies;
}

/* The object to pass on: a new reference, or NULL with producer_error set. */
static PyObject *produce(struct pair *pair, const struct job_trial *trial)
{
	struct copy copies[MAX_COPIES];
	PyObject *array, *object = NULL;
	size_t n_copies = 0, best = 0;

	consume_begin_step(pair->record, PASS_STEP_PRODUCE);
	array = tracer_numpy_array(&pair->tracer);
	if (array)
		n_copies = make_copies(pair, trial, array, copies, &best);
	else
		pair->record->producer_error = object_take_error(pair->context->arena);
	for (size_t i = 0; i < n_copies; i++) {
		free(copies[i].filler);
		if (i != best)
			Py_DecRef(copies[i].object);
	}
	if (n_copies) {
		pair->record->producer_error = (struct fact_error){ 0 };
		object = copies[best].object;
		pair->tracer.low = copies[best].low;
		pair->tracer.high = copies[best].high;
	}
	Py_DecRef(array);
	worker_step_done();
	return object;
}

/* --- passing --- */

/* The result of the consumer, a new reference; NULL: it raised. */
static PyObject *call_consumer(struct pair *pair, const struct job_trial *trial, PyObject *object,
	struct fact_consumption *record)
{
	struct capture_context *context = pair->context;
	PyObject *result;

	consume_begin_step(record, PASS_STEP_CALL);
	result = consume_call(
		context, find_expression(context, &consumer, trial->consumer), object, record);
	worker_step_done();
	if (result) {
		record->type = object_type_name(context->arena, result);
		record->same_object = answer_of(result == object);
	}
	return result;
}

static void examine_consumed(struct pair *pair, PyObject *result, struct fact_consumption *record)
{
	consume_begin_step(record, PASS_STEP_RESULT);
	examine_result(pair->context->job, &pair->tracer, result, record);
	worker_step_done();
}

static void release_result(PyObject *result, const struct fact_consumption *record)
{
	consume_begin_step(record, PASS_STEP_RELEASE);
	Py_DecRef(result);
	PyErr_Clear();
	worker_step_done();
}

static void pass_to_consumer(struct pair *pair, const struct job_trial *trial, PyObject *object,
	struct fact_consumption *record)
{
	PyObject *result = call_consumer(pair, trial, object, record);

	if (!result)
		return;
	examine_consumed(pair, result, record);
	release_result(result, record);
}

/* --- queues --- */

/* Whether the consumer returned another object, with the elements. */
static bool has_elements(const struct fact_consumption *record)
{
	bool has_equal = false;

	for (size_t i = 0; i < record->readings.n_items; i++) {
		if (record->readings.items[i].equal == ANSWER_NO)
			return false;
		has_equal |= record->readings.items[i].equal == ANSWER_YES;
	}
	return has_equal && record->outcome == TRIAL_DONE && record->same_object != ANSWER_YES;
}

/* Whether the object has the attribute. Looked up on the type first: the property of dpnp's arrays
 * waits for the queue. */
static bool declares_attribute(PyObject *object, const char *name)
{
	PyObject *type = PyObject_Type(object);
	bool has = type &&
		   (PyObject_HasAttrString(type, name) || PyObject_HasAttrString(object, name));

	Py_DecRef(type);
	return has;
}

/* Whether whoever reads it cannot wait for a queue, since it declares none: it is in host memory,
 * as far as it can be known. */
static bool is_host_object(PyObject *object)
{
	if (declares_attribute(object, sycl_protocol.attribute) ||
		declares_attribute(object, cuda_protocol.attribute))
		return false;
	if (declares_attribute(object, "__dlpack_device__"))
		return dlpack_read_device(object).type == kDLCPU;
	return PyObject_CheckBuffer(object) || declares_attribute(object, "__array_interface__");
}

/* Calls the consumer while the work is pending. A result on the host is examined at once; one on a
 * device after the work is complete, since its reader can wait for the queue. */
static void pass_pending(struct pair *pair, const struct job_trial *trial, PyObject *object,
	struct pending_work *work)
{
	struct fact_consumption *record = pair->record, early;
	PyObject *result = call_consumer(pair, trial, object, record);
	bool is_early;

	if (!result)
		return;
	early = *record;
	is_early = is_host_object(result) && pending_work_is_pending(work);
	if (is_early)
		examine_consumed(pair, result, &early);
	if (pending_work_end(work) && is_early)
		*record = early;
	else
		examine_consumed(pair, result, record);
	record->pending = ANSWER_YES;
	release_result(result, record);
}

static void refuse_queue(struct pair *pair, const struct err *err)
{
	pair->record->outcome = TRIAL_UNAVAILABLE;
	pair->record->producer_error = (struct fact_error){ .present = true,
		.message = arena_printf(pair->context->arena,
			"no work can be pending on the queue: %s", err->message) };
}

/* Calls the consumer first without pending work, which compiles what it needs: failures there do
 * not depend on the order. */
static void pass_unordered(struct pair *pair, const struct job_trial *trial, PyObject *object,
	struct pending_work *work)
{
	struct fact_consumption control = *pair->record;
	struct tracer *tracer = &pair->tracer;
	struct err err;

	pass_to_consumer(pair, trial, object, &control);
	if (!has_elements(&control) || tracer->low == tracer->high) {
		*pair->record = control;
		return;
	}
	if (pending_work_wait(work, &err) ||
		pending_work_begin(work, tracer->low, tracer->high, &err))
		refuse_queue(pair, &err);
	else
		pass_pending(pair, trial, object, work);
}

static void pass_with_queue(struct pair *pair, const struct job_trial *trial, PyObject *object)
{
	struct pending_work work;
	struct err err;
	bool is_pending = trial->queue == JOB_QUEUE_PENDING;

	consume_begin_step(pair->record, "the queue of the producer");
	if (pending_work_open(pair->context, object, &work, &err) && is_pending) {
		refuse_queue(pair, &err);
		worker_step_done();
		return;
	}
	worker_step_done();
	if (is_pending)
		pass_unordered(pair, trial, object, &work);
	else
		pass_to_consumer(pair, trial, object, pair->record);
	pending_work_close(&work);
}

void pair_exchange(struct capture_context *context)
{
	struct fact_target *target = context->target;
	const struct job_trial *trial = &context->job->module.trials[target->index.value];
	const struct consumer_case *row = consumer_case_find(context->arena, trial->name);
	struct pair pair = { .context = context, .record = &target->consumption };
	struct err err;
	PyObject *object;

	target->interfaces.known = true;
	if (row)
		pair.row = *row;
	pair.row.misalignment += (int)trial->offset_bytes;
	if (!row ||
		tracer_open(&pair.tracer, context->arena, &pair.row, NULL, GUARD_BEHIND, &err)) {
		target->status = STATUS_UNAVAILABLE;
		target->step = PASS_STEP_PRODUCE;
		target->error = (struct fact_error){ .present = true,
			.message = row ? "out of memory" : "no such case" };
		return;
	}
	describe_pair(&pair, trial);
	object = produce(&pair, trial);
	if (object && trial->queue != JOB_QUEUE_NONE)
		pass_with_queue(&pair, trial, object);
	else if (object)
		pass_to_consumer(&pair, trial, object, pair.record);
	else
		pair.record->outcome = TRIAL_UNAVAILABLE;
	Py_DecRef(object);
	PyErr_Clear();
	/* Objects that libraries cache may still use the memory, which stays mapped. */
}
