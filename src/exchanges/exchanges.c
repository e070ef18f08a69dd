// SPDX-License-Identifier: MIT
#include "exchanges/exchanges.h"

#include "base/array_size.h"
#include "base/memory.h"
#include "protocols/names.h"
#include "trace/record.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_TEXT_BYTES = 4096, MAX_ITEM_BYTES = 32 };

/* A copy of the used parts of a segment. */
struct segment_copy {
	struct trace_segment head;
	struct trace_library *libraries;
	struct trace_site *sites;
	struct trace_row *rows;
	struct trace_tensor *tensors;
	struct trace_event *events;
	char *strings;
};

static bool read_all(int fd, void *out, size_t n_bytes, uint64_t offset)
{
	for (size_t n_read = 0; n_read < n_bytes;) {
		ssize_t n =
			pread(fd, (char *)out + n_read, n_bytes - n_read, (off_t)(offset + n_read));

		if (n <= 0)
			return false;
		n_read += (size_t)n;
	}
	return true;
}

static void *read_segment_table(
	struct arena *arena, int fd, uint64_t offset, uint32_t n_items, size_t item_bytes)
{
	void *table = arena_alloc(arena, n_items * item_bytes + 1);

	return read_all(fd, table, n_items * item_bytes, offset) ? table : NULL;
}

static bool is_head_valid(const struct trace_segment *head, uint32_t max_events)
{
	return head->magic == TRACE_MAGIC && head->n_libraries <= TRACE_MAX_LIBRARIES &&
	       head->n_sites <= TRACE_MAX_SITES && head->n_rows <= TRACE_MAX_ROWS &&
	       head->n_tensors <= TRACE_MAX_TENSORS && head->n_string_bytes <= TRACE_STRING_BYTES &&
	       head->n_events <= max_events;
}

/* The events live in the arena, the other tables in that of tables. The byte after the strings is
 * zero, as that of each table from an arena. */
static bool copy_segment(struct segment_copy *copy, struct arena *arena, struct arena *tables,
	int fd, uint64_t offset, uint32_t max_events)
{
	const struct trace_segment *head = &copy->head;

	if (!read_all(fd, &copy->head, sizeof(copy->head), offset) ||
		!is_head_valid(head, max_events))
		return false;
	copy->libraries = read_segment_table(tables, fd, offset + TRACE_LIBRARIES_OFFSET,
		head->n_libraries, sizeof(*copy->libraries));
	copy->sites = read_segment_table(
		tables, fd, offset + TRACE_SITES_OFFSET, head->n_sites, sizeof(*copy->sites));
	copy->rows = read_segment_table(
		tables, fd, offset + TRACE_ROWS_OFFSET, head->n_rows, sizeof(*copy->rows));
	copy->tensors = read_segment_table(
		tables, fd, offset + TRACE_TENSORS_OFFSET, head->n_tensors, sizeof(*copy->tensors));
	copy->strings = read_segment_table(
		tables, fd, offset + TRACE_STRINGS_OFFSET, head->n_string_bytes, 1);
	copy->events = read_segment_table(
		arena, fd, offset + TRACE_EVENTS_OFFSET, head->n_events, sizeof(*copy->events));
	return copy->libraries && copy->sites && copy->rows && copy->tensors && copy->strings &&
	       copy->events;
}

/* --- counts --- */

#define IN_ROW(COUNT, MEMBER)                                                              \
	{                                                                                  \
		offsetof(struct fact_call_site, COUNT), offsetof(struct trace_row, MEMBER) \
	}
#define NOT_IN_ROW(COUNT)                                        \
	{                                                        \
		offsetof(struct fact_call_site, COUNT), SIZE_MAX \
	}

/* The counts of a call site: a struct fact_int each, and the uint64_t of a row that it begins with.
 */
