// SPDX-License-Identifier: MIT
/* Drawing and reducing rows. What a letter or a draw means is final: ids are kept in baselines. */
#include "consumers/draw.h"
#include "base/words.h"

#include <stdio.h>
#include <string.h>

#define DRAWN_PREFIX "fuzz-"

/* Dimension i is removed by the letter 'a' + i, and made shorter by 'A' + i. */
static const char reductions[] = "abcdefgholvrmstABCDEFGH";

/* Type codes of dlpack.h, of which only the first exists in all interfaces. */
enum { FLOAT_CODE = 2, BFLOAT_CODE = 4 };

/* Code and bits of element types, the simplest first. */
static const struct {
	const char *name;
	int code, bits;
} drawn_types[] = {
	{ "float32", 2, 32 },
	{ "float64", 2, 64 },
	{ "float16", 2, 16 },
	{ "int8", 0, 8 },
	{ "int16", 0, 16 },
	{ "int32", 0, 32 },
	{ "int64", 0, 64 },
	{ "uint8", 1, 8 },
	{ "uint16", 1, 16 },
	{ "uint32", 1, 32 },
	{ "uint64", 1, 64 },
	{ "bool", 6, 8 },
	{ "complex64", 5, 64 },
	{ "complex128", 5, 128 },
	{ "bfloat16", 4, 16 },
};

/* --- drawing --- */

/* SplitMix64. A number below n. */
static int64_t draw_below(uint64_t *state, int64_t n)
{
	uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return (int64_t)((z ^ (z >> 31)) % (uint64_t)n);
}

/* Strides of a permuted array with gaps, some of them negative, 0 or so small that rows overlap. */
static void draw_strides(uint64_t *state, struct consumer_case *row)
{
	int order[CASE_MAX_DIMS];
	int64_t stride = 1;

	row->has_strides = true;
	for (int i = 0; i < row->n_dims; i++) {
		int64_t at = draw_below(state, i + 1);

		order[i] = i; /* which at may be */
		order[i] = order[at];
		order[at] = i;
	}
	for (int i = 0; i < row->n_dims; i++) {
		int dim = order[row->n_dims - 1 - i];

		row->strides[dim] = stride;
		stride *= row->shape[dim] + (draw_below(state, 4) ? 0 : 1 + draw_below(state, 3));
		if (!stride)
			stride = 1;
	}
	for (int i = 0; i < row->n_dims; i++)
		switch (draw_below(state, 8)) {
		case 0:
		case 1:
			row->strides[i] = -row->strides[i];
			break;
		case 2:
			row->strides[i] = 0;
			break;
		case 3:
			row->strides[i] = 1 + draw_below(state, 2);
			break;
		default:
			break;
		}
}

/* The struct: versions, and NULL as strides where the version allows it. */
static void draw_struct(uint64_t *state, struct consumer_case *row)
{
	switch (draw_below(state, 5)) {
	case 0:
		row->flags |= CASE_LEGACY;
		break;
	case 1:
		row->major = 1;
		break;
	case 2:
		row->major = 1;
		row->minor = 99;
		break;
	default:
		break;
	}
	if (!row->has_strides && (row->flags & CASE_LEGACY || (row->major && !row->minor)) &&
		draw_below(state, 2))
		row->flags |= CASE_NULL_STRIDES;
	if (!(row->flags & CASE_LEGACY) && !draw_below(state, 4))
		row->flags |= CASE_READONLY;
}

static void draw_row(uint64_t seed, uint64_t number, struct consumer_case *row)
{
	uint64_t state = seed * UINT64_C(0xD1342543DE82EF95) + number;
	int64_t n_types = sizeof(drawn_types) / sizeof(*drawn_types), type, item_bytes;

	type = draw_below(&state, n_types);
	*row = (struct consumer_case){ .code = drawn_types[type].code,
		.bits = drawn_types[type].bits,
		.lanes = 1,
		.n_dims = (int)draw_below(&state, draw_below(&state, 4) ? 4 : CASE_MAX_DIMS + 1) };
	item_bytes = row->bits / 8;
	for (int i = 0; i < row->n_dims; i++)
		row->shape[i] = draw_below(&state, 24) ? 1 + draw_below(&state, 5) : 0;
	if (draw_below(&state, 3))
		draw_strides(&state, row);
	if (!draw_below(&state, 3))
		row->byte_offset = item_bytes * (1 + draw_below(&state, 20));
	if (!draw_below(&state, 3))
		row->misalignment =
			(int)(item_bytes * draw_below(&state, CASE_ALIGNMENT / item_bytes));
	draw_struct(&state, row);
}

/* --- reducing --- */

static bool remove_dimension(struct consumer_case *row, int dim)
{
	if (dim >= row->n_dims)
		return false;
	row->n_dims--;
	for (int i = dim; i < row->n_dims; i++) {
		row->shape[i] = row->shape[i + 1];
		row->strides[i] = row->strides[i + 1];
	}
	row->shape[row->n_dims] = row->strides[row->n_dims] = 0;
	return true;
}

static bool shorten_dimension(struct consumer_case *row, int dim)
{
	if (dim >= row->n_dims || row->shape[dim] < 2)
		return false;
	row->shape[dim] = row->shape[dim] > 2 ? 2 : 1;
	return true;
}

/* Makes the tensor one of float32, aligned to its size. */
static bool simplify_type(struct consumer_case *row)
{
	if (row->code == drawn_types[0].code && row->bits == drawn_types[0].bits)
		return false;
	row->code = drawn_types[0].code;
	row->bits = drawn_types[0].bits;
	row->byte_offset -= row->byte_offset % (row->bits / 8);
	row->misalignment -= row->misalignment % (row->bits / 8);
	return true;
}

