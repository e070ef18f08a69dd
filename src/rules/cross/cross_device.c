// SPDX-License-Identifier: MIT
/* The devices and streams of the interfaces of one object. */
#include "base/array_size.h"
#include "model/cuda_streams.h"
#include "protocols/protocol.h"
#include "rules/engine/clauses.h"
#include "rules/shared/dlpack_facts.h"

#include <inttypes.h>
#include <string.h>

/* The interface of the protocol; or NULL. */
static const struct subject *find_subject(
	const struct subject *subject, const struct protocol *protocol)
{
	for (size_t i = 0; i < subject->n_interfaces; i++)
		if (subject->interfaces[i].protocol == protocol)
			return &subject->interfaces[i];
	return NULL;
}

/* "host", "SYCL", "CUDA" or the name in DLPack of another kind of device; NULL if not declared. */
static const char *tensor_device_family_name(const struct subject *subject)
{
	const struct device_type *type;
	struct dlpack_device device;

	if (!dlpack_declared_device(subject, &device) && !dlpack_tensor_device(subject, &device))
		return NULL;
	type = device_type_of_code(device.type);
	return type->family ? type->family : type->name;
}

static const char *device_family_name(const struct subject *subject)
{
	const struct protocol *protocol = subject->protocol;

	return protocol && protocol->device_family ? protocol->device_family
						   : tensor_device_family_name(subject);
}

/* The consumers of docs/rules.md, "Which interface a consumer uses", and their interfaces in order
 * of preference. */
static const struct consumer {
	const char *name;
	const struct protocol *takes[4];
} consumers[] = {
	{ "numpy.asarray", { &buffer_protocol, &numpy_struct_protocol, &numpy_protocol } },
	{ "torch.as_tensor", { &cuda_protocol, &dlpack_protocol } },
	{ "cupy.asarray",
		{ &cuda_protocol, &buffer_protocol, &numpy_struct_protocol, &numpy_protocol } },
	{ "dpnp.asarray", { &sycl_protocol, &buffer_protocol } },
};

static const struct subject *first_consumable(
	const struct subject *subject, const struct consumer *consumer)
{
	for (size_t i = 0; i < ARRAY_SIZE(consumer->takes); i++) {
		const struct subject *found =
			consumer->takes[i] ? find_subject(subject, consumer->takes[i]) : NULL;

		if (found && interface_was_read(found->interface) && device_family_name(found))
			return found;
	}
	return NULL;
}

static const char *attribute_of(const struct subject *subject)
{
	return subject->protocol->attribute;
}

static void xpr_check_kinds(const struct subject *subject, struct report *report)
{
	const char *kind = NULL, *names = "";
	bool is_mixed = false;

	for (size_t i = 0; i < subject->n_interfaces; i++) {
		const struct subject *interface = &subject->interfaces[i];
		const char *other = interface_was_read(interface->interface)
					    ? device_family_name(interface)
					    : NULL;

		is_mixed |= kind && other && strcmp(kind, other) != 0;
		kind = kind ? kind : other;
	}
	if (!is_mixed)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(consumers); i++) {
		const struct subject *taken = first_consumable(subject, &consumers[i]);

		if (taken)
			names = arena_printf(subject->arena, "%s%s%s uses %s (%s)", names,
				*names ? ", " : "", consumers[i].name, attribute_of(taken),
				device_family_name(taken));
	}
	rule_fail(report, NULL, "the interfaces are for different kinds of device: %s", names);
}

/* The device of the memory, as reported by its driver; false if unknown. */
static bool found_on(const struct memory *memory, struct dlpack_device *device)
{
	if (!memory || !memory->by || !memory->device_id.known || memory->kind == MEMORY_UNKNOWN)
		return false;
	device->id = memory->device_id.value;
	device->type = !strcmp(memory->by, cuda_protocol.runtime) ? DLPACK_CUDA
		       : !strcmp(memory->by, "usm")               ? DLPACK_ONEAPI
								  : 0;
	return device->type;
}

/* Memory of other kinds is on the host, too. */
static bool device_fits(const struct dlpack_device *declared, const struct dlpack_device *found,
	const struct memory *memory)
{
	if (declared->type == found->type)
		return declared->id == found->id;
	if (declared->type == DLPACK_CPU)
		return memory->kind != MEMORY_DEVICE && memory->kind != MEMORY_USM_DEVICE;
	return true;
}

