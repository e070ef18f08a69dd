// SPDX-License-Identifier: MIT
/* PCS rules on one piece: whether the object is what the distributed array declares it to be. */
#include "rules/pieces/pieces.h"

#include "base/array_size.h"
#include "base/plural.h"
#include "base/words.h"
#include "model/array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct fact_ints *piece_extents(const struct fact_piece *piece, const struct fact_ints *shape)
{
	return piece->chunk.known ? &piece->chunk : shape;
}

static const char *find_negative(
	struct arena *arena, const char *name, const struct fact_ints *numbers, const char **field)
{
	for (size_t i = 0; i < numbers->n_items; i++)
		if (numbers->items[i] < 0) {
			*field = arena_printf(arena, "piece.%s[%zu]", name, i);
			return arena_printf(arena, "%s[%zu] is %" PRId64 ", expected 0 or more",
				name, i, numbers->items[i]);
		}
	return NULL;
}

const char *piece_axes_problem(struct arena *arena, const struct fact_piece *piece,
	const struct fact_ints *extents, const char **field)
{
	const struct {
		const char *name;
		const struct fact_ints *numbers;
	} fields[] = { { "offset", &piece->offset }, { "chunk", &piece->chunk },
		{ "shape", &piece->shape }, { "index", &piece->index } };
	const struct fact_ints *offset = &piece->offset;
	int64_t end;

	*field = "piece.offset";
	if (!offset->known)
		return "the offset is not declared";
	if (offset->n_items > ARRAY_MAX_DIMS)
		return arena_printf(arena, "offset has %zu numbers, expected at most %d",
			offset->n_items, ARRAY_MAX_DIMS);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct fact_ints *numbers = fields[i].numbers;
		const char *problem = find_negative(arena, fields[i].name, numbers, field);

		if (problem)
			return problem;
		if (numbers->known && numbers->n_items != offset->n_items) {
			*field = arena_printf(arena, "piece.%s", fields[i].name);
			return arena_printf(arena, "offset has length %zu, but %s has length %zu",
				offset->n_items, fields[i].name, numbers->n_items);
		}
	}
	*field = "piece.offset";
	if (extents->known && extents->n_items != offset->n_items)
		return arena_printf(arena,
			"offset has length %zu, but the object has %zu dimension%s",
			offset->n_items, extents->n_items, plural(extents->n_items));
	for (size_t i = 0; extents->known && i < extents->n_items; i++)
		if (__builtin_add_overflow(offset->items[i], extents->items[i], &end)) {
			*field = arena_printf(arena, "piece.offset[%zu]", i);
			return arena_printf(arena,
				"offset[%zu] is %" PRId64 " and the extent is %" PRId64
				", whose sum exceeds a signed 64-bit integer",
				i, offset->items[i], extents->items[i]);
		}
	return NULL;
}

/* The first interface that can be decoded; NULL if there is none. */
static const struct array *find_array(const struct subject *subject)
{
	for (size_t i = 0; i < subject->n_interfaces; i++)
		if (subject->interfaces[i].array && !subject->interfaces[i].is_repaired)
			return subject->interfaces[i].array;
	return NULL;
}

/* find_array(), with the rule skipped if there is none. */
static const struct array *piece_array(const struct subject *subject, struct report *report)
{
	const struct array *array = find_array(subject);

	if (!array)
		rule_skip(report, "no interface of the piece could be read");
	return array;
}

/* Unknown if there is no such interface. */
static struct fact_ints piece_shape(const struct subject *subject)
{
	const struct array *array = find_array(subject);

	return array ? fact_ints(subject->arena, array->shape, array->n_dims)
		     : (struct fact_ints){ 0 };
}

static void pcs_check_axes(const struct subject *subject, struct report *report)
{
	const struct fact_piece *piece = &subject->target->piece;
	const struct fact_ints shape = piece_shape(subject);
	const char *field, *problem;

	if (!piece->present)
		return;
	problem = piece_axes_problem(subject->arena, piece, piece_extents(piece, &shape), &field);
	if (problem)
		rule_fail(report, field, "%s", problem);
}