static bool clear_flag(struct consumer_case *row, int flag)
{
	bool is_set = row->flags & flag;

	row->flags &= ~flag;
	return is_set;
}

/* False: the row is as simple in this respect. */
static bool reduce_row(struct consumer_case *row, char letter)
{
	bool is_changed;

	switch (letter) {
	case 'o':
		is_changed = row->byte_offset;
		row->byte_offset = 0;
		return is_changed;
	case 'm':
		is_changed = row->misalignment;
		row->misalignment = 0;
		return is_changed;
	case 's':
		is_changed = row->has_strides;
		row->has_strides = false;
		memset(row->strides, 0, sizeof(row->strides));
		return is_changed;
	case 't':
		return simplify_type(row);
	case 'r':
		return clear_flag(row, CASE_READONLY);
	case 'l':
		return clear_flag(row, CASE_LEGACY | CASE_NULL_STRIDES);
	case 'v':
		is_changed = row->major;
		row->major = row->minor = 0;
		if (is_changed)
			clear_flag(row, CASE_NULL_STRIDES);
		return is_changed;
	default:
		return letter >= 'a' && letter <= 'h'   ? remove_dimension(row, letter - 'a')
		       : letter >= 'A' && letter <= 'H' ? shorten_dimension(row, letter - 'A')
							: false;
	}
}

/* --- ids --- */

static const char *describe_row(struct arena *arena, const struct consumer_case *row)
{
	size_t type = 0;
	const char *text;

	while (drawn_types[type].code != row->code || drawn_types[type].bits != row->bits)
		type++;
	text = arena_printf(arena, "elements of %s, shape %s", drawn_types[type].name,
		words_tuple(arena, row->shape, row->n_dims));
	if (row->has_strides)
		text = arena_printf(arena, "%s, strides %s", text,
			words_tuple(arena, row->strides, row->n_dims));
	if (row->flags & CASE_NULL_STRIDES)
		text = arena_printf(arena, "%s, NULL as strides", text);
	if (row->flags & CASE_SWAPPED)
		text = arena_printf(arena, "%s, in the other byte order", text);
	if (row->byte_offset)
		text = arena_printf(
			arena, "%s, byte_offset %lld", text, (long long)row->byte_offset);
	if (row->misalignment)
		text = arena_printf(
			arena, "%s, data %d bytes past a multiple of 64", text, row->misalignment);
	if (row->major)
		text = arena_printf(arena, "%s, version %d.%d", text, row->major, row->minor);
	return arena_printf(arena, "%s%s%s", text, row->flags & CASE_LEGACY ? ", no version" : "",
		row->flags & CASE_READONLY ? ", read-only" : "");
}

/* Drawn and reduced, without id and about. NULL if the id is malformed. */
static struct consumer_case *draw_reduced_row(struct arena *arena, const char *id)
{
	unsigned long long seed, number;
	int n_chars = 0;
	struct consumer_case *row;
	const char *canonical, *letters;

	if (strncmp(id, DRAWN_PREFIX, strlen(DRAWN_PREFIX)) != 0 ||
		sscanf(id, DRAWN_PREFIX "%19llu-%19llu%n", &seed, &number, &n_chars) != 2)
		return NULL;
	canonical = arena_printf(arena, DRAWN_PREFIX "%llu-%llu", seed, number);
	letters = id + n_chars;
	if (strncmp(canonical, id, strlen(canonical)) != 0 || (*letters && *letters++ != '-') ||
		(letters[-1] == '-' && !*letters))
		return NULL;
	row = arena_alloc(arena, sizeof(*row));
	draw_row(seed, number, row);
	for (; *letters; letters++)
		if (!reduce_row(row, *letters))
			return NULL;
	return row;
}

static const struct consumer_case *name_row(
	struct arena *arena, const char *id, struct consumer_case *row)
{
	if (!row)
		return NULL;
	row->id = arena_copy(arena, id, strlen(id));
	row->about = describe_row(arena, row);
	return row;
}

const struct consumer_case *consumer_case_draw(struct arena *arena, const char *id)
{
	return name_row(arena, id, draw_reduced_row(arena, id));
}

const struct consumer_case *consumer_case_draw_for(
	struct arena *arena, const char *id, const struct tensor_interface *interface)
{
	struct consumer_case *row = draw_reduced_row(arena, id);

	if (!row || interface->has_structs)
		return name_row(arena, id, row);
	row->flags &= CASE_READONLY;
	if (row->minor && row->bits > 8 && interface->has_byte_order)
		row->flags |= CASE_SWAPPED;
	row->major = row->minor = 0;
	if (!interface->has_offset)
		row->byte_offset = 0;
	if (row->code == BFLOAT_CODE)
		row->code = FLOAT_CODE;
	return name_row(arena, id, row);
}

const char *const *consumer_case_reductions(struct arena *arena, const char *id)
{
	const char **ids = arena_alloc(arena, sizeof(reductions) * sizeof(*ids));
	bool is_reduced = strpbrk(id + strlen(DRAWN_PREFIX), reductions);
	size_t n_ids = 0;

	for (const char *letter = reductions; *letter; letter++) {
		const char *simpler =
			arena_printf(arena, "%s%s%c", id, is_reduced ? "" : "-", *letter);

		if (consumer_case_draw(arena, simpler))
			ids[n_ids++] = simpler;
	}
	ids[n_ids] = NULL;
	return ids;
}
