// SPDX-License-Identifier: MIT
#include "worker/memory/device_session.h"
#include "worker/memory/devices.h"
#include "worker/memory/memory_owner.h"
#include "worker/python/import.h"
#include "worker/python/object.h"

#include "base/memory.h"
#include "base/plural.h"
#include "facts/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct device_session *session_open(
	const char *name, const struct job_device *device, struct err *err)
{
	const struct device_runtime *runtime = device_runtime_find(name);
	struct device_session *session;

	if (!runtime) {
		err_set(err, EXIT_UNAVAILABLE, "this build does not support the %s runtime", name);
		return NULL;
	}
	if (worker_load_runtime(runtime, err))
		return NULL;
	WITHOUT_GIL(session = runtime->open(device, err));
	return session;
}

/* Gives the capsule of any object whose _get_capsule() returns a queue; otherwise NULL. */
static PyObject *queue_capsule_new(const struct device_package *package, PyObject *queue)
{
	PyObject *capsule = PyObject_CallMethod(queue, "_get_capsule", NULL);

	PyErr_Clear();
	if (capsule && PyCapsule_IsValid(capsule, package->queue_capsule))
		return capsule;
	Py_DecRef(capsule);
	return NULL;
}

/* Gives the session of a queue. Takes its capsule. */
static struct device_session *session_open_queue(const struct device_runtime *runtime,
	struct device_session *beside, PyObject *capsule, struct err *err)
{
	struct device_stream stream = { .queue = PyCapsule_GetPointer(
						capsule, runtime->package->queue_capsule) };
	struct device_stream opened;
	struct device_session *session;

	WITHOUT_GIL(session = runtime->open_stream(beside, -1, &stream, &opened, err));
	Py_DecRef(capsule);
	return session;
}

static struct device_session *open_queue_of_device(
	const struct device_runtime *runtime, int64_t device_id, PyObject **stream, struct err *err)
{
	const struct device_package *package = runtime->package;
	PyObject *module = import_for_suai(package->name), *capsule;
	struct device_session *session = NULL;
	char number[24];

	snprintf(number, sizeof(number), "%lld", (long long)device_id);
	*stream = module ? PyObject_CallMethod(module, package->queue_class, "s", number) : NULL;
	Py_DecRef(module);
	capsule = *stream ? queue_capsule_new(package, *stream) : NULL;
	if (capsule)
		session = session_open_queue(runtime, NULL, capsule, err);
	else
		err_set(err, EXIT_UNAVAILABLE,
			*stream ? "the queue that %s created on device %lld has no capsule"
				: "%s cannot create a queue on device %lld",
			package->name, (long long)device_id);
	PyErr_Clear();
	if (!session) {
		Py_DecRef(*stream);
		*stream = NULL;
	}
	return session;
}

struct device_session *session_open_device(const struct device_runtime *runtime,
	const struct device *device, PyObject **stream, struct err *err)
{
	struct device_session *session;
	struct device_stream opened;

	if (worker_load_runtime(runtime, err))
		return NULL;
	if (runtime->stream_form == STREAM_QUEUE)
		return open_queue_of_device(runtime, device->id, stream, err);
	WITHOUT_GIL(session = runtime->open_stream(NULL, device->id, NULL, &opened, err));
	if (session && runtime->stream_form == STREAM_NUMBER &&
		!(runtime->streamless_type && !strcmp(device->type, runtime->streamless_type))) {
		*stream = PyLong_FromUnsignedLongLong(opened.number);
		if (!*stream) {
			PyErr_Clear();
			WITHOUT_GIL(runtime->close(session));
			err_set(err, EXIT_BUG, "cannot allocate memory for the stream's number");
			session = NULL;
		}
	}
	return session;
}

struct device_session *session_open_handle(
	const struct device_runtime *runtime, uint64_t handle, struct err *err)
{
	const struct device_claim claim = { .device_id = -1, .handle = handle };
	struct device_session *session;

	if (worker_load_runtime(runtime, err))
		return NULL;
	WITHOUT_GIL(session = runtime->open_memory(&claim, err));
	return session;
}

struct device_session *session_open_stream(
	struct device_session *session, PyObject *stream, struct err *err)
{
	const struct device_runtime *runtime = session->runtime;
	struct device_stream named = { 0 }, opened;
	struct device_session *beside;

	if (stream && runtime->stream_form == STREAM_QUEUE) {
		PyObject *capsule = queue_capsule_new(runtime->package, stream);

		if (capsule)
			return session_open_queue(runtime, session, capsule, err);
		err_set(err, EXIT_TARGET,
			"--stream: expected 'new', or 'py:EXPR' that returns a %s.%s",
			runtime->package->name, runtime->package->queue_class);
		return NULL;
	}
	if (stream && runtime->stream_form == STREAM_NUMBER) {
		named.number = PyLong_Check(stream) ? PyLong_AsUnsignedLongLong(stream) : 0;
		if (PyErr_Occurred() || !named.number) {
			PyErr_Clear();
			err_set(err, EXIT_TARGET,
				"--stream: expected 1, 2 or the handle of a %s stream as an int",
				runtime->title);
			return NULL;
		}
	}
	WITHOUT_GIL(
		beside = runtime->open_stream(session, -1, stream ? &named : NULL, &opened, err));
	return beside;
}

