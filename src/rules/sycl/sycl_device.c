// SPDX-License-Identifier: MIT
/*
 * The context, the device and the queue of syclobj of __sycl_usm_array_interface__, as reported by
 * the SYCL runtime.
 */
#include "rules/sycl/sycl.h"

#include <string.h>

/* The fact at key of details.syclobj; NULL, with the rule skipped, if the runtime was not queried
 * or did not report it. */
static const struct value *syclobj_fact(
	const struct subject *subject, struct report *report, const char *key)
{
	const struct value *details = value_get(subject->details, "syclobj");
	const struct value *answer = value_get(details, key);
	const char *reason = fact_text_or(subject->interface->memory_reason, NULL);

	if (!value_is_null(answer))
		return answer;
	if (reason)
		rule_skip(report, "%s", reason);
	else if (value_is_null(value_get(details, "device")))
		rule_skip(report, "syclobj does not identify a single device");
	else
		rule_skip(report, "the SYCL runtime did not report %s", key);
	return NULL;
}

static bool is_reported_false(const struct subject *subject, struct report *report, const char *key)
{
	const struct value *answer = syclobj_fact(subject, report, key);

	return value_is(answer, VALUE_BOOL) && !answer->boolean;
}

static const char *device_name(const struct subject *subject)
{
	return value_text_or(
		value_at(subject->details, "syclobj.device.name"), "the device of syclobj");
}

/* The aspect that an element type requires; NULL if all devices support it. */
static const char *required_aspect(const struct dtype *dtype)
{
	int64_t n_bits = dtype->kind == DTYPE_COMPLEX ? dtype->bits / 2 : dtype->bits;

	if (dtype->kind != DTYPE_COMPLEX && dtype->kind != DTYPE_FLOAT)
		return NULL;
	return n_bits == 64 ? "fp64" : n_bits == 16 ? "fp16" : NULL;
}

static void suai_check_aspect(const struct subject *subject, struct report *report)
{
	const char *aspect;
	const struct value *device, *aspects;
	struct dtype dtype;

	if (!shared_read_dtype(subject, &dtype))
		return;
	aspect = required_aspect(&dtype);
	device = aspect ? syclobj_fact(subject, report, "device") : NULL;
	aspects = value_get(device, "aspects");
	if (!device)
		return;
	if (!value_is_sequence(aspects)) {
		rule_skip(report, "the aspects of the device of syclobj are unknown");
		return;
	}
	if (!value_lists_text(aspects, aspect))
		rule_fail(report, "typestr", "elements are %s, but %s lacks the aspect %s",
			dtype.name, device_name(subject), aspect);
}

static void suai_check_default_pointer(const struct subject *subject, struct report *report)
{
	const struct value *details = value_get(subject->details, "syclobj");
	const struct value *elsewhere = value_get(details, "elsewhere");
	const struct memory *memory = subject->memory;
	const char *filter = value_text_or(value_get(subject->declared, "syclobj"), "?");

	if (!value_is_text(value_get(details, "form"), "filter") ||
		memory->kind != MEMORY_UNKNOWN || array_elements(subject->array) < 1 ||
		shared_exceeds_by_address(subject->array))
		return;
	if (value_is(elsewhere, VALUE_MAP))
		rule_fail(report, "data[0]",
			"data[0] points to %s memory in the default context of %s, not in that of the device that '%s' selects",
			value_text_or(value_get(elsewhere, "kind"), "USM"),
			value_text_or(value_get(elsewhere, "name"), "another device"), filter);
	else if (memory->mapping[0])
		rule_fail(report, "data[0]",
			"data[0] points to host memory (%s), not to USM in the default context of the device that '%s' selects",
			memory->mapping, filter);
}

static void suai_check_same_device(const struct subject *subject, struct report *report)
{
	const struct value *same = value_at(subject->details, "syclobj.same_device");
	const char *of_memory = subject->memory->device_name;

	if (value_is(same, VALUE_BOOL) && !same->boolean && array_elements(subject->array) > 0)
		rule_fail(report, "syclobj",
			"the memory at data[0] was allocated on %s%s, but syclobj identifies another device (%s)",
			*of_memory ? of_memory : "a device",
			subject->memory->device_id.known ? "" : ", a sub-device",
			device_name(subject));
}

/* The context of a sub-device is never the default one; SUAI511 reports it. */
static void suai_check_default_context(const struct subject *subject, struct report *report)
{
	const struct value *root = value_at(subject->details, "syclobj.root_device");

	if (is_reported_false(subject, report, "default_context") && value_bool_or(root, true))
		rule_fail(report, "syclobj",
			"the context of syclobj is not the default context of the platform of %s",
			device_name(subject));
}

static void suai_check_root_device(const struct subject *subject, struct report *report)
{
	const char *name = value_text_or(value_at(subject->details, "syclobj.device.name"), NULL);

	if (is_reported_false(subject, report, "root_device"))
		rule_fail(report, "syclobj", "the device of syclobj%s%s%s is a sub-device",
			name ? " (" : "", name ? name : "", name ? ")" : "");
}

