// SPDX-License-Identifier: MIT
/*
 * Exchanges as a trace in Chrome's JSON format, which Perfetto reads: a track for each library of a
 * process, a slice for each exchange on the consumer's track, one on the producer's and an arrow
 * between them, and a slice of the time during which memory was held.
 */
#include "exchanges/exchanges.h"

#include "base/array_size.h"
#include "base/memory.h"
#include "formats/json/json_write.h"
#include "trace/record.h"

#include <stdlib.h>
#include <string.h>

enum {
	SLICE_NS = 1000,      /* of an exchange; less if another one follows on its track */
	MARKS_PER_ARENA = 256 /* after which the memory of values is freed */
};

/* The process of an event, and its tracks. */
struct traced_lane {
	const struct traced_process *process;
	const char **tracks; /* the names of libraries; NULL: unknown */
	size_t n_tracks;
	size_t n_earlier; /* tracks of programs that the same process executed before this one */
	uint32_t *producer_tracks, *consumer_tracks; /* by row */
	uint64_t *next_ns; /* by track, from the end: when the next slice begins */
};

/* A point in time: an exchange, or the release of its memory. */
struct mark {
	uint64_t at_ns;
	size_t lane;
	uint32_t event;
	bool is_release;
	uint32_t producer_ns, consumer_ns; /* lengths of slices */
};

struct perfetto {
	FILE *stream;
	struct json_writer writer;
	struct arena arena; /* of values that were written, or are about to be */
	const struct exchange_report *report;
	struct traced_lane *lanes;
	struct mark *marks;
	size_t n_marks, n_written;
	uint64_t origin_ns, end_ns;
};

/* --- tracks --- */

static uint32_t find_track(struct traced_lane *lane, struct arena *arena, const char *name)
{
	for (size_t i = 0; i < lane->n_tracks; i++)
		if (lane->tracks[i] == name ||
			(name && lane->tracks[i] && !strcmp(lane->tracks[i], name)))
			return (uint32_t)i;
	lane->tracks = arena_grow(arena, lane->tracks, lane->n_tracks, sizeof(*lane->tracks));
	lane->tracks[lane->n_tracks] = name;
	return (uint32_t)lane->n_tracks++;
}

static void find_tracks(
	struct traced_lane *lane, struct arena *arena, const struct traced_process *process)
{
	lane->process = process;
	lane->producer_tracks =
		arena_alloc(arena, (process->n_rows + 1) * sizeof(*lane->producer_tracks));
	lane->consumer_tracks =
		arena_alloc(arena, (process->n_rows + 1) * sizeof(*lane->consumer_tracks));
	for (uint32_t i = 0; i < process->n_rows; i++) {
		const struct fact_call_site *site = &process->rows[i].site;

		if (!site->exchanges.value)
			continue;
		lane->producer_tracks[i] = find_track(lane, arena, site->producer);
		lane->consumer_tracks[i] = find_track(lane, arena, site->consumer);
	}
	lane->next_ns = arena_alloc(arena, (lane->n_tracks + 1) * sizeof(*lane->next_ns));
}

/* --- marks --- */

static bool is_event_selected(const struct exchange_report *report, const struct trace_event *event)
{
	if (!report->only_copies && !report->only_held && !report->only_unordered)
		return true;
	return (report->only_copies && (event->flags & EVENT_COPIED)) ||
	       (report->only_unordered && (event->flags & EVENT_UNORDERED)) ||
	       (report->only_held && (event->flags & EVENT_HELD) &&
		       (!(event->flags & EVENT_RELEASED) || (event->flags & EVENT_AT_END)));
}

static uint64_t release_ns(const struct perfetto *trace, const struct trace_event *event)
{
	uint64_t at_ns = event->flags & EVENT_RELEASED ? event->released_ns : trace->end_ns;

	return at_ns < event->at_ns ? event->at_ns : at_ns;
}

/* At one time, exchanges in their order, and before releases. */
static int compare_trace_marks(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	if (a->is_release != b->is_release)
		return a->is_release ? 1 : -1;
	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	return (a->event > b->event) - (a->event < b->event);
}