int session_name_device(struct device_session *session, enum memory_kind kind,
	struct device *device, struct err *err)
{
	int rc;

	WITHOUT_GIL(rc = session->runtime->name_device(session, kind, device, err));
	return rc;
}

static int check_number(const struct device_runtime *runtime, PyObject *stream)
{
	int overflow;
	long long number;

	if (!PyLong_Check(stream)) {
		PyErr_Format(
			PyExc_TypeError, "on %s, stream must be None or an int", runtime->title);
		return -1;
	}
	number = PyLong_AsLongLongAndOverflow(stream, &overflow);
	if (!overflow && number != 0 && number >= -1)
		return 0;
	PyErr_Format(PyExc_ValueError, "on %s, stream must be None, -1, 1, 2 or a stream handle%s",
		runtime->title, !overflow && !number ? " (0 is ambiguous)" : "");
	return -1;
}

/* The array API standard does not define the type of a queue. */
static int check_queue(const struct device_runtime *runtime, PyObject *stream)
{
	PyObject *method;
	int there = object_attribute(stream, "_get_capsule", &method);

	Py_DecRef(method);
	if (there > 0)
		return 0;
	PyErr_Clear();
	PyErr_Format(PyExc_TypeError, "on %s, stream must be None or a %s.%s", runtime->title,
		runtime->package->name, runtime->package->queue_class);
	return -1;
}

int session_check_stream(const struct device_runtime *runtime, PyObject *stream)
{
	if (runtime->stream_form == STREAM_NUMBER)
		return check_number(runtime, stream);
	if (runtime->stream_form == STREAM_QUEUE)
		return check_queue(runtime, stream);
	PyErr_Format(PyExc_ValueError, "on %s, stream must be None", runtime->title);
	return -1;
}

static void device_session_close(void *handle)
{
	struct device_session *session = handle;

	WITHOUT_GIL(session->runtime->close(session));
}

PyObject *session_ref_new(struct device_session *session)
{
	PyObject *session_ref = memory_owner_new(session, device_session_close);

	if (!session_ref)
		device_session_close(session);
	return session_ref;
}

struct allocation {
	struct device_session *session;
	PyObject *session_ref;
	struct device_pointer pointer;
};

static void session_release_memory(void *handle)
{
	struct allocation *allocation = handle;

	WITHOUT_GIL(
		allocation->session->runtime->release(allocation->session, allocation->pointer));
	Py_DecRef(allocation->session_ref);
	free(allocation);
}

bool session_host_reaches(
	struct device_session *session, struct device_pointer pointer, int64_t n_bytes)
{
	struct memory memory;
	struct err ignored;
	int rc;

	if (pointer.handle)
		return false;
	memory = (struct memory){ .asked_low = pointer.address,
		.asked_high = pointer.address + (uint64_t)n_bytes };
	rc = session->runtime->locate(session, pointer.address, &memory, &ignored);
	return !rc && memory.host_accessible == ANSWER_YES;
}

int session_allocate(struct device_session *session, PyObject *session_ref, enum memory_kind kind,
	int64_t n_bytes, struct session_memory *memory, struct err *err)
{
	struct allocation *allocation;
	struct device_pointer pointer;
	bool host_reaches;
	int rc;

	n_bytes = n_bytes > 0 ? n_bytes : 1;
	WITHOUT_GIL(rc = session->runtime->allocate(session, kind, (size_t)n_bytes, &pointer, err));
	if (rc)
		return err_wrap(err, "cannot allocate %lld byte%s of %s memory", (long long)n_bytes,
			plural(n_bytes), memory_kind_name(kind));
	WITHOUT_GIL(host_reaches = session_host_reaches(session, pointer, n_bytes));
	allocation = mem_alloc(sizeof(*allocation));
	Py_IncRef(session_ref);
	*allocation = (struct allocation){ session, session_ref, pointer };
	*memory = (struct session_memory){ .owner = memory_owner_new(
						   allocation, session_release_memory),
		.location = { .session = session,
			.handle = pointer.handle,
			.host_reaches = host_reaches,
			.host_owns = host_reaches && kind != session->runtime->device_kind },
		.address = pointer.address };
	if (memory->owner)
		return 0;
	PyErr_Clear();
	session_release_memory(allocation);
	return err_set(err, EXIT_BUG, "cannot allocate memory for the owner of the result");
}
