// SPDX-License-Identifier: MIT
#include "worker/memory/memory_owner.h"

#include "base/huge_pages.h"
#include "base/memory.h"
#include "base/plural.h"

#include <stdlib.h>

/* The contents of an object that memory_owner_new() creates. */
struct object_hold {
	void *handle;
	void (*release)(void *handle);
};

static void drop_hold(PyObject *capsule)
{
	PyObject *error_type, *error, *traceback;
	struct object_hold *hold;

	PyErr_Fetch(&error_type, &error, &traceback);
	hold = PyCapsule_GetPointer(capsule, "suai.holding");
	hold->release(hold->handle);
	free(hold);
	PyErr_Restore(error_type, error, traceback);
}

PyObject *memory_owner_new(void *handle, void (*release)(void *handle))
{
	struct object_hold *hold = mem_alloc(sizeof(*hold));
	PyObject *capsule;

	*hold = (struct object_hold){ handle, release };
	capsule = PyCapsule_New(hold, "suai.holding", drop_hold);
	if (!capsule)
		free(hold);
	return capsule;
}

PyObject *memory_owner_allocate(int64_t n_bytes, uint64_t *address)
{
	void *block = huge_pages_allocate((size_t)n_bytes);
	PyObject *owner;

	if (!block)
		return PyErr_Format(PyExc_MemoryError, "cannot allocate %lld byte%s",
			(long long)n_bytes, plural(n_bytes));
	*address = (uint64_t)(uintptr_t)block;
	owner = memory_owner_new(block, free);
	if (!owner)
		free(block);
	return owner;
}
