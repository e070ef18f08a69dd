// SPDX-License-Identifier: MIT
/* Targets of documents: derived fields, and the differences between documents and facts. */
#include "documents/document.h"

#include "base/array_size.h"
#include "model/fields.h"
#include "protocols/description.h"
#include "protocols/protocol.h"

#include <stdio.h>
#include <string.h>

/* --- deriving --- */

/* The strides in elements; null if one is not a multiple of the item size. */
static struct fact_ints stride_elements(struct arena *arena, const struct array *array)
{
	int64_t strides[ARRAY_MAX_DIMS], itemsize = dtype_itemsize(&array->dtype);

	for (int i = 0; i < array->n_dims; i++) {
		if (itemsize <= 0 || array->stride_bytes[i] % itemsize)
			return (struct fact_ints){ 0 };
		strides[i] = array->stride_bytes[i] / itemsize;
	}
	return fact_ints(arena, strides, (size_t)array->n_dims);
}

/* Null if it is negative, which means unknown in struct array. */
static struct fact_int known_count(int64_t count)
{
	return (struct fact_int){ .known = count >= 0, .value = count >= 0 ? count : 0 };
}

void document_set_array(struct arena *arena, const struct array *array, const struct memory *memory,
	struct fact_array *out)
{
	const char *device_name = memory && memory->present ? memory->device_name : "";
	size_t n_dims = (size_t)array->n_dims;
	char typestr[DTYPE_TEXT_BYTES];
	uint64_t low, high;
	struct err ignored;

	*out = (struct fact_array){
		.present = true,
		.dtype = arena_copy(arena, array->dtype.name, strlen(array->dtype.name)),
		.itemsize = known_count(dtype_itemsize(&array->dtype)),
		.ndim = fact_int(array->n_dims),
		.shape = fact_ints(arena, array->shape, n_dims),
		.strides_bytes = fact_ints(arena, array->stride_bytes, n_dims),
		.strides_elements = stride_elements(arena, array),
		.elements = known_count(array_elements(array)),
		.nbytes = known_count(array_nbytes(array)),
		.extent.present = true,
		.c_contiguous = answer_of(array_is_c_contiguous(array)),
		.f_contiguous = answer_of(array_is_f_contiguous(array)),
		.device = { .present = true,
			.type = array->device.type,
			.id = known_count(array->device.id) },
	};
	if (!dtype_to_typestr(&array->dtype, typestr, &ignored))
		out->typestr = arena_copy(arena, typestr, strlen(typestr));
	if (array->pointer)
		out->pointer = fact_address(array->pointer);
	/* A cl_mem is not an address. */
	if (array->pointer && device_type_named(array->device.type)->data != DEVICE_DATA_HANDLE &&
		!array_extent(array, &low, &high, &ignored)) {
		out->extent.low = fact_address(low);
		out->extent.high = fact_address(high);
	}
	if (array->readonly != READONLY_UNKNOWN)
		out->readonly = answer_of(array->readonly == READONLY_YES);
	/* Memory that is declared as the CPU's may be allocated by a driver, such as managed
	 * memory; its device is a fact of the memory. */
	if (*device_name && strcmp(fact_text_or(array->device.type, ""), DEVICE_CPU) != 0)
		out->device.name = arena_copy(arena, device_name, strlen(device_name));
}

static struct fact_ints field_shape(struct arena *arena, const struct value *shape)
{
	struct fact_ints out = fact_ints(arena, NULL, 0);

	if (value_is(shape, VALUE_INT))
		return fact_ints(arena, &shape->integer, 1);
	if (value_is_sequence(shape) && shape->n_items) {
		out.items = arena_alloc(arena, shape->n_items * sizeof(*out.items));
		out.n_items = shape->n_items;
		for (size_t i = 0; i < shape->n_items; i++)
			out.items[i] = value_int_or(shape->items[i], 0);
	}
	return out;
}

/* Adds the fields of a descr that begins at offset; false if one is malformed. */
static bool add_dtype_fields(struct arena *arena, struct fact_dtype_field_list *list,
	const struct value *descr, const struct fact_texts *outer, int64_t offset)
{
	for (size_t i = 0; i < descr->n_items; i++) {
		struct fact_dtype_field *out;
		struct fact_texts path = { .known = true };
		struct descr_field field;
		struct dtype dtype;
		struct err ignored;

		if (!fields_read_item(descr->items[i], &field))
			return false;
		for (size_t k = 0; k < outer->n_items; k++)
			fact_texts_add(arena, &path, outer->items[k]);
		fact_texts_add(arena, &path, field.name->bytes);
		if (field.name->n_bytes) {
			out = FACT_LIST_ADD(arena, list);
			*out = (struct fact_dtype_field){ .present = true,
				.path = path,
				.offset = fact_int(offset),
				.itemsize = fact_int(field.item_bytes),
				.shape = field_shape(arena, field.shape) };
			if (value_is(field.type, VALUE_TEXT) &&
				!dtype_from_typestr(&dtype, field.type->bytes, &ignored)) {
				out->dtype = arena_copy(arena, dtype.name, strlen(dtype.name));
				out->typestr = field.type->bytes;
			}
			if (value_is(field.type, VALUE_LIST) &&
				!add_dtype_fields(arena, list, field.type, &path, offset))
				return false;
		}
		offset += field.item_bytes *
			  field.n_items; /* no overflow: that of the whole is known */
	}
	return true;
}

