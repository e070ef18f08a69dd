// SPDX-License-Identifier: MIT
/* Exchanges as a document. */
#include "exchanges/exchanges.h"

#include "base/array_size.h"

#include <string.h>

static void set_count(struct arena *arena, struct value *map, const char *key, uint64_t count)
{
	value_add(arena, map, key, value_uint(arena, count));
}

/* The counts of a call site, or of a sum of them. */
static struct value *count_exchanges(struct arena *arena, const struct fact_call_site *site)
{
	struct value *map = value_map(arena);

	for (size_t i = 0; i < fact_call_site_record.n_fields; i++) {
		const struct fact_field *field = &fact_call_site_record.fields[i];
		struct fact_int count;

		if (!exchange_is_count(field))
			continue;
		memcpy(&count, (const char *)site + field->offset, sizeof(count));
		value_add(arena, map, field->name, value_int(arena, count.value));
	}
	return map;
}

/* Whether the options select the exchanges. */
static bool is_site_selected(
	const struct exchange_report *report, const struct fact_call_site *site)
{
	if (!report->only_copies && !report->only_held && !report->only_unordered)
		return true;
	return (report->only_copies && site->copied.value) ||
	       (report->only_unordered && site->unordered.value) ||
	       (report->only_held &&
		       (site->held.value || site->unconsumed.value || site->released_twice.value ||
			       site->released_late.value));
}

static struct value *list_pairs(struct arena *arena, const struct exchange_list *list)
{
	struct value *pairs = value_list(arena);

	for (size_t i = 0; i < list->n_pairs; i++) {
		const struct fact_call_site *site = &list->pairs[i].site;
		struct value *pair = value_append(arena, pairs, value_map(arena));

		value_add(arena, pair, "producer", value_text(arena, site->producer));
		value_add(arena, pair, "consumer", value_text(arena, site->consumer));
		value_add(arena, pair, "exchanges", value_int(arena, site->exchanges.value));
		value_add(arena, pair, "bytes", value_int(arena, site->bytes.value));
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
	value_add(arena, map, "followed", value_bool(arena, list->is_following));
	set_count(arena, map, "processes", list->n_traced);
	set_count(arena, map, "untraced_processes", list->n_traced ? list->n_untraced : 0);
	set_count(arena, map, "unsupported_processes", list->n_traced ? list->n_unsupported : 0);
	set_count(arena, map, "running_processes", list->n_running);
	set_count(arena, map, "lost", list->n_lost);
	set_count(arena, map, "below_min_bytes", list->n_below);
	return map;
}

static struct value *count_transfers(struct arena *arena, const struct exchange *transfers)
{
	const struct {
		const char *key;
		const struct fact_int *count;
	} counts[] = {
		{ "to_device", &transfers[TRANSFERS_TO_DEVICE].site.exchanges },
		{ "to_device_bytes", &transfers[TRANSFERS_TO_DEVICE].site.bytes },
		{ "to_host", &transfers[TRANSFERS_TO_HOST].site.exchanges },
		{ "to_host_bytes", &transfers[TRANSFERS_TO_HOST].site.bytes },
		{ "between_devices", &transfers[TRANSFERS_BETWEEN_DEVICES].site.exchanges },
		{ "between_devices_bytes", &transfers[TRANSFERS_BETWEEN_DEVICES].site.bytes },
		{ "stream_waits", &transfers[TRANSFERS_WAITS].site.exchanges },
	};
	struct value *map = value_map(arena);

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		value_add(arena, map, counts[i].key, value_int(arena, counts[i].count->value));
	return map;
}

struct value *exchanges_document(
	struct arena *arena, const struct exchange_list *list, const struct exchange_report *report)
{
	struct value *document = value_map(arena), *sites = value_list(arena);

	value_add(arena, document, "suai", value_int(arena, 1));
	value_add(arena, document, "command", value_text(arena, "trace"));
	value_add(arena, document, "version", value_text(arena, SUAI_VERSION));
	value_add(arena, document, "program", end_of_program(arena, report));
	value_add(arena, document, "coverage", coverage(arena, list));
	value_add(arena, document, "totals", count_exchanges(arena, &list->total.site));
	value_add(arena, document, "transfers", count_transfers(arena, list->transfers));
	value_add(arena, document, "pairs", list_pairs(arena, list));
	value_add(arena, document, "call_sites", sites);
	for (size_t i = 0; i < list->n_items; i++)
		if (is_site_selected(report, &list->items[i].site))
			value_append(arena, sites,
				fact_write(&fact_call_site_record, arena, &list->items[i].site,
					FACT_DOCUMENT, NULL));
	value_add(arena, document, "summary",
		report->summary ? fact_write(&fact_summary_record, arena, report->summary,
					  FACT_DOCUMENT, NULL)
				: value_null(arena));
	return document;
}
