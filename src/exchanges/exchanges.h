// SPDX-License-Identifier: MIT
/* What a traced program exchanged: the shared memory (trace/record.h), read and summed up. */
#ifndef EXCHANGES_EXCHANGES_H
#define EXCHANGES_EXCHANGES_H

#include "base/arena.h"
#include "base/error.h"
#include "formats/format.h"
#include "model/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What libraries ask a device's driver for, which does not count as an exchange. */
enum transfers {
	TRANSFERS_NONE,
	TRANSFERS_TO_DEVICE,
	TRANSFERS_TO_HOST,
	TRANSFERS_WAITS,
	N_TRANSFERS
};

/* The exchanges of one kind, pair of libraries and call site. */
struct exchange {
	const char *protocol, *producer, *consumer; /* libraries; NULL: unknown, or none */
	enum transfers transfers;
	const char *file, *function; /* NULL: no Python frame */
	int64_t line;
	bool is_library; /* no frame of the call belongs to the program itself */
	uint64_t n_exchanges, n_bytes;
	uint64_t n_copied, n_copied_bytes, n_shared;
	uint64_t n_held, n_held_bytes;     /* when the interpreter ended */
	uint64_t n_leaked, n_leaked_bytes; /* of those, never released */
	uint64_t n_unconsumed, n_unconsumed_bytes;
	uint64_t n_released_twice;
	uint64_t n_narrowed, n_narrowed_bytes; /* of n_copied: narrower or fewer elements */
	uint32_t wide_bytes, narrow_bytes;     /* of an element of the first of them */
	uint64_t n_released_late; /* without the GIL, when the interpreter was ending or gone */
	uint64_t n_released_elsewhere; /* by another thread than the one that consumed it */
	uint64_t longest_ns;           /* from consumption to release */
};

struct exchange_list {
	struct exchange *items; /* largest first */
	size_t n_items;
	struct exchange total;                  /* of exchanges */
	struct exchange transfers[N_TRANSFERS]; /* the others */
	struct exchange *pairs;                 /* the same, by pair of libraries only */
	size_t n_pairs;
	uint32_t n_processes; /* that run Python */
	uint32_t n_traced;
	bool is_complete;    /* the interpreter of each was finalized */
	const char *problem; /* why nothing is traced; NULL: none */
	uint64_t n_lost, n_below;
};

/* Reads the memory into the arena; the process may still write to it. */
int exchanges_read(struct exchange_list *list, struct arena *arena, int memory_fd, struct err *err);

/* What the command was asked for, and how the program ended. */
struct exchange_report {
	const char *const *program;
	size_t n_words;
	int exit_status;    /* meaningful without a signal */
	const char *signal; /* NULL: it exited */
	bool only_copies, only_held;
};

/* The document of schema/suai-trace.schema.json. */
struct value *exchanges_document(struct arena *arena, const struct exchange_list *list,
	const struct exchange_report *report);

/* A document as text that fits the terminal. */
int exchanges_write_text(
	const struct format_output *output, const struct value *document, struct err *err);

#endif
