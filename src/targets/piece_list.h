// SPDX-License-Identifier: MIT
/* A YAML list of dumps that are the pieces of a distributed array, for `validate --pieces`. */
#ifndef TARGETS_PIECE_LIST_H
#define TARGETS_PIECE_LIST_H

#include "base/error.h"
#include "facts/facts.h"

struct piece_entry {
	const char *path; /* of a dump of one target; relative paths are those of the list */
	struct fact_piece piece;
};

struct piece_list {
	struct piece_entry *items;
	size_t n_items;
};

/*
 * Reads a document:
 *
 *   of: x                        # the keys of a piece (docs/facts.md), here for all pieces
 *   shape: [8, 6]
 *   chunks: [[4, 4], [3, 3]]     # the extents of the chunks on each axis; or of each: [4, 3]
 *   pieces:
 *   - {dump: a.yaml, index: [0, 0]}             # offset and chunk are those of the index in chunks
 *   - {dump: b.yaml, offset: [0, 3], device: cuda:1}
 *
 * path is that of the list. -1 with err set (EXIT_USAGE).
 */
int piece_list_read(struct arena *arena, const struct value *document, const char *path,
	struct piece_list *out, struct err *err);

#endif