/* The length of a slice that ends before the next one of its track begins. */
static uint32_t slice_ns(uint64_t *next_ns, uint64_t at_ns)
{
	uint64_t most = *next_ns ? *next_ns - at_ns : SLICE_NS;

	*next_ns = at_ns;
	return (uint32_t)(most < SLICE_NS ? most : SLICE_NS);
}

static void measure_slices(struct perfetto *trace)
{
	for (size_t i = trace->n_marks; i-- > 0;) {
		struct mark *mark = &trace->marks[i];
		struct traced_lane *lane = &trace->lanes[mark->lane];
		const struct trace_event *event = &lane->process->events[mark->event];
		uint32_t producer = lane->producer_tracks[event->row],
			 consumer = lane->consumer_tracks[event->row];

		if (mark->is_release)
			continue;
		mark->consumer_ns = slice_ns(&lane->next_ns[consumer], mark->at_ns);
		if (producer != consumer)
			mark->producer_ns = slice_ns(&lane->next_ns[producer], mark->at_ns);
	}
}

static void find_origin(struct perfetto *trace, const struct exchange_list *list)
{
	for (size_t i = 0; i < list->n_traced_processes; i++) {
		const struct traced_process *process = &list->processes[i];
		uint64_t last = process->ended_ns;

		if (!i || process->started_ns < trace->origin_ns)
			trace->origin_ns = process->started_ns;
		for (uint32_t k = 0; k < process->n_events; k++) {
			const struct trace_event *event = &process->events[k];

			last = event->at_ns > last ? event->at_ns : last;
			last = event->released_ns > last ? event->released_ns : last;
		}
		trace->end_ns = last > trace->end_ns ? last : trace->end_ns;
	}
}

static void add_marks(struct perfetto *trace, size_t lane)
{
	const struct traced_process *process = trace->lanes[lane].process;

	for (uint32_t i = 0; i < process->n_events; i++) {
		const struct trace_event *event = &process->events[i];

		if (event->row >= process->n_rows || event->at_ns < trace->origin_ns ||
			!process->rows[event->row].site.exchanges.value ||
			!is_event_selected(trace->report, event))
			continue;
		trace->marks[trace->n_marks++] =
			(struct mark){ .at_ns = event->at_ns, .lane = lane, .event = i };
		if (event->flags & EVENT_HELD)
			trace->marks[trace->n_marks++] =
				(struct mark){ .at_ns = release_ns(trace, event),
					.lane = lane,
					.event = i,
					.is_release = true };
	}
}

/* --- events of the format --- */

static int write_trace_event(struct perfetto *trace, const struct value *event, struct err *err)
{
	if (json_write_text(trace->stream, trace->n_written++ ? ",\n" : "\n", err) ||
		json_write_value(&trace->writer, trace->stream, event, err))
		return -1;
	return 0;
}

static struct value *new_trace_event(struct perfetto *trace, const char *phase,
	const char *category, const char *name, const struct traced_lane *lane, uint32_t track)
{
	struct value *event = value_map(&trace->arena);

	value_add(&trace->arena, event, "ph", value_text(&trace->arena, phase));
	if (category)
		value_add(&trace->arena, event, "cat", value_text(&trace->arena, category));
	value_add(&trace->arena, event, "name", value_text(&trace->arena, name));
	value_add(&trace->arena, event, "pid", value_int(&trace->arena, lane->process->pid));
	value_add(&trace->arena, event, "tid",
		value_int(&trace->arena, (int64_t)(lane->n_earlier + track) + 1));
	return event;
}

/* In microseconds, of which the format has fractions. */
static void add_microseconds(
	struct perfetto *trace, struct value *event, const char *key, uint64_t ns)
{
	value_add(&trace->arena, event, key, value_real(&trace->arena, (double)ns / 1000));
}

static void add_timestamp(struct perfetto *trace, struct value *event, uint64_t at_ns)
{
	add_microseconds(trace, event, "ts", at_ns - trace->origin_ns);
}

static int write_metadata(struct perfetto *trace, const char *kind, const struct traced_lane *lane,
	uint32_t track, const char *key, struct value *value, struct err *err)
{
	struct value *event = new_trace_event(trace, "M", NULL, kind, lane, track);
	struct value *arguments = value_map(&trace->arena);

	value_add(&trace->arena, arguments, key, value);
	value_add(&trace->arena, event, "args", arguments);
	return write_trace_event(trace, event, err);
}

