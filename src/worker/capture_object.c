// SPDX-License-Identifier: MIT
#include "worker/capture_object.h"

#include "base/clock.h"
#include "facts/capture_stream.h"
#include "worker/capture/capture.h"
#include "worker/worker.h"

/* The name of the object in suggestions. */
#define OBJECT_NAME "object"

/* Completes the job that the options describe. */
static void complete_job(struct arena *arena, const char *name, struct job *job)
{
	struct value *all = value_list(arena);

	for (size_t i = 0; captures[i]; i++)
		value_append(arena, all, value_text(arena, captures[i]->protocol->name));
	if (!job->protocols)
		job->protocols = all;
	if (!job->facts)
		job->facts = FACT_DICT | FACT_STRUCT | FACT_MEMORY;
	job->module = (struct job_module){ .kind = JOB_MODULE_CODE, .label = name };
	job_words_add(arena, &job->module.expressions, name);
}

static struct fact_target capture_new_target(
	const struct job *job, const struct job_capture *options)
{
	struct fact_target target = { .present = true,
		.module = fact_int(0),
		.index = fact_int(0),
		.target = job->module.label,
		.status = STATUS_OK,
		.ignores.known = true };

	if (options->file)
		target.source = (struct fact_source){ .present = true, .file = options->file };
	if (options->file && options->line > 0)
		target.source.line = fact_int(options->line);
	return target;
}

static PyObject *names_of_object(PyObject *object)
{
	PyObject *names = PyDict_New();

	if (names && PyDict_SetItemString(names, OBJECT_NAME, object)) {
		Py_DecRef(names);
		names = NULL;
	}
	return names;
}

/* In this process. -1 with an exception pending. */
static int capture_here(struct arena *arena, const struct job *job,
	const struct job_capture *options, PyObject *object, struct text *out)
{
	struct message message = { .kind = MESSAGE_TARGET };
	PyObject *names = names_of_object(object);
	int64_t since_ms = clock_ms();

	if (!names)
		return -1;
	message.target = capture_new_target(job, options);
	worker_capture(arena, job, names, OBJECT_NAME, object, &message.target);
	message.target.spent_ms = fact_int(clock_ms() - since_ms);
	capture_stream_add(out, &message);
	Py_DecRef(names);
	return 0;
}

PyObject *capture_object(PyObject *object, PyObject *options)
{
	struct arena arena = { 0 };
	const struct value *value = object_to_value(&arena, options);
	const struct job_capture capture = job_capture_from_value(value);
	struct job job = job_from_value(&arena, value);
	struct message hello = { .kind = MESSAGE_HELLO, .hello = worker_hello(&arena, "process") };
	struct text out = { 0 };
	PyObject *bytes = NULL;

	complete_job(&arena, capture.name ? capture.name : OBJECT_NAME, &job);
	capture_stream_begin(&out);
	capture_stream_add(&out, &hello);
	if (!capture_here(&arena, &job, &capture, object, &out)) {
		capture_stream_add(&out, &(struct message){ .kind = MESSAGE_DONE });
		bytes = PyBytes_FromStringAndSize(out.bytes, (Py_ssize_t)out.n_bytes);
	}
	text_free(&out);
	arena_free(&arena);
	return bytes;
}

PyObject *capture_read_hellos(PyObject *bytes)
{
	struct capture_stream stream = { 0 };
	struct arena arena = { 0 };
	struct value *hellos = value_list(&arena);
	struct message message;
	PyObject *list = NULL;
	struct err err;
	char *start;
	Py_ssize_t n_bytes;
	int status;

	if (PyBytes_AsStringAndSize(bytes, &start, &n_bytes))
		return NULL;
	stream.bytes = (const unsigned char *)start;
	stream.n_bytes = (size_t)n_bytes;
	while ((status = capture_stream_next(&stream, &arena, &message, &err)) > 0)
		if (message.kind == MESSAGE_HELLO)
			value_append(&arena, hellos,
				fact_write(&fact_hello_record, &arena, &message.hello, FACT_WIRE,
					NULL));
	if (status)
		PyErr_SetString(PyExc_ValueError, err.message);
	else
		list = object_from_value(hellos);
	arena_free(&arena);
	return list;
}
