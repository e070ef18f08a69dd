// SPDX-License-Identifier: MIT
/*
 * Finds the stream that an object's work is on: the one that --producer-stream names; the
 * framework's current one, by the C exchange API; the one that __cuda_array_interface__ names.
 */
#include "worker/trials/trial_cuda.h"

#include "protocols/description.h"
#include "protocols/protocol.h"
#include "worker/capture/dlpack_exchange.h"
#include "worker/capture/dlpack_read.h"
#include "worker/capture/keepalive.h"
#include "worker/python/expression.h"

#include <stdlib.h>

enum { LEGACY = 1, N_ROUNDS = 3, MOST_ROUNDS = 100000 };

int cuda_trial_rounds(void)
{
	const char *text = getenv("SUAI_LIVE_ROUNDS");
	long n = text ? strtol(text, NULL, 10) : N_ROUNDS;

	return n < 1 || n > MOST_ROUNDS ? N_ROUNDS : (int)n;
}

static bool take_handle(PyObject *number, uint64_t *stream)
{
	*stream = PyLong_Check(number) ? PyLong_AsUnsignedLongLong(number) : 0;
	if (PyErr_Occurred() || !PyLong_Check(number)) {
		PyErr_Clear();
		return false;
	}
	if (!*stream)
		*stream = LEGACY;
	return true;
}

/* --producer-stream. -1: the outcome of the trial is set; 0: none was given. */
static int evaluate_producer_stream(struct cuda_trial *cuda)
{
	const struct job_stream *option = &cuda->trial->context->job->producer_stream;
	PyObject *number;
	bool is_handle;

	if (option->kind != JOB_STREAM_PYTHON) {
		cuda->producer = (uint64_t)option->handle;
		return option->kind == JOB_STREAM_HANDLE;
	}
	number = expression_evaluate(
		cuda->trial->context->names, option->expression, "<--producer-stream>");
	if (!number) {
		trial_raised(cuda->trial);
		return -1;
	}
	is_handle = take_handle(number, &cuda->producer);
	Py_DecRef(number);
	if (!is_handle)
		trial_exclude(cuda->trial,
			"--producer-stream: expected the handle of a CUDA stream as an int of 0 or more");
	return is_handle ? 1 : -1;
}

bool cuda_trial_work_stream(struct cuda_trial *cuda, uint64_t *stream)
{
	PyObject *capsule;
	const void *address =
		dlpack_exchange_address(cuda->trial->context->arena, cuda->trial->object, &capsule);
	DLPackExchangeAPI table;
	void *told = NULL;
	bool tells = dlpack_exchange_table(address, &table) && table.current_work_stream &&
		     !table.current_work_stream(kDLCUDA, (int32_t)cuda->device, &told);

	Py_DecRef(capsule);
	PyErr_Clear();
	*stream = told ? (uint64_t)(uintptr_t)told : LEGACY;
	return tells;
}

/* The key stream of the object's own __cuda_array_interface__. */
static bool read_cuda_interface(struct cuda_trial *cuda)
{
	PyObject *dictionary = NULL, *stream = NULL;
	bool told = false;

	if (object_attribute(cuda->trial->object, cuda_protocol.attribute, &dictionary) > 0 &&
		PyDict_Check(dictionary))
		stream = PyDict_GetItemString(dictionary, "stream"); /* borrowed */
	if (stream && stream != Py_None)
		told = take_handle(stream, &cuda->producer);
	PyErr_Clear();
	Py_DecRef(dictionary);
	return told;
}

static bool find_producer(struct cuda_trial *cuda)
{
	struct fact_counts *counts = cuda->trial->counts;
	int told = evaluate_producer_stream(cuda);

	if (told < 0)
		return false;
	if (told)
		counts->told_by = STREAM_FROM_OPTION;
	else if (cuda_trial_work_stream(cuda, &cuda->producer))
		counts->told_by = STREAM_FROM_EXCHANGE;
	else if (read_cuda_interface(cuda))
		counts->told_by = STREAM_FROM_INTERFACE;
	else
		cuda->producer = 0;
	if (counts->told_by)
		counts->producer = fact_address(cuda->producer);
	return true;
}

