// SPDX-License-Identifier: MIT
/* XPR rules: across the protocols of one object. Devices and streams are cross_device.c's part. */
#include "protocols/protocol.h"
#include "rules/cross/agreement.h"
#include "rules/engine/clauses.h"
#include "rules/engine/shared.h"

#include <string.h>

#define CROSS_RULE(ID, NAME, SEVERITY)                                                      \
	.id = (ID), .name = (NAME), .severity = SEVERITY_##SEVERITY, .level = LEVEL_HAZARD, \
	.facts = FACT_DICT | FACT_STRUCT

static void xpr_check_exposes(const struct subject *subject, struct report *report)
{
	const struct fact_target *target = subject->target;
	int64_t n_buffers = target->buffers.value;

	if (target->interfaces.n_items)
		return;
	if (target->status != STATUS_NULL && target->status != STATUS_OK)
		rule_skip(report, "the target was not captured: %s",
			target_status_name(target->status));
	else if (target->type)
		rule_fail(report, NULL,
			"it exposes none of the interfaces that were looked for; its type is %s",
			target->type);
	else if (n_buffers)
		rule_fail(report, NULL,
			"no object of the module exposes an interface; %lld %s a buffer alone, which -p "
			"buffer judges",
			(long long)n_buffers, n_buffers == 1 ? "has" : "have");
	else
		rule_fail(report, NULL, "no object of the module exposes an interface");
}

static void xpr_check_address(const struct subject *subject, struct report *report)
{
	struct agreement agreement;

	if (agreement_start(&agreement, subject, report, NULL))
		agreement_check(&agreement, &compared_address, "pointer");
}

static void xpr_check_type(const struct subject *subject, struct report *report)
{
	struct agreement agreement;

	if (agreement_start(&agreement, subject, report, NULL))
		agreement_check(&agreement, &compared_type, "dtype");
}

/* "__dlpack__ and __cuda_array_interface__": those that were given. */
static const char *list_exported(const struct subject *subject)
{
	const char *list = "";

	for (size_t i = 0; i < subject->n_interfaces; i++) {
		const struct subject *interface = &subject->interfaces[i];

		if (interface->protocol && shared_was_read(interface->interface))
			list = arena_printf(subject->arena, "%s%s%s", list, *list ? " and " : "",
				interface->protocol->attribute);
	}
	return list;
}

/* Lazy operations are part of every value that the object shows. Masks are DLP812's part; codes of
 * quantized numbers, and columns of FITS files, may be what the object is documented to export. */
static void xpr_check_values(const struct subject *subject, struct report *report)
{
	const struct fact_texts *pending = &subject->target->own.pending;
	const char *exported = list_exported(subject), *words = "";

	for (size_t i = 0; i < pending->n_items; i++) {
		const char *word = pending->items[i];

		if (!strcmp(word, "negation") || !strcmp(word, "conjugation"))
			words = arena_printf(
				subject->arena, "%s%s%s", words, *words ? " and " : "", word);
	}
	if (*words && *exported)
		rule_fail(
			report, NULL, "%s: the elements are exported without %s", exported, words);
}

static void xpr_check_layout(const struct subject *subject, struct report *report)
{
	struct agreement agreement;

	if (agreement_start(&agreement, subject, report, NULL) &&
		agreement_check(&agreement, &compared_shape, "shape"))
		agreement_check(&agreement, &compared_strides, "strides_bytes");
}

static void xpr_check_unit_strides(const struct subject *subject, struct report *report)
{
	struct agreement agreement;

	if (agreement_start(&agreement, subject, report, NULL))
		agreement_check(&agreement, &compared_unit_strides, "strides_bytes");
}

static void xpr_check_access(const struct subject *subject, struct report *report)
{
	struct agreement agreement;

	if (agreement_start(&agreement, subject, report, NULL))
		agreement_check(&agreement, &compared_access, "readonly");
}

#define CLAUSE_AGREEMENT CLAUSE_SUAI "Agreement between interfaces"