static void pcs_check_bounds(const struct subject *subject, struct report *report)
{
	const struct fact_piece *piece = &subject->target->piece;
	const struct fact_ints shape = piece_shape(subject);
	const struct fact_ints *extents = piece_extents(piece, &shape);

	if (!piece->present || !piece->shape.known || !extents->known)
		return;
	for (size_t i = 0; i < extents->n_items && i < piece->shape.n_items; i++) {
		int64_t low = piece->offset.items[i], high = low + extents->items[i];

		if (high > piece->shape.items[i])
			rule_fail(report, arena_printf(subject->arena, "piece.offset[%zu]", i),
				"the piece has the indices %" PRId64 ":%" PRId64
				" on axis %zu, but the extent of '%s' is %" PRId64,
				low, high, i, fact_text_or(piece->of, "?"), piece->shape.items[i]);
	}
}

static void pcs_check_shape(const struct subject *subject, struct report *report)
{
	const struct fact_piece *piece = &subject->target->piece;
	const struct fact_ints *chunk = &piece->chunk;
	const struct array *array;

	if (!piece->present || !chunk->known || !(array = piece_array(subject, report)))
		return;
	if ((size_t)array->n_dims == chunk->n_items &&
		!memcmp(array->shape, chunk->items, chunk->n_items * sizeof(*chunk->items)))
		return;
	rule_fail(report, "piece.chunk", "the shape is %s, but '%s' declares %s",
		words_tuple(subject->arena, array->shape, array->n_dims),
		fact_text_or(piece->of, "?"),
		words_tuple(subject->arena, chunk->items, (int)chunk->n_items));
}

static void pcs_check_order(const struct subject *subject, struct report *report)
{
	const struct fact_piece *piece = &subject->target->piece;
	const struct array *array;

	if (!piece->present || !piece->order || !(array = piece_array(subject, report)))
		return;
	if (strcmp(piece->order, "C") != 0 && strcmp(piece->order, "F") != 0)
		rule_fail(report, "piece.order", "'%s' declares order '%s', expected C or F",
			fact_text_or(piece->of, "?"), piece->order);
	else if (*piece->order == 'C' ? !array_is_c_contiguous(array)
				      : !array_is_f_contiguous(array))
		rule_fail(report, "piece.order",
			"'%s' declares order %s, but the strides for shape %s are %s bytes",
			fact_text_or(piece->of, "?"), piece->order,
			words_tuple(subject->arena, array->shape, array->n_dims),
			words_tuple(subject->arena, array->stride_bytes, array->n_dims));
}

/* Types without a typestr are compared by name. */
static bool is_type(const struct dtype *dtype, const char *declared)
{
	char own[DTYPE_TEXT_BYTES], spelled[DTYPE_TEXT_BYTES];
	struct dtype parsed;
	struct err ignored;

	if (!strcmp(dtype->name, declared) && !dtype->foreign_order)
		return true;
	if (dtype_to_typestr(dtype, own, &ignored))
		return false;
	if (!dtype_spell_out(declared, spelled)) {
		if (dtype_from_typestr(&parsed, declared, &ignored) ||
			dtype_to_typestr(&parsed, spelled, &ignored))
			return false;
	}
	return !strcmp(own, spelled);
}

static void pcs_check_type(const struct subject *subject, struct report *report)
{
	const struct fact_piece *piece = &subject->target->piece;
	const struct array *array;
	struct dtype declared;
	struct err ignored;

	if (!piece->present || !piece->dtype || !(array = piece_array(subject, report)))
		return;
	if (array->dtype.kind == DTYPE_VOID &&
		dtype_from_typestr(&declared, piece->dtype, &ignored))
		rule_skip(report, "NumPy's interfaces have no type for elements of %s",
			piece->dtype); /* of ml_dtypes */
	else if (!is_type(&array->dtype, piece->dtype))
		rule_fail(report, "piece.dtype", "the element type is %s%s, but '%s' declares %s",
			array->dtype.name,
			array->dtype.foreign_order ? " in the other byte order" : "",
			fact_text_or(piece->of, "?"), piece->dtype);
}

static void pcs_check_device(const struct subject *subject, struct report *report)
{
	const struct fact_piece *piece = &subject->target->piece;
	const char *colon = piece->device ? strchr(piece->device, ':') : NULL;
	const struct array *array;
	size_t n_chars;

	if (!piece->present || !piece->device || !(array = piece_array(subject, report)))
		return;
	if (!array->device.type) {
		rule_skip(report, "no interface of the piece declares a device");
		return;
	}
	n_chars = colon ? (size_t)(colon - piece->device) : strlen(piece->device);
	if (strlen(array->device.type) == n_chars &&
		!strncmp(array->device.type, piece->device, n_chars) &&
		(!colon || array->device.id < 0 || array->device.id == atoll(colon + 1)))
		return;
	rule_fail(report, "piece.device", "the piece is on %s%s, but '%s' declares %s",
		array->device.type,
		array->device.id < 0 ? ""
				     : arena_printf(subject->arena, ":%" PRId64, array->device.id),
		fact_text_or(piece->of, "?"), piece->device);
}

