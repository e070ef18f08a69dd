// SPDX-License-Identifier: MIT
#include "targets/piece_list.h"

#include "base/plural.h"

#include <inttypes.h>
#include <string.h>

/* The chunks on one axis. */
struct chunk_axis {
	int64_t *offsets; /* n_chunks + 1; NULL: all have the same extent, but for the last one */
	size_t n_chunks;
	int64_t extent;
};

struct chunk_grid {
	struct chunk_axis *axes;
	size_t n_axes;
	const struct value *shape; /* bounds the last of equal chunks; or NULL */
};

static int read_extents(struct arena *arena, const struct value *extents, size_t number,
	struct chunk_axis *axis, struct err *err)
{
	axis->n_chunks = extents->n_items;
	axis->offsets = arena_alloc(arena, (extents->n_items + 1) * sizeof(*axis->offsets));
	for (size_t i = 0; i < extents->n_items; i++) {
		int64_t extent;

		if (!value_to_int64(extents->items[i], &extent) || extent < 0 ||
			__builtin_add_overflow(axis->offsets[i], extent, &axis->offsets[i + 1]))
			return err_set(err, EXIT_USAGE,
				"'chunks[%zu][%zu]': expected an extent in elements", number, i);
	}
	return 0;
}

static int read_chunks(
	struct arena *arena, const struct value *document, struct chunk_grid *grid, struct err *err)
{
	const struct value *chunks = value_get(document, "chunks");

	if (value_is_null(chunks))
		return 0;
	if (!value_is_sequence(chunks))
		return err_set(err, EXIT_USAGE, "'chunks': expected a list, one item per axis");
	grid->shape = value_get(document, "shape");
	grid->n_axes = chunks->n_items;
	grid->axes = arena_alloc(arena, (chunks->n_items + 1) * sizeof(*grid->axes));
	for (size_t i = 0; i < chunks->n_items; i++) {
		const struct value *item = chunks->items[i];

		if (value_is_sequence(item)) {
			if (read_extents(arena, item, i, &grid->axes[i], err))
				return -1;
		} else if (!value_to_int64(item, &grid->axes[i].extent) ||
			   grid->axes[i].extent <= 0) {
			return err_set(err, EXIT_USAGE,
				"'chunks[%zu]': expected a list of extents, or one positive extent for all chunks of the axis",
				i);
		}
	}
	return 0;
}

/* The chunk with that number on an axis. */
static int find_chunk(const struct chunk_grid *grid, size_t number, int64_t index, int64_t *offset,
	int64_t *extent, struct err *err)
{
	const struct chunk_axis *axis = &grid->axes[number];
	int64_t end, whole;

	if (axis->offsets) {
		if (index < 0 || (size_t)index >= axis->n_chunks)
			return err_set(err, EXIT_USAGE,
				"'index[%zu]' is %" PRId64 ", but the axis has %zu chunk%s", number,
				index, axis->n_chunks, plural(axis->n_chunks));
		*offset = axis->offsets[index];
		*extent = axis->offsets[index + 1] - *offset;
		return 0;
	}
	*extent = axis->extent;
	if (index < 0 || __builtin_mul_overflow(index, axis->extent, offset) ||
		__builtin_add_overflow(*offset, axis->extent, &end))
		return err_set(err, EXIT_USAGE, "'index[%zu]' is %" PRId64 ": out of range", number,
			index);
	if (value_to_int64(value_item(grid->shape, number), &whole) && whole < end)
		*extent = whole > *offset ? whole - *offset : 0;
	return 0;
}

/* Sets the offset and the chunk of a piece from its index, unless they are given. */
static int place_piece(struct arena *arena, const struct chunk_grid *grid, struct fact_piece *piece,
	struct err *err)
{
	const struct fact_ints *index = &piece->index;
	struct fact_ints offset, chunk;

	if (!grid->axes || !index->known)
		return 0;
	if (index->n_items != grid->n_axes)
		return err_set(err, EXIT_USAGE, "'index' has length %zu, but 'chunks' has %zu ax%s",
			index->n_items, grid->n_axes, grid->n_axes == 1 ? "is" : "es");
	offset = fact_ints(arena, index->items, index->n_items);
	chunk = fact_ints(arena, index->items, index->n_items);
	for (size_t i = 0; i < index->n_items; i++)
		if (find_chunk(grid, i, index->items[i], &offset.items[i], &chunk.items[i], err))
			return -1;
	if (!piece->offset.known)
		piece->offset = offset;
	if (!piece->chunk.known)
		piece->chunk = chunk;
	return 0;
}

static void set_keys(struct arena *arena, struct value *map, const struct value *from,
	const char *without, const char *also_without)
{
	for (size_t i = 0; i < from->n_items; i++)
		if (strcmp(from->keys[i], without) != 0 && strcmp(from->keys[i], also_without) != 0)
			value_set(arena, map, from->keys[i], from->items[i]);
}

static int read_piece_entry(struct arena *arena, const struct value *document,
	const struct value *item, const struct chunk_grid *grid, const char *directory,
	struct piece_entry *entry, struct err *err)
{
	const char *dump = value_text_or(value_get(item, "dump"), NULL);
	struct value *keys = value_map(arena);

	if (!dump)
		return err_set(err, EXIT_USAGE, "expected a map with the key 'dump', a file");
	entry->path = *dump == '/' ? dump : arena_printf(arena, "%s%s", directory, dump);
	set_keys(arena, keys, document, "pieces", "chunks");
	set_keys(arena, keys, item, "dump", "");
	if (fact_read(&fact_piece_record, arena, keys, FACT_DOCUMENT, NULL, &entry->piece, err) ||
		place_piece(arena, grid, &entry->piece, err))
		return -1;
	if (!entry->piece.of)
		return err_set(err, EXIT_USAGE, "missing key 'of', the name of the array");
	if (!entry->piece.offset.known)
		return err_set(err, EXIT_USAGE, "missing key 'offset', or 'index' and 'chunks'");
	return 0;
}

int piece_list_read(struct arena *arena, const struct value *document, const char *path,
	struct piece_list *out, struct err *err)
{
	const struct value *pieces = value_get(document, "pieces");
	const char *slash = strrchr(path, '/');
	const char *directory = slash ? arena_copy(arena, path, (size_t)(slash + 1 - path)) : "";
	struct chunk_grid grid = { 0 };

	*out = (struct piece_list){ 0 };
	if (!value_is_sequence(pieces) || !pieces->n_items)
		return err_set(
			err, EXIT_USAGE, "'pieces': expected a list of maps with the key 'dump'");
	if (read_chunks(arena, document, &grid, err))
		return -1;
	out->items = arena_alloc(arena, pieces->n_items * sizeof(*out->items));
	for (; out->n_items < pieces->n_items; out->n_items++)
		if (read_piece_entry(arena, document, pieces->items[out->n_items], &grid, directory,
			    &out->items[out->n_items], err))
			return err_wrap(err, "'pieces[%zu]'", out->n_items);
	return 0;
}
