// SPDX-License-Identifier: MIT
/* Targets that the judge reads from files: dumps, lists of pieces, headers of FILE.npy. */
#include "run/run_state.h"

#include "targets/dump.h"
#include "targets/npy_file.h"

/* A file that could not be read is a missing target. */
static struct fact_target unreadable_target(
	struct arena *arena, const char *path, const struct err *why)
{
	return (struct fact_target){ .present = true,
		.target = value_text_escaped(arena, path)->bytes,
		.status = why->code == EXIT_UNAVAILABLE ? STATUS_UNAVAILABLE : STATUS_MISSING,
		.step = "read",
		.error = { .present = true,
			.message = value_text_escaped(arena, why->message)->bytes } };
}

/* Reads the dump of a piece, which contains one target. A dump that cannot be read is a missing
 * target, so that the positions of other pieces stay. */
static int take_listed_piece(
	struct run_state *state, const struct piece_entry *entry, struct err *err)
{
	struct arena arena = { 0 };
	struct fact_target target;
	struct dump dump;
	int status =
		dump_open(&dump, &arena, entry->path, state->run->settings->timeout_seconds, err);

	if (!status && dump.n_targets != 1)
		status = err_set(err, EXIT_USAGE, "'%s': expected a dump of one target, got %s",
			entry->path,
			dump.n_targets ? arena_printf(&arena, "%zu", dump.n_targets)
				       : "a list of pieces");
	if (status || !dump_next(&dump, &arena, &target))
		target = unreadable_target(&arena, entry->path, err);
	target.piece = entry->piece;
	status = run_take_target(state, &arena, &target, err);
	dump_close(&dump);
	arena_free(&arena);
	return status;
}

static int take_list(
	struct run_state *state, const char *path, const struct piece_list *list, struct err *err)
{
	int status = 0;

	if (!state->run->pieces)
		return err_set(err, EXIT_USAGE,
			"'%s' is a list of pieces, which requires validate --pieces", path);
	progress_grow(&state->targets, list->n_items - 1);
	for (size_t i = 0; !status && i < list->n_items; i++)
		status = take_listed_piece(state, &list->items[i], err);
	return status;
}

static int take_dumped_targets(struct run_state *state, struct dump *dump, struct err *err)
{
	struct arena arena = { 0 };
	struct fact_target target;
	int status = 0;

	progress_grow(&state->targets, dump->n_targets - 1);
	while (!status && dump_next(dump, &arena, &target)) {
		/* An array in the dump of an earlier run is made again. */
		if (!state->run->pieces || !target.pieces.known)
			status = run_take_target(state, &arena, &target, err);
		arena_free(&arena);
	}
	arena_free(&arena);
	return status;
}

int run_take_dump(struct run_state *state, const char *path, struct err *err)
{
	struct fact_target unreadable;
	struct arena arena = { 0 };
	struct dump dump;
	int status;

	if (dump_open(&dump, &arena, path, state->run->settings->timeout_seconds, err)) {
		unreadable = unreadable_target(&arena, path, err);
		status = run_take_target(state, &arena, &unreadable, err);
	} else if (dump.list.n_items) {
		status = take_list(state, path, &dump.list, err);
	} else {
		status = take_dumped_targets(state, &dump, err);
	}
	dump_close(&dump);
	arena_free(&arena);
	return status;
}

int run_take_npy_header(struct run_state *state, const char *path, struct err *err)
{
	struct arena arena = { 0 };
	struct fact_target target;
	int status;

	if (npy_file_read(&arena, path, &target, err))
		target = unreadable_target(&arena, path, err);
	status = run_take_target(state, &arena, &target, err);
	arena_free(&arena);
	return status;
}
