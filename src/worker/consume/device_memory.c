// SPDX-License-Identifier: MIT
#include "worker/consume/device_memory.h"

#include "worker/memory/device_session.h"
#include "worker/memory/devices.h"

enum { PAGE_BYTES = 4096 };

/* The session of the process: all tensors of a run have the same interface. */
static struct device_session *shared_session;
static PyObject *shared_session_ref;

static int open_shared_session(const struct tensor_interface *interface, struct err *err)
{
	struct device_session *session;

	if (shared_session)
		return 0;
	session = session_open(interface->protocol->runtime, NULL, err);
	if (!session)
		return -1;
	shared_session_ref = session_ref_new(session);
	if (!shared_session_ref) {
		PyErr_Clear();
		return err_set(err, EXIT_BUG, "cannot allocate memory for the session");
	}
	shared_session = session;
	return 0;
}

struct device_session *device_memory_map(const struct tensor_interface *interface,
	struct guarded *guarded, const struct guarded_request *request, struct err *err)
{
	/* Runtimes do not know the address behind the last byte. */
	size_t n_used = request->n_bytes > 0 ? request->n_bytes : 1;
	size_t n_pages =
		(request->n_bytes + request->alignment + request->misalignment + PAGE_BYTES - 1) /
		PAGE_BYTES;
	size_t n_page_bytes = n_pages * PAGE_BYTES;
	struct session_memory memory;

	*guarded = (struct guarded){ .n_bytes = request->n_bytes, .n_page_bytes = n_page_bytes };
	if (open_shared_session(interface, err) ||
		session_allocate(shared_session, shared_session_ref, interface->memory,
			(int64_t)n_page_bytes, &memory, err))
		return NULL;
	if (!memory.location.host_reaches) {
		Py_DecRef(memory.owner);
		err_set(err, EXIT_UNAVAILABLE, "the host cannot access %s memory",
			memory_kind_name(interface->memory));
		return NULL;
	}
	guarded->pages =
		(unsigned char *)(uintptr_t)memory.address; // NOLINT(performance-no-int-to-ptr)
	guarded->low = guarded_low(request, guarded->pages, n_page_bytes, n_used);
	return shared_session;
}

void device_memory_wait(const struct device_session *session, uint64_t address)
{
	const struct device_runtime *runtime = session->runtime;
	const struct device_claim claim = { .device_id = -1, .address = address };
	struct device_session *opened;
	struct err ignored;
	bool waited;

	WITHOUT_GIL(opened = runtime->open_memory(&claim, &ignored);
		    if (opened)(void) runtime->wait(opened, &waited, &ignored);
		    runtime->close(opened));
}

static bool can_read(struct device_session *session, uint64_t address)
{
	const struct device_pointer pointer = { .address = address };
	struct err ignored;
	bool waited;
	char byte;

	return !session->runtime->wait(session, &waited, &ignored) &&
	       !session->runtime->read(session, &byte, pointer, 1, &ignored);
}

/* The session of an array's memory, which may be unreadable; NULL: none. */
static struct device_session *open_array(const struct array *array)
{
	const struct device_runtime *runtime = device_runtime_of_type(array->device.type);
	const struct device_claim claim = { .device_id = array->device.id,
		.address = array->pointer };
	struct device_session *session;
	struct err ignored;

	if (!runtime || runtime->data_is_handle || !claim.address ||
		worker_load_runtime(runtime, &ignored))
		return NULL;
	WITHOUT_GIL(session = runtime->open_memory(&claim, &ignored));
	return session;
}

int64_t device_memory_id(const struct array *array)
{
	struct device_session *session = open_array(array);
	struct device device = { .id = -1 };
	struct err ignored;

	if (!session)
		return -1;
	if (session_name_device(session, MEMORY_DEVICE, &device, &ignored))
		device.id = -1;
	WITHOUT_GIL(session->runtime->close(session));
	return device.id;
}

struct device_session *device_memory_open(const struct array *array)
{
	struct device_session *session = open_array(array);
	bool readable;

	if (!session)
		return NULL;
	WITHOUT_GIL(readable = can_read(session, array->pointer);
		    if (!readable) session->runtime->close(session));
	return readable ? session : NULL;
}
