// SPDX-License-Identifier: MIT
/*
 * DLPack's capsules (dlpack.h 1.3): the struct as it is in memory, and the release of an export as
 * a consumer does it. The struct is read through the kernel, the deleter called on every path once.
 */
#include "worker/capture/dlpack_read.h"
#include "base/array_size.h"
#include "model/array.h"
#include "model/trials.h"
#include "os/maps.h"
#include "os/peek.h"
#include "worker/python/c_values.h"

#include <dlpack/dlpack.h>
#include <inttypes.h>
#include <string.h>

enum dlpack_capsule dlpack_capsule_kind(struct arena *arena, PyObject *object)
{
	const char *name = PyCapsule_CheckExact(object) ? capsule_name(arena, object) : NULL;

	if (name && !strcmp(name, "dltensor"))
		return DLPACK_LEGACY;
	return name && !strcmp(name, "dltensor_versioned") ? DLPACK_VERSIONED : DLPACK_NONE;
}

static int64_t read_integer_item(PyObject *pair, Py_ssize_t i)
{
	PyObject *item = pair ? PySequence_GetItem(pair, i) : NULL;
	int64_t number = item ? PyLong_AsLongLong(item) : -1;

	object_drop_error();
	Py_DecRef(item);
	return number;
}

struct dlpack_device dlpack_read_device(PyObject *object)
{
	PyObject *pair = PyObject_CallMethod(object, "__dlpack_device__", NULL);
	struct dlpack_device device;

	object_close_coroutine(pair);
	object_drop_error();
	device.type = read_integer_item(pair, 0);
	device.id = read_integer_item(pair, 1);
	Py_DecRef(pair);
	return device;
}

static void *capsule_pointer(PyObject *capsule)
{
	void *pointer = PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule));

	object_drop_error();
	return pointer;
}

/* --- more dimensions than ARRAY_MAX_DIMS --- */

enum { MAX_ENTRIES = 1 << 20, CHUNK_ENTRIES = 4096 };

/* How many of n_entries integers at address can be read: ndim may be any number up to 2^31-1, and
 * the pointer invalid. */
static int64_t count_readable(const void *address, int64_t n_entries)
{
	uint64_t low = (uint64_t)(uintptr_t)address, high, end = low;
	struct maps maps;
	struct err ignored;

	if (__builtin_add_overflow(low, (uint64_t)n_entries * sizeof(int64_t), &high))
		high = UINT64_MAX;
	if (maps_read_near(&maps, low, high, &ignored))
		return n_entries; /* without /proc each chunk is tried */
	for (size_t i = 0; i < maps.n_entries && end < high; i++)
		if (maps.entries[i].low <= end && end < maps.entries[i].high &&
			maps.entries[i].readable)
			end = maps.entries[i].high;
	maps_free(&maps);
	end = end < high ? end : high;
	return (int64_t)((end - low) / sizeof(int64_t));
}

/* Shape and strides of a tensor, read in pieces. */
struct long_layout {
	const DLTensor *tensor;
	int64_t shape[CHUNK_ENTRIES], strides[CHUNK_ENTRIES];
	int64_t n_read; /* entries that were read */
	struct value *dims, *kept_shape, *kept_strides;
	bool has_zero;
	int64_t negative, negative_extent; /* index and value of the first; -1: none */
};

/* False if one of the two cannot be read. */
static bool read_chunk(struct long_layout *layout, size_t n_entries)
{
	const DLTensor *tensor = layout->tensor;

	return peek_bytes(layout->shape, (uint64_t)(uintptr_t)(tensor->shape + layout->n_read),
		       n_entries * sizeof(int64_t)) &&
	       (!tensor->strides || peek_bytes(layout->strides,
					    (uint64_t)(uintptr_t)(tensor->strides + layout->n_read),
					    n_entries * sizeof(int64_t)));
}

/* Keeps the dimensions whose extent is not 1. 64 of these exceed any size, unless one extent is
 * 0. */
