// SPDX-License-Identifier: MIT
/*
 * Order on CUDA (array API 2025.12, __dlpack__, stream; CUDA Array Interface 3, Synchronization): a
 * gate blocks the stream of the object's work while an interface is read; then the trial checks
 * whether the consumer's stream waits.
 */
#include "base/array_size.h"
#include "model/cuda_streams.h"
#include "worker/capture/dlpack_exchange.h"
#include "worker/trials/trial_cuda.h"

#include <string.h>
#include <time.h>

enum { N_CAPTURES = 3, CONTROL_MS = 20 };

/* One way to read an interface. */
struct question {
	const char *word;               /* docs/facts.md */
	PyObject *stream;               /* for __dlpack__; NULL: the attribute is read */
	uint64_t consumer;              /* 0: the interface orders nothing */
	const DLPackExchangeAPI *table; /* if not NULL, its functions are called instead */
};

/* What the table's functions returned, until release_answer(). */
static DLManagedTensorVersioned *managed;

/* Calls the functions that must not synchronize: None, or NULL with the exception pending. */
static PyObject *call_table(struct cuda_trial *cuda, const DLPackExchangeAPI *table)
{
	PyObject *object = cuda->trial->object;
	DLTensor tensor;
	void *stream;

	if (table->managed_tensor_from_py_object_no_sync(object, &managed) ||
		(table->dltensor_from_py_object_no_sync &&
			table->dltensor_from_py_object_no_sync(object, &tensor)) ||
		table->current_work_stream(kDLCUDA, (int32_t)cuda->device, &stream)) {
		if (!PyErr_Occurred())
			PyErr_SetString(PyExc_SystemError,
				"a function of the table failed without an exception");
		return NULL;
	}
	return Py_BuildValue("");
}

/* Asks without using the answer. *names is the stream in the attribute, 0: none. */
static PyObject *pose_question(
	struct cuda_trial *cuda, const struct question *question, uint64_t *names)
{
	PyObject *answer, *stream = NULL;

	*names = 0;
	if (question->table)
		return call_table(cuda, question->table);
	if (question->stream)
		return cuda_trial_export(cuda, question->stream, false);
	answer = PyObject_GetAttrString(cuda->trial->object, cuda_protocol.attribute);
	if (answer && PyDict_Check(answer))
		stream = PyDict_GetItemString(answer, "stream"); /* borrowed */
	if (stream && PyLong_Check(stream))
		*names = PyLong_AsUnsignedLongLong(stream);
	if (answer)
		PyErr_Clear();
	return answer;
}

static void release_answer(
	struct cuda_trial *cuda, const struct question *question, PyObject *answer)
{
	if (question->stream)
		cuda_trial_release(cuda, answer);
	else
		Py_DecRef(answer);
	if (managed && managed->deleter)
		managed->deleter(managed);
	managed = NULL;
	PyErr_Clear();
}

/* Words for the values of enum cuda_order. */
static const char *const order_words[] = { "unclear", "no order", "ordered" };

/* The verdict on the named stream, used as a consumer of the attribute uses it: its own stream
 * waits for that one. */
static const char *named_verdict(struct cuda_trial *cuda, uint64_t names)
{
	uint64_t consumer = cuda_proof_consumer(cuda->proof);
	enum cuda_order order = CUDA_ORDER_UNCLEAR;
	struct err ignored;

	if (!names)
		return "unnamed";
	WITHOUT_GIL(if (!cuda_proof_wait(cuda->proof, consumer, names, &ignored)) order =
			    cuda_proof_check(cuda->proof, consumer));
	return order_words[order];
}

/* The call returned while the gate was shut. */
static const char *order_verdict(
	struct cuda_trial *cuda, const struct question *question, uint64_t names)
{
	enum cuda_order order;
	bool joins;

	if (question->table || (question->stream && !question->consumer))
		return "returned";
	if (!question->stream)
		return named_verdict(cuda, names);
	WITHOUT_GIL(joins = cuda_proof_joins(cuda->proof, question->consumer));
	if (joins)
		return "same";
	WITHOUT_GIL(order = cuda_proof_check(cuda->proof, question->consumer));
	return order_words[order];
}

/* One round: the verdict, or NULL with err set if the gate could not be shut. */
static const char *try_once(
	struct cuda_trial *cuda, const struct question *question, int hold_ms, struct err *err)
{
	const char *verdict = "blocked";
	struct gate *gate;
	PyObject *answer;
	uint64_t names;
	int failed;

	WITHOUT_GIL(gate = cuda_proof_shut(cuda->proof, cuda->producer, err));
	if (!gate)
		return NULL;
	failed = gate_watch(gate, hold_ms);
	answer = failed ? NULL : pose_question(cuda, question, &names);
	if (failed)
		verdict = "unclear";
	else if (!gate_unwatch(gate))
		verdict = answer ? order_verdict(cuda, question, names) : cuda_trial_outcome();
	WITHOUT_GIL(failed = cuda_proof_end(cuda->proof, err));
	release_answer(cuda, question, answer);
	return failed ? NULL : verdict;
}

static int try_question(struct cuda_trial *cuda, const struct question *question, struct err *err)
{
	for (int i = cuda_trial_rounds(); i > 0; i--) {
		const char *verdict = try_once(cuda, question, GATE_HOLD_FIRST_MS, err);

		if (verdict && !strcmp(verdict, "blocked"))
			verdict = try_once(cuda, question, GATE_HOLD_AGAIN_MS, err);
		if (!verdict)
			return -1;
		cuda_trial_count(cuda, &cuda->trial->counts->order, question->word, verdict);
	}
	return 0;
}

