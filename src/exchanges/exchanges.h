// SPDX-License-Identifier: MIT
/* What a traced program exchanged: the shared memory (trace/record.h), read and summed up. */
#ifndef EXCHANGES_EXCHANGES_H
#define EXCHANGES_EXCHANGES_H

#include "base/arena.h"
#include "base/error.h"
#include "facts/facts.h"
#include "formats/format.h"
#include "model/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What libraries ask a device's driver for, which does not count as an exchange. */
enum transfers {
	TRANSFERS_NONE,
	TRANSFERS_TO_DEVICE,
	TRANSFERS_TO_HOST,
	TRANSFERS_BETWEEN_DEVICES,
	TRANSFERS_WAITS,
	N_TRANSFERS
};

/* The exchanges of one kind, pair of libraries and call site. */
struct exchange {
	struct fact_call_site site; /* every count is known */
	enum transfers transfers;
	uint32_t copy_causes;       /* enum trace_copy_cause */
	uint16_t largest_copy_bits; /* as in struct trace_row */
};

/* What a process exchanged, one by one. */
struct traced_process {
	uint32_t pid;
	bool is_complete;              /* its interpreter was finalized */
	uint64_t started_ns, ended_ns; /* ended: 0 if it was killed */
	const struct exchange *rows;
	uint32_t n_rows;
	const struct trace_event *events; /* of trace/record.h; rows are not checked */
	uint32_t n_events;
	uint64_t n_dropped; /* for which the table had no space */
};

struct exchange_list {
	struct traced_process *processes; /* if events were recorded */
	size_t n_traced_processes;
	struct exchange *items; /* largest first */
	size_t n_items;
	struct exchange total;                  /* of exchanges */
	struct exchange transfers[N_TRANSFERS]; /* the others */
	struct exchange *pairs;                 /* the same, by pair of libraries only */
	size_t n_pairs;
	uint32_t n_traced, n_untraced; /* processes that run Python */
	bool is_following;             /* processes that the program starts are traced, too */
	uint32_t n_unsupported;        /* of those not traced, those of a CPython before 3.11 */
	uint32_t n_running;            /* that had not ended, such as a daemon */
	bool is_complete;              /* the interpreter of each was finalized */
	const char *problem;           /* why nothing is traced; NULL: none */
	uint64_t n_lost, n_below;
};

/* Reads the memory into the arena; the process may still write to it. */
int exchanges_read(struct exchange_list *list, struct arena *arena, int memory_fd, struct err *err);

/* Whether a field of a call site is a count, which is added up for pairs and totals. */
bool exchange_is_count(const struct fact_field *field);

/* The names of the bits of enum trace_copy_cause. */
struct fact_texts exchange_copy_causes(struct arena *arena, uint32_t causes);

/* What processes that still run have exchanged so far, or none of it if it cannot be read. */
struct exchange_sums {
	uint64_t n_exchanges, n_bytes, n_copied_bytes;
};
struct exchange_sums exchanges_sum(int memory_fd);

/* What the command was asked for, and how the program ended. */
struct exchange_report {
	const char *const *program;
	size_t n_words;
	int exit_status;    /* meaningful without a signal */
	const char *signal; /* NULL: it exited */
	bool only_copies, only_held, only_unordered;
	const struct fact_summary *summary; /* of findings; NULL: not checked */
};

/* The document of schema/suai-trace.schema.json. */
struct value *exchanges_document(struct arena *arena, const struct exchange_list *list,
	const struct exchange_report *report);

/* The events as a trace for ui.perfetto.dev and chrome://tracing: Chrome's JSON format, of which
 * docs/trace.md describes the fields. The document is that of the list. */
int exchanges_write_perfetto(FILE *stream, const struct exchange_list *list,
	const struct value *document, const struct exchange_report *report, struct err *err);

/* How many events were not recorded. */
uint64_t exchanges_dropped(const struct exchange_list *list);

/* "app.py:12": where a call site is, relative to the working directory. */
const char *exchange_place(struct arena *arena, const struct fact_call_site *site);

/* A document as text that fits the terminal. */
int exchanges_write_text(
	const struct format_output *output, const struct value *document, struct err *err);

#endif