static void keep_dimensions(struct arena *arena, struct long_layout *layout, size_t n_entries)
{
	for (size_t i = 0; i < n_entries; i++) {
		int64_t extent = layout->shape[i];

		if (extent < 0 && layout->negative < 0) {
			layout->negative = layout->n_read + (int64_t)i;
			layout->negative_extent = extent;
		}
		layout->has_zero |= !extent;
		if (extent == 1 || layout->dims->n_items >= ARRAY_MAX_DIMS)
			continue;
		value_append(arena, layout->dims, value_int(arena, layout->n_read + (int64_t)i));
		value_append(arena, layout->kept_shape, value_int(arena, extent));
		value_append(arena, layout->kept_strides, value_int(arena, layout->strides[i]));
	}
}

static struct value *readable_to_value(struct arena *arena, const void *address, int64_t n_entries)
{
	return address ? value_int(arena, count_readable(address, n_entries)) : value_null(arena);
}

/* What rules need to know of shape and strides if there are more than ARRAY_MAX_DIMS dimensions,
 * computed in linear time from at most MAX_ENTRIES of them. */
static struct value *long_layout_to_value(struct arena *arena, const DLTensor *tensor)
{
	struct value *fact = value_map(arena);
	struct long_layout *layout = arena_alloc(arena, sizeof(*layout));
	int64_t n_entries = tensor->ndim < MAX_ENTRIES ? tensor->ndim : MAX_ENTRIES;
	int64_t readable;

	*layout = (struct long_layout){ .tensor = tensor,
		.dims = value_tuple(arena),
		.kept_shape = value_tuple(arena),
		.kept_strides = value_tuple(arena),
		.negative = -1 };
	value_set(arena, fact, "shape_readable",
		readable_to_value(arena, tensor->shape, tensor->ndim));
	value_set(arena, fact, "strides_readable",
		readable_to_value(arena, tensor->strides, tensor->ndim));
	readable = value_int_or(value_get(fact, "shape_readable"), 0);
	n_entries = readable < n_entries ? readable : n_entries;
	readable = value_int_or(value_get(fact, "strides_readable"), n_entries);
	n_entries = readable < n_entries ? readable : n_entries;
	while (layout->n_read < n_entries) {
		int64_t left = n_entries - layout->n_read;
		size_t n = left < CHUNK_ENTRIES ? (size_t)left : (size_t)CHUNK_ENTRIES;

		if (!read_chunk(layout, n))
			break;
		keep_dimensions(arena, layout, n);
		layout->n_read += (int64_t)n;
	}
	value_set(arena, fact, "read", value_int(arena, layout->n_read));
	value_set(arena, fact, "limit", value_int(arena, MAX_ENTRIES));
	value_set(arena, fact, "negative",
		layout->negative < 0 ? value_null(arena) : value_int(arena, layout->negative));
	value_set(arena, fact, "negative_extent",
		layout->negative < 0 ? value_null(arena)
				     : value_int(arena, layout->negative_extent));
	value_set(arena, fact, "has_zero", value_bool(arena, layout->has_zero));
	value_set(arena, fact, "dims", layout->dims);
	value_set(arena, fact, "shape", layout->kept_shape);
	value_set(
		arena, fact, "strides", tensor->strides ? layout->kept_strides : value_null(arena));
	return fact;
}

struct value *dlpack_tensor_to_value(struct arena *arena, const void *address)
{
	const DLTensor *tensor = address;
	struct value *fact = value_map(arena), *device = value_map(arena),
		     *dtype = value_map(arena);

	value_set(arena, device, "device_type", value_int(arena, (int)tensor->device.device_type));
	value_set(arena, device, "device_id", value_int(arena, tensor->device.device_id));
	value_set(arena, dtype, "code", value_int(arena, tensor->dtype.code));
	value_set(arena, dtype, "bits", value_int(arena, tensor->dtype.bits));
	value_set(arena, dtype, "lanes", value_int(arena, tensor->dtype.lanes));
	value_set(arena, fact, "data", c_pointer_to_value(arena, tensor->data));
	value_set(arena, fact, "device", device);
	value_set(arena, fact, "ndim", value_int(arena, tensor->ndim));
	value_set(arena, fact, "dtype", dtype);
	value_set(arena, fact, "shape", c_integers_to_value(arena, tensor->shape, tensor->ndim));
	value_set(
		arena, fact, "strides", c_integers_to_value(arena, tensor->strides, tensor->ndim));
	value_set(arena, fact, "byte_offset", value_uint(arena, tensor->byte_offset));
	if (tensor->ndim > ARRAY_MAX_DIMS)
		value_set(arena, fact, "long_layout", long_layout_to_value(arena, tensor));
	return fact;
}

