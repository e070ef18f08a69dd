// SPDX-License-Identifier: MIT
/* Two arrays of any places, block by block, on the host. */
#include "worker/convert_compare.h"

#include "base/text.h"
#include "copy/blocks.h"
#include "copy/compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 16 << 20, SHOWN_BYTES = 16 };

struct side {
	const struct transfer_end *end;
	struct array block; /* where the host can read it */
	char *bytes;        /* for blocks that were brought there */
};

struct comparing {
	struct side sides[2]; /* the source and the result */
	int64_t n_before;     /* elements compared */
	struct comparison comparison;
	struct value *difference;
	struct conversion *conversion;
};

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

/* "[1, 2]" in the whole array, of an index of the block. */
static void add_index(struct text *text, const struct comparing *comparing)
{
	const struct array *whole = comparing->sides[0].end->array;
	const struct array *block = &comparing->sides[0].block;
	int64_t index[ARRAY_MAX_DIMS], n = 0;

	for (int i = 0; i < block->n_dims; i++)
		n = n * block->shape[i] + comparing->comparison.index[i];
	n += comparing->n_before;
	for (int i = whole->n_dims - 1; i >= 0; i--) {
		index[i] = n % whole->shape[i];
		n /= whole->shape[i];
	}
	for (int i = 0; i < whole->n_dims; i++)
		text_printf(text, "%s%" PRId64, i ? ", " : "", index[i]);
}

/* "element [1, 2]: 0000803f in the source, 0100803f in the result", bytes in memory order. */
static struct value *tell_difference(const struct comparing *comparing)
{
	struct text text = { 0 };
	struct value *value;

	text_add(&text, "element [");
	add_index(&text, comparing);
	text_add(&text, "]: bytes ");
	add_element(&text, &comparing->sides[0].block, comparing->comparison.index);
	text_add(&text, " in the source, ");
	add_element(&text, &comparing->sides[1].block, comparing->comparison.index);
	text_add(&text, " in the result");
	value = value_text_n(comparing->conversion->context->arena, text.bytes, text.n_bytes);
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

/* Brings a side's block to the host, where it is not in its reach. */
static int bring(struct side *side, struct err *err)
{
	const struct site host = { .host_reaches = true };
	struct array dense = side->block;
	const struct transfer_end from = { &side->block, side->end->site }, to = { &dense, &host };
	struct transfer transfer = { 0 };

	if (side->end->site->host_reaches)
		return 0;
	dense.pointer = (uint64_t)(uintptr_t)side->bytes;
	array_set_compact_strides(&dense, 'C');
	if (transfer_run(&transfer, &from, &to, TRANSFER_AUTO, err))
		return -1;
	side->block = dense;
	return 0;
}

static int bring_and_compare(struct comparing *comparing, struct err *err)
{
	if (bring(&comparing->sides[0], err) || bring(&comparing->sides[1], err))
		return -1;
	compare_arrays(
		&comparing->comparison, &comparing->sides[0].block, &comparing->sides[1].block);
	return 0;
}

static int compare_block(void *context, const struct array *block, struct err *err)
{
	struct comparing *comparing = context;
	int rc;

	if (comparing->difference)
		return 0;
	comparing->sides[0].block = *block;
	comparing->sides[1].block =
		blocks_same(comparing->sides[1].end->array, block, comparing->n_before);
	WITHOUT_GIL(rc = bring_and_compare(comparing, err));
	if (!rc && !comparing->comparison.equal)
		comparing->difference = tell_difference(comparing);
	comparing->n_before += array_elements(block);
	convert_tell_work(
		comparing->conversion, comparing->n_before * dtype_itemsize(&block->dtype));
	return rc;
}

static int prepare(struct side *side, const struct transfer_end *end, struct err *err)
{
	int64_t item_bytes = dtype_itemsize(&end->array->dtype);

	side->end = end;
	if (end->site->host_reaches)
		return 0;
	side->bytes = malloc(item_bytes > BLOCK_BYTES ? (size_t)item_bytes : BLOCK_BYTES);
	return side->bytes ? 0 : err_set(err, EXIT_TARGET, "no memory to verify in");
}

int convert_compare(struct conversion *conversion, const struct transfer_end *source,
	const struct transfer_end *result, struct err *err)
{
	struct arena *arena = conversion->context->arena;
	struct comparing comparing = { .conversion = conversion };
	int rc = prepare(&comparing.sides[0], source, err) ||
		 prepare(&comparing.sides[1], result, err);

	if (!rc && !same_kind(source->array, result->array))
		comparing.difference = value_text(arena, "shape or item size differ");
	else if (!rc)
		rc = blocks_visit(source->array, 'C', BLOCK_BYTES, compare_block, &comparing, err);
	convert_end_work();
	free(comparing.sides[0].bytes);
	free(comparing.sides[1].bytes);
	if (rc)
		return -1;
	value_set(arena, conversion->facts, "verified", value_bool(arena, !comparing.difference));
	value_set(arena, conversion->facts, "difference",
		comparing.difference ? comparing.difference : value_null(arena));
	return 0;
}
