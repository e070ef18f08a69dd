// SPDX-License-Identifier: MIT
/* XPR001, XPR501 and XPR601: the devices and streams that the interfaces of one object name. */
#include "protocols/protocol.h"
#include "rules/dlpack/dlpack.h"
#include "rules/engine/clauses.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_KINDS = 6, SINCE_STREAM = 3, DEFAULT_STREAMS = 2 };

/* The object's interface of the protocol; NULL where it exposes none. */
static const struct subject *find_subject(
	const struct subject *subject, const struct protocol *protocol)
{
	for (size_t i = 0; i < subject->n_interfaces; i++)
		if (subject->interfaces[i].protocol == protocol)
			return &subject->interfaces[i];
	return NULL;
}

/* "host", "SYCL", "CUDA" or DLPack's name of another kind of device; NULL where it is not declared.
 */
static const char *tensor_device_family_name(const struct subject *subject)
{
	struct dlpack_device device;

	if (!dlpack_declared_device(subject, &device) && !dlpack_tensor_device(subject, &device))
		return NULL;
	switch (device.type) {
	case DLPACK_CPU:
	case DLPACK_CUDA_HOST:
	case DLPACK_ROCM_HOST:
		return "host";
	case DLPACK_CUDA:
	case DLPACK_CUDA_MANAGED:
		return "CUDA";
	case DLPACK_ONEAPI:
		return "SYCL";
	default:
		return device_type_name(device.type);
	}
}

static const char *device_family_name(const struct subject *subject)
{
	const struct protocol *protocol = subject->protocol;

	return protocol && protocol->device_family ? protocol->device_family
						   : tensor_device_family_name(subject);
}

/* Whom docs/rules.md, "Which interface a consumer takes", names: their interfaces, the first one
 * first. */
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
	for (size_t i = 0; i < sizeof(consumer->takes) / sizeof(*consumer->takes); i++) {
		const struct subject *found =
			consumer->takes[i] ? find_subject(subject, consumer->takes[i]) : NULL;

		if (found && shared_was_read(found->interface) && device_family_name(found))
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
		const char *other = shared_was_read(interface->interface)
					    ? device_family_name(interface)
					    : NULL;

		is_mixed |= kind && other && strcmp(kind, other) != 0;
		kind = kind ? kind : other;
	}
	if (!is_mixed)
		return;
	for (size_t i = 0; i < sizeof(consumers) / sizeof(*consumers); i++) {
		const struct subject *taken = first_consumable(subject, &consumers[i]);

		if (taken)
			names = arena_printf(subject->arena, "%s%s%s takes %s (%s)", names,
				*names ? ", " : "", consumers[i].name, attribute_of(taken),
				device_family_name(taken));
	}
	rule_fail(report, NULL, "interfaces name different kinds of device: %s", names);
}

/* Where the driver of the memory finds it, in DLPack's words; false where that is not known. */
static bool found_on(const struct memory *memory, struct dlpack_device *device)
{
	if (!memory || !memory->by || memory->device_id < 0 || memory->kind == MEMORY_UNKNOWN)
		return false;
	device->id = memory->device_id;
	device->type = !strcmp(memory->by, "cuda")  ? DLPACK_CUDA
		       : !strcmp(memory->by, "usm") ? DLPACK_ONEAPI
						    : 0;
	return device->type;
}

/* Other kinds of memory that the driver knows are the host's as well. */
static bool device_fits(const struct dlpack_device *declared, const struct dlpack_device *found,
	const struct memory *memory)
{
	if (declared->type == found->type)
		return declared->id == found->id;
	if (declared->type == DLPACK_CPU)
		return memory->kind != MEMORY_DEVICE && memory->kind != MEMORY_USM_DEVICE;
	return true;
}

/* The tensor itself is DLP406's, DLP503's and DLP504's part. */
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
						"no driver was asked where the memory is"));
		} else if (!device_fits(&declared, &found, other->memory)) {
			rule_fail(report, "device",
				"the device is %s:%" PRId64 " by __dlpack_device__, and %s:%" PRId64
				" by the driver, asked of the address in %s",
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
		value_int_or(value_get(cuda->declared, "version"), 0) < SINCE_STREAM ||
		!value_is_integer(value_get(cuda->declared, "stream")) ||
		!value_to_uint64(value_get(cuda->declared, "stream"), &declared) || !declared ||
		!value_to_address(value_at(dlpack->details, "exchange.work_stream"), &work))
		return;
	/* A NULL stream is either default stream, depending on how the library was compiled. */
	if (declared != work && (work || declared > DEFAULT_STREAMS))
		rule_fail(report, "stream",
			"the stream is 0x%" PRIx64 " by __cuda_array_interface__, and 0x%" PRIx64
			" by current_work_stream of __dlpack_c_exchange_api__",
			declared, work);
}

const struct rule cross_device_rules[] = {
	{
		.id = "XPR001",
		.name = "one-kind-of-device",
		.severity = SEVERITY_NOTE,
		.level = LEVEL_HAZARD,
		.facts = FACT_DICT | FACT_STRUCT,
		.subsumed_by = { "CAI001", "CAI503" },
		.clause = CLAUSE_SUAI "Which interface a consumer takes",
		.summary =
			"all interfaces of the object are for one kind of device: the host, SYCL or CUDA",
		.why = "each library takes the first interface in an order of its own: one computes on the host without "
		       "waiting for the device's queue or stream, the next on the device",
		.fix = "nothing, where host and device both reach the memory: say in your documentation who waits for "
		       "whom; else raise AttributeError on the interface that does not fit",
		.check = xpr_check_kinds,
	},
	{
		.id = "XPR501",
		.name = "same-device",
		.severity = SEVERITY_ERROR,
		.level = LEVEL_HAZARD,
		.facts = FACT_DICT | FACT_STRUCT | FACT_MEMORY,
		.subsumed_by = { "CAI501", "SUAI509", "DLP406", "DLP501", "DLP503", "DLP504" },
		.clause = CLAUSE_SUAI "Agreement between interfaces",
		.summary =
			"the device that __dlpack_device__ tells is the one on which the driver finds the memory of the "
			"other interfaces",
		.why = "consumers prepare the device that they are told, and their kernels run far from the memory, or "
		       "cannot reach it",
		.fix = "ask the driver which device the memory is on, and tell that device in __dlpack_device__",
		.check = xpr_check_device,
	},
	{
		.id = "XPR601",
		.name = "same-stream",
		.severity = SEVERITY_WARNING,
		.level = LEVEL_HAZARD,
		.facts = FACT_DICT | FACT_STRUCT,
		.subsumed_by = { "CAI601", "CAI602", "CAI603" },
		.since = "cai=3",
		.clause = CLAUSE_SUAI "Agreement between interfaces",
		.summary =
			"stream of __cuda_array_interface__ and current_work_stream of the C exchange API are one stream",
		.why = "consumers of one wait for other work than those of the other: one of them reads results before they "
		       "are written, and differently from run to run",
		.fix = "name in both the stream on which the work on the array was queued last",
		.check = xpr_check_stream,
	},
	{ .id = NULL },
};