static void pcs_check_access(const struct subject *subject, struct report *report)
{
	const struct fact_piece *piece = &subject->target->piece;

	if (!piece->present || piece->readonly == ANSWER_UNKNOWN || !piece_array(subject, report))
		return;
	for (size_t i = 0; i < subject->n_interfaces; i++) {
		const struct array *array = subject->interfaces[i].array;

		if (!array || array->readonly == READONLY_UNKNOWN)
			continue;
		if ((array->readonly == READONLY_YES) != (piece->readonly == ANSWER_YES))
			rule_fail(report, "piece.readonly",
				"the piece is %s, but '%s' declares it %s",
				array->readonly == READONLY_YES ? "read-only" : "writable",
				fact_text_or(piece->of, "?"),
				piece->readonly == ANSWER_YES ? "read-only" : "writable");
		return;
	}
	rule_skip(report, "no interface of the piece declares whether it is writable");
}

const struct rule piece_rules[] = {
	{
		PIECE_RULE("PCS201", "piece-type"),
		.summary = "the element type of a piece is that of its array",
		.why = "engines choose kernels and allocate results by the declared type: the result of Dask's compute() may have another type than its metadata, or elements are converted",
		.fix = "convert the piece where it is created: block.astype(array.dtype, copy=False)",
		.check = pcs_check_type,
	},
	{
		PIECE_RULE("PCS301", "piece-axes"),
		.summary =
			"the offset of a piece is declared, and offset, chunk, shape and index, if declared, have one number for each axis, none of them negative",
		.why = "the piece has no place in the array, so gaps and overlaps cannot be found",
		.fix = "pass piece=suai.pieces(array)[index], which reads them from the array",
		.check = pcs_check_axes,
	},
	{
		PIECE_RULE("PCS302", "piece-bounds"),
		.requires = { "PCS301" },
		.summary = "a piece is inside its array",
		.why = "an engine that copies the piece to its place in the result writes past the end of the buffer, or raises an error long after the piece was created",
		.fix = "compute the offset from the same chunks as the shape of the array",
		.check = pcs_check_bounds,
	},
	{
		PIECE_RULE("PCS303", "piece-shape"),
		.requires = { "PCS301" },
		.summary = "the shape of a piece is that of the chunk that the array declares",
		.why = "engines slice and align arrays by their declared chunks: a slice may select other elements than those requested, and an operation on two arrays may fail",
		.fix = "declare the chunks that the function returns, for example map_blocks(f, chunks=...)",
		.check = pcs_check_shape,
	},
	{
		PIECE_RULE("PCS304", "piece-order"),
		.requires = { "PCS303" },
		.summary =
			"the elements of a piece are contiguous in the order that the array declares, C or F",
		.why = "libraries that take a pointer and a count, such as MPI, send or receive consecutive elements: these are in another order, or do not belong to the piece",
		.fix = "copy the piece where it is created: numpy.asarray(block, order='C'), or order='F' if the array declares it",
		.check = pcs_check_order,
	},
	{
		PIECE_RULE("PCS501", "piece-device"),
		.summary = "a piece is on the device that the array declares",
		.why = "an operation on several pieces fails, or copies the piece to another device each time",
		.fix = "copy the piece to the declared device where it is created, for example with cupy.asarray(block), or cupy.asnumpy(block) for the CPU",
		.check = pcs_check_device,
	},
	{
		PIECE_RULE("PCS801", "piece-access"),
		.summary = "a piece is writable or read-only, as the array declares",
		.why = "a task that modifies a read-only piece in place fails: objects of Ray's store, and those that Dask deserialized from a single buffer, are read-only; a writable piece may be modified although readers rely on its values",
		.fix = "copy a piece that has to be writable: block.copy(); otherwise correct the declaration: suai.pieces(array, readonly=...)",
		.check = pcs_check_access,
	},
	{ .id = NULL },
};
