// SPDX-License-Identifier: MIT
/* Drawn rows: determined by their ids, and legal by a check of their own. */
#include "consumers/draw.h"

#include "base/test.h"

#include <string.h>

enum { N_ROWS = 5000, MAX_BYTES = 1 << 20 };

/* The bytes that all elements occupy, index by index; relative to the first element. */
static void walk_elements(const struct consumer_case *row, int64_t *low, int64_t *high)
{
	int64_t strides[CASE_MAX_DIMS], index[CASE_MAX_DIMS] = { 0 }, stride = row->bits / 8;
	int i;

	for (i = row->n_dims - 1; i >= 0; i--) {
		strides[i] = row->has_strides ? row->strides[i] * row->bits / 8 : stride;
		stride *= row->shape[i];
	}
	do {
		int64_t at = 0;

		for (i = 0; i < row->n_dims; i++)
			at += index[i] * strides[i];
		*low = at < *low ? at : *low;
		*high = at + row->bits / 8 > *high ? at + row->bits / 8 : *high;
		for (i = row->n_dims - 1; i >= 0 && ++index[i] >= row->shape[i]; i--)
			index[i] = 0;
	} while (i >= 0);
}

static bool is_empty(const struct consumer_case *row)
{
	for (int i = 0; i < row->n_dims; i++)
		if (!row->shape[i])
			return true;
	return false;
}

static void check_legal(const struct consumer_case *row)
{
	int64_t low = 0, high = 0, n_bytes, item_bytes = row->bits / 8;
	bool is_versioned = !(row->flags & CASE_LEGACY);
	struct array layout;

	CHECK(row->expectation == EXPECT_ELEMENTS && row->n_dims <= CASE_MAX_DIMS, "%s", row->id);
	CHECK(row->byte_offset >= 0 && row->byte_offset % item_bytes == 0, "%s", row->id);
	CHECK(row->misalignment >= 0 && row->misalignment < CASE_ALIGNMENT &&
			row->misalignment % item_bytes == 0,
		"%s", row->id);
	CHECK(is_versioned || (!row->major && !(row->flags & CASE_READONLY)), "%s", row->id);
	CHECK(!(row->flags & CASE_NULL_STRIDES) ||
			(!row->has_strides && (!is_versioned || (row->major && row->minor < 2))),
		"%s", row->id);
	CHECK(!(row->flags & ~(CASE_LEGACY | CASE_NULL_STRIDES | CASE_READONLY)), "%s", row->id);
	if (!is_empty(row))
		walk_elements(row, &low, &high);
	CHECK(consumer_case_describe(row, &layout, &n_bytes), "%s", row->id);
	CHECK(high - low + row->byte_offset == n_bytes && n_bytes < MAX_BYTES, "%s: %lld", row->id,
		(long long)n_bytes);
	CHECK((int64_t)layout.pointer == row->byte_offset - low, "%s: %lld", row->id,
		(long long)layout.pointer);
}

/* Every drawn row is one of every interface, with the same elements but for their type. */
static void check_interfaces(struct arena *arena, const char *id)
{
	const struct consumer_case *drawn = consumer_case_draw(arena, id), *row;

	for (const struct tensor_interface *interface = tensor_interfaces; interface->protocol;
		interface++) {
		row = consumer_case_find_for(arena, id, interface);
		CHECK(row && consumer_case_fits(row, interface), "%s: %s", id,
			interface->protocol->name);
		CHECK(row && row->bits == drawn->bits && row->n_dims == drawn->n_dims &&
				!memcmp(row->shape, drawn->shape, sizeof(row->shape)) &&
				!memcmp(row->strides, drawn->strides, sizeof(row->strides)),
			"%s: %s", id, interface->protocol->name);
	}
}

static void check_reductions(struct arena *arena, const char *id)
{
	const char *const *simpler = consumer_case_reductions(arena, id);

	for (; *simpler; simpler++)
		check_legal(consumer_case_draw(arena, *simpler));
}

/* Taking the first reduction again and again ends at the simplest row. */
static void check_end(struct arena *arena, const char *id)
{
	const struct consumer_case *row;

	for (int i = 0; i < 100; i++) {
		const char *const *simpler = consumer_case_reductions(arena, id);

		if (!*simpler)
			break;
		id = *simpler;
	}
	row = consumer_case_draw(arena, id);
	CHECK(!row->n_dims && !row->byte_offset && !row->flags && !row->major, "%s", id);
}

int main(void)
{
	int n_negative = 0, n_zero = 0, n_offset = 0, n_legacy = 0, n_readonly = 0, n_dims_8 = 0;

	for (int i = 0; i < N_ROWS; i++) {
		struct arena arena = { 0 };
		const char *id = arena_printf(&arena, "fuzz-%d-%d", i % 3, i);
		const struct consumer_case *row = consumer_case_draw(&arena, id);
		const struct consumer_case *again = consumer_case_draw(&arena, id);

		CHECK(!strcmp(row->about, again->about) &&
				!memcmp(row->strides, again->strides, sizeof(row->strides)),
			"%s", id);
		check_legal(row);
		check_interfaces(&arena, id);
		if (i < 300) {
			check_reductions(&arena, id);
			check_end(&arena, id);
		}
		for (int k = 0; k < row->n_dims; k++) {
			n_negative += row->strides[k] < 0;
			n_zero += row->has_strides && !row->strides[k];
		}
		n_offset += row->byte_offset > 0;
		n_legacy += (row->flags & CASE_LEGACY) != 0;
		n_readonly += (row->flags & CASE_READONLY) != 0;
		n_dims_8 += row->n_dims == CASE_MAX_DIMS;
		arena_free(&arena);
	}
	CHECK(n_negative > 500 && n_zero > 500 && n_offset > 500 && n_legacy > 500 &&
			n_readonly > 500 && n_dims_8 > 50,
		"%d %d %d %d %d %d", n_negative, n_zero, n_offset, n_legacy, n_readonly, n_dims_8);
	static const char *const malformed[] = { "fuzz-", "fuzz-1", "fuzz-1-", "fuzz-1-2-",
		"fuzz-01-2", "fuzz-1-2x", "fuzz-1-2-z", "fuzz-1-2-ss", "fuzz--1-2", "fuzz- 1-2" };
	for (size_t i = 0; i < sizeof(malformed) / sizeof(*malformed); i++) {
		struct arena arena = { 0 };

		CHECK(!consumer_case_draw(&arena, malformed[i]), "%s", malformed[i]);
		arena_free(&arena);
	}
	return test_end();
}
