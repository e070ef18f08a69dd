// SPDX-License-Identifier: MIT
/* XPR rules: across the protocols of one object, except devices and streams (cross_device.c). */
#include "base/array_size.h"
#include "base/words.h"
#include "protocols/protocol.h"
#include "rules/engine/clauses.h"
#include "rules/shared/agreement.h"
#include "rules/shared/shared.h"

#include <string.h>

#define CROSS_RULE(ID, NAME, SEVERITY) \
	RULE_ENTRY(FACT_DICT | FACT_STRUCT, ID, NAME, SEVERITY, HAZARD)

enum { MAX_SHOWN_TARGETS = 3 };

/* " (sycl, cuda)": what was looked for; empty if that is unknown. */
static const char *list_looked_for(struct arena *arena, const struct fact_instead *instead)
{
	const char *list = "";

	for (size_t i = 0; i < instead->looked_for.n_items; i++)
		list = arena_printf(
			arena, "%s%s%s", list, i ? ", " : " (", instead->looked_for.items[i]);
	return *list ? arena_printf(arena, "%s)", list) : "";
}

/* "; it has to_numpy() and __array__"; of a module empty. */
static const char *list_attributes(struct arena *arena, const struct fact_target *target)
{
	const struct fact_alternative_list *has = &target->instead.alternatives;
	const char **names;

	if (!target->type || !has->n_items)
		return "";
	names = arena_alloc(arena, has->n_items * sizeof(*names));
	for (size_t i = 0; i < has->n_items; i++)
		names[i] = has->items[i].has;
	return arena_printf(arena, "; it has %s", words_enumerate(arena, names, has->n_items));
}

/* "; -p excludes __dlpack__, which types of its objects define"; of an object empty. */
static const char *list_excluded(struct arena *arena, const struct fact_target *target)
{
	const struct fact_alternative_list *has = &target->instead.alternatives;
	const char *list = "";

	for (size_t p = 0; !target->type && protocols[p]; p++)
		for (size_t i = 0; i < has->n_items; i++)
			if (!has->items[i].target && protocols[p]->attribute &&
				!strcmp(has->items[i].has, protocols[p]->attribute)) {
				list = arena_printf(arena, "%s%s%s", list, *list ? ", " : "",
					has->items[i].has);
				break;
			}
	return *list ? arena_printf(
			       arena, "; -p excludes %s, which types of its objects define", list)
		     : "";
}

/* "; try 'm.py:df.to_numpy()'", which may fail. Of an object the first target suffices. */
static const char *list_targets(struct arena *arena, const struct fact_target *target)
{
	const struct fact_alternative_list *has = &target->instead.alternatives;
	const char *list = "";
	int n_shown = 0, most = target->type ? 1 : MAX_SHOWN_TARGETS;

	for (size_t i = 0; i < has->n_items && n_shown < most; i++)
		if (has->items[i].target)
			list = arena_printf(arena, "%s%s%s", list, n_shown++ ? " or " : "; try ",
				words_quote(arena, has->items[i].target));
	return list;
}

static const char *describe_object(struct arena *arena, const struct fact_target *target)
{
	if (!strcmp(target->type, "type"))
		return "the object is a class, not an instance of one, and";
	return arena_printf(arena, "the object, of type %s,", target->type);
}

