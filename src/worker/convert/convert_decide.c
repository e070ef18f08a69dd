// SPDX-License-Identifier: MIT
/* Whether the source's memory can be exported as it is, and the layout of a copy. */
#include "worker/convert/convert.h"
#include "worker/export/exported.h"
#include "worker/memory/device_session.h"

#include "copy/plan.h"

#include <string.h>

/* Pinned and managed memory have their own device types in DLPack, unlike the CPU's memory. */
static bool is_mislabelled(const struct conversion *conversion)
{
	const struct array *array = &conversion->source.elements.array;
	enum memory_kind kind = conversion->source.memory.kind;
	int code = device_type_code(array->device.type);

	return conversion->exporter && !conversion->exporter->protocol->runtime &&
	       !conversion->destination.session &&
	       !strcmp(conversion->destination.device.type, DEVICE_CPU) &&
	       array_elements(array) > 0 &&
	       (kind == MEMORY_PINNED || kind == MEMORY_REGISTERED || kind == MEMORY_MANAGED ||
		       (code != DLPACK_CPU && device_type_of_code(code)->is_host_accessible));
}

/* The device of the source's memory: "cuda:1 (NVIDIA H200)". */
static const char *name_source_device(const struct conversion *conversion)
{
	const struct memory *memory = &conversion->source.memory;
	struct device_session *session = conversion->source.elements.location.session;
	const char *name = *memory->device_name ? memory->device_name : session->runtime->name;
	struct device device;
	struct err ignored;

	if (session_name_device(session, memory->kind, &device, &ignored) || device.id < 0)
		return name;
	return arena_printf(conversion->context->arena, "%s (%s)",
		device_text(conversion->context->arena, device), name);
}

/* Why memory that is elsewhere cannot be exported as it is. */
static const char *memory_reason(const struct conversion *conversion)
{
	const struct source *source = &conversion->source;
	const struct destination *destination = &conversion->destination;
	const struct device_session *session = source->elements.location.session;
	struct arena *arena = conversion->context->arena;

	if (destination->reason)
		return destination->reason;
	if (is_mislabelled(conversion))
		return arena_printf(arena,
			"the elements are in %s memory, for which DLPack has a device type other than kDLCPU",
			source->memory.kind == MEMORY_HOST ? source->elements.array.device.type
							   : memory_kind_name(source->memory.kind));
	if (destination->knows_source)
		return NULL;
	if (!session)
		return arena_printf(arena,
			"the elements are in host memory, but the result must be on %s",
			device_text(arena, destination->device));
	if (!destination->session)
		return arena_printf(arena,
			"the elements are in %s memory of %s, but the result must be in host memory",
			memory_kind_name(source->memory.kind), name_source_device(conversion));
	return arena_printf(arena,
		"the elements are in %s memory of %s, but the result must be on %s",
		memory_kind_name(source->memory.kind), name_source_device(conversion),
		device_text(arena, destination->device));
}

static const char *order_reason(const struct conversion *conversion)
{
	const struct array *array = &conversion->source.elements.array;

	if (conversion->order == 'C' && !array_is_c_contiguous(array))
		return "--order C was given, but the source is not C-contiguous";
	if (conversion->order == 'F' && !array_is_f_contiguous(array))
		return "--order F was given, but the source is not Fortran-contiguous";
	return NULL;
}

static const char *convert_decide_copy_reason(const struct conversion *conversion)
{
	const struct source *source = &conversion->source;
	const struct exporter *exporter = conversion->exporter;
	const char *reason = NULL;

	if (conversion->is_file || !exporter)
		return "a file contains a copy of the elements";
	if (conversion->options->copy == JOB_COPY_ALWAYS)
		return "--copy always";
	reason = memory_reason(conversion);
	if (!reason && exporter->copy_reason)
		reason = exporter->copy_reason(conversion->context->arena, &source->elements.array,
			conversion->options->interface_version);
	return reason ? reason : order_reason(conversion);
}

/* The order of a copy that keeps the source's, as far as the file format can express it. */
static char file_order(const struct conversion *conversion)
{
	const struct array *array = &conversion->source.elements.array;

	if (conversion->order != 'K')
		return conversion->order;
	return array_is_f_contiguous(array) && !array_is_c_contiguous(array) ? 'F' : 'C';
}

static void lay_out_copy(struct conversion *conversion)
{
	struct array *array = &conversion->result.array;

	if (conversion->is_file)
		conversion->order = file_order(conversion);
	if (conversion->order == 'K')
		plan_keep_order(array, &conversion->source.elements.array);
	else
		array_set_compact_strides(array, conversion->order);
	if (conversion->exporter && conversion->exporter->native_order)
		array->dtype.foreign_order = false;
	array->pointer = 0;
	array->readonly = READONLY_NO;
	if (!conversion->destination.session)
		conversion->destination.device = (struct device){ DEVICE_CPU, 0 };
}

static int check_copy_allowed(const struct conversion *conversion, struct err *err)
{
	const char *reason =
		conversion->reason ? conversion->reason : conversion->source.producer_copied;

	if (reason && conversion->options->copy == JOB_COPY_NEVER)
		return err_set(err, EXIT_TARGET,
			"a copy is required, but --copy never forbids it: %s; use --copy auto to allow it",
			reason);
	if (conversion->reason && conversion->source.elements.holds_objects)
		return err_set(err, EXIT_TARGET,
			"the elements %s references to Python objects, which suai does not copy, but a copy is required: %s",
			conversion->source.elements.array.dtype.kind == DTYPE_OBJECT
				? "are"
				: "have fields with",
			conversion->reason);
	if (conversion->reason && conversion->source.elements.may_hold_objects)
		return err_set(err, EXIT_TARGET,
			"the elements are structures whose fields no interface reports; these may contain references to Python objects, which suai does not copy, but a copy is required: %s",
			conversion->reason);
	return 0;
}

int convert_check_elements(struct conversion *conversion, struct err *err)
{
	struct arena *arena = conversion->context->arena;
	const char *options;
	struct err why;

	conversion->result = conversion->source.elements;
	if (!conversion->exporter || !conversion->exporter->adapt(arena, &conversion->result, &why))
		return 0;
	if (conversion->is_file)
		return err_set(err, EXIT_TARGET,
			"%s; -o FILE.raw stores the elements without their type", why.message);
	options = exporter_options(arena, &conversion->source.elements);
	return err_set(err, EXIT_TARGET, "%s%s%s%s", why.message, *options ? "; " : "", options,
		*options ? " can express these elements" : "");
}

int convert_decide(struct conversion *conversion, struct err *err)
{
	conversion->order = conversion->options->order;
	conversion->reason = convert_decide_copy_reason(conversion);
	if (check_copy_allowed(conversion, err))
		return -1;
	if (conversion->reason)
		lay_out_copy(conversion);
	conversion->result.array.device = conversion->destination.device;
	return 0;
}