static const struct count_field {
	size_t in_site, in_row;
} count_fields[] = {
	IN_ROW(exchanges, n_exchanges),
	IN_ROW(bytes, n_bytes),
	IN_ROW(shared, n_shared),
	IN_ROW(copied, n_copied),
	IN_ROW(copied_bytes, n_copied_bytes),
	IN_ROW(narrowed, n_narrowed),
	IN_ROW(narrowed_bytes, n_narrowed_bytes),
	IN_ROW(held, n_held),
	IN_ROW(held_bytes, n_held_bytes),
	NOT_IN_ROW(leaked),
	NOT_IN_ROW(leaked_bytes),
	IN_ROW(unconsumed, n_never),
	IN_ROW(unconsumed_bytes, n_never_bytes),
	IN_ROW(released_twice, n_twice),
	IN_ROW(released_late, n_after_end),
	IN_ROW(released_elsewhere, n_elsewhere),
	IN_ROW(unordered, n_unordered),
	IN_ROW(unordered_bytes, n_unordered_bytes),
};

bool exchange_is_count(const struct fact_field *field)
{
	for (size_t i = 0; i < ARRAY_SIZE(count_fields); i++)
		if (count_fields[i].in_site == field->offset)
			return true;
	return false;
}

static struct fact_int *count_at(struct fact_call_site *site, const struct count_field *field)
{
	return (struct fact_int *)((char *)site + field->in_site);
}

/* The shared memory may contain any number: a sum that does not fit becomes the largest count. */
static void add_to_count(struct fact_int *count, uint64_t more)
{
	const uint64_t space = (uint64_t)(INT64_MAX - count->value);

	count->known = true;
	count->value = more > space ? INT64_MAX : count->value + (int64_t)more;
}

static void take_counts(struct fact_call_site *site, const struct trace_row *row)
{
	const char *numbers = (const char *)row;

	for (size_t i = 0; i < ARRAY_SIZE(count_fields); i++) {
		uint64_t number = 0;

		if (count_fields[i].in_row != SIZE_MAX)
			memcpy(&number, numbers + count_fields[i].in_row, sizeof(number));
		add_to_count(count_at(site, &count_fields[i]), number);
	}
	site->wide_element_bytes = fact_int(row->wide_bytes);
	site->narrow_element_bytes = fact_int(row->narrow_bytes);
	site->longest_hold_seconds = fact_real((double)row->held_ns_max / 1e9);
}

/* A type of elements as NumPy names it; NULL: unknown. */
static const char *element_type_name(struct arena *arena, uint32_t type)
{
	static const struct {
		char kind;
		const char *name;
	} kinds[] = { { 'i', "int" }, { 'u', "uint" }, { 'f', "float" }, { 'c', "complex" } };
	const uint32_t n_bytes = type & 0xffffff;

	if (type == TRACE_ELEMENT_TYPE('b', 1))
		return "bool";
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (type >> 24 == (uint32_t)kinds[i].kind && n_bytes && n_bytes <= MAX_ITEM_BYTES)
			return arena_printf(arena, "%s%u", kinds[i].name, 8 * n_bytes);
	return NULL;
}

/* Adds what is known of copies, as the tracer does for those of one row. */
static void add_copy_causes(struct exchange *sum, const struct exchange *part)
{
	struct fact_call_site *to = &sum->site;
	const struct fact_call_site *from = &part->site;
	const bool is_small = trace_is_small_copy(part->largest_copy_bits, sum->largest_copy_bits);
	const bool was_small = trace_is_small_copy(sum->largest_copy_bits, part->largest_copy_bits);

	sum->copy_causes = (was_small ? sum->copy_causes & TRACE_COPY_FLAGGED : sum->copy_causes) |
			   (is_small ? part->copy_causes & TRACE_COPY_FLAGGED : part->copy_causes);
	if (was_small && !to->narrowed.value)
		to->converted_to = NULL;
	if (!to->converted_to && (!is_small || from->narrowed.value)) {
		to->converted_from = from->converted_from;
		to->converted_to = from->converted_to;
	}
	if (sum->largest_copy_bits < part->largest_copy_bits)
		sum->largest_copy_bits = part->largest_copy_bits;
}