static void xpr_check_exposes(const struct subject *subject, struct report *report)
{
	const struct fact_target *target = subject->target;
	int64_t n_buffers = target->buffers.value;
	const char *looked_for = list_looked_for(subject->arena, &target->instead);
	const char *targets = list_targets(subject->arena, target);

	if (target->interfaces.n_items || target->pieces.known)
		return;
	if (target->status != STATUS_NULL && target->status != STATUS_OK)
		rule_skip(report, "the target was not captured: %s",
			target_status_name(target->status));
	else if (target->type)
		rule_fail(report, NULL, "%s exposes none of the interfaces%s%s%s",
			describe_object(subject->arena, target), looked_for,
			list_attributes(subject->arena, target), targets);
	else if (target->stopped_at)
		rule_skip(
			report, "%s: the search for objects reached its limit", target->stopped_at);
	else if (n_buffers)
		rule_fail(report, NULL,
			"no object of the module exposes an interface%s; %lld %s only a buffer, which -p "
			"buffer checks%s%s",
			looked_for, (long long)n_buffers, n_buffers == 1 ? "exposes" : "expose",
			list_excluded(subject->arena, target), targets);
	else
		rule_fail(report, NULL, "no object of the module exposes an interface%s%s%s",
			looked_for, list_excluded(subject->arena, target), targets);
}

/* Compares one property of all interfaces. */
static void check_property(const struct subject *subject, struct report *report,
	const struct compared_property *property, const char *field)
{
	struct agreement agreement;

	if (agreement_start(&agreement, subject, report, NULL))
		agreement_check(&agreement, property, field);
}

static void xpr_check_address(const struct subject *subject, struct report *report)
{
	check_property(subject, report, &compared_address, "pointer");
}

static void xpr_check_type(const struct subject *subject, struct report *report)
{
	check_property(subject, report, &compared_type, "dtype");
}

/* "__dlpack__, buffer and __array_interface__": the interfaces that could be read. */
static const char *list_exported(const struct subject *subject)
{
	const char **names =
		arena_alloc(subject->arena, (subject->n_interfaces + 1) * sizeof(*names));
	size_t n_names = 0;

	for (size_t i = 0; i < subject->n_interfaces; i++) {
		const struct subject *interface = &subject->interfaces[i];

		if (interface->protocol && interface_was_read(interface->interface))
			names[n_names++] = interface->protocol->attribute;
	}
	return words_enumerate(subject->arena, names, n_names);
}

/* Lazy operations are part of every value that the object shows. DLP812 covers masks; exporting the
 * codes of quantized numbers, or columns of FITS files, may be documented. */
static void xpr_check_values(const struct subject *subject, struct report *report)
{
	const struct fact_texts *pending = &subject->target->own.pending;
	const char *exported = list_exported(subject), *lazy[2];
	size_t n_lazy = 0;

	for (size_t i = 0; i < pending->n_items && n_lazy < ARRAY_SIZE(lazy); i++)
		if (!strcmp(pending->items[i], "negation") ||
			!strcmp(pending->items[i], "conjugation"))
			lazy[n_lazy++] = pending->items[i];
	if (n_lazy && *exported)
		rule_fail(report, NULL,
			"the pending %s %s not applied to the elements exported by %s",
			words_enumerate(subject->arena, lazy, n_lazy), n_lazy == 1 ? "is" : "are",
			exported);
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
	check_property(subject, report, &compared_unit_strides, "strides_bytes");
}

static void xpr_check_access(const struct subject *subject, struct report *report)
{
	check_property(subject, report, &compared_access, "readonly");
}

#define CLAUSE_AGREEMENT CLAUSE_SUAI "Agreement between interfaces"

