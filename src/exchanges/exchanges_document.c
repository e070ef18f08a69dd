// SPDX-License-Identifier: MIT
/* Exchanges as a document. */
#include "exchanges/exchanges.h"

static void set_count(struct arena *arena, struct value *map, const char *key, uint64_t count)
{
	value_add(arena, map, key, value_uint(arena, count));
}

static void set_counts(struct arena *arena, struct value *map, const struct exchange *exchange)
{
	set_count(arena, map, "exchanges", exchange->n_exchanges);
	set_count(arena, map, "bytes", exchange->n_bytes);
	set_count(arena, map, "shared", exchange->n_shared);
	set_count(arena, map, "copied", exchange->n_copied);
	set_count(arena, map, "copied_bytes", exchange->n_copied_bytes);
	set_count(arena, map, "narrowed", exchange->n_narrowed);
	set_count(arena, map, "narrowed_bytes", exchange->n_narrowed_bytes);
	set_count(arena, map, "held", exchange->n_held);
	set_count(arena, map, "held_bytes", exchange->n_held_bytes);
	set_count(arena, map, "leaked", exchange->n_leaked);
	set_count(arena, map, "leaked_bytes", exchange->n_leaked_bytes);
	set_count(arena, map, "unconsumed", exchange->n_unconsumed);
	set_count(arena, map, "unconsumed_bytes", exchange->n_unconsumed_bytes);
	set_count(arena, map, "released_twice", exchange->n_released_twice);
	set_count(arena, map, "released_late", exchange->n_released_late);
	set_count(arena, map, "released_elsewhere", exchange->n_released_elsewhere);
}

static struct value *call_site(struct arena *arena, const struct exchange *exchange)
{
	struct value *map = value_map(arena);

	value_add(arena, map, "file", value_text_escaped(arena, exchange->file));
	value_add(arena, map, "line",
		exchange->file ? value_int(arena, exchange->line) : value_null(arena));
	value_add(arena, map, "function", value_text_escaped(arena, exchange->function));
	value_add(arena, map, "in_library", value_bool(arena, exchange->is_library));
	value_add(arena, map, "protocol", value_text(arena, exchange->protocol));
	value_add(arena, map, "producer", value_text_escaped(arena, exchange->producer));
	value_add(arena, map, "consumer", value_text_escaped(arena, exchange->consumer));
	set_counts(arena, map, exchange);
	set_count(arena, map, "wide_element_bytes", exchange->wide_bytes);
	set_count(arena, map, "narrow_element_bytes", exchange->narrow_bytes);
	value_add(arena, map, "longest_hold_seconds",
		value_real(arena, (double)exchange->longest_ns / 1e9));
	return map;
}

/* Whether the options select the exchanges. */
static bool is_site_selected(const struct exchange_report *report, const struct exchange *exchange)
{
	if (!report->only_copies && !report->only_held)
		return true;
	return (report->only_copies && exchange->n_copied) ||
	       (report->only_held &&
		       (exchange->n_held || exchange->n_unconsumed || exchange->n_released_twice ||
			       exchange->n_released_late));
}

static struct value *list_pairs(struct arena *arena, const struct exchange_list *list)
{
	struct value *pairs = value_list(arena);

	for (size_t i = 0; i < list->n_pairs; i++) {
		const struct exchange *exchange = &list->pairs[i];
		struct value *pair = value_append(arena, pairs, value_map(arena));

		value_add(arena, pair, "producer", value_text_escaped(arena, exchange->producer));
		value_add(arena, pair, "consumer", value_text_escaped(arena, exchange->consumer));
		set_count(arena, pair, "exchanges", exchange->n_exchanges);
		set_count(arena, pair, "bytes", exchange->n_bytes);
	}
	return pairs;
}

static struct value *end_of_program(struct arena *arena, const struct exchange_report *report)
{
	struct value *map = value_map(arena), *words = value_list(arena);

	for (size_t i = 0; i < report->n_words; i++)
		value_append(arena, words, value_text_escaped(arena, report->program[i]));
	value_add(arena, map, "command", words);
	value_add(arena, map, "exit_status",
		report->signal ? value_null(arena) : value_int(arena, report->exit_status));
	value_add(arena, map, "signal", value_text(arena, report->signal));
	return map;
}

static struct value *coverage(struct arena *arena, const struct exchange_list *list)
{
	struct value *map = value_map(arena);

	value_add(arena, map, "traced", value_bool(arena, list->n_traced > 0));
	value_add(arena, map, "problem", value_text(arena, list->problem));
	value_add(arena, map, "finalized", value_bool(arena, list->is_complete));
	set_count(arena, map, "processes", list->n_traced);
	set_count(arena, map, "untraced_processes",
		list->n_traced ? list->n_processes - list->n_traced : 0);
	set_count(arena, map, "lost", list->n_lost);
	set_count(arena, map, "below_min_bytes", list->n_below);
	return map;
}

static struct value *count_transfers(struct arena *arena, const struct exchange *transfers)
{
	struct value *map = value_map(arena);

	set_count(arena, map, "to_device", transfers[TRANSFERS_TO_DEVICE].n_exchanges);
	set_count(arena, map, "to_device_bytes", transfers[TRANSFERS_TO_DEVICE].n_bytes);
	set_count(arena, map, "to_host", transfers[TRANSFERS_TO_HOST].n_exchanges);
	set_count(arena, map, "to_host_bytes", transfers[TRANSFERS_TO_HOST].n_bytes);
	set_count(arena, map, "stream_waits", transfers[TRANSFERS_WAITS].n_exchanges);
	return map;
}

struct value *exchanges_document(
	struct arena *arena, const struct exchange_list *list, const struct exchange_report *report)
{
	struct value *document = value_map(arena), *sites = value_list(arena),
		     *totals = value_map(arena);

	value_add(arena, document, "suai", value_int(arena, 1));
	value_add(arena, document, "command", value_text(arena, "trace"));
	value_add(arena, document, "version", value_text(arena, SUAI_VERSION));
	value_add(arena, document, "program", end_of_program(arena, report));
	value_add(arena, document, "coverage", coverage(arena, list));
	set_counts(arena, totals, &list->total);
	value_add(arena, document, "totals", totals);
	value_add(arena, document, "transfers", count_transfers(arena, list->transfers));
	value_add(arena, document, "pairs", list_pairs(arena, list));
	value_add(arena, document, "call_sites", sites);
	for (size_t i = 0; i < list->n_items; i++)
		if (is_site_selected(report, &list->items[i]))
			value_append(arena, sites, call_site(arena, &list->items[i]));
	return document;
}