/* The deleters of a library are in one mapping, which is kept. */
bool dlpack_can_delete(uint64_t deleter)
{
	static uint64_t low, high;
	const struct maps_entry *code;
	struct maps maps;
	struct err ignored;

	if (!deleter || (deleter >= low && deleter < high))
		return deleter;
	if (maps_read(&maps, &ignored))
		return true;
	code = maps_find_code(&maps, deleter);
	if (code) {
		low = code->low;
		high = code->high;
	}
	maps_free(&maps);
	return code;
}

static void set_managed(
	struct arena *arena, struct value *declared, void *context, uint64_t deleter)
{
	value_set(arena, declared, "manager_ctx", c_pointer_to_value(arena, context));
	value_set(arena, declared, "deleter",
		!deleter || dlpack_can_delete(deleter)
			? value_address(arena, deleter)
			: value_opaque(arena,
				  arena_printf(arena, "<memory at 0x%" PRIx64 " is not executable>",
					  deleter),
				  NULL));
}

/* Whether the struct of a legacy capsule is a versioned one: where a legacy one has lanes is half
 * of an address, which is 0. */
static bool is_misnamed_versioned(const void *pointer)
{
	DLManagedTensorVersioned seen;

	return peek_bytes(&seen, (uint64_t)(uintptr_t)pointer, sizeof(seen)) &&
	       !((uint64_t)(uintptr_t)seen.deleter >> 48) &&
	       seen.version.major == DLPACK_MAJOR_VERSION && seen.version.minor < 100 &&
	       seen.dl_tensor.dtype.lanes == 1;
}

/* Whether the struct of a versioned capsule is a legacy one: it has lanes there. */
static bool is_misnamed_legacy(const void *pointer)
{
	DLManagedTensor seen;

	return peek_bytes(&seen, (uint64_t)(uintptr_t)pointer, sizeof(seen)) &&
	       seen.dl_tensor.dtype.lanes == 1 && seen.dl_tensor.ndim >= 0 &&
	       seen.dl_tensor.ndim <= ARRAY_MAX_DIMS;
}

static void read_legacy(struct arena *arena, struct value *declared, const void *pointer)
{
	DLManagedTensor managed;

	if (!peek_bytes(&managed, (uint64_t)(uintptr_t)pointer, sizeof(managed))) {
		value_set(arena, declared, "dl_tensor", c_unreadable(arena, pointer));
		return;
	}
	if (is_misnamed_versioned(pointer)) {
		value_set(arena, declared, "dl_tensor",
			value_opaque(arena, DLPACK_VERSIONED_STRUCT, NULL));
		return;
	}
	set_managed(arena, declared, managed.manager_ctx, (uint64_t)(uintptr_t)managed.deleter);
	value_set(arena, declared, "dl_tensor", dlpack_tensor_to_value(arena, &managed.dl_tensor));
}

/* Reads a versioned tensor. The fields from `flags` on are known only in this header's major
 * version. */
static void read_versioned(struct arena *arena, struct value *declared, const void *pointer)
{
	DLManagedTensorVersioned managed;
	uint64_t address = (uint64_t)(uintptr_t)pointer;

	if (!peek_bytes(&managed, address, offsetof(DLManagedTensorVersioned, flags))) {
		value_set(arena, declared, "dl_tensor", c_unreadable(arena, pointer));
		return;
	}
	if (is_misnamed_legacy(pointer)) {
		value_set(arena, declared, "dl_tensor",
			value_opaque(arena, DLPACK_LEGACY_STRUCT, NULL));
		return;
	}
	value_set(arena, declared, "version",
		c_pair_to_value(arena, managed.version.major, managed.version.minor));
	set_managed(arena, declared, managed.manager_ctx, (uint64_t)(uintptr_t)managed.deleter);
	if (managed.version.major > DLPACK_MAJOR_VERSION)
		return;
	if (!peek_bytes(&managed, address, sizeof(managed))) {
		value_set(arena, declared, "dl_tensor", c_unreadable(arena, pointer));
		return;
	}
	value_set(arena, declared, "flags", value_uint(arena, managed.flags));
	value_set(arena, declared, "dl_tensor", dlpack_tensor_to_value(arena, &managed.dl_tensor));
}

