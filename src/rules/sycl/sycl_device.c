// SPDX-License-Identifier: MIT
/*
 * SUAI206 and SUAI503 to SUAI601, mode T: what the SYCL runtime says of the context, the device and
 * the queue behind syclobj of __sycl_usm_array_interface__.
 */
#include "rules/sycl/sycl.h"

#include <string.h>

/* What the runtime says under key of details.syclobj; NULL, with the rule skipped, where it was not
 * asked or does not know. */
static const struct value *syclobj_fact(
	const struct subject *subject, struct report *report, const char *key)
{
	const struct value *answer = value_get(value_get(subject->details, "syclobj"), key);

	if (!value_is_null(answer))
		return answer;
	rule_skip(report, "%s",
		fact_text_or(
			subject->interface->memory_reason, "syclobj leads to no single device"));
	return NULL;
}

static bool is_no(const struct subject *subject, struct report *report, const char *key)
{
	const struct value *answer = syclobj_fact(subject, report, key);

	return value_is(answer, VALUE_BOOL) && !answer->boolean;
}

static const char *device_name(const struct subject *subject)
{
	return value_text_or(value_at(subject->details, "syclobj.device.name"), "its device");
}

/* The aspect that an element type takes; NULL where all devices have it. */
static const char *aspect_of(const struct dtype *dtype)
{
	int64_t n_bits = dtype->kind == DTYPE_COMPLEX ? dtype->bits / 2 : dtype->bits;

	if (dtype->kind != DTYPE_COMPLEX && dtype->kind != DTYPE_FLOAT)
		return NULL;
	return n_bits == 64 ? "fp64" : n_bits == 16 ? "fp16" : NULL;
}

static void suai_check_aspect(const struct subject *subject, struct report *report)
{
	const char *wanted;
	const struct value *device, *aspects;
	struct dtype dtype;

	if (!shared_read_dtype(subject, &dtype))
		return;
	wanted = aspect_of(&dtype);
	device = wanted ? syclobj_fact(subject, report, "device") : NULL;
	aspects = value_get(device, "aspects");
	if (!device)
		return;
	if (!value_is_sequence(aspects)) {
		rule_skip(report, "the aspects of the device are not known");
		return;
	}
	if (!value_lists_text(aspects, wanted))
		rule_fail(report, "typestr", "elements are %s, and %s lacks the aspect %s",
			dtype.name, device_name(subject), wanted);
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
			"data[0] is %s memory of the default context of %s, not of that of the platform that '%s' selects",
			value_text_or(value_get(elsewhere, "kind"), "memory"),
			value_text_or(value_get(elsewhere, "name"), "another device"), filter);
	else if (memory->mapping[0])
		rule_fail(report, "data[0]",
			"data[0] is no USM of the default context of the platform that '%s' selects; it lies in host memory (%s)",
			filter, memory->mapping);
}

static void suai_check_same_device(const struct subject *subject, struct report *report)
{
	const struct value *same = value_at(subject->details, "syclobj.same_device");
	const char *of_memory = subject->memory->device_name;

	if (value_is(same, VALUE_BOOL) && !same->boolean && array_elements(subject->array) > 0)
		rule_fail(report, "syclobj",
			"data[0] was allocated on %s%s, and syclobj names another device (%s)",
			*of_memory ? of_memory : "a device",
			subject->memory->device_id < 0 ? ", a sub-device" : "",
			device_name(subject));
}

/* A sub-device's context is never the default one, which SUAI511 says. */
static void suai_check_default_context(const struct subject *subject, struct report *report)
{
	const struct value *root = value_at(subject->details, "syclobj.root_device");

	if (is_no(subject, report, "default_context") && value_bool_or(root, true))
		rule_fail(report, "syclobj",
			"the context of syclobj is not the default one of the platform of %s",
			device_name(subject));
}

static void suai_check_root_device(const struct subject *subject, struct report *report)
{
	if (is_no(subject, report, "root_device"))
		rule_fail(report, "syclobj", "the device of syclobj is a part of %s",
			device_name(subject));
}

static void suai_check_order(const struct subject *subject, struct report *report)
{
	const struct value *details = value_get(subject->details, "syclobj");
	const struct value *in_order = value_get(details, "in_order");

	if (!value_bool_or(value_get(details, "resolved"), false))
		syclobj_fact(subject, report, "in_order");
	else if (value_is_null(in_order))
		rule_fail(report, "syclobj", "syclobj names no queue that could be waited for");
	else if (!value_bool_or(in_order, true))
		rule_fail(report, "syclobj", "the queue of syclobj is out of order");
}

