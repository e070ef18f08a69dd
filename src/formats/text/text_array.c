// SPDX-License-Identifier: MIT
/* The decoded array: one line per field, from the element type to the location in memory. */
#include "formats/text/text_parts.h"

#include "base/array_size.h"
#include "base/plural.h"
#include "model/escape.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_DIMS_SHOWN = 32, MAX_FIELDS_SHOWN = 64, MAX_LINES_APART = 4 };

static void add_array_text(struct text *out, const char *text)
{
	escape_text(out, text, strlen(text), ESCAPE_TERMINAL);
}

void text_add_tuple(struct text *out, const struct fact_ints *list)
{
	size_t n_items = list->n_items;

	text_add(out, "(");
	for (size_t i = 0; i < n_items && i < MAX_DIMS_SHOWN; i++)
		text_printf(out, "%s%" PRId64, i ? ", " : "", list->items[i]);
	text_add(out, n_items > MAX_DIMS_SHOWN ? ", ...)" : n_items == 1 ? ",)" : ")");
}

static void add_byte_count(struct text *out, struct fact_int n_bytes)
{
	if (n_bytes.known)
		page_add_bytes(out, (uint64_t)n_bytes.value);
	else
		text_add(out, "size exceeds 2^63 - 1 bytes");
}

/* The element type cannot be decoded and its size is not declared. */
static bool is_unsized_array(const struct fact_array *array)
{
	return !array->dtype && !array->itemsize.known;
}

/* "(2,) of int16 (<i2), 2 bytes each, at offset 4". */
static void add_field_type(struct text *out, const struct fact_dtype_field *field)
{
	if (field->shape.n_items) {
		text_add_tuple(out, &field->shape);
		text_add(out, " of ");
	}
	if (field->dtype) {
		add_array_text(out, field->dtype);
		text_add(out, " (");
		add_array_text(out, field->typestr);
		text_add(out, "), ");
	}
	add_byte_count(out, field->itemsize);
	text_add(out, field->shape.n_items ? " each" : "");
	text_printf(out, ", at offset %" PRId64, field->offset.value);
}

static void add_dtype(struct text *out, const struct fact_interface *interface)
{
	const struct fact_array *array = &interface->array;

	if (is_unsized_array(array)) {
		text_add(out, "cannot be decoded; 'suai validate' reports why");
		return;
	}
	if (!array->dtype)
		text_add(out, "cannot be decoded ('suai validate' reports why)");
	else
		add_array_text(out, array->dtype);
	if (array->typestr) {
		text_add(out, " (");
		add_array_text(out, array->typestr);
		text_add(out, ")");
	}
	text_add(out, ", ");
	add_byte_count(out, array->itemsize);
}

/* A line for each field, indented by two columns in each record. */
static void add_dtype_fields_text(struct text *out, const struct fact_interface *interface)
{
	const struct fact_dtype_field_list *list = &interface->array.fields;
	size_t n_shown = list->n_items < MAX_FIELDS_SHOWN ? list->n_items : MAX_FIELDS_SHOWN;
	size_t width = 0;

	for (int pass = 0; pass < 2; pass++) /* the first finds the width of the names */
		for (size_t i = 0; i < n_shown; i++) {
			const struct fact_dtype_field *field = &list->items[i];
			size_t depth = field->path.n_items - 1, n_columns;
			struct text name = { 0 };

			text_printf(&name, "%*s", (int)(2 * depth), "");
			add_array_text(&name, field->path.items[depth]);
			n_columns = page_columns(name.bytes, name.n_bytes);
			if (!pass) {
				width = n_columns > width ? n_columns : width;
			} else {
				text_printf(out, "%s%s%*s", out->n_bytes ? "\n" : "", name.bytes,
					(int)(width - n_columns) + 2, "");
				add_field_type(out, field);
			}
			text_free(&name);
		}
	if (n_shown < list->n_items)
		text_printf(out, "\nand %zu more", list->n_items - n_shown);
}

