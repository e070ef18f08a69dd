// SPDX-License-Identifier: MIT
/*
 * Agreement of the interfaces for the same kind of device. These rules run after those on DLPack
 * and buffers, some of which report the cause more precisely. XPR801 covers access.
 */
#include "rules/engine/clauses.h"
#include "rules/shared/agreement.h"
#include "rules/shared/shared.h"

#include <string.h>

/* The fields of the interface that are compared. */
struct compared_fields {
	const char *address, *type;
};

static const struct compared_fields dictionary_fields = { "data[0]", "typestr" };

static void pairs_check_statements(
	const struct agreement *agreement, const struct compared_fields *fields)
{
	agreement_check(agreement, &compared_address, fields->address);
	agreement_check(agreement, &compared_type, fields->type);
	if (agreement_check(agreement, &compared_shape, "shape"))
		agreement_check(agreement, &compared_strides, "strides");
}

static void pairs_check_sycl(const struct subject *subject, struct report *report)
{
	struct agreement agreement;

	if (!agreement_start(&agreement, subject, report, PROTOCOL_SYCL " " PROTOCOL_DLPACK))
		return;
	pairs_check_statements(&agreement, &dictionary_fields);
	agreement_check(&agreement, &compared_device, "syclobj");
}

/* CAI204 covers types without a typestr, CAI304 absent strides. */
static void pairs_check_cuda(const struct subject *subject, struct report *report)
{
	struct agreement agreement;

	if (!agreement_start(&agreement, subject, report, PROTOCOL_CUDA " " PROTOCOL_DLPACK))
		return;
	agreement.only_named_types = true;
	agreement.only_given_strides = true;
	pairs_check_statements(&agreement, &dictionary_fields);
}

/* Only DLPack tensors on the host can be the same memory. */
static void drop_device_tensors(struct agreement *agreement)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < agreement->n_statements; i++) {
		const char *type = agreement->statements[i].array->device.type;

		if (type && !strcmp(type, DEVICE_CPU))
			agreement->statements[n_kept++] = agreement->statements[i];
	}
	agreement->n_statements = n_kept;
}

/* Checks the struct only if there is no dictionary. */
static void pairs_check_numpy(const struct subject *subject, struct report *report)
{
	static const struct compared_fields struct_fields = { "data", "typekind" };
	bool is_struct = subject->protocol == &numpy_struct_protocol;
	bool is_pair = value_is_sequence(value_get(subject->declared, "data"));
	struct compared_fields fields = { is_pair ? "data[0]" : "data", "typestr" };
	struct agreement agreement;

	if ((is_struct && shared_interface_of(subject, PROTOCOL_NUMPY)->present) ||
		!agreement_start(&agreement, subject, report,
			PROTOCOL_NUMPY " " PROTOCOL_NUMPY_STRUCT " " PROTOCOL_BUFFER
				       " " PROTOCOL_DLPACK))
		return;
	drop_device_tensors(&agreement);
	pairs_check_statements(&agreement, is_struct ? &struct_fields : &fields);
}

const struct rule pairs_rules[] = {
	{
		INTERFACE_RULE(PROTOCOL_SYCL, FACT_DICT | FACT_STRUCT, "SUAI901", "agreement",
			ERROR, HAZARD),
		.optional_facts = FACT_MEMORY,
		.requires = { "SUAI002" },
		.subsumed_by = { "SUAI303", "DLP205", "DLP209", "DLP306", "DLP504" },
		.clause = CLAUSE_SUAI "Agreement between interfaces",
		.summary =
			"__sycl_usm_array_interface__ and __dlpack__ agree on address, shape, strides, element type and device, with the exceptions of XPR101, XPR201 and XPR301; the device of a DLPack export that is a copy is not compared",
		.why = "dpnp.asarray uses __sycl_usm_array_interface__, and from_dlpack of any library uses __dlpack__, so two consumers may compute with different elements of what the user assumes to be the same array",
		.fix = "derive both from the same array; strides are in elements in both, and the address in DLPack is data plus byte_offset, which equals data[0] plus offset elements",
		.check = pairs_check_sycl,
	},
	{
		INTERFACE_RULE(PROTOCOL_CUDA, FACT_DICT | FACT_STRUCT, "CAI901", "agreement", ERROR,
			HAZARD),
		.requires = { "CAI002" },
		.subsumed_by = { "CAI303", "DLP205", "DLP209", "DLP306" },
		.clause = CLAUSE_SUAI "Agreement between interfaces",
		.summary =
			"__cuda_array_interface__ and __dlpack__ agree on address, shape, element type and, if both declare them, strides, with the exceptions of XPR101, XPR201 and XPR301; CAI204 covers types that typestr cannot express",
		.why = "torch.as_tensor and cupy.asarray use __cuda_array_interface__, and from_dlpack of any library uses __dlpack__, so two consumers may compute with different elements",
		.fix = "derive both from the same shape, strides and address; in DLPack, the address is data plus byte_offset, and strides are in elements",
		.check = pairs_check_cuda,
	},
	{
		.id = "NAI901",
		.name = "agreement",
		.protocols = PROTOCOL_NUMPY " " PROTOCOL_NUMPY_STRUCT,
		.severity = SEVERITY_ERROR,
		.level = LEVEL_HAZARD,
		.facts = FACT_DICT | FACT_STRUCT,
		.subsumed_by = { "DLP205", "DLP209", "DLP306" },
		.clause = CLAUSE_SUAI "Agreement between interfaces",
		.summary =
			"__array_interface__, __array_struct__, the buffer and __dlpack__ on the host agree on address, shape, strides and element type, with the exceptions of XPR101, XPR201 and XPR301",
		.why = "numpy.asarray uses the buffer or, without one, __array_struct__ or __array_interface__, and numpy.from_dlpack and torch.from_dlpack use __dlpack__: the same object becomes different arrays",
		.fix = "derive all of them from the same array; strides are in bytes in the NumPy interfaces and the buffer, and in elements in DLPack",
		.check = pairs_check_numpy,
	},
	{ .id = NULL },
};
