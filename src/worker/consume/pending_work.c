// SPDX-License-Identifier: MIT
#include "worker/consume/pending_work.h"

#include "base/memory.h"
#include "devices/gate.h"
#include "devices/runtimes.h"
#include "worker/memory/device_session.h"

#include <stdlib.h>
#include <string.h>

/* Each byte differs, and bools stay 0 or 1. */
enum { CHANGED_BITS = 1 };

static bool has_gates(const struct capture *capture)
{
	const char *name = capture->protocol->runtime;
	const struct device_runtime *runtime = name ? device_runtime_find(name) : NULL;

	return capture->open_session && runtime && runtime->gate_shut;
}

static struct device_session *open_queue(struct capture_context *context,
	const struct capture *capture, PyObject *object, struct err *err)
{
	const struct fact_interface *interface = capture->read(context, object);
	struct device_session *session = NULL;

	if (interface && interface->status == INTERFACE_OK)
		session = capture->open_session(context, interface, err);
	else
		err_set(err, EXIT_UNAVAILABLE, "%s cannot be read", capture->protocol->attribute);
	Py_DecRef(context->syclobj_handle);
	context->syclobj_handle = NULL;
	PyErr_Clear();
	return session;
}

static struct device_session *open_writer(
	struct device_session *session, bool *waited, struct err *err)
{
	struct device_stream ignored;

	if (session->runtime->wait(session, waited, err) || !*waited)
		return NULL;
	return session->runtime->open_stream(session, -1, NULL, &ignored, err);
}

int pending_work_open(struct capture_context *context, PyObject *object, struct pending_work *work,
	struct err *err)
{
	bool waited = false;

	*work = (struct pending_work){ 0 };
	err_set(err, EXIT_UNAVAILABLE, "the object declares no queue");
	for (const struct capture *const *capture = captures; *capture && !work->session; capture++)
		if (has_gates(*capture) && capture_exposes(*capture, context, object))
			work->session = open_queue(context, *capture, object, err);
	if (!work->session)
		return -1;
	WITHOUT_GIL(work->writer = open_writer(work->session, &waited, err));
	if (work->writer)
		return 0;
	if (!waited)
		err_set(err, EXIT_UNAVAILABLE, "the object declares no queue");
	pending_work_close(work);
	return -1;
}

int pending_work_wait(const struct pending_work *work, struct err *err)
{
	bool waited;
	int failed;

	WITHOUT_GIL(failed = work->session->runtime->wait(work->session, &waited, err));
	return failed;
}

static int write_bytes(const struct pending_work *work, struct err *err)
{
	const struct device_pointer to = { .address = work->low };

	return work->writer->runtime->write(work->writer, to, work->bytes, work->n_bytes, err);
}

static void change_bytes(struct pending_work *work)
{
	for (size_t i = 0; i < work->n_bytes; i++)
		work->bytes[i] ^= CHANGED_BITS;
}

/* Called before the gate opens. The host writes the memory itself if it can: a device with few
 * threads may run no command of another queue while the gate occupies one. */
static void complete_work(void *opaque)
{
	const struct pending_work *work = opaque;
	struct err ignored;

	if (work->host_reaches)
		memcpy((void *)(uintptr_t)work->low, work->bytes, work->n_bytes);
	else
		(void)write_bytes(work, &ignored);
}

static int replace_elements(struct pending_work *work, struct err *err)
{
	const struct device_pointer from = { .address = work->low };
	const struct device_runtime *runtime = work->writer->runtime;
	int failed;

	if (runtime->read(work->writer, work->bytes, from, work->n_bytes, err))
		return -1;
	change_bytes(work);
	failed = write_bytes(work, err);
	change_bytes(work);
	return failed;
}

/* NULL with err set. */
static struct gate *shut_gate(struct pending_work *work, struct err *err)
{
	const struct device_pointer pointer = { .address = work->low };
	const struct device_runtime *runtime = work->session->runtime;
	struct gate *gate;

	work->host_reaches = session_host_reaches(work->writer, pointer, (int64_t)work->n_bytes);
	gate = replace_elements(work, err) ? NULL : runtime->gate_shut(work->session, err);
	if (!gate || !runtime->write_behind ||
		!runtime->write_behind(
			work->session, gate, work->low, work->bytes, work->n_bytes, err))
		return gate;
	runtime->gate_end(work->session, gate);
	return NULL;
}

int pending_work_begin(struct pending_work *work, uint64_t low, uint64_t high, struct err *err)
{
	work->low = low;
	work->n_bytes = (size_t)(high - low);
	work->bytes = mem_alloc(work->n_bytes + 1);
	WITHOUT_GIL(work->gate = shut_gate(work, err));
	if (!work->gate)
		return -1;
	if (!work->session->runtime->write_behind) {
		work->gate->complete = complete_work;
		work->gate->context = work;
	}
	if (!gate_watch(work->gate, GATE_HOLD_FIRST_MS))
		return 0;
	pending_work_end(work);
	return err_set(err, EXIT_UNAVAILABLE, "cannot create a thread");
}

bool pending_work_is_pending(const struct pending_work *work)
{
	return work->gate && !__atomic_load_n(work->gate->flag, __ATOMIC_SEQ_CST);
}

bool pending_work_end(struct pending_work *work)
{
	bool was_opened;

	if (!work->gate)
		return false;
	was_opened = gate_unwatch(work->gate);
	WITHOUT_GIL(work->session->runtime->gate_end(work->session, work->gate));
	work->gate = NULL;
	return !was_opened;
}

void pending_work_close(struct pending_work *work)
{
	pending_work_end(work);
	if (work->writer)
		WITHOUT_GIL(work->writer->runtime->close(work->writer));
	if (work->session)
		WITHOUT_GIL(work->session->runtime->close(work->session));
	free(work->bytes);
	*work = (struct pending_work){ 0 };
}