/* DLP406, DLP503 and DLP504 cover the tensor itself. */
static void xpr_check_device(const struct subject *subject, struct report *report)
{
	const struct subject *dlpack = find_subject(subject, &dlpack_protocol);
	struct dlpack_device declared, found;

	if (!dlpack || !dlpack_declared_device(dlpack, &declared))
		return;
	for (size_t i = 0; i < subject->n_interfaces; i++) {
		const struct subject *other = &subject->interfaces[i];
		const char *kind = device_family_name(other);

		if (other == dlpack || !other->array || array_elements(other->array) == 0)
			continue;
		if (!found_on(other->memory, &found)) {
			if (kind && strcmp(kind, "host") != 0)
				rule_skip(report, "%s",
					fact_text_or(other->interface->memory_reason,
						"no driver reported the device of the memory"));
		} else if (!device_fits(&declared, &found, other->memory)) {
			rule_fail(report, "device",
				"__dlpack_device__ returned %s:%" PRId64
				", but the driver reports %s:%" PRId64 " for the address in %s",
				device_type_name(declared.type), declared.id,
				device_type_name(found.type), found.id, attribute_of(other));
			return;
		}
	}
}

static void xpr_check_stream(const struct subject *subject, struct report *report)
{
	const struct subject *cuda = find_subject(subject, &cuda_protocol);
	const struct subject *dlpack = find_subject(subject, &dlpack_protocol);
	uint64_t declared, work;

	if (!cuda || !dlpack ||
		value_int_or(value_get(cuda->declared, "version"), 0) <
			CUDA_INTERFACE_WITH_STREAM ||
		!value_is_integer(value_get(cuda->declared, "stream")) ||
		!value_to_uint64(value_get(cuda->declared, "stream"), &declared) || !declared ||
		!value_to_address(value_at(dlpack->details, "exchange.work_stream"), &work))
		return;
	/* A NULL stream is either default stream, depending on how the library was compiled. */
	if (declared != work && (work || declared >= CUDA_STREAM_FIRST_HANDLE))
		rule_fail(report, "stream",
			"stream is 0x%" PRIx64
			" in __cuda_array_interface__, but current_work_stream of __dlpack_c_exchange_api__ returned 0x%" PRIx64,
			declared, work);
}

const struct rule cross_device_rules[] = {
	{
		RULE_ENTRY(FACT_DICT | FACT_STRUCT, "XPR001", "one-kind-of-device", NOTE, HAZARD),
		.subsumed_by = { "CAI001", "CAI503" },
		.clause = CLAUSE_SUAI "Which interface a consumer uses",
		.summary =
			"all interfaces of the object are for one kind of device, such as the host, SYCL or CUDA",
		.why = "each library has its own order of preference: one may compute on the device, and another on the host "
		       "without waiting for the queue or stream of the device",
		.fix = "if host and device can both access the memory, document which of them must wait for the other; otherwise omit the interfaces for the device that cannot access it",
		.check = xpr_check_kinds,
	},
	{
		RULE_ENTRY(FACT_DICT | FACT_STRUCT | FACT_MEMORY, "XPR501", "same-device", ERROR,
			HAZARD),
		.subsumed_by = { "CAI501", "SUAI509", "DLP406", "DLP501", "DLP503", "DLP504" },
		.clause = CLAUSE_SUAI "Agreement between interfaces",
		.summary =
			"if __dlpack_device__ returns a CUDA or oneAPI device, its number is the one that its driver reports for the memory of the other interfaces; if it returns the CPU, that memory is not device memory",
		.why = "consumers access the memory from the device that __dlpack_device__ returns: if the memory is on another device, accesses are slow or fail",
		.fix = "query the driver for the device of the memory, and return that device from __dlpack_device__",
		.check = xpr_check_device,
	},
	{
		RULE_ENTRY(FACT_DICT | FACT_STRUCT, "XPR601", "same-stream", WARNING, HAZARD),
		.subsumed_by = { "CAI601", "CAI602", "CAI603" },
		.since = "cai=3",
		.clause = CLAUSE_SUAI "Agreement between interfaces",
		.summary =
			"a stream declared in __cuda_array_interface__ is the one that current_work_stream of the C exchange API returns; NULL matches both default streams",
		.why = "consumers of the two interfaces wait for different work: those of one may read elements before they are written, and results differ from run to run",
		.fix = "return the library's current stream for the device from both, and make that stream wait first if the last work on the array was enqueued on a different one",
		.check = xpr_check_stream,
	},
	{ .id = NULL },
};