const struct rule cross_rules[] = {
	{
		CROSS_RULE("XPR002", "no-interface", ERROR),
		.clause = CLAUSE_SUAI "At least one interface",
		.summary = "the object exposes at least one interface",
		.why = "no library can take the memory of an object that exposes nothing, and a check of nothing would "
		       "pass whatever is wrong",
		.fix = "name an array, or define one of the interfaces; 'suai inspect' shows what an object exposes",
		.check = xpr_check_exposes,
	},
	{
		CROSS_RULE("XPR101", "same-address", ERROR),
		.subsumed_by = { "SUAI901", "CAI901", "NAI901" },
		.clause = CLAUSE_AGREEMENT,
		.summary = "all interfaces name the same address for the first element",
		.why = "one consumer works on other memory than the next: what one writes the other never sees, or it reads "
		       "elements that are not the array's",
		.fix = "derive every interface from one address: that of the element at index 0, with offset and byte_offset "
		       "counted in",
		.check = xpr_check_address,
	},
	{
		CROSS_RULE("XPR201", "same-type", ERROR),
		.subsumed_by = { "CAI204", "DLP205", "DLP209", "SUAI901", "CAI901", "NAI901" },
		.clause = CLAUSE_AGREEMENT,
		.summary =
			"all interfaces name the same element type; raw bytes of the same size are no other type",
		.why = "the same bytes become other numbers: bool sent as uint8 counts instead of selecting, bfloat16 sent as "
		       "float16 is wrong in every element",
		.fix = "translate the element type by one table for each interface; leave out the interface that has no word "
		       "for it",
		.check = xpr_check_type,
	},
	{
		CROSS_RULE("XPR202", "values-in-memory", ERROR),
		.clause = CLAUSE_SUAI "Elements in memory and values",
		.summary =
			"a lazy negation or conjugation is applied to the elements that an interface exports",
		.why = "no interface has a word for what the library applies later: numpy.from_dlpack(z.conj().imag) of a "
		       "PyTorch tensor z has every sign wrong, without an error",
		.fix = "apply it before the export, as Tensor.resolve_neg() and resolve_conj() do, or raise BufferError",
		.check = xpr_check_values,
	},
	{
		CROSS_RULE("XPR301", "same-layout", ERROR),
		.subsumed_by = { "SUAI303", "CAI303", "CAI304", "DLP306", "SUAI901", "CAI901",
			"NAI901" },
		.clause = CLAUSE_AGREEMENT,
		.summary = "all interfaces tell the same shape, and the same strides in bytes",
		.why = "consumers see another array, transposed or of other elements, by the interface that they happen to "
		       "take",
		.fix = "derive shape and strides of every interface from one array; SYCL and DLPack count elements, the others "
		       "bytes",
		.check = xpr_check_layout,
	},
	{
		CROSS_RULE("XPR308", "same-unit-strides", NOTE),
		.subsumed_by = { "SUAI309", "DLP309" },
		.clause = CLAUSE_AGREEMENT,
		.summary = "all interfaces tell the same strides in dimensions of extent 1 as well",
		.why = "no element lies elsewhere, but consumers that test strides without a look at extents copy a contiguous "
		       "array, or refuse it, by one interface and not by the other",
		.fix = "give every interface the strides that the array itself has",
		.check = xpr_check_unit_strides,
	},
	{
		CROSS_RULE("XPR801", "same-access", ERROR),
		.subsumed_by = { "SUAI109", "DLP806", "DLP813", "BUF801" },
		.clause = CLAUSE_AGREEMENT,
		.summary = "all interfaces that can tell agree on whether the array may be written",
		.why = "consumers of one interface write into memory that those of another count on as constant, or are "
		       "refused what the array allows",
		.fix = "derive every flag from the array's own: data[1] True, readonly, a clear WRITEABLE and "
		       "DLPACK_FLAG_BITMASK_READ_ONLY all say read-only",
		.check = xpr_check_access,
	},
	{ .id = NULL },
};
