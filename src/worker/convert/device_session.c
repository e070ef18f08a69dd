// SPDX-License-Identifier: MIT
/* Opens the places that --device names, and keeps them and their memory as Python objects do. */
#include "worker/convert/device_session.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define OPENER_LIST(EACH) EACH(sycl) EACH(cuda) EACH(opencl)

#define DECLARE(NAME) extern const struct place_opener NAME##_place_opener;
OPENER_LIST(DECLARE)

#define ROW(NAME) &NAME##_place_opener,
static const struct place_opener *const openers[] = { OPENER_LIST(ROW) NULL };

const struct place_opener *place_opener_of(const char *runtime)
{
	for (size_t i = 0; openers[i]; i++)
		if (!strcmp(openers[i]->runtime, runtime))
			return openers[i];
	return NULL;
}

const struct place_opener *place_opener_of_device(const char *type)
{
	for (size_t i = 0; type && openers[i]; i++)
		if (text_lists_word(openers[i]->devices, type))
			return openers[i];
	return NULL;
}

struct device_place *place_open(
	const char *device, const struct place_opener **opener, struct err *err)
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

static void close_place(void *handle)
{
	struct device_place *place = handle;

	WITHOUT_GIL(place->runtime->close(place));
}

PyObject *place_hold(struct device_place *place)
{
	PyObject *hold = exported_hold(place, close_place);

	if (!hold)
		close_place(place);
	return hold;
}

struct allocation {
	struct device_place *place;
	PyObject *hold;
	struct device_pointer pointer;
};

static void release(void *handle)
{
	struct allocation *allocation = handle;

	WITHOUT_GIL(allocation->place->runtime->release(allocation->place, allocation->pointer));
	Py_DecRef(allocation->hold);
	free(allocation);
}

/* Whether the host may use it is for the runtime to say. */
static bool host_reaches(struct device_place *place, struct device_pointer pointer, int64_t n_bytes)
{
	struct memory memory;
	struct err ignored;
	int rc;

	if (pointer.handle)
		return false;
	memory_init(&memory, pointer.address, pointer.address + (uint64_t)n_bytes);
	rc = place->runtime->locate(place, pointer.address, &memory, &ignored);
	return !rc && memory.host_accessible == ANSWER_YES;
}

PyObject *place_allocate(struct device_place *place, PyObject *hold, enum memory_kind kind,
	int64_t n_bytes, struct site *site, uint64_t *address, struct err *err)
{
	struct allocation *allocation = mem_alloc(sizeof(*allocation));
	struct device_pointer pointer;
	PyObject *owner;
	int rc;

	n_bytes = n_bytes > 0 ? n_bytes : 1;
	WITHOUT_GIL(rc = place->runtime->allocate(place, kind, (size_t)n_bytes, &pointer, err));
	if (rc) {
		free(allocation);
		return NULL;
	}
	WITHOUT_GIL(site->host_reaches = host_reaches(place, pointer, n_bytes));
	site->host_owns = site->host_reaches && kind != place->runtime->device_kind;
	site->place = place;
	site->handle = pointer.handle;
	*address = pointer.address;
	Py_IncRef(hold);
	*allocation = (struct allocation){ place, hold, pointer };
	owner = exported_hold(allocation, release);
	if (!owner) {
		release(allocation);
		err_set(err, EXIT_TARGET, "no memory for the owner of the result");
	}
	return owner;
}