static int write_lane(struct perfetto *trace, size_t number, struct err *err)
{
	const struct traced_lane *lane = &trace->lanes[number];
	struct text command = { 0 };
	int status;

	for (size_t i = 0; i < trace->report->n_words; i++)
		text_printf(&command, "%s%s", i ? " " : "", trace->report->program[i]);
	status = write_metadata(trace, "process_name", lane, 0, "name",
			 value_text_escaped(&trace->arena, command.bytes ? command.bytes : ""),
			 err) ||
		 write_metadata(trace, "process_sort_index", lane, 0, "sort_index",
			 value_int(&trace->arena, (int64_t)number), err);
	text_free(&command);
	for (uint32_t i = 0; !status && i < lane->n_tracks; i++)
		status = write_metadata(trace, "thread_name", lane, i, "name",
				 value_text(&trace->arena,
					 lane->tracks[i] ? lane->tracks[i] : "(unknown)"),
				 err) ||
			 write_metadata(trace, "thread_sort_index", lane, i, "sort_index",
				 value_int(&trace->arena, i), err);
	return status ? -1 : 0;
}

static const char *event_verdict(const struct trace_event *event)
{
	return event->flags & EVENT_COPIED   ? "copied"
	       : event->flags & EVENT_SHARED ? "shared"
					     : "unknown";
}

static struct value *list_copy_causes(struct arena *arena, uint32_t causes)
{
	const struct fact_texts names = exchange_copy_causes(arena, causes);
	struct value *list = value_list(arena);

	for (size_t i = 0; i < names.n_items; i++)
		value_append(arena, list, value_text(arena, names.items[i]));
	return list;
}

static void add_argument(
	struct perfetto *trace, struct value *arguments, const char *key, struct value *value)
{
	value_add(&trace->arena, arguments, key, value);
}

/* What is known of an exchange or of transfers. */
static struct value *event_arguments(
	struct perfetto *trace, const struct exchange *row, const struct trace_event *event)
{
	const struct fact_call_site *site = &row->site;
	struct arena *arena = &trace->arena;
	struct value *map = value_map(arena);

	add_argument(trace, map, "producer", value_text(arena, site->producer));
	add_argument(trace, map, "consumer", value_text(arena, site->consumer));
	add_argument(trace, map, "protocol", value_text(arena, site->protocol));
	add_argument(trace, map, "bytes", value_uint(arena, event->n_bytes));
	add_argument(trace, map, "file", value_text(arena, site->file));
	add_argument(trace, map, "line",
		site->line.known ? value_int(arena, site->line.value) : value_null(arena));
	add_argument(trace, map, "function", value_text(arena, site->function));
	add_argument(trace, map, "thread", value_int(arena, event->thread));
	if (row->transfers != TRANSFERS_NONE) {
		add_argument(trace, map, "transfers", value_int(arena, event->n_exchanges));
		return map;
	}
	add_argument(trace, map, "address", value_address(arena, event->address));
	add_argument(trace, map, "verdict", value_text(arena, event_verdict(event)));
	add_argument(trace, map, "narrowed", value_bool(arena, event->flags & EVENT_NARROWED));
	add_argument(trace, map, "unordered", value_bool(arena, event->flags & EVENT_UNORDERED));
	add_argument(trace, map, "copy_causes", list_copy_causes(arena, event->copy_causes));
	return map;
}

/* The slice that the arrow begins at; the one that it ends at has the others. */
static struct value *export_arguments(
	struct perfetto *trace, const struct exchange *row, const struct trace_event *event)
{
	struct value *map = value_map(&trace->arena);

	add_argument(trace, map, "protocol", value_text(&trace->arena, row->site.protocol));
	add_argument(trace, map, "bytes", value_uint(&trace->arena, event->n_bytes));
	return map;
}

static const char *slice_name(
	struct perfetto *trace, const struct exchange *row, const struct trace_event *event)
{
	const char *producer = row->site.producer ? row->site.producer : "(unknown)",
		   *consumer = row->site.consumer ? row->site.consumer : "(unknown)";