static void add_array_shape(struct text *out, const struct fact_interface *interface)
{
	const struct fact_array *array = &interface->array;

	text_add_tuple(out, &array->shape);
	if (array->elements.known)
		text_printf(out, ", %" PRId64 " element%s", array->elements.value,
			plural(array->elements.value));
	if (is_unsized_array(array))
		return;
	text_add(out, ", ");
	add_byte_count(out, array->nbytes);
}

static void add_strides(struct text *out, const struct fact_interface *interface)
{
	const struct fact_array *array = &interface->array;
	const struct fact_ints *bytes = &array->strides_bytes, *elements = &array->strides_elements;
	bool is_c = array->c_contiguous == ANSWER_YES, is_f = array->f_contiguous == ANSWER_YES;

	if (!array->ndim.value)
		return;
	if (is_unsized_array(array)) {
		if (!bytes->known && !elements->known)
			return;
		text_add_tuple(out, bytes->known ? bytes : elements);
		text_add(out, bytes->known ? " bytes" : " elements");
		return;
	}
	text_add_tuple(out, bytes);
	text_add(out, " bytes, ");
	if (elements->known) {
		text_add_tuple(out, elements);
		text_add(out, " elements, ");
	} else {
		text_add(out, "not a multiple of the item size, ");
	}
	text_add(out, is_c && is_f ? "C- and F-contiguous"
		      : is_c       ? "C-contiguous"
		      : is_f       ? "F-contiguous"
				   : "not contiguous");
}

/* Elements of a .npy file, which have no address. */
static bool is_unmapped_file(const struct fact_interface *interface)
{
	return interface->memory.kind == MEMORY_FILE && !interface->array.pointer.known;
}

static void add_pointer(struct text *out, const struct fact_interface *interface)
{
	const struct fact_array *array = &interface->array;

	if (array->pointer.known)
		text_printf(out, "0x%" PRIx64, array->pointer.value);
	else
		text_add(out, is_unmapped_file(interface) ? ""
			      : is_unsized_array(array)   ? "unknown"
							  : "null");
}

static void add_extent(struct text *out, const struct fact_interface *interface)
{
	const struct fact_range *extent = &interface->array.extent;

	if (extent->low.known)
		text_printf(
			out, "0x%" PRIx64 " to 0x%" PRIx64, extent->low.value, extent->high.value);
}

static void add_access(struct text *out, const struct fact_interface *interface)
{
	if (interface->array.readonly)
		text_add(out, interface->array.readonly == ANSWER_YES ? "read-only" : "writable");
}

static void add_array_device(struct text *out, const struct fact_interface *interface)
{
	const struct fact_array_device *device = &interface->array.device;
	struct fact_int id = device->id.known ? device->id : interface->memory.device_id;

	if (device->type)
		add_array_text(out, device->type);
	if (device->type && id.known)
		text_printf(out, ":%" PRId64, id.value);
	if (device->name) {
		text_add(out, out->n_bytes ? ", " : "");
		add_array_text(out, device->name);
	}
}

static void add_memory(struct text *out, const struct fact_interface *interface)
{
	const struct memory *memory = &interface->memory;

	if (!memory->present)
		return;
	text_add(out, memory_kind_name(memory->kind));
	if (memory->origin) {
		text_add(out, " (");
		add_array_text(out, memory->origin);
		text_add(out, ")");
	}
	if (*memory->mapping) {
		text_add(out, ", ");
		add_array_text(out, memory->mapping);
	}
	if (memory->size) {
		text_add(out, ", ");
		page_add_bytes(out, memory->size);
	}
	if (memory->base)
		text_printf(out, " from 0x%" PRIx64, memory->base);
	if (memory->kind != MEMORY_HOST && memory->host_accessible == ANSWER_YES &&
		memory->readable != ANSWER_NO)
		text_add(out, ", readable by the host");
	if (memory->host_accessible == ANSWER_NO && !is_unmapped_file(interface))
		text_add(out, ", not readable by the host");
	text_add(out, memory->managed == ANSWER_YES ? ", managed" : "");
	text_add(out, memory->writable == ANSWER_NO ? ", not writable" : "");
	text_add(out, memory->readable == ANSWER_NO ? ", not readable" : "");
}