bool cuda_trial_describe(struct cuda_trial *cuda)
{
	struct cuda_source source = { .device = -1 };
	struct device_session *session;
	struct array array;
	uint64_t high;
	struct err err;

	if (!cuda->interface || cuda->interface->status != INTERFACE_OK ||
		protocol_describe_strict(
			cuda->trial->context->arena, cuda->interface, &array, &err) ||
		array_extent(&array, &cuda->low, &high, &err) || high == cuda->low) {
		trial_skip(cuda->trial,
			"the interface cannot be read or decoded, or the array has no elements");
		return false;
	}
	cuda->n_bytes = (size_t)(high - cuda->low);
	source.address = cuda->address = array.pointer;
	WITHOUT_GIL(session = cuda_open(&source, &err));
	if (!session) {
		trial_skip(cuda->trial, err.message);
		return false;
	}
	cuda->device = cuda_session_device(session);
	WITHOUT_GIL(session->runtime->close(session));
	if (cuda->device < 0)
		trial_skip(cuda->trial, "the CUDA driver does not recognize the memory");
	return cuda->device >= 0;
}

bool cuda_trial_open(struct cuda_trial *cuda)
{
	struct err err;

	WITHOUT_GIL(cuda->proof = cuda_proof_open(
			    cuda->device, cuda->producer ? cuda->producer : LEGACY, &err));
	if (!cuda->proof)
		trial_skip(cuda->trial, err.message);
	return cuda->proof;
}

bool cuda_trial_begin(struct cuda_trial *cuda, struct trial *trial)
{
	*cuda = (struct cuda_trial){ .trial = trial, .takes_version = true };
	cuda->interface = trial_read_interface(trial);
	return cuda_trial_describe(cuda) && find_producer(cuda) && cuda_trial_open(cuda);
}

void cuda_trial_end(struct cuda_trial *cuda)
{
	WITHOUT_GIL(cuda_proof_close(cuda->proof));
	keepalive_release(cuda->trial->context);
}

static PyObject *make_keywords(const struct cuda_trial *cuda, PyObject *stream, bool copies)
{
	PyObject *keywords = PyDict_New();
	PyObject *version = Py_BuildValue("(ii)", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION);

	if (keywords && version && cuda->takes_version)
		PyDict_SetItemString(keywords, "max_version", version);
	if (keywords && stream)
		PyDict_SetItemString(keywords, "stream", stream);
	if (keywords && copies)
		PyDict_SetItemString(keywords, "copy", Py_True);
	Py_DecRef(version);
	return keywords;
}

PyObject *cuda_trial_export(struct cuda_trial *cuda, PyObject *stream, bool copies)
{
	PyObject *method = PyObject_GetAttrString(cuda->trial->object, "__dlpack__");
	PyObject *nothing = PyTuple_New(0), *keywords = make_keywords(cuda, stream, copies);
	PyObject *export = NULL;

	if (method && nothing && keywords)
		export = PyObject_Call(method, nothing, keywords);
	Py_DecRef(method);
	Py_DecRef(nothing);
	Py_DecRef(keywords);
	return export;
}

PyObject *cuda_trial_export_lenient(struct cuda_trial *cuda, PyObject *stream)
{
	PyObject *export = cuda_trial_export(cuda, stream, false);

	if (export || !cuda->takes_version || !PyErr_ExceptionMatches(PyExc_TypeError))
		return export;
	PyErr_Clear();
	cuda->takes_version = false;
	return cuda_trial_export(cuda, stream, false);
}

void cuda_trial_release(struct cuda_trial *cuda, PyObject *export)
{
	if (export)
		dlpack_consume(cuda->trial->context->arena, export);
	Py_DecRef(export);
	PyErr_Clear();
}

const char *cuda_trial_outcome(void)
{
	bool refused = PyErr_ExceptionMatches(PyExc_BufferError);

	PyErr_Clear();
	return refused ? "refused" : "raised";
}

void cuda_trial_count(struct cuda_trial *cuda, const struct value **questions, const char *question,
	const char *verdict)
{
	struct arena *arena = cuda->trial->context->arena;
	struct value *map = *questions ? (struct value *)*questions : value_map(arena);
	struct value *verdicts;

	*questions = map;
	verdicts = value_find(map, question);
	if (!verdicts)
		verdicts = value_set(arena, map, question, value_map(arena));
	value_set(arena, verdicts, verdict,
		value_int(arena, value_int_or(value_get(verdicts, verdict), 0) + 1));
}