	if (row->transfers == TRANSFERS_WAITS)
		return row->site.protocol;
	return arena_printf(&trace->arena, "%s -> %s%s%s%s", producer, consumer,
		event->flags & EVENT_COPIED ? " COPIED" : "",
		event->flags & EVENT_NARROWED ? " NARROWED" : "",
		event->flags & EVENT_UNORDERED ? " ORDER" : "");
}

static int write_slice(struct perfetto *trace, const struct mark *mark, bool is_producer,
	const char *name, const char *category, struct value *arguments, struct err *err)
{
	const struct traced_lane *lane = &trace->lanes[mark->lane];
	uint32_t row = lane->process->events[mark->event].row;
	struct value *event = new_trace_event(trace, "X", category, name, lane,
		is_producer ? lane->producer_tracks[row] : lane->consumer_tracks[row]);

	add_timestamp(trace, event, mark->at_ns);
	add_microseconds(trace, event, "dur", is_producer ? mark->producer_ns : mark->consumer_ns);
	value_add(&trace->arena, event, "args", arguments);
	return write_trace_event(trace, event, err);
}

/* Unique in the trace. */
static struct value *mark_id(struct perfetto *trace, const struct mark *mark)
{
	return value_text(&trace->arena,
		arena_printf(&trace->arena, "0x%llx",
			(unsigned long long)mark->lane * TRACE_MAX_EVENTS + mark->event + 1));
}

/* The end of an arrow between slices. */
static int write_flow(
	struct perfetto *trace, const struct mark *mark, bool is_producer, struct err *err)
{
	const struct traced_lane *lane = &trace->lanes[mark->lane];
	uint32_t row = lane->process->events[mark->event].row;
	struct value *event = new_trace_event(trace, is_producer ? "s" : "f", "flow", "passed",
		lane, is_producer ? lane->producer_tracks[row] : lane->consumer_tracks[row]);

	add_timestamp(trace, event, mark->at_ns);
	value_add(&trace->arena, event, "id", mark_id(trace, mark));
	if (!is_producer)
		value_add(&trace->arena, event, "bp", value_text(&trace->arena, "e"));
	return write_trace_event(trace, event, err);
}

static const char *release_text(
	const struct traced_process *process, const struct trace_event *event)
{
	if (!(event->flags & EVENT_RELEASED))
		return process->is_complete ? "never" : "unknown";
	return event->flags & EVENT_AT_END ? "at exit" : "before exit";
}

/* An end of the time during which memory is held. Its identifier is that of the process, so that
 * the slice is in the group of that process. */
static int write_hold(struct perfetto *trace, const struct mark *mark, struct err *err)
{
	const struct traced_lane *lane = &trace->lanes[mark->lane];
	const struct trace_event *event = &lane->process->events[mark->event];
	const struct exchange *row = &lane->process->rows[event->row];
	struct value *hold, *identifier = value_map(&trace->arena),
			    *arguments = value_map(&trace->arena);

	hold = new_trace_event(trace, mark->is_release ? "e" : "b", "held",
		arena_printf(&trace->arena, "held by %s",
			row->site.consumer ? row->site.consumer : "(unknown)"),
		lane, lane->consumer_tracks[event->row]);
	add_timestamp(trace, hold, mark->at_ns);
	value_add(&trace->arena, identifier, "local", mark_id(trace, mark));
	value_add(&trace->arena, hold, "id2", identifier);
	if (mark->is_release) {
		add_argument(trace, arguments, "released",
			value_text(&trace->arena, release_text(lane->process, event)));
	} else {
		add_argument(trace, arguments, "producer",
			value_text(&trace->arena, row->site.producer));
		add_argument(trace, arguments, "bytes", value_uint(&trace->arena, event->n_bytes));
		add_argument(trace, arguments, "file", value_text(&trace->arena, row->site.file));
		add_argument(trace, arguments, "line",
			row->site.line.known ? value_int(&trace->arena, row->site.line.value)
					     : value_null(&trace->arena));
	}
	value_add(&trace->arena, hold, "args", arguments);
	return write_trace_event(trace, hold, err);
}