static void suai_check_order(const struct subject *subject, struct report *report)
{
	const struct value *details = value_get(subject->details, "syclobj");
	const struct value *in_order = value_get(details, "in_order");

	if (!value_bool_or(value_get(details, "resolved"), false))
		syclobj_fact(subject, report, "in_order");
	else if (value_is_null(in_order))
		rule_fail(report, "syclobj", "syclobj does not identify a queue to wait for");
	else if (!value_bool_or(in_order, true))
		rule_fail(report, "syclobj", "syclobj identifies an out-of-order queue");
}

const struct rule sycl_device_rules[] = {
	{
		SYCL_MEMORY_RULE("SUAI206", "element-aspect", WARNING, HAZARD),
		.reads_device_details = true,
		.requires = { "SUAI203", "SUAI502" },
		.clause = CLAUSE_SYCL "Aspects (fp16; fp64); " CLAUSE_SYCL_PAGE "typestr (silent)",
		.summary =
			"the device of syclobj has the aspect that the element type requires: fp64 for f8 and c16, fp16 for f2",
		.why = "dpnp raises ValueError; other consumers can store and copy the array, but a kernel that uses the type fails when the kernel is built or submitted",
		.fix = "use f4 instead of f8, and c8 instead of c16, if the device's has_aspect_fp64 is False; use f4 instead of f2 if its has_aspect_fp16 is False",
		.check = suai_check_aspect,
	},
	{
		SYCL_MEMORY_RULE("SUAI503", "filter-context", ERROR, MUST),
		.requires = { "SUAI401", "SUAI502" },
		.clause = CLAUSE_SYCL_PAGE "syclobj (row 1: \"Platform's default context\")",
		.summary =
			"if syclobj is a filter string and the array has elements, data[0] points to USM in the default context of the platform of the device that the string selects",
		.why = "a filter string cannot identify any other context: the consumer creates a queue in the default context, in which the pointer is invalid",
		.fix = "set syclobj to the queue used to allocate the memory, not to a string; if the memory is not USM, copy the elements into a dpctl.memory.MemoryUSMShared",
		.check = suai_check_default_pointer,
	},
	{
		SYCL_MEMORY_RULE("SUAI509", "pointer-device", ERROR, HAZARD),
		.requires = { "SUAI114", "SUAI401" },
		.clause = CLAUSE_SYCL_PAGE
		"syclobj (\"encapsulates context\"); " CLAUSE_SYCL
		"Kinds of unified shared memory (another device: optional)",
		.summary =
			"if syclobj identifies a device and the array has elements, USM device or shared memory at data[0] was allocated on that device, on one of its sub-devices or on its parent device",
		.why = "consumers submit work to the queue of syclobj, whose device may be unable to access the memory of another device; dpctl reports the device of the queue instead of that of the memory",
		.fix = "set syclobj to the queue used to allocate the memory",
		.check = suai_check_same_device,
	},
	{
		SYCL_MEMORY_RULE("SUAI510", "default-context", WARNING, HAZARD),
		.reads_device_details = true,
		.requires = { "SUAI502" },
		.clause = "derived from " CLAUSE_SYCL_PAGE "syclobj; " CLAUSE_DLPACK_H "kDLOneAPI",
		.summary =
			"the context of syclobj is the default context of the platform of its device; SUAI511 covers sub-devices",
		.why = "a DLPack tensor has a device id but no context: importers use the default context, so __dlpack__ of memory in another context has to raise BufferError or copy",
		.fix = "allocate with a queue of the default context: dpctl.SyclQueue(device)",
		.check = suai_check_default_context,
	},
	{
		SYCL_MEMORY_RULE("SUAI511", "root-device", WARNING, HAZARD),
		.reads_device_details = true,
		.requires = { "SUAI502" },
		.clause = "derived from " CLAUSE_SYCL_PAGE "syclobj; " CLAUSE_DLPACK_H "kDLOneAPI",
		.summary = "the device of syclobj is a root device, not a sub-device",
		.why = "the device id of DLPack cannot identify a sub-device: dpnp raises DLPackCreationError for memory on a sub-device",
		.fix = "allocate the memory with a queue of the parent device, and set syclobj to this queue",
		.check = suai_check_root_device,
	},
	{
		SYCL_MEMORY_RULE("SUAI601", "queue-order", NOTE, HAZARD),
		.reads_device_details = true,
		.requires = { "SUAI502" },
		.clause = "derived from " CLAUSE_SYCL_PAGE
			  "syclobj (silent on pending work); " CLAUSE_SYCL "Queue class",
		.summary = "syclobj identifies an in-order queue",
		.why = "the interface has no event: unless the consumer waits, only work that it submits to the in-order queue of the producer runs after the pending work of the producer; other work may read memory that is being written",
		.fix = "set syclobj to an in-order queue, dpctl.SyclQueue(property='in_order'), and submit all work to it; or call queue.wait() in the property __sycl_usm_array_interface__, as dpnp does, and disable this rule, which cannot detect the wait",
		.check = suai_check_order,
	},
	{ .id = NULL },
};
