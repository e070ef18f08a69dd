// SPDX-License-Identifier: MIT
#include "trace/driver_copies.h"

#include "trace/memory.h"

#include <stdbool.h>

enum {
	/* CU_POINTER_ATTRIBUTE_ */
	ATTRIBUTE_MEMORY_TYPE = 2,
	ATTRIBUTE_IS_MANAGED = 8,
	ATTRIBUTE_DEVICE_ORDINAL = 9,
	MEMORY_OF_HOST = 1, /* CU_MEMORYTYPE_HOST */
	MEMORY_OF_DEVICE = 2,
	MEMORY_UNIFIED = 4,
	OPERAND_IS_ARRAY = 2, /* CU_MEMCPY_OPERAND_TYPE_ARRAY */
};

struct copy_driver trace_copy_driver;

/* CUDA_MEMCPY2D. */
struct plane_side {
	size_t x, y;
	int memory_type;
	const void *host;
	uintptr_t device;
	void *array;
	size_t pitch;
};

struct plane_copy {
	struct plane_side source, target;
	size_t width_bytes, height;
};

/* CUmemcpy3DOperand. */
struct operand {
	int type;
	union {
		struct {
			uintptr_t address;
			size_t row_elements, height;
			int location[2];
		} pointer;
		struct {
			void *array;
			size_t x, y, z;
		} array;
	};
};

/* CUDA_MEMCPY3D_BATCH_OP. */
struct operand_copy {
	struct operand source, target;
	size_t width_elements, height, depth;
	int order;
	unsigned int flags;
};

/* CUDA_ARRAY3D_DESCRIPTOR. */
struct array_descriptor {
	size_t width, height, depth;
	int format;
	unsigned int n_channels, flags;
};

/* -1: the driver has no answer, as for memory that it does not know. */
static int pointer_attribute(int attribute, uintptr_t pointer)
{
	int value = 0;

	if (!trace_copy_driver.pointer_attribute ||
		trace_copy_driver.pointer_attribute(&value, attribute, pointer))
		return -1;
	return value;
}

static bool is_host_pointer(uintptr_t pointer)
{
	int type = pointer_attribute(ATTRIBUTE_MEMORY_TYPE, pointer);

	return type < 0 || type == MEMORY_OF_HOST;
}

/* 0: unknown as yet. */
static int count_cuda_devices(void)
{
	int n_devices = 0;

	if (!trace_copy_driver.device_count || trace_copy_driver.device_count(&n_devices))
		return 0;
	return n_devices;
}

/* Whether device memory at both addresses belongs to two devices. Managed memory has no fixed one.
 */
static bool are_on_two_devices(uintptr_t pointer, uintptr_t other)
{
	static _Atomic int n_devices;
	int device, other_device;

	if (!n_devices)
		n_devices = count_cuda_devices();
	if (n_devices < 2)
		return false;
	device = pointer_attribute(ATTRIBUTE_DEVICE_ORDINAL, pointer);
	other_device = pointer_attribute(ATTRIBUTE_DEVICE_ORDINAL, other);
	return device >= 0 && other_device >= 0 && device != other_device &&
	       pointer_attribute(ATTRIBUTE_IS_MANAGED, pointer) <= 0 &&
	       pointer_attribute(ATTRIBUTE_IS_MANAGED, other) <= 0;
}

struct copy_side {
	bool is_host;
	uintptr_t address; /* of device memory; 0: that of an array of the driver */
};

static enum trace_kind copy_direction(struct copy_side source, struct copy_side target)
{
	if (source.is_host != target.is_host)
		return source.is_host ? TRACE_CUDA_TO_DEVICE : TRACE_CUDA_TO_HOST;
	if (!source.is_host && source.address && target.address &&
		are_on_two_devices(source.address, target.address))
		return TRACE_CUDA_BETWEEN_DEVICES;
	return TRACE_N_KINDS;
}

static struct copy_side side_at(uintptr_t pointer)
{
	return (struct copy_side){ is_host_pointer(pointer), pointer };
}

static struct copy_side side_in_array(void)
{
	return (struct copy_side){ false, 0 };
}