static void sum_up(struct exchange *sum, const struct exchange *part)
{
	struct fact_call_site *to = &sum->site;
	struct fact_call_site from = part->site;

	add_copy_causes(sum, part);
	for (size_t i = 0; i < ARRAY_SIZE(count_fields); i++)
		add_to_count(count_at(to, &count_fields[i]),
			(uint64_t)count_at(&from, &count_fields[i])->value);
	to->holder = to->holder ? to->holder : from.holder;
	if (!to->wide_element_bytes.value) {
		to->wide_element_bytes = from.wide_element_bytes;
		to->narrow_element_bytes = from.narrow_element_bytes;
	}
	if (from.longest_hold_seconds.value > to->longest_hold_seconds.value)
		to->longest_hold_seconds = from.longest_hold_seconds;
}

/* --- rows --- */

/* A text of the segment without control characters, truncated: each row of a corrupted table may
 * name the same megabytes. */
static const char *text_at(struct arena *arena, const struct segment_copy *copy, uint32_t offset)
{
	const char *text;

	if (!offset || offset >= copy->head.n_string_bytes)
		return NULL;
	text = copy->strings + offset;
	if (strnlen(text, MAX_TEXT_BYTES) == MAX_TEXT_BYTES)
		text = arena_copy(arena, text, MAX_TEXT_BYTES);
	return value_text_escaped(arena, text)->bytes;
}

static const char *library_name(struct arena *arena, const struct segment_copy *copy, uint32_t i)
{
	return i < copy->head.n_libraries ? text_at(arena, copy, copy->libraries[i].name) : NULL;
}

/* What a row of each kind counts: exchanges by a protocol, or what is asked of a driver. */
static const struct row_kind {
	const char *protocol;
	enum transfers transfers;
} row_kinds[TRACE_N_KINDS] = {
	[TRACE_DLPACK] = { PROTOCOL_DLPACK, TRANSFERS_NONE },
	[TRACE_BUFFER] = { PROTOCOL_BUFFER, TRANSFERS_NONE },
	[TRACE_NUMPY_API] = { PROTOCOL_NUMPY "-api", TRANSFERS_NONE },
	[TRACE_EXCHANGE_API] = { PROTOCOL_DLPACK "-api", TRANSFERS_NONE },
	[TRACE_NUMPY_ATTRIBUTE] = { PROTOCOL_NUMPY, TRANSFERS_NONE },
	[TRACE_CUDA_ATTRIBUTE] = { PROTOCOL_CUDA, TRANSFERS_NONE },
	[TRACE_SYCL_ATTRIBUTE] = { PROTOCOL_SYCL, TRANSFERS_NONE },
	[TRACE_CUDA_TO_DEVICE] = { PROTOCOL_CUDA "-to-device", TRANSFERS_TO_DEVICE },
	[TRACE_CUDA_TO_HOST] = { PROTOCOL_CUDA "-to-host", TRANSFERS_TO_HOST },
	[TRACE_CUDA_BETWEEN_DEVICES] = { PROTOCOL_CUDA "-between-devices",
		TRANSFERS_BETWEEN_DEVICES },
	[TRACE_CUDA_WAIT] = { PROTOCOL_CUDA "-wait", TRANSFERS_WAITS },
};

/* The shared memory may contain any number. */
static const struct row_kind *kind_of_row(uint32_t kind)
{
	return &row_kinds[kind < TRACE_N_KINDS ? kind : TRACE_DLPACK];
}