/* The fields of a record as descr or a format of PEP 3118 declares them; null if they do not make
 * up the item size. */
static struct fact_dtype_field_list dtype_fields(
	struct arena *arena, const struct fact_interface *interface, struct fact_int itemsize)
{
	struct fact_dtype_field_list list = { .known = true };
	const struct value *descr = value_get(interface->declared, "descr");
	const char *format = value_text_or(value_get(interface->declared, "format"), NULL);
	const struct fact_texts none = { .known = true };
	struct err ignored;

	if (itemsize.known && format && !descr)
		descr = fields_from_pep3118(arena, format, itemsize.value, &ignored);
	if (format && descr && descr->n_items < 2 && !strchr(format, '{'))
		descr = NULL;
	if (!itemsize.known || !fields_are_structured(descr) ||
		fields_item_bytes(descr) != itemsize.value ||
		!add_dtype_fields(arena, &list, descr, &none, 0))
		return (struct fact_dtype_field_list){ 0 };
	return list;
}

/* For an array whose element type cannot be decoded: the fields that do not depend on the type, or
 * on the item size unless it is declared. */
static void derive_untyped(struct arena *arena, const struct protocol *protocol,
	const struct fact_interface *interface, struct fact_array *out)
{
	const struct description *description = interface->description;
	bool counts_elements = protocol->counts_elements;

	document_set_array(arena, description->untyped, &interface->memory, out);
	out->dtype = out->typestr = NULL;
	if (description->has_size)
		return;
	out->itemsize.known = out->nbytes.known = false;
	out->c_contiguous = out->f_contiguous = ANSWER_UNKNOWN;
	if (counts_elements || !description->untyped->strides_given)
		out->strides_bytes = (struct fact_ints){ 0 };
	if (!counts_elements || !description->untyped->strides_given)
		out->strides_elements = (struct fact_ints){ 0 };
	out->extent.low.known = out->extent.high.known = false;
	/* It includes an offset in elements. */
	if (counts_elements && value_int_or(value_get(interface->declared, "offset"), 0))
		out->pointer.known = false;
}

static void derive_interface(struct arena *arena, struct fact_interface *interface)
{
	const struct protocol *protocol = protocol_of_interface(interface);
	const struct description *description;

	interface->version = NULL;
	interface->array = (struct fact_array){ 0 };
	if (!protocol)
		return;
	if (protocol->version && !value_is_null(interface->declared))
		interface->version = protocol->version(arena, interface);
	if (interface->status != INTERFACE_OK)
		return;
	description = protocol_describe(arena, interface);
	if (description->strict)
		document_set_array(
			arena, description->strict, &interface->memory, &interface->array);
	else if (description->untyped)
		derive_untyped(arena, protocol, interface, &interface->array);
	if (interface->array.present)
		interface->array.fields = dtype_fields(arena, interface, interface->array.itemsize);
}

static bool has_extent(const struct fact_array *array)
{
	const struct fact_range *extent = &array->extent;

	return extent->low.known && extent->high.known && extent->low.value < extent->high.value;
}

/* Whether the consumer's result is a view of the new object. Outside its extent, a result with as
 * many elements is a copy, any other may have been computed from them. Different handles of OpenCL
 * may refer to the same memory. */
static enum answer shares_memory(const struct fact_array *made, const struct fact_array *result)
{
	const struct fact_range *a = &made->extent, *b = &result->extent;

	if (!has_extent(made) || !has_extent(result) || fact_text_is(result->dtype, "object"))
		return ANSWER_UNKNOWN;
	if (device_type_named(made->device.type)->data == DEVICE_DATA_HANDLE ||
		device_type_named(result->device.type)->data == DEVICE_DATA_HANDLE)
		return a->low.value == b->low.value ? ANSWER_YES : ANSWER_UNKNOWN;
	if (a->low.value < b->high.value && b->low.value < a->high.value)
		return ANSWER_YES;
	return made->elements.known == result->elements.known &&
			       made->elements.value == result->elements.value
		       ? ANSWER_NO
		       : ANSWER_UNKNOWN;
}

/* According to any of their interfaces. */
static enum answer shares_any_memory(
	const struct fact_interface_list *made, const struct fact_interface_list *results)
{
	enum answer most = ANSWER_UNKNOWN;

	for (size_t i = 0; i < made->n_items; i++)
		for (size_t j = 0; j < results->n_items; j++) {
			enum answer one =
				shares_memory(&made->items[i].array, &results->items[j].array);

			most = one > most ? one : most;
		}
	return most;
}