#define DEVICE_RULE(ID, NAME, SEVERITY, LEVEL)                                                   \
	.id = (ID), .name = (NAME), .protocols = PROTOCOL_SYCL, .severity = SEVERITY_##SEVERITY, \
	.level = LEVEL_##LEVEL, .facts = FACT_DICT | FACT_MEMORY

const struct rule sycl_device_rules[] = {
	{
		DEVICE_RULE("SUAI206", "element-aspect", WARNING, HAZARD),
		.reads_device_details = true,
		.requires = { "SUAI203", "SUAI502" },
		.clause = CLAUSE_SYCL "Aspects (fp16; fp64); " CLAUSE_SYCL_PAGE "typestr (silent)",
		.summary =
			"the device has the aspect that the element type takes: fp64 for f8 and c16, fp16 for f2",
		.why = "such an array can be held and copied, but a kernel that touches it fails when it is built or "
		       "submitted",
		.fix = "keep the elements as f4 or c8 on this device; dpctl.SyclDevice.has_aspect_fp64 tells",
		.check = suai_check_aspect,
	},
	{
		DEVICE_RULE("SUAI503", "filter-context", ERROR, MUST),
		.requires = { "SUAI401", "SUAI502" },
		.clause = CLAUSE_SYCL_PAGE "syclobj (row 1: \"Platform's default context\")",
		.summary =
			"with a filter string as syclobj, data[0] is USM of the default context of the platform that it "
			"selects",
		.why = "a filter string can name no other context: the consumer makes a queue in the default one, and "
		       "the pointer means nothing there",
		.fix = "give the queue that the memory was allocated with instead of the string",
		.check = suai_check_default_pointer,
	},
	{
		DEVICE_RULE("SUAI509", "pointer-device", ERROR, HAZARD),
		.requires = { "SUAI114", "SUAI401" },
		.clause = CLAUSE_SYCL_PAGE
		"syclobj (\"encapsulates context\"); " CLAUSE_SYCL
		"Kinds of unified shared memory (another device: optional)",
		.summary =
			"device and shared memory was allocated on the device that syclobj names",
		.why = "consumers submit to the queue of syclobj, whose device need not reach another one's memory; dpctl "
		       "reports the queue's device for such memory",
		.fix = "give the queue that the memory was allocated with",
		.check = suai_check_same_device,
	},
	{
		DEVICE_RULE("SUAI510", "default-context", WARNING, HAZARD),
		.reads_device_details = true,
		.requires = { "SUAI502" },
		.clause = "derived from " CLAUSE_SYCL_PAGE "syclobj; " CLAUSE_DLPACK_H "kDLOneAPI",
		.summary = "the context is the default one of its platform",
		.why = "DLPack carries a device number and no context: importers look in the default one, so that "
		       "__dlpack__ of such memory must refuse or copy",
		.fix = "allocate with a queue of the default context: dpctl.SyclQueue(device)",
		.check = suai_check_default_context,
	},
	{
		DEVICE_RULE("SUAI511", "root-device", WARNING, HAZARD),
		.reads_device_details = true,
		.requires = { "SUAI502" },
		.clause = "derived from " CLAUSE_SYCL_PAGE "syclobj; " CLAUSE_DLPACK_H "kDLOneAPI",
		.summary = "the device is a whole one, not a part of a partitioned one",
		.why = "DLPack's device number cannot name a sub-device: dpnp raises DLPackCreationError for such memory",
		.fix = "export memory of the parent device",
		.check = suai_check_root_device,
	},
	{
		DEVICE_RULE("SUAI601", "queue-order", NOTE, HAZARD),
		.reads_device_details = true,
		.requires = { "SUAI502" },
		.clause = "derived from " CLAUSE_SYCL_PAGE
			  "syclobj (silent on pending work); " CLAUSE_SYCL "Queue class",
		.summary =
			"syclobj names a queue that is in order, unless the work is known to be complete",
		.why = "the interface has no event: only what is submitted to an in-order queue comes after the "
		       "producer's pending work; else a consumer that does not wait reads memory that is being written",
		.fix = "wait for the queue in the property, as dpnp does, or allocate with SyclQueue(property='in_order')",
		.check = suai_check_order,
	},
	{ .id = NULL },
};