static struct exchange *append_exchange(struct exchange_list *list, struct arena *arena,
	const struct segment_copy *copy, const struct trace_row *row)
{
	const struct row_kind *kind = kind_of_row(row->kind);
	struct fact_call_site *site;
	struct exchange *exchange;

	list->items = arena_grow(arena, list->items, list->n_items, sizeof(*list->items));
	exchange = &list->items[list->n_items++];
	*exchange = (struct exchange){ .transfers = kind->transfers,
		.copy_causes = row->copy_causes,
		.largest_copy_bits = row->largest_copy_bits };
	site = &exchange->site;
	site->present = true;
	site->protocol = kind->protocol;
	site->producer = library_name(arena, copy, row->producer);
	site->consumer = library_name(arena, copy, row->consumer);
	site->in_library = ANSWER_NO;
	if (row->site < copy->head.n_sites) {
		const struct trace_site *place = &copy->sites[row->site];

		site->file = text_at(arena, copy, place->file);
		if (site->file && place->line > 0) /* code may have no lines */
			site->line = fact_int(place->line);
		site->function = text_at(arena, copy, place->function);
		site->in_library = answer_of(place->is_library);
	}
	take_counts(site, row);
	site->holder = text_at(arena, copy, row->holder & ~TRACE_HOLDER_RELEASED);
	site->converted_from = element_type_name(arena, row->from_type);
	site->converted_to = element_type_name(arena, row->to_type);
	return exchange;
}

/* Capsules of the same producer and call site that were neither consumed nor destroyed. */
struct unconsumed {
	uint32_t producer, site;
	uint64_t n_bytes;
};

static int compare_unconsumed(const void *left, const void *right)
{
	const struct unconsumed *a = left, *b = right;

	if (a->producer != b->producer)
		return a->producer < b->producer ? -1 : 1;
	return (a->site > b->site) - (a->site < b->site);
}

static void add_unconsumed(struct exchange_list *list, struct arena *arena,
	const struct segment_copy *copy, struct unconsumed *items, size_t n_items)
{
	struct exchange *exchange = NULL;

	if (n_items)
		qsort(items, n_items, sizeof(*items), compare_unconsumed);
	for (size_t i = 0; i < n_items; i++) {
		if (!i || compare_unconsumed(&items[i - 1], &items[i])) {
			const struct trace_row row = { .kind = TRACE_DLPACK,
				.producer = items[i].producer,
				.consumer = TRACE_NONE,
				.site = items[i].site };

			exchange = append_exchange(list, arena, copy, &row);
		}
		add_to_count(&exchange->site.unconsumed, 1);
		add_to_count(&exchange->site.unconsumed_bytes, items[i].n_bytes);
	}
}

/* Extends the longest hold of a call site by a tensor that was not released: it was held until the
 * process ended or, if that was killed or still runs, until now. */
static void lengthen_hold(
	struct fact_call_site *site, const struct trace_tensor *tensor, uint64_t ended_ns)
{
	double seconds =
		ended_ns > tensor->since_ns ? (double)(ended_ns - tensor->since_ns) / 1e9 : 0;

	if (seconds > site->longest_hold_seconds.value)
		site->longest_hold_seconds = fact_real(seconds);
}

/* The time of the clock that the tracer uses. */
static uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Tensors that were not released; rows are the exchanges of the segment's rows. There can be many:
 * they are counted, not listed. */