/* A consumer that ended the process is a result, not a failure of the target. */
static void derive_consumption(struct fact_target *target)
{
	static const struct {
		enum target_status status;
		enum trial_outcome outcome;
	} losses[] = {
		{ STATUS_CRASHED, TRIAL_CRASHED },
		{ STATUS_HUNG, TRIAL_HUNG },
		{ STATUS_LEFT, TRIAL_LEFT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(losses); i++) {
		if (target->status != losses[i].status)
			continue;
		target->consumption.outcome = losses[i].outcome;
		if (!target->consumption.step)
			target->consumption.step = target->step;
		target->consumption.error = target->error;
		target->status = STATUS_OK;
		target->step = NULL;
		target->error = (struct fact_error){ 0 };
		return;
	}
}

void document_derive(struct arena *arena, struct fact_target *target)
{
	struct fact_interface_list *interfaces = &target->interfaces;
	struct fact_interface_list *results = &target->copy.result.interfaces;

	for (size_t i = 0; i < interfaces->n_items; i++)
		derive_interface(arena, &interfaces->items[i]);
	for (size_t i = 0; i < results->n_items; i++)
		derive_interface(arena, &results->items[i]);
	if (target->copy.present)
		target->copy.same_memory = shares_any_memory(interfaces, results);
	if (target->consumption.present)
		derive_consumption(target);
}

/* --- writing --- */

/* A copy of the interfaces in which the memory of one with an array is in the array. */
static struct fact_interface_list place_memory(
	struct arena *arena, const struct fact_interface_list *interfaces)
{
	struct fact_interface_list placed = { 0 };

	FACT_LIST_EXTEND(arena, &placed, interfaces);
	for (size_t i = 0; i < placed.n_items; i++) {
		struct fact_interface *interface = &placed.items[i];

		if (!interface->array.present)
			continue;
		interface->array.memory = interface->memory;
		interface->memory.present = false;
	}
	return placed;
}

struct value *document_write(struct arena *arena, const struct fact_target *target)
{
	struct fact_target document = *target;

	document.interfaces = place_memory(arena, &target->interfaces);
	document.copy.result.interfaces = place_memory(arena, &target->copy.result.interfaces);
	return fact_write(
		&fact_target_record, arena, &document, FACT_DOCUMENT, protocol_details_of);
}

/* --- reading --- */

/* The structs of an edited document contain only what C can hold: describe and rules rely on it. */
static int check_structs(struct arena *arena, const struct fact_interface *interface,
	const struct protocol *protocol, const char *list, size_t i, struct err *err)
{
	const char *path = arena_printf(arena, "%s[%zu].declared", list, i);
	const struct fact_interface *other;

	if (struct_fields_check(protocol->fields, interface->declared, path, err))
		return -1;
	other = protocol->other ? protocol->other(arena, interface) : NULL;
	path = arena_printf(arena, "%s[%zu].details.other_capsule.declared", list, i);
	return other ? struct_fields_check(protocol->fields, other->declared, path, err) : 0;
}

static int check_interfaces(struct arena *arena, const struct fact_interface_list *interfaces,
	const char *path, struct err *err)
{
	for (size_t i = 0; i < interfaces->n_items; i++) {
		struct fact_interface *interface = &interfaces->items[i];
		const struct protocol *protocol;

		if (!interface->protocol)
			return err_set(
				err, EXIT_USAGE, "'%s[%zu]': missing key 'protocol'", path, i);
		protocol = protocol_find(interface->protocol);
		if (!protocol)
			return err_set(err, EXIT_USAGE, "'%s[%zu].protocol': unknown protocol '%s'",
				path, i, interface->protocol);
		if (protocol->fields && check_structs(arena, interface, protocol, path, i, err))
			return -1;
		if (interface->status == INTERFACE_NULL)
			interface->status = INTERFACE_OK;
		if (interface->array.memory.present)
			interface->memory = interface->array.memory;
		interface->version = NULL;
		interface->array = (struct fact_array){ 0 };
	}
	return 0;
}

int document_read(
	struct arena *arena, const struct value *value, struct fact_target *out, struct err *err)
{
	if (value_is_null(value))
		return err_set(err, EXIT_USAGE, "expected a map, got null");
	if (fact_read(&fact_target_record, arena, value, FACT_DOCUMENT, protocol_details_of, out,
		    err) ||
		check_interfaces(arena, &out->interfaces, "interfaces", err) ||
		check_interfaces(
			arena, &out->copy.result.interfaces, "copy.result.interfaces", err))
		return -1;
	if (out->status == STATUS_NULL)
		out->status = STATUS_OK;
	out->copy.same_memory = ANSWER_UNKNOWN;
	out->findings = out->known = (struct fact_finding_list){ 0 };
	out->skipped = (struct fact_skip_list){ 0 };
	return 0;
}