static struct copy_side side_of(int memory_type, uintptr_t device)
{
	if (memory_type == MEMORY_UNIFIED || memory_type == MEMORY_OF_DEVICE)
		return side_at(device);
	return (struct copy_side){ memory_type == MEMORY_OF_HOST, 0 };
}

struct driver_copy trace_copy_of_plane(const void *plane)
{
	const struct plane_copy *copy = plane;

	return (struct driver_copy){
		copy_direction(side_of(copy->source.memory_type, copy->source.device),
			side_of(copy->target.memory_type, copy->target.device)),
		(uint64_t)copy->width_bytes * copy->height
	};
}

struct driver_copy trace_copy_of_volume(const struct volume_copy *volume)
{
	return (struct driver_copy){
		copy_direction(side_of(volume->source.memory_type, volume->source.device),
			side_of(volume->target.memory_type, volume->target.device)),
		(uint64_t)volume->width_bytes * volume->height * volume->depth
	};
}

struct driver_copy trace_copy_between(uintptr_t target, uintptr_t source, uint64_t n_bytes)
{
	return (struct driver_copy){ copy_direction(side_at(source), side_at(target)), n_bytes };
}

struct driver_copy trace_copy_from_array(uintptr_t target, uint64_t n_bytes)
{
	return (struct driver_copy){ copy_direction(side_in_array(), side_at(target)), n_bytes };
}

struct driver_copy trace_copy_to_array(uintptr_t source, uint64_t n_bytes)
{
	return (struct driver_copy){ copy_direction(side_at(source), side_in_array()), n_bytes };
}

static struct copy_side side_of_operand(const struct operand *operand)
{
	if (operand->type == OPERAND_IS_ARRAY)
		return side_in_array();
	return side_at(operand->pointer.address);
}

/* The bytes of a channel by CUarray_format; 1: of another, such as those of compressed blocks. */
static size_t format_bytes(int format)
{
	switch (format) {
	case 0x02: /* CU_AD_FORMAT_UNSIGNED_INT16 */
	case 0x09: /* CU_AD_FORMAT_SIGNED_INT16 */
	case 0x10: /* CU_AD_FORMAT_HALF */
		return 2;
	case 0x03: /* CU_AD_FORMAT_UNSIGNED_INT32 */
	case 0x0a: /* CU_AD_FORMAT_SIGNED_INT32 */
	case 0x20: /* CU_AD_FORMAT_FLOAT */
		return 4;
	default:
		return 1;
	}
}

/* The bytes of an element of a copy: 1 unless an operand is an array of the driver. */
static uint64_t element_bytes(const struct operand_copy *copy)
{
	struct array_descriptor descriptor = { 0 };
	const struct operand *array =
		copy->source.type == OPERAND_IS_ARRAY ? &copy->source : &copy->target;

	if (array->type != OPERAND_IS_ARRAY || !trace_copy_driver.describe_array ||
		trace_copy_driver.describe_array(&descriptor, array->array.array))
		return 1;
	return (uint64_t)format_bytes(descriptor.format) * descriptor.n_channels;
}

void trace_copies_add_volumes(struct driver_copies *copies, const void *volumes, size_t n_copies)
{
	const struct operand_copy *copy = volumes;

	for (size_t i = 0; i < n_copies; i++, copy++) {
		enum trace_kind kind = copy_direction(
			side_of_operand(&copy->source), side_of_operand(&copy->target));

		if (kind != TRACE_N_KINDS)
			trace_copies_add(copies,
				(struct driver_copy){ kind, copy->width_elements * copy->height *
								    copy->depth *
								    element_bytes(copy) });
	}
}

void trace_copies_add(struct driver_copies *copies, struct driver_copy copy)
{
	size_t i = (size_t)copy.kind - TRACE_CUDA_TO_DEVICE;

	if (copy.kind == TRACE_N_KINDS || !copy.n_bytes)
		return;
	if (copy.n_bytes < trace_memory.min_bytes) {
		copies->n_below++;
		return;
	}
	copies->directions[i].n_copies++;
	copies->directions[i].n_bytes += copy.n_bytes;
}