static void add_tensors(struct exchange_list *list, struct arena *arena,
	const struct segment_copy *copy, struct exchange *rows)
{
	bool is_complete = copy->head.state == TRACE_FINALIZED;
	uint64_t ended_ns = copy->head.ended_ns ? copy->head.ended_ns : monotonic_ns();
	struct unconsumed *items = mem_alloc((copy->head.n_tensors + 1) * sizeof(*items));
	size_t n_items = 0;

	for (uint32_t i = 0; i < copy->head.n_tensors; i++) {
		const struct trace_tensor *tensor = &copy->tensors[i];

		if ((tensor->flags & (TENSOR_USED | TENSOR_RELEASED)) != TENSOR_USED)
			continue;
		if (!(tensor->flags & TENSOR_CONSUMED)) {
			items[n_items++] = (struct unconsumed){ tensor->producer, tensor->site,
				tensor->n_bytes };
		} else if (tensor->row < copy->head.n_rows) {
			struct fact_call_site *site = &rows[tensor->row].site;
			bool is_leak = is_complete &&
				       !(tensor->flags & (TENSOR_OF_THREAD | TENSOR_OF_MODULE));

			lengthen_hold(site, tensor, ended_ns);
			add_to_count(&site->held, 1);
			add_to_count(&site->held_bytes, tensor->n_bytes);
			add_to_count(&site->leaked, is_leak);
			add_to_count(&site->leaked_bytes, is_leak ? tensor->n_bytes : 0);
		}
	}
	for (uint32_t i = 0; i < copy->head.n_rows; i++)
		if (rows[i].site.leaked.value && (copy->rows[i].holder & TRACE_HOLDER_RELEASED))
			rows[i].site.holder = NULL;
	add_unconsumed(list, arena, copy, items, n_items);
	free(items);
}