const struct rule cross_rules[] = {
	{
		CROSS_RULE("XPR002", "no-interface", ERROR),
		.clause = CLAUSE_SUAI "At least one interface",
		.summary =
			"the object exposes an interface; of a module, at least one object exposes one (a buffer counts only with -p buffer)",
		.why = "consumers of these protocols cannot access the memory of the object, and a check of an object without interfaces would always pass",
		.fix = "name an array as the target, select other protocols with -p, or define one of the interfaces; 'suai inspect' shows the interfaces that an object exposes",
		.check = xpr_check_exposes,
	},
	{
		CROSS_RULE("XPR101", "same-address", ERROR),
		.subsumed_by = { "SUAI901", "CAI901", "NAI901" },
		.clause = CLAUSE_AGREEMENT,
		.summary =
			"all interfaces declare the same address for the first element, except DLPack exports that are copies and buffers of the array's plain bytes; arrays without elements and NumPy scalars are exempt",
		.why = "consumers of different interfaces access different memory: one does not see what another writes, or reads elements that do not belong to the array",
		.fix = "compute one address, that of the element at index 0, and declare it in every interface; consumers add offset (SYCL, in elements) and byte_offset (DLPack, in bytes) to the pointer",
		.check = xpr_check_address,
	},
	{
		CROSS_RULE("XPR201", "same-type", ERROR),
		.subsumed_by = { "CAI204", "DLP205", "DLP209", "SUAI901", "CAI901", "NAI901" },
		.clause = CLAUSE_AGREEMENT,
		.summary =
			"all interfaces declare the same element type, except buffers of the array's plain bytes; raw bytes, structures and opaque handles agree with every type of the same size; NumPy scalars are exempt",
		.why = "consumers of different interfaces interpret the same bytes as different values: bool exported as uint8 is used as indices instead of as a mask, and bfloat16 exported as float16 yields wrong numbers",
		.fix = "translate the element type with one table per interface; omit an interface that cannot express it",
		.check = xpr_check_type,
	},
	{
		CROSS_RULE("XPR202", "values-in-memory", ERROR),
		.clause = CLAUSE_SUAI "Elements in memory and values",
		.summary =
			"lazy negations and conjugations are applied to the elements before an interface exports them",
		.why = "no interface can express an operation that the library applies later: numpy.from_dlpack(z.conj().imag) of a PyTorch tensor z returns every element with the wrong sign, without an error",
		.fix = "apply the operation before the export, as Tensor.resolve_neg() and resolve_conj() do, or refuse the export",
		.check = xpr_check_values,
	},
	{
		CROSS_RULE("XPR301", "same-layout", ERROR),
		.subsumed_by = { "SUAI303", "CAI303", "CAI304", "DLP306", "NAI307", "SUAI901",
			"CAI901", "NAI901" },
		.clause = CLAUSE_AGREEMENT,
		.summary =
			"all interfaces agree on shape and, for extents above 1, strides (converted to bytes), except buffers of the array's plain bytes and the strides of packed or copied DLPack exports; arrays without elements and NumPy scalars are exempt",
		.why = "consumers of different interfaces see different arrays: one is transposed, or has other elements",
		.fix = "derive shape and strides of every interface from one array; strides are in elements in SYCL and DLPack, and in bytes in the others",
		.check = xpr_check_layout,
	},
	{
		CROSS_RULE("XPR308", "same-extent-one-strides", NOTE),
		.subsumed_by = { "SUAI309", "DLP309" },
		.clause = CLAUSE_AGREEMENT,
		.summary =
			"all interfaces that declare strides agree on those for extents of 1 as well (converted to bytes), except buffers of the array's plain bytes and packed or copied DLPack exports; arrays without elements and NumPy scalars are exempt",
		.why = "the elements are the same, but a consumer that compares strides without checking extents copies or rejects through one interface a contiguous array that it uses without a copy through another",
		.fix = "use the strides of the array itself in every interface",
		.check = xpr_check_unit_strides,
	},
	{
		CROSS_RULE("XPR801", "same-access", ERROR),
		.subsumed_by = { "SUAI109", "DLP806", "DLP813", "BUF801" },
		.clause = CLAUSE_AGREEMENT,
		.summary =
			"all interfaces that can express access agree on whether the array is writable; DLPack exports that are copies and NumPy scalars are exempt",
		.why = "consumers of one interface write to memory that consumers of another treat as constant, or cannot write to memory that is writable",
		.fix = "derive every flag from that of the array: True in data[1], a non-zero Py_buffer.readonly, a clear NPY_ARRAY_WRITEABLE and a set DLPACK_FLAG_BITMASK_READ_ONLY all mean read-only",
		.check = xpr_check_access,
	},
	{ .id = NULL },
};
