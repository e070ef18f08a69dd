// SPDX-License-Identifier: MIT
/* --verify: the new object, by the words of its own interface, or the file, against the source. */
#include "worker/convert.h"

#include "base/text.h"
#include "copy/compare.h"
#include "protocols/protocol.h"
#include "worker/npy_map.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SHOWN_BYTES = 16 };

static void add_element(struct text *text, const struct array *array, const int64_t *index)
{
	int64_t n_bytes = dtype_itemsize(&array->dtype);
	uint64_t at = array->pointer;

	for (int i = 0; i < array->n_dims; i++)
		at += (uint64_t)index[i] * (uint64_t)array->stride_bytes[i];
	for (int64_t i = 0; at && i < n_bytes && i < SHOWN_BYTES; i++)
		text_printf(text, "%02x", ((const unsigned char *)(uintptr_t)at)[i]);
	text_add(text, n_bytes > SHOWN_BYTES ? "..." : "");
}

/* "element [1, 2]: 0000803f in the source, 0100803f in the result", bytes in memory order. */
static struct value *difference(struct arena *arena, const struct comparison *comparison,
	const struct array *source, const struct array *result)
{
	struct text text = { 0 };
	struct value *value;

	text_add(&text, "element [");
	for (int i = 0; i < source->n_dims; i++)
		text_printf(&text, "%s%" PRId64, i ? ", " : "", comparison->index[i]);
	text_add(&text, "]: bytes ");
	add_element(&text, source, comparison->index);
	text_add(&text, " in the source, ");
	add_element(&text, result, comparison->index);
	text_add(&text, " in the result");
	value = value_text_n(arena, text.bytes, text.n_bytes);
	text_free(&text);
	return value;
}

static bool same_kind(const struct array *a, const struct array *b)
{
	bool same =
		a->n_dims == b->n_dims && dtype_itemsize(&a->dtype) == dtype_itemsize(&b->dtype);

	for (int i = 0; same && i < a->n_dims; i++)
		same = a->shape[i] == b->shape[i];
	return same;
}

static void compare(
	struct conversion *conversion, const struct array *source, const struct array *result)
{
	struct arena *arena = conversion->context->arena;
	struct comparison comparison = { 0 };
	struct value *text = value_text(arena, "shape or item size differ");

	if (same_kind(source, result)) {
		WITHOUT_GIL(compare_arrays(&comparison, source, result));
		text = comparison.equal ? value_null(arena)
					: difference(arena, &comparison, source, result);
	}
	value_set(arena, conversion->facts, "verified", value_bool(arena, comparison.equal));
	value_set(arena, conversion->facts, "difference", text);
}

/* The source where the host can read it: as it is, or all that it covers brought here. */
static int reach_source(
	const struct conversion *conversion, struct array *array, void **staging, struct err *err)
{
	const struct source *source = &conversion->source;
	struct device_place *place = source->place;
	uint64_t low, high;
	int rc;

	*array = source->elements.array;
	*staging = NULL;
	source_extent(source, &low, &high);
	if (source->host_reaches || low == high)
		return 0;
	*staging = malloc(high - low);
	if (!*staging)
		return err_set(err, EXIT_TARGET, "no memory to verify in");
	WITHOUT_GIL(rc = place->runtime->copy(
			    place, *staging, (const void *)(uintptr_t)low, high - low, err));
	array->pointer = (uint64_t)(uintptr_t)*staging + (array->pointer - low);
	return rc;
}

/* What the new object says of itself. */
static int reach_object(const struct conversion *conversion, const struct value *interfaces,
	struct array *array, struct err *err)
{
	const struct exporter *exporter = conversion->exporter;

	for (size_t i = 0; i < interfaces->n_items; i++)
		if (value_is_text(value_get(interfaces->items[i], "protocol"), exporter->protocol))
			return protocol_find(exporter->protocol)
				->describe(interfaces->items[i], array, err);
	return err_set(err, EXIT_BUG, "the new object exposes no %s", exporter->protocol);
}

/* What the file holds, mapped anew. Gives the mapping's owner. */
static PyObject *reach_file(
	const struct conversion *conversion, struct array *array, struct err *err)
{
	struct element_array elements;
	PyObject *owner = NULL;
	int64_t n_bytes;

	if (conversion->exporter) {
		if (npy_map(conversion->context->arena, conversion->output_path, &elements, &owner,
			    err))
			return NULL;
		*array = elements.array;
		return owner;
	}
	*array = conversion->result.array;
	array_set_compact_strides(array, conversion->order);
	owner = file_map(conversion->output_path, &array->pointer, &n_bytes, err);
	if (owner && n_bytes != array_nbytes(array)) {
		err_set(err, EXIT_BUG, "the file holds %" PRId64 " bytes", n_bytes);
		Py_DecRef(owner);
		return NULL;
	}
	return owner;
}

int convert_verify(struct conversion *conversion, const struct value *interfaces, struct err *err)
{
	struct array source, result = { 0 };
	PyObject *owner = NULL;
	void *staging;
	int rc = -1;

	if (reach_source(conversion, &source, &staging, err))
		goto out;
	if (conversion->is_file) {
		owner = reach_file(conversion, &result, err);
		if (!owner)
			goto out;
	} else if (reach_object(conversion, interfaces, &result, err)) {
		goto out;
	}
	compare(conversion, &source, &result);
	rc = 0;
out:
	Py_DecRef(owner);
	free(staging);
	return rc;
}