static int compare_texts(const char *a, const char *b)
{
	return !a || !b ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

static int compare_pairs(const struct exchange *a, const struct exchange *b)
{
	int order = compare_texts(a->site.producer, b->site.producer);

	return order ? order : compare_texts(a->site.consumer, b->site.consumer);
}

/* Orders exchanges by what makes them one, so that equal ones are adjacent. */
static int compare_exchanges(const void *left, const void *right)
{
	const struct exchange *a = left, *b = right;
	int order = compare_pairs(a, b);

	if (!order)
		order = compare_texts(a->site.protocol, b->site.protocol);
	if (!order)
		order = compare_texts(a->site.file, b->site.file);
	if (!order)
		order = (a->site.line.value > b->site.line.value) -
			(a->site.line.value < b->site.line.value);
	return order ? order : compare_texts(a->site.function, b->site.function);
}

static uint64_t weight(const struct exchange *exchange)
{
	return (uint64_t)exchange->site.bytes.value +
	       (uint64_t)exchange->site.unconsumed_bytes.value;
}

static int compare_weights(const void *left, const void *right)
{
	const struct exchange *a = left, *b = right;

	if (weight(a) != weight(b))
		return weight(a) < weight(b) ? 1 : -1;
	return compare_exchanges(a, b);
}

/* Adds an exchange, of those sorted by pair, to the last pair or to a new one. */
static void add_to_pairs(
	struct exchange_list *list, struct arena *arena, const struct exchange *exchange)
{
	struct exchange *last = list->n_pairs ? &list->pairs[list->n_pairs - 1] : NULL;

	if (!exchange->site.exchanges.value)
		return;
	if (last && !compare_pairs(last, exchange)) {
		sum_up(last, exchange);
		return;
	}
	list->pairs = arena_grow(arena, list->pairs, list->n_pairs, sizeof(*list->pairs));
	list->pairs[list->n_pairs++] = *exchange;
}

struct fact_texts exchange_copy_causes(struct arena *arena, uint32_t causes)
{
#define CAUSE_ROW(CAUSE, BIT, NAME) { TRACE_##CAUSE, NAME },
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = { TRACE_COPY_CAUSES(CAUSE_ROW) };
	struct fact_texts list = { .known = true };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (causes & names[i].bit)
			fact_texts_add(arena, &list, names[i].name);
	return list;
}

/* Merges equal exchanges, sums up pairs, and sorts by size. */
static void merge_exchanges(struct exchange_list *list, struct arena *arena)
{
	struct exchange *items = list->items;
	size_t n_items = 0;

	if (!list->n_items)
		return;
	qsort(items, list->n_items, sizeof(*items), compare_exchanges);
	for (size_t i = 0; i < list->n_items; i++) {
		/* Skips rows whose exchanges were taken back. */
		if (!items[i].site.exchanges.value && !items[i].site.unconsumed.value)
			continue;
		if (items[i].transfers == TRANSFERS_NONE) {
			sum_up(&list->total, &items[i]);
			add_to_pairs(list, arena, &items[i]);
		} else {
			sum_up(&list->transfers[items[i].transfers], &items[i]);
		}
		if (n_items && !compare_exchanges(&items[n_items - 1], &items[i])) {
			sum_up(&items[n_items - 1], &items[i]);
			continue;
		}
		items[n_items++] = items[i];
	}
	list->n_items = n_items;
	for (size_t i = 0; i < n_items; i++)
		items[i].site.copy_causes = exchange_copy_causes(arena, items[i].copy_causes);
	qsort(items, n_items, sizeof(*items), compare_weights);
	if (list->n_pairs)
		qsort(list->pairs, list->n_pairs, sizeof(*list->pairs), compare_weights);
}

/* The rows before equal ones are merged. */
static void take_events(struct exchange_list *list, struct arena *arena,
	const struct segment_copy *copy, const struct exchange *rows)
{
	const struct trace_segment *head = &copy->head;
	struct exchange *kept = arena_alloc(arena, head->n_rows * sizeof(*kept) + 1);

	if (head->n_rows)
		memcpy(kept, rows, head->n_rows * sizeof(*kept));
	list->processes = arena_grow(
		arena, list->processes, list->n_traced_processes, sizeof(*list->processes));
	list->processes[list->n_traced_processes++] = (struct traced_process){ .pid = head->pid,
		.is_complete = head->state == TRACE_FINALIZED,
		.started_ns = head->started_ns,
		.ended_ns = head->ended_ns,
		.rows = kept,
		.n_rows = head->n_rows,
		.events = copy->events,
		.n_events = head->n_events,
		.n_dropped = head->n_dropped_events };
}

uint64_t exchanges_dropped(const struct exchange_list *list)
{
	uint64_t n_dropped = 0;

	for (size_t i = 0; i < list->n_traced_processes; i++)
		n_dropped += list->processes[i].n_dropped;
	return n_dropped;
}

/* Whether a process did not end, such as a daemon: what it exchanges later is not seen. One that
 * ended, and that its parent has not waited for, does not count. */
static bool is_running(const struct trace_segment *head)
{
	char path[32], text[512], *state;
	ssize_t n_bytes;
	int fd;

	if (head->state != TRACE_RUNNING || !head->pid || head->pid > INT32_MAX)
		return false;
	snprintf(path, sizeof(path), "/proc/%u/stat", (unsigned int)head->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n_bytes = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n_bytes > 0 ? n_bytes : 0] = '\0';
	state = strrchr(text, ')');
	return state && state[1] && !strchr("ZX", state[2]);
}

static void take_segment(struct exchange_list *list, struct arena *arena,
	const struct segment_copy *copy, uint32_t max_events)
{
	const struct trace_segment *head = &copy->head;
	bool is_complete = head->state == TRACE_FINALIZED, is_alive = is_running(head);
	struct exchange *rows;

	if (head->problem == TRACE_NO_FUNCTION) {
		list->problem = "the interpreter lacks a function of CPython 3.11 or later";
		list->n_unsupported++;
		return;
	}
	list->n_traced++;
	/* One that exchanged nothing, such as a server of multiprocessing, holds nothing. */
	if (!is_alive || head->n_rows) {
		list->is_complete = list->is_complete && is_complete;
		list->n_running += is_alive;
	}
	list->n_lost += head->n_lost;
	list->n_below += head->n_below;
	for (uint32_t i = 0; i < head->n_rows; i++)
		append_exchange(list, arena, copy, &copy->rows[i]);
	rows = list->items ? &list->items[list->n_items - head->n_rows] : NULL;
	if (max_events)
		take_events(list, arena, copy, rows);
	add_tensors(list, arena, copy, rows);
}

static bool read_trace_head(int fd, struct trace_head *head)
{
	return read_all(fd, head, sizeof(*head), 0) && head->magic == TRACE_MAGIC &&
	       head->max_events <= TRACE_MAX_EVENTS;
}

/* A process that claimed the segment could not map it, or was killed just then. */
static bool is_unused(const struct trace_segment *head)
{
	return !head->magic && head->state == TRACE_UNUSED && !head->pid;
}

/* The number of segments that are in use. */
static uint32_t count_segments(struct trace_head *head)
{
	uint32_t n_processes = atomic_load(&head->n_claimed),
		 n_segments = head->max_segments < TRACE_MAX_SEGMENTS ? head->max_segments
								      : TRACE_MAX_SEGMENTS;

	return n_processes < n_segments ? n_processes : n_segments;
}

int exchanges_read(struct exchange_list *list, struct arena *arena, int memory_fd, struct err *err)
{
	struct arena tables = { 0 }; /* of one segment */
	struct segment_copy copy = { 0 };
	struct trace_head head;
	uint32_t n_segments;

	if (!read_trace_head(memory_fd, &head))
		return err_set(err, EXIT_TARGET, "the program corrupted suai's shared memory");
	n_segments = count_segments(&head);
	list->is_following = head.is_following;
	list->is_complete = n_segments > 0;
	for (uint32_t i = 0; i < n_segments; i++) {
		bool is_copied = copy_segment(&copy, arena, &tables, memory_fd,
			trace_segment_offset(i, head.max_events), head.max_events);

		if (is_copied)
			take_segment(list, arena, &copy, head.max_events);
		arena_free(&tables);
		if (!is_copied && is_unused(&copy.head)) {
			list->is_complete = false;
			list->problem = "the program could not map suai's shared memory; "
					"is its address space limited (ulimit -v)?";
		} else if (!is_copied) {
			return err_set(
				err, EXIT_TARGET, "the program corrupted suai's shared memory");
		}
	}
	list->n_untraced =
		atomic_load(&head.n_claimed) - list->n_traced + atomic_load(&head.n_unreachable);
	merge_exchanges(list, arena);
	if (!n_segments && access("/proc/self", F_OK))
		list->problem =
			"the program opens suai's shared memory through /proc, which is not mounted";
	else if (!n_segments)
		list->problem =
			"no process that runs CPython loaded suai's library; does the program run Python, and not PyPy? does it clear LD_PRELOAD, change its user, or run in a container?";
	if (list->n_traced)
		list->problem = NULL;
	if (list->n_unsupported > list->n_untraced)
		list->n_unsupported = list->n_untraced;
	return 0;
}

/* --- while the program runs --- */

static void sum_rows(
	struct exchange_sums *sums, int memory_fd, uint64_t offset, uint32_t max_events)
{
	struct trace_segment head;
	struct trace_row *rows;
	size_t n_bytes;

	if (!read_all(memory_fd, &head, sizeof(head), offset) || !is_head_valid(&head, max_events))
		return;
	n_bytes = head.n_rows * sizeof(*rows);
	rows = mem_alloc(n_bytes + 1);
	if (read_all(memory_fd, rows, n_bytes, offset + TRACE_ROWS_OFFSET))
		for (uint32_t i = 0; i < head.n_rows; i++)
			if (kind_of_row(rows[i].kind)->transfers == TRANSFERS_NONE) {
				sums->n_exchanges += rows[i].n_exchanges;
				sums->n_bytes += rows[i].n_bytes;
				sums->n_copied_bytes += rows[i].n_copied_bytes;
			}
	free(rows);
}

struct exchange_sums exchanges_sum(int memory_fd)
{
	struct exchange_sums sums = { 0 };
	struct trace_head head;
	uint32_t n_segments;

	if (!read_trace_head(memory_fd, &head))
		return sums;
	n_segments = count_segments(&head);
	for (uint32_t i = 0; i < n_segments; i++)
		sum_rows(&sums, memory_fd, trace_segment_offset(i, head.max_events),
			head.max_events);
	return sums;
}