/* Whether the object answers at all, before the gate is shut: loading and compiling must not count
 * as waiting. */
static bool answers(struct cuda_trial *cuda, const struct question *question)
{
	uint64_t names;
	PyObject *answer = question->stream ? cuda_trial_export_lenient(cuda, question->stream)
					    : pose_question(cuda, question, &names);

	if (!answer)
		cuda_trial_count(
			cuda, &cuda->trial->counts->order, question->word, cuda_trial_outcome());
	release_answer(cuda, question, answer);
	return answer;
}

/* Captures the stream during the question, or, with NULL, for CONTROL_MS. Gives the error that
 * ended the capture or the question, or NULL. False if no capture could begin. */
static bool capture_once(struct cuda_trial *cuda, uint64_t stream, const struct question *question,
	const char **error)
{
	const struct timespec control = { .tv_nsec = CONTROL_MS * 1000000L };
	struct arena *arena = cuda->trial->context->arena;
	PyObject *answer = NULL;
	uint64_t names;
	struct err err;
	int failed;

	*error = NULL;
	WITHOUT_GIL(failed = cuda_proof_capture(cuda->proof, stream, &err));
	if (failed)
		return false;
	if (!question)
		WITHOUT_GIL(nanosleep(&control, NULL));
	else if (!(answer = pose_question(cuda, question, &names)))
		*error = object_take_error(arena).message;
	WITHOUT_GIL(failed = cuda_proof_capture_end(cuda->proof, stream, &err));
	if (question)
		release_answer(cuda, question, answer);
	if (failed)
		*error = arena_printf(arena, "%s", err.message);
	return true;
}

/*
 * Asks while a stream is captured: the producer's if possible. In a process with other threads a
 * capture may break without the question, as if a framework's own thread polls work that is
 * pending. So the device is idle when this begins, the question is blamed if the capture breaks
 * each time with it and never without it, and nothing is reported if neither holds.
 */
static void try_capture(struct cuda_trial *cuda, const struct question *question)
{
	struct arena *arena = cuda->trial->context->arena;
	bool can_capture = cuda->producer > CUDA_STREAM_LEGACY;
	uint64_t stream = can_capture ? cuda->producer : cuda_proof_consumer(cuda->proof);
	const char *error = NULL, *of_control;
	struct err ignored;
	int failed;

	WITHOUT_GIL(failed = cuda_proof_rest(cuda->proof, &ignored));
	if (failed)
		return;
	for (int i = 0; i < N_CAPTURES; i++) {
		if (!capture_once(cuda, stream, question, &error))
			return;
		if (!error)
			break;
		if (!capture_once(cuda, stream, NULL, &of_control) || of_control)
			return;
	}
	if (!cuda->trial->counts->capture)
		cuda->trial->counts->capture = value_map(arena);
	value_set(arena, (struct value *)cuda->trial->counts->capture, question->word,
		error ? value_text_escaped(arena, error) : value_null(arena));
}

/* The capture comes first: what it breaks is reported, and the gate works afterwards all the same.
 */
static int ask_both(struct cuda_trial *cuda, const struct question *question, struct err *err)
{
	if (!answers(cuda, question))
		return 0;
	if (!question->stream || !question->consumer)
		try_capture(cuda, question);
	return cuda->producer ? try_question(cuda, question, err) : 0;
}

static int question_streams(struct cuda_trial *cuda, struct err *err)
{
	uint64_t consumer = cuda_proof_consumer(cuda->proof);
	struct question questions[] = {
		{ "new", PyLong_FromUnsignedLongLong(consumer), consumer, NULL },
		{ "None", Py_BuildValue(""), CUDA_STREAM_LEGACY, NULL },
		{ "1", PyLong_FromLong(1), CUDA_STREAM_LEGACY, NULL },
		{ "2", PyLong_FromLong(2), CUDA_STREAM_PER_THREAD, NULL },
		{ "-1", PyLong_FromLong(-1), 0, NULL },
	};
	int failed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		if (!failed && questions[i].stream)
			failed = ask_both(cuda, &questions[i], err);
		Py_DecRef(questions[i].stream);
	}
	return failed;
}

/* The C exchange API, if the object's type has it. */
static int question_exchange(struct cuda_trial *cuda, struct err *err)
{
	struct arena *arena = cuda->trial->context->arena;
	DLPackExchangeAPI table;
	const struct question question = { .word = "exchange", .table = &table };
	PyObject *capsule;
	const void *address = dlpack_exchange_address(arena, cuda->trial->object, &capsule);
	uint64_t stream;
	int failed = 0;

	if (dlpack_exchange_table(address, &table) && table.current_work_stream &&
		table.managed_tensor_from_py_object_no_sync) {
		if (cuda_trial_work_stream(cuda, &stream))
			cuda->trial->counts->exchange_stream = fact_address(stream);
		failed = ask_both(cuda, &question, err);
	}
	Py_DecRef(capsule);
	return failed;
}

void trial_order(struct trial *trial)
{
	bool is_attribute = trial->capture == &cuda_capture;
	struct cuda_trial cuda;
	struct err err;
	int failed;

	if (cuda_trial_begin(&cuda, trial)) {
		trial->counts->rounds = fact_int(cuda_trial_rounds());
		WITHOUT_GIL(failed = cuda_proof_make_gate(cuda.proof, &err));
		if (!failed)
			failed = is_attribute
					 ? ask_both(&cuda,
						   &(const struct question){ .word = "read" }, &err)
					 : question_streams(&cuda, &err) ||
						   question_exchange(&cuda, &err);
		if (failed)
			trial_skip(trial, err.message);
	}
	cuda_trial_end(&cuda);
}
