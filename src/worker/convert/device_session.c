// SPDX-License-Identifier: MIT
/* Opens the sessions that --device names, and keeps them and their memory as Python objects do. */
#include "worker/convert/device_session.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define OPENER_LIST(EACH) EACH(sycl) EACH(cuda) EACH(opencl)

#define DECLARE(NAME) extern const struct session_opener NAME##_session_opener;
OPENER_LIST(DECLARE)

#define ROW(NAME) &NAME##_session_opener,
static const struct session_opener *const openers[] = { OPENER_LIST(ROW) NULL };

const struct session_opener *session_opener_of(const char *runtime)
{
	for (size_t i = 0; openers[i]; i++)
		if (!strcmp(openers[i]->runtime, runtime))
			return openers[i];
	return NULL;
}

const struct session_opener *session_opener_of_device(const char *type)
{
	for (size_t i = 0; type && openers[i]; i++)
		if (text_lists_word(openers[i]->devices, type))
			return openers[i];
	return NULL;
}

struct device_session *session_open(
	const char *device, const struct session_opener **opener, struct err *err)
{
	const char *colon = strchr(device, ':');
	size_t n_chars = colon ? (size_t)(colon - device) : strlen(device);

	for (size_t i = 0; openers[i]; i++)
		if (strlen(openers[i]->runtime) == n_chars &&
			!strncmp(openers[i]->runtime, device, n_chars)) {
			*opener = openers[i];
			return openers[i]->open(colon ? colon + 1 : NULL, err);
		}
	err_set(err, EXIT_UNAVAILABLE, "this build has no %.*s runtime", (int)n_chars, device);
	return NULL;
}

static void close_session(void *handle)
{
	struct device_session *session = handle;

	WITHOUT_GIL(session->runtime->close(session));
}

PyObject *session_ref_new(struct device_session *session)
{
	PyObject *session_ref = exported_hold(session, close_session);

	if (!session_ref)
		close_session(session);
	return session_ref;
}

struct allocation {
	struct device_session *session;
	PyObject *session_ref;
	struct device_pointer pointer;
};

static void release(void *handle)
{
	struct allocation *allocation = handle;

	WITHOUT_GIL(
		allocation->session->runtime->release(allocation->session, allocation->pointer));
	Py_DecRef(allocation->session_ref);
	free(allocation);
}

/* Whether the host may use it is for the runtime to say. */
static bool host_reaches(
	struct device_session *session, struct device_pointer pointer, int64_t n_bytes)
{
	struct memory memory;
	struct err ignored;
	int rc;

	if (pointer.handle)
		return false;
	memory_init(&memory, pointer.address, pointer.address + (uint64_t)n_bytes);
	rc = session->runtime->locate(session, pointer.address, &memory, &ignored);
	return !rc && memory.host_accessible == ANSWER_YES;
}

PyObject *session_allocate(struct device_session *session, PyObject *session_ref,
	enum memory_kind kind, int64_t n_bytes, struct memory_location *location, uint64_t *address,
	struct err *err)
{
	struct allocation *allocation = mem_alloc(sizeof(*allocation));
	struct device_pointer pointer;
	PyObject *owner;
	int rc;

	n_bytes = n_bytes > 0 ? n_bytes : 1;
	WITHOUT_GIL(rc = session->runtime->allocate(session, kind, (size_t)n_bytes, &pointer, err));
	if (rc) {
		free(allocation);
		return NULL;
	}
	WITHOUT_GIL(location->host_reaches = host_reaches(session, pointer, n_bytes));
	location->host_owns = location->host_reaches && kind != session->runtime->device_kind;
	location->session = session;
	location->handle = pointer.handle;
	*address = pointer.address;
	Py_IncRef(session_ref);
	*allocation = (struct allocation){ session, session_ref, pointer };
	owner = exported_hold(allocation, release);
	if (!owner) {
		release(allocation);
		err_set(err, EXIT_TARGET, "no memory for the owner of the result");
	}
	return owner;
}