static void add_asked(struct text *out, const struct fact_interface *interface)
{
	const struct memory *memory = &interface->memory;

	if (!memory->by)
		return;
	add_array_text(out, memory->by);
	if (memory->how) {
		text_add(out, ", ");
		add_array_text(out, memory->how);
	}
	if (memory->device_pointer)
		text_printf(out, ", device pointer 0x%" PRIx64, memory->device_pointer);
	if (*memory->context) {
		text_add(out, ", context ");
		add_array_text(out, memory->context);
	}
}

static const struct field {
	const char *label;
	void (*add)(struct text *out, const struct fact_interface *interface);
	bool optional; /* a missing value does not count as a difference */
	bool verbose;  /* shown with -v */
} fields[] = {
	{ "dtype", add_dtype, false, false },
	{ "fields", add_dtype_fields_text, true, false },
	{ "shape", add_array_shape, false, false },
	{ "strides", add_strides, false, false },
	{ "pointer", add_pointer, false, false },
	{ "extent", add_extent, false, false },
	{ "access", add_access, true, false },
	{ "device", add_array_device, true, false },
	{ "memory", add_memory, true, false },
	{ "memory by", add_asked, true, true },
};

enum { N_FIELDS = ARRAY_SIZE(fields) };

/* Whether a line of an interface equals that of like. */
static bool is_same_line(const struct field *field, const struct fact_interface *interface,
	const struct fact_interface *like)
{
	struct text line = { 0 }, like_line = { 0 };
	bool same;

	field->add(&line, interface);
	field->add(&like_line, like);
	same = (field->optional && !line.n_bytes) ||
	       !strcmp(line.bytes ? line.bytes : "", like_line.bytes ? like_line.bytes : "");
	text_free(&line);
	text_free(&like_line);
	return same;
}

static void print_field(struct page *page, const struct field *field,
	const struct fact_interface *interface, bool differs)
{
	bool is_limited = field->add == add_access && interface->array.readonly == ANSWER_YES;
	struct text line = { 0 };

	field->add(&line, interface);
	for (char *rest = line.bytes, *one; line.n_bytes && (one = strsep(&rest, "\n"));) {
		page_label(page, one == line.bytes ? field->label : "");
		page_styled(page, differs || is_limited ? STYLE_DIFFERS : STYLE_PLAIN, "%s", one);
		page_end_field(page);
	}
	text_free(&line);
}

static bool is_field_shown(const struct page *page, const struct field *field)
{
	return !field->verbose || page->verbosity > 0;
}

void text_array(struct page *page, const struct fact_interface *interface,
	const struct fact_interface *like)
{
	int n_apart = 0;

	for (size_t i = 0; like && i < N_FIELDS; i++)
		n_apart += is_field_shown(page, &fields[i]) &&
			   !is_same_line(&fields[i], interface, like);
	if (n_apart > MAX_LINES_APART)
		like = NULL;
	if (like) {
		page_label(page, "array");
		page_styled(page, n_apart ? STYLE_DIFFERS : STYLE_GOOD,
			n_apart ? "as %s, but" : "as %s", like->protocol);
		page_end_field(page);
	}
	for (size_t i = 0; i < N_FIELDS; i++)
		if (is_field_shown(page, &fields[i]) &&
			!(like && is_same_line(&fields[i], interface, like)))
			print_field(page, &fields[i], interface, like != NULL);
	if (!interface->memory.present && interface->memory_reason) {
		page_label(page, "memory");
		text_add(&page->text, "unknown: ");
		page_lines(page, interface->memory_reason, PAGE_VALUE_COLUMN);
		page_end_field(page);
	}
}