static void set_nulls(struct arena *arena, struct value *declared)
{
	static const char *const keys[] = { "version", "flags", "manager_ctx", "deleter",
		"dl_tensor" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		value_set(arena, declared, keys[i], value_null(arena));
}

void dlpack_read_managed(struct arena *arena, struct value *declared, const void *managed)
{
	set_nulls(arena, declared);
	read_versioned(arena, declared, managed);
}

void dlpack_read(struct arena *arena, struct value *declared, PyObject *object)
{
	value_set(arena, declared, "capsule",
		object ? capsule_to_value(arena, object) : value_null(arena));
	set_nulls(arena, declared);
	switch (object ? dlpack_capsule_kind(arena, object) : DLPACK_NONE) {
	case DLPACK_LEGACY:
		read_legacy(arena, declared, capsule_pointer(object));
		break;
	case DLPACK_VERSIONED:
		read_versioned(arena, declared, capsule_pointer(object));
		break;
	case DLPACK_NONE:
		break;
	}
}

struct fact_address dlpack_pointer(const struct value *tensor)
{
	uint64_t address, byte_offset;

	if (!value_to_address(value_get(tensor, "data"), &address) ||
		!value_to_uint64(value_get(tensor, "byte_offset"), &byte_offset))
		return (struct fact_address){ .known = false };
	return fact_address(address + byte_offset);
}

const char *dlpack_newer_deleter(struct arena *arena, PyObject *capsule)
{
	DLManagedTensorVersioned seen;

	if (dlpack_capsule_kind(arena, capsule) != DLPACK_VERSIONED ||
		!peek_bytes(&seen, (uint64_t)(uintptr_t)capsule_pointer(capsule),
			offsetof(DLManagedTensorVersioned, flags)) ||
		seen.version.major <= DLPACK_MAJOR_VERSION ||
		is_misnamed_legacy(capsule_pointer(capsule)))
		return NULL;
	if (!seen.deleter)
		return "NULL";
	return dlpack_can_delete((uint64_t)(uintptr_t)seen.deleter) ? "code" : "data";
}

void *dlpack_managed(struct arena *arena, PyObject *capsule)
{
	return dlpack_capsule_kind(arena, capsule) == DLPACK_NONE ? NULL : capsule_pointer(capsule);
}

/* The deleter is read before the capsule is renamed; all major versions have it. */
void dlpack_consume(struct arena *arena, PyObject *capsule)
{
	enum dlpack_capsule kind = dlpack_capsule_kind(arena, capsule);
	void (*deleter)(void *) = NULL;
	void *tensor;
	bool is_versioned;
	size_t at;

	if (kind == DLPACK_NONE)
		return;
	tensor = capsule_pointer(capsule);
	is_versioned = kind == DLPACK_VERSIONED ? !is_misnamed_legacy(tensor)
						: is_misnamed_versioned(tensor);
	at = is_versioned ? offsetof(DLManagedTensorVersioned, deleter)
			  : offsetof(DLManagedTensor, deleter);
	peek_bytes(&deleter, (uint64_t)(uintptr_t)tensor + at, sizeof(deleter));
	PyCapsule_SetName(
		capsule, kind == DLPACK_VERSIONED ? "used_dltensor_versioned" : "used_dltensor");
	if (dlpack_can_delete((uint64_t)(uintptr_t)deleter))
		deleter(tensor);
}

/* --- a deleter that counts its calls (DLManagedTensorVersioned.deleter) --- */

static struct {
	void (*original)(void *tensor);
	int n_calls;
} counted;

static void count_call(void *tensor)
{
	if (!counted.n_calls++)
		counted.original(tensor);
}

void dlpack_count_deleter(void (**deleter)(void *tensor))
{
	counted.n_calls = 0;
	counted.original = *deleter;
	*deleter = count_call;
}

int dlpack_deleter_calls(void)
{
	return counted.n_calls;
}

void dlpack_delete_counted(void *tensor)
{
	if (!counted.n_calls)
		count_call(tensor);
}
