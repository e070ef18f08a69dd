// SPDX-License-Identifier: MIT
/*
 * SYCL's devices as sessions: by filter string, by position in dpctl.get_devices() (DLPack's
 * device_id of kDLOneAPI), by a dpctl.SyclQueue.
 */
#include "devices/sycl/sycl.h"
#include "devices/sycl/sycl_queue.h"
#include "worker/capture/sycl.h"
#include "worker/convert/device_session.h"

#include <stdio.h>

static struct device_session *open_filter(const char *text, struct err *err)
{
	struct sycl_source source = { .filter = text && *text ? text : NULL };
	struct device_session *session;

	if (sycl_runtime_load(err))
		return NULL;
	WITHOUT_GIL(session = sycl_open(&source, err));
	return session;
}

/* The session of whatever gives a capsule of a queue. */
static struct device_session *open_queue(PyObject *queue, struct err *err)
{
	PyObject *capsule = PyObject_CallMethod(queue, "_get_capsule", NULL);
	struct sycl_source source = { 0 };
	struct device_session *session = NULL;

	PyErr_Clear();
	if (capsule && PyCapsule_IsValid(capsule, QUEUE_CAPSULE))
		source.queue = PyCapsule_GetPointer(capsule, QUEUE_CAPSULE);
	if (source.queue)
		WITHOUT_GIL(session = sycl_open(&source, err));
	else
		err_set(err, EXIT_TARGET,
			"--stream: the stream is no dpctl.SyclQueue; write new, or py:EXPR of one");
	Py_DecRef(capsule);
	return session;
}

static struct device_session *open_device(
	const struct device *device, PyObject **stream, struct err *err)
{
	struct device_session *session = NULL;
	PyObject *module;
	char filter[24];

	if (sycl_runtime_load(err))
		return NULL;
	snprintf(filter, sizeof(filter), "%lld", (long long)device->id);
	module = import_for_suai("dpctl");
	*stream = module ? PyObject_CallMethod(module, "SyclQueue", "s", filter) : NULL;
	Py_DecRef(module);
	if (*stream)
		session = open_queue(*stream, err);
	else
		err_set(err, EXIT_UNAVAILABLE, "dpctl makes no queue on device %lld",
			(long long)device->id);
	PyErr_Clear();
	if (!session) {
		Py_DecRef(*stream);
		*stream = NULL;
	}
	return session;
}

static struct device_session *open_stream(
	struct device_session *session, PyObject *stream, struct err *err)
{
	struct device_session *beside;

	if (stream)
		return open_queue(stream, err);
	WITHOUT_GIL(beside = sycl_queue_beside(session, err));
	return beside;
}

static int name_device(struct device_session *session, enum memory_kind kind, struct device *device,
	struct err *err)
{
	struct sycl_facts facts;

	(void)kind;
	WITHOUT_GIL(sycl_describe(session, &facts));
	if (!facts.has_device || facts.root_device != ANSWER_YES)
		return err_set(err, EXIT_TARGET,
			"DLPack names whole oneAPI devices alone, and the memory's is a part of "
			"one");
	if (facts.default_context != ANSWER_YES)
		return err_set(err, EXIT_TARGET,
			"DLPack's consumers look for oneAPI memory in the platform's default "
			"context alone, and this is in another");
	*device = (struct device){ "oneapi", facts.device.position };
	return 0;
}

/* A queue; the standard leaves the type to the libraries, and dpctl asks for its own. */
static int check_stream(PyObject *stream)
{
	PyObject *method;
	int there = object_attribute(stream, "_get_capsule", &method);

	Py_DecRef(method);
	if (there > 0)
		return 0;
	PyErr_Clear();
	PyErr_SetString(PyExc_TypeError, "on oneAPI stream must be None or a dpctl.SyclQueue");
	return -1;
}

extern const struct session_opener sycl_session_opener;

const struct session_opener sycl_session_opener = {
	.runtime = "sycl",
	.devices = "oneapi",
	.open = open_filter,
	.open_device = open_device,
	.open_stream = open_stream,
	.name_device = name_device,
	.check_stream = check_stream,
};