static int write_mark(struct perfetto *trace, const struct mark *mark, struct err *err)
{
	const struct traced_lane *lane = &trace->lanes[mark->lane];
	const struct trace_event *event = &lane->process->events[mark->event];
	const struct exchange *row = &lane->process->rows[event->row];
	bool has_arrow = lane->producer_tracks[event->row] != lane->consumer_tracks[event->row];
	const char *name;

	if (mark->is_release)
		return write_hold(trace, mark, err);
	name = slice_name(trace, row, event);
	if (has_arrow && (write_slice(trace, mark, true, name, "export",
				  export_arguments(trace, row, event), err) ||
				 write_flow(trace, mark, true, err)))
		return -1;
	if (write_slice(trace, mark, false, name,
		    row->transfers == TRANSFERS_NONE ? "exchange" : "transfer",
		    event_arguments(trace, row, event), err))
		return -1;
	if (has_arrow && write_flow(trace, mark, false, err))
		return -1;
	return event->flags & EVENT_HELD ? write_hold(trace, mark, err) : 0;
}

/* --- the whole --- */

/* What the trace contains of the run, and what it does not. */
static int write_other_data(struct perfetto *trace, const struct exchange_list *list,
	const struct value *document, struct err *err)
{
	static const char *const keys[] = { "version", "program", "coverage", "totals",
		"transfers" };
	struct value *data = value_map(&trace->arena);
	uint64_t n_events = 0;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		value_add(&trace->arena, data, keys[i],
			value_copy(&trace->arena, value_get(document, keys[i])));
	for (size_t i = 0; i < list->n_traced_processes; i++)
		n_events += list->processes[i].n_events;
	value_add(&trace->arena, data, "events", value_uint(&trace->arena, n_events));
	value_add(&trace->arena, data, "dropped_events",
		value_uint(&trace->arena, exchanges_dropped(list)));
	if (json_write_text(
		    trace->stream, "\n],\n\"displayTimeUnit\": \"ns\",\n\"otherData\": ", err) ||
		json_write_value(&trace->writer, trace->stream, data, err))
		return -1;
	return json_write_text(trace->stream, "}\n", err);
}

static void prepare_marks(
	struct perfetto *trace, struct arena *arena, const struct exchange_list *list)
{
	size_t n_events = 0;

	find_origin(trace, list);
	trace->lanes = arena_alloc(arena, (list->n_traced_processes + 1) * sizeof(*trace->lanes));
	for (size_t i = 0; i < list->n_traced_processes; i++) {
		find_tracks(&trace->lanes[i], arena, &list->processes[i]);
		for (size_t k = 0; k < i; k++)
			if (list->processes[k].pid == list->processes[i].pid)
				trace->lanes[i].n_earlier += trace->lanes[k].n_tracks;
		n_events += list->processes[i].n_events;
	}
	trace->marks = mem_alloc((2 * n_events + 1) * sizeof(*trace->marks));
	for (size_t i = 0; i < list->n_traced_processes; i++)
		add_marks(trace, i);
	qsort(trace->marks, trace->n_marks, sizeof(*trace->marks), compare_trace_marks);
	measure_slices(trace);
}

int exchanges_write_perfetto(FILE *stream, const struct exchange_list *list,
	const struct value *document, const struct exchange_report *report, struct err *err)
{
	struct perfetto trace = { .stream = stream, .report = report };
	struct arena arena = { 0 };
	int status;

	prepare_marks(&trace, &arena, list);
	status = json_write_text(stream, "{\"traceEvents\": [", err);
	for (size_t i = 0; !status && i < list->n_traced_processes; i++)
		status = write_lane(&trace, i, err);
	for (size_t i = 0; !status && i < trace.n_marks; i++) {
		status = write_mark(&trace, &trace.marks[i], err);
		if (i % MARKS_PER_ARENA == 0)
			arena_free(&trace.arena);
	}
	if (!status)
		status = write_other_data(&trace, list, document, err);
	free(trace.marks);
	json_writer_free(&trace.writer);
	arena_free(&trace.arena);
	arena_free(&arena);
	return status;
}
