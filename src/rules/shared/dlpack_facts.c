// SPDX-License-Identifier: MIT
/* Shared by the tables of DLP rules: calls, capsule, DLTensor and device, read from the facts. */
#include "rules/shared/dlpack_facts.h"

#include "protocols/protocol.h"

#include <string.h>

struct dlpack_version dlpack_read_version(const struct subject *subject)
{
	const struct value *version = value_get(subject->declared, "version");

	return (struct dlpack_version){
		.is_versioned = value_is_sequence(version),
		.major = value_int_or(value_item(version, 0), 0),
		.minor = value_int_or(value_item(version, 1), 0),
	};
}

bool dlpack_is_newer(const struct subject *subject)
{
	struct dlpack_version version = dlpack_read_version(subject);

	return version.major > DLPACK_MAJOR ||
	       (version.major == DLPACK_MAJOR && version.minor > DLPACK_MINOR);
}

uint64_t dlpack_flags(const struct subject *subject)
{
	uint64_t flags = 0;

	value_to_uint64(value_get(subject->declared, "flags"), &flags);
	return flags;
}

bool dlpack_is_set(const struct value *pointer)
{
	uint64_t address;

	return value_to_address(pointer, &address) ? address != 0 : value_bool_or(pointer, false);
}

const struct fact_call *dlpack_held_call(const struct subject *subject, size_t i)
{
	const struct fact_call_list *calls = &subject->target->calls;

	return i < calls->n_items && calls->items[i].held != ANSWER_NO ? &calls->items[i] : NULL;
}

bool dlpack_is_repeat(const struct fact_call *call)
{
	static const char end[] = " again";
	const char *step = fact_text_or(call->step, "");
	size_t n_chars = strlen(step);

	return n_chars > strlen(end) && !strcmp(step + n_chars - strlen(end), end);
}

const struct fact_call *dlpack_capsule_call(const struct subject *subject)
{
	const char *shown = value_text_or(value_get(subject->details, "call"), "");
	const struct fact_call *call;

	for (size_t i = 0; (call = dlpack_held_call(subject, i)); i++)
		if (fact_text_is(call->step, shown))
			return call;
	return NULL;
}

int64_t dlpack_max_major(const struct fact_call *call)
{
	return value_int_or(value_at(call->arguments, "max_version[0]"), 0);
}

int64_t dlpack_call_major(const struct fact_call *call)
{
	return call->version.n_items ? call->version.items[0] : 0;
}

bool dlpack_is_capsule_name(const char *name)
{
	return fact_text_is(name, "dltensor") || fact_text_is(name, "dltensor_versioned");
}

const struct value *dlpack_capsule(const struct subject *subject, struct report *report)
{
	const struct value *capsule = value_get(subject->declared, "capsule");

	if (!interface_was_read(subject->interface))
		rule_skip(report, "there is no capsule: __dlpack__ %s",
			subject->interface->status == INTERFACE_REFUSED ? "refused the export"
									: "raised an exception");
	else if (!capsule || (value_is(subject->details, VALUE_MAP) &&
				     value_is_null(value_get(subject->details, "call"))))
		rule_skip(report, "there is no capsule: __dlpack__ was not called");
	else
		return capsule;
	return NULL;
}

const struct value *dlpack_tensor(const struct subject *subject, struct report *report)
{
	const struct value *tensor = value_get(subject->declared, "dl_tensor");

	if (!dlpack_capsule(subject, report))
		return NULL;
	if (value_is(tensor, VALUE_MAP))
		return tensor;
	rule_skip(report, "no DLTensor could be read from the result of __dlpack__");
	return NULL;
}

bool dlpack_enter_tensor(
	const struct subject *subject, struct report *report, struct subject *tensor)
{
	*tensor = *subject;
	tensor->declared = dlpack_tensor(subject, report);
	rule_set_field_prefix(report, "dl_tensor");
	return tensor->declared;
}

bool dlpack_exceeds_max_dims(const struct subject *subject)
{
	return value_int_or(value_at(subject->declared, "dl_tensor.ndim"), 0) > ARRAY_MAX_DIMS;
}

bool dlpack_read_type(const struct subject *subject, struct dtype *type)
{
	const struct value *dtype = value_at(subject->declared, "dl_tensor.dtype");
	struct err ignored;

	return !dtype_from_dlpack(type, value_int_or(value_get(dtype, "code"), -1),
		value_int_or(value_get(dtype, "bits"), 0),
		value_int_or(value_get(dtype, "lanes"), 0), &ignored);
}

bool dlpack_is_packed(const struct subject *subject)
{
	const struct value *dtype = value_at(subject->declared, "dl_tensor.dtype");
	int64_t bits = value_int_or(value_get(dtype, "bits"), 0);
	int64_t lanes = value_int_or(value_get(dtype, "lanes"), 1);

	return bits > 0 && bits < 8 && lanes > 0 && lanes < 8 && bits * lanes < 8 &&
	       !(dlpack_flags(subject) & DLPACK_IS_PADDED);
}

const struct array *dlpack_next_other_interface(
	const struct subject *subject, size_t *next, const char **protocol)
{
	while (*next < subject->n_interfaces) {
		const struct subject *other = &subject->interfaces[(*next)++];

		if (!other->array || other->is_repaired || other->protocol == &dlpack_protocol)
			continue;
		*protocol = other->protocol->name;
		return other->array;
	}
	return NULL;
}

bool dlpack_declared_device(const struct subject *subject, struct dlpack_device *device)
{
	const struct value *pair = value_get(subject->declared, "device");

	return value_is_sequence(pair) && pair->n_items == 2 && value_is_integer(pair->items[0]) &&
	       value_is_integer(pair->items[1]) && value_to_int64(pair->items[0], &device->type) &&
	       value_to_int64(pair->items[1], &device->id) &&
	       device->type == (int32_t)device->type && device->id == (int32_t)device->id;
}

bool dlpack_tensor_device(const struct subject *subject, struct dlpack_device *device)
{
	const struct value *map = value_at(subject->declared, "dl_tensor.device");

	return value_to_int64(value_get(map, "device_type"), &device->type) &&
	       value_to_int64(value_get(map, "device_id"), &device->id);
}
