// SPDX-License-Identifier: MIT
/*
 * DLPack as a source: the capsule is consumed as a consumer does, and its deleter called when the
 * last holder is gone. What lies on another device is asked of its producer as a copy on the CPU,
 * the one target that the standard makes every producer serve (array API 2023.12, dl_device).
 */
#include "worker/source.h"

#include "protocols/protocol.h"
#include "worker/dlpack.h"

#include <dlpack/dlpack.h>
#include <string.h>

static void release_legacy(void *handle)
{
	DLManagedTensor *managed = handle;

	if (managed->deleter)
		managed->deleter(managed);
}

static void release_versioned(void *handle)
{
	DLManagedTensorVersioned *managed = handle;

	if (managed->deleter)
		managed->deleter(managed);
}

/* Renames the capsule, whose own destructor then leaves the struct alone. */
static PyObject *consume(PyObject *capsule, enum dlpack_capsule kind)
{
	bool versioned = kind == DLPACK_VERSIONED;
	void (*release)(void *) = versioned ? release_versioned : release_legacy;
	void *managed =
		PyCapsule_GetPointer(capsule, versioned ? "dltensor_versioned" : "dltensor");
	PyObject *owner;

	if (!managed ||
		PyCapsule_SetName(capsule, versioned ? "used_dltensor_versioned" : "used_dltensor"))
		return NULL;
	owner = exported_hold(managed, release);
	if (!owner)
		release(managed);
	return owner;
}

static struct value *keywords(struct arena *arena, bool versioned, bool on_cpu)
{
	struct value *map = value_map(arena), *pair = value_tuple(arena);

	if (versioned) {
		value_append(arena, pair, value_int(arena, DLPACK_MAJOR_VERSION));
		value_append(arena, pair, value_int(arena, DLPACK_MINOR_VERSION));
		value_set(arena, map, "max_version", pair);
	}
	if (on_cpu) {
		pair = value_tuple(arena);
		value_append(arena, pair, value_int(arena, kDLCPU));
		value_append(arena, pair, value_int(arena, 0));
		value_set(arena, map, "dl_device", pair);
	}
	return map;
}

/* A producer from before 2023.12 knows no max_version: TypeError, and the call is made bare. */
static PyObject *call(
	struct capture_context *context, PyObject *object, bool on_cpu, struct value **record)
{
	PyObject *returned =
		dlpack_call(context, object, keywords(context->arena, true, on_cpu), NULL, record);

	if (returned || on_cpu || !value_is_text(value_at(*record, "error.type"), "TypeError"))
		return returned;
	return dlpack_call(context, object, keywords(context->arena, false, false), NULL, record);
}

static int describe(
	struct capture_context *context, PyObject *capsule, struct array *array, struct err *err)
{
	struct value *interface = interface_new(context->arena, "dlpack");
	struct value *declared = value_map(context->arena);

	value_set(context->arena, declared, "device", value_null(context->arena));
	dlpack_read(context->arena, declared, capsule);
	value_set(context->arena, interface, "declared", declared);
	if (!protocol_find("dlpack")->describe(interface, array, err))
		return 0;
	err->code = EXIT_TARGET;
	return -1;
}

static bool is_host_device(const char *type)
{
	return type && (!strcmp(type, "cpu") || !strcmp(type, "cuda_host") ||
			       !strcmp(type, "cuda_managed") || !strcmp(type, "rocm_host"));
}

/* One call, described and consumed where the host can read what it gave; *array tells in any case.
 */
static int take(struct capture_context *context, PyObject *object, bool on_cpu,
	struct source *source, struct err *err)
{
	struct array *array = &source->elements.array;
	struct value *record;
	PyObject *capsule = call(context, object, on_cpu, &record);
	enum dlpack_capsule kind;
	int rc = -1;

	if (!capsule && !record)
		return err_set(err, EXIT_TARGET, "calling __dlpack__ killed an earlier worker");
	if (!capsule)
		return err_set(err, EXIT_TARGET, "%s: %s: %s",
			value_text_or(value_get(record, "step"), "__dlpack__"),
			value_text_or(value_at(record, "error.type"), "exception"),
			value_text_or(value_at(record, "error.message"), ""));
	kind = dlpack_capsule_kind(context->arena, capsule);
	if (kind == DLPACK_NONE) {
		err_set(err, EXIT_TARGET, "__dlpack__ returned no capsule of DLPack");
	} else if (!describe(context, capsule, array, err)) {
		if (is_host_device(array->device.type))
			source->owner = consume(capsule, kind);
		if (source->owner)
			rc = 0;
		else
			err_set(err, EXIT_UNAVAILABLE, "this build has no driver for %s memory",
				array->device.type ? array->device.type : "such");
	}
	PyErr_Clear();
	Py_DecRef(capsule);
	return rc;
}

static int open_dlpack(
	struct capture_context *context, PyObject *object, struct source *source, struct err *err)
{
	struct device device;
	struct err first;

	if (!take(context, object, false, source, err))
		return 0;
	device = source->elements.array.device;
	if (err->code != EXIT_UNAVAILABLE || !device.type)
		return -1;
	first = *err;
	if (take(context, object, true, source, err)) {
		err_set(err, EXIT_UNAVAILABLE, "%s, and its producer gives no copy on the CPU",
			first.message);
		return -1;
	}
	source->producer_copied = arena_printf(context->arena,
		"the memory is on %s:%lld, and its producer copied it to the CPU", device.type,
		(long long)device.id);
	return 0;
}

const struct source_opener dlpack_opener = { .protocol = "dlpack", .open = open_dlpack };
