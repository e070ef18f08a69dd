// SPDX-License-Identifier: MIT
/*
 * The github format: workflow commands, which GitHub displays at the lines of a change:
 *
 *	::error file=arrays.py,line=3,title=SUAI103 shape-integers::arrays.py:a: shape[1] is 3.5
 *
 * GitHub shows ten annotations of each level of a step, so each cause gives one that lists its
 * targets, and those that matter most come first. $GITHUB_STEP_SUMMARY gets a table of them.
 */
#include "formats/github/github.h"

#include "base/crc32.h"
#include "base/memory.h"
#include "base/spool.h"
#include "formats/source_location.h"
#include "formats/verdict.h"
#include "model/escape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_CAUSES = 200, /* of each rank; the rest is in order of appearance, target by target */
	MAX_NAMES = 20,
	MAX_STACK_BYTES = 4000,
};

struct github_writer {
	struct text text;
	struct arena arena; /* of one target */
	struct source_locator locator;
	struct github_cause *causes;
	size_t n_causes, capacity, n_of_rank[N_RANKS];
	int64_t n_more;
	FILE *rest; /* the annotations of further causes */
};

static void free_cause(struct github_cause *cause)
{
	text_free(&cause->title);
	text_free(&cause->message);
	text_free(&cause->key);
	text_free(&cause->location);
	text_free(&cause->path);
	text_free(&cause->raised_at);
	text_free(&cause->names);
}

/* --- annotations --- */

/* Escapes data, or the value of a property. */
static void add_escaped_command(struct text *out, const struct text *text, bool is_property)
{
	const char *escaped = is_property ? "%\r\n:," : "%\r\n";

	for (size_t i = 0; i < text->n_bytes; i++) {
		char c = text->bytes[i];

		if (c && strchr(escaped, c))
			text_printf(out, "%%%02X", (unsigned)(unsigned char)c);
		else
			text_add_bytes(out, &c, 1);
	}
}

/* GitHub looks the path up as it is once it has undone its own escapes. Other unsafe characters and
 * bytes that are not UTF-8 cannot be sent as they are. */
static void add_path(struct text *out, const struct text *path)
{
	struct text part = { 0 };

	for (size_t i = 0, length; i < path->n_bytes; i += length) {
		const char *start = path->bytes + i, *end = path->bytes + path->n_bytes;

		for (length = 0; start + length < end && !strchr("\r\n", start[length]);)
			length++;
		if (length)
			escape_text(&part, start, length, ESCAPE_TERMINAL);
		else
			text_add_bytes(&part, start, length = 1);
	}
	add_escaped_command(out, &part, true);
	text_free(&part);
}

static void add_command(struct text *out, const struct github_cause *cause)
{
	static const char *const levels[] = { [RANK_FAILURE] = "error",
		[RANK_ERROR] = "error",
		[RANK_WARNING] = "warning",
		[RANK_NOTE] = "notice" };
	struct text data = { 0 };

	text_printf(out, "::%s ", levels[cause->rank]);
	if (cause->path.n_bytes) {
		text_add(out, "file=");
		add_path(out, &cause->path);
		text_add(out, ",");
	}
	if (cause->line)
		text_printf(out, "line=%" PRId64 ",", cause->line);
	text_add(out, "title=");
	add_escaped_command(out, &cause->title, true);
	text_add(out, "::");
	if (cause->n_targets) {
		text_add_bytes(&data, cause->names.bytes, cause->names.n_bytes);
		if (cause->n_targets > MAX_NAMES)
			text_printf(&data, " and %" PRId64 " more", cause->n_targets - MAX_NAMES);
		text_add(&data, ": ");
	}
	text_add_bytes(&data, cause->message.bytes, cause->message.n_bytes);
	add_escaped_command(out, &data, false);
	text_add(out, "\n");
	text_free(&data);
}

/* --- causes --- */

static bool is_same_text(const struct text *a, const struct text *b)
{
	return a->n_bytes == b->n_bytes && (!a->n_bytes || !memcmp(a->bytes, b->bytes, a->n_bytes));
}

/* Notices without a target differ in their places. */
static bool is_same_cause(const struct github_cause *a, const struct github_cause *b)
{
	return a->n_targets && b->n_targets && a->hash == b->hash && a->rank == b->rank &&
	       is_same_text(&a->title, &b->title) && is_same_text(&a->key, &b->key) &&
	       is_same_text(&a->raised_at, &b->raised_at);
}

static int add_to_rest(struct github_writer *writer, struct github_cause *cause, struct err *err)
{
	writer->n_more++;
	add_command(&writer->text, cause);
	free_cause(cause);
	if (!writer->rest)
		writer->rest = spool_open(err);
	if (!writer->rest)
		return -1;
	return verdict_flush(&writer->text, writer->rest, err) ? spool_fail("write", err) : 0;
}

static bool is_in_repository(const struct github_cause *cause)
{
	return cause->location.n_bytes && *cause->location.bytes != '/';
}

/* How well GitHub can show the annotation: only in the repository, and only at a line. */
static int rate_location(const struct github_cause *cause)
{
	return 4 * is_in_repository(cause) + 2 * cause->is_fixable + (cause->line != 0);
}

/* Adds the name, and its place unless that is the annotation's; the file only if it is neither the
 * annotation's nor in the name. */
static void join_name(struct github_cause *known, const struct github_cause *cause)
{
	const struct text *file = &cause->location;
	bool is_other_file = !is_same_text(&known->location, file);

	text_add(&known->names, ", ");
	text_add_bytes(&known->names, cause->names.bytes, cause->names.n_bytes);
	if (!cause->line || (!is_other_file && cause->line == known->line))
		return;
	text_add(&known->names, " (");
	if (is_other_file && strncmp(cause->names.bytes, file->bytes, file->n_bytes) != 0)
		text_printf(&known->names, "%s, ", file->bytes);
	text_printf(&known->names, "line %" PRId64 ")", cause->line);
}

/* Adds the target of a cause to a known one, which takes its location if that serves better. Takes
 * the cause. */
static void join_cause(struct github_cause *known, struct github_cause *cause)
{
	bool is_better = rate_location(cause) > rate_location(known);
	const struct text location = known->location, path = known->path;

	if (is_better) {
		known->location = cause->location;
		known->path = cause->path;
		known->line = cause->line;
		known->is_fixable = cause->is_fixable;
	}
	if (known->n_targets++ < MAX_NAMES)
		join_name(known, cause);
	if (is_better) {
		cause->location = location;
		cause->path = path;
	}
	free_cause(cause);
}

/* Takes a cause. */
static int add_cause(struct github_writer *writer, struct github_cause *cause, struct err *err)
{
	cause->hash = crc32_add(0, cause->title.bytes, cause->title.n_bytes);
	verdict_add_cause_key(&cause->key, cause->message.bytes);
	cause->hash = crc32_add(cause->hash, cause->key.bytes, cause->key.n_bytes);
	for (size_t i = 0; i < writer->n_causes; i++) {
		struct github_cause *known = &writer->causes[i];

		if (!is_same_cause(known, cause))
			continue;
		join_cause(known, cause);
		return 0;
	}
	if (writer->n_of_rank[cause->rank]++ >= MAX_CAUSES)
		return add_to_rest(writer, cause, err);
	if (writer->n_causes == writer->capacity) {
		writer->capacity = writer->capacity ? 2 * writer->capacity : 32;
		writer->causes =
			mem_resize(writer->causes, writer->capacity * sizeof(*writer->causes));
	}
	cause->order = writer->n_causes;
	writer->causes[writer->n_causes++] = *cause;
	return 0;
}

static void set_location(struct github_cause *cause, const char *path)
{
	text_add(&cause->path, path);
	escape_text(&cause->location, path, strlen(path), ESCAPE_TERMINAL);
}

/* A cause with the place and the name of its target. */
static struct github_cause begin_cause(struct github_writer *writer, enum github_rank rank,
	const struct fact_target *target, const char *traceback)
{
	struct source_location source =
		source_location_of(&writer->locator, &writer->arena, target, traceback);
	struct source_location own =
		source_location_of(&writer->locator, &writer->arena, target, NULL);
	const char *raised_at = stack_raised_at(&writer->arena, traceback);
	const char *name = fact_text_or(target->target, "?");
	struct github_cause cause = { .rank = rank, .n_targets = 1 };

	if (source.path)
		set_location(&cause, source.path);
	if (raised_at)
		text_add(&cause.raised_at, raised_at);
	cause.is_fixable = is_in_repository(&cause);
	cause.line = source.cell ? 0 : source.line;
	if (source.name && *name == '/' && own.path && *own.path != '/') { /* as in file= */
		escape_text(&cause.names, own.path, strlen(own.path), ESCAPE_TERMINAL);
		name += strlen(source.name);
	}
	escape_text(&cause.names, name, strlen(name), ESCAPE_TERMINAL);
	cause.n_first = cause.names.n_bytes;
	if (source.cell)
		text_printf(&cause.names, " (cell %" PRId64 ", line %" PRId64 ")", source.cell,
			source.line);
	return cause;
}

static void add_note(struct text *message, const char *label, const char *note)
{
	if (!note)
		return;
	text_printf(message, "\n%s: ", label);
	verdict_add_line(message, note);
}

static int add_finding_cause(struct github_writer *writer, const struct fact_target *target,
	const struct fact_finding *finding, struct err *err)
{
	enum github_rank rank = finding->severity == SEVERITY_ERROR     ? RANK_ERROR
				: finding->severity == SEVERITY_WARNING ? RANK_WARNING
									: RANK_NOTE;
	struct github_cause cause = begin_cause(writer, rank, target, finding->traceback);

	cause.is_fixable &= finding->actionable != ANSWER_NO;
	verdict_add_line(&cause.title, finding->rule);
	text_add(&cause.title, " ");
	verdict_add_line(&cause.title, finding->name);
	verdict_add_line(&cause.message, finding->message);
	add_note(&cause.message, "why", finding->why);
	add_note(&cause.message, "help", finding->hint);
	add_note(&cause.message, "see", finding->clause);
	return add_cause(writer, &cause, err);
}

static int add_skip_cause(struct github_writer *writer, bool fails,
	const struct fact_target *target, const struct fact_skip *skipped, struct err *err)
{
	struct github_cause cause =
		begin_cause(writer, fails ? RANK_ERROR : RANK_NOTE, target, NULL);

	cause.is_last = true;
	text_add(&cause.title, "skipped ");
	verdict_add_line(&cause.title, skipped->rule);
	verdict_add_line(&cause.message, skipped->reason);
	return add_cause(writer, &cause, err);
}

/* Several lines, each escaped. */
static void add_stack(struct text *message, const char *traceback)
{
	size_t n_bytes = strnlen(traceback, MAX_STACK_BYTES);

	while (n_bytes && traceback[n_bytes - 1] == '\n')
		n_bytes--;
	for (const char *line = traceback, *end = traceback + n_bytes, *stop; line < end;
		line = stop + 1) {
		stop = memchr(line, '\n', (size_t)(end - line));
		stop = stop ? stop : end;
		text_add(message, "\n");
		escape_text(message, line, (size_t)(stop - line), ESCAPE_TERMINAL);
	}
}

static int add_failure_cause(
	struct github_writer *writer, const struct fact_target *target, struct err *err)
{
	struct github_cause cause =
		begin_cause(writer, RANK_FAILURE, target, target->error.traceback);

	verdict_add_line(&cause.title, target_status_name(target->status));
	verdict_add_failure(&cause.message, target);
	if (target->error.traceback)
		add_stack(&cause.message, target->error.traceback);
	return add_cause(writer, &cause, err);
}

static int add_ignore_cause(
	struct github_writer *writer, const struct fact_unused_ignore *unused, struct err *err)
{
	struct source_location source = source_location_at(
		&writer->locator, &writer->arena, unused->file, unused->line.value);
	struct github_cause cause = { .rank = RANK_WARNING,
		.is_last = true,
		.is_fixable = *source.path != '/',
		.line = unused->cell.known ? 0 : source.line };

	set_location(&cause, source.path);
	text_add(&cause.title, unused->rule ? "unused ignore" : "invalid ignore");
	if (unused->cell.known)
		text_printf(&cause.message, "cell %" PRId64 ", line %" PRId64 ": ",
			unused->cell.value, source.line);
	verdict_add_line(&cause.message, unused->message);
	return add_cause(writer, &cause, err);
}

static int add_gone_cause(
	struct github_writer *writer, const struct fact_gone *gone, struct err *err)
{
	const struct fact_target target = { .target = gone->target };
	struct github_cause cause = begin_cause(writer, RANK_NOTE, &target, NULL);

	cause.is_last = true;
	text_add(&cause.title, "baseline ");
	verdict_add_line(&cause.title, gone->rule);
	if (gone->field) {
		verdict_add_line(&cause.message, gone->field);
		text_add(&cause.message, ": ");
	}
	text_add(&cause.message, "no longer found; --update-baseline removes it");
	return add_cause(writer, &cause, err);
}

/* Severest first; then findings before skips, those in the repository that its users can fix, one
 * of each object before a second one, those of most targets. */
static int compare_causes(const void *left, const void *right)
{
	const struct github_cause *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->is_last != b->is_last)
		return a->is_last ? 1 : -1;
	if (a->is_fixable != b->is_fixable)
		return a->is_fixable ? -1 : 1;
	if (a->turn != b->turn)
		return a->turn < b->turn ? -1 : 1;
	if (a->n_targets != b->n_targets)
		return a->n_targets > b->n_targets ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static bool has_first_target_of(const struct github_cause *a, const struct github_cause *b)
{
	return a->n_first && a->n_first == b->n_first &&
	       !memcmp(a->names.bytes, b->names.bytes, a->n_first);
}

static void sort_causes(struct github_cause *causes, size_t n_causes)
{
	if (!n_causes)
		return;
	qsort(causes, n_causes, sizeof(*causes), compare_causes);
	for (size_t i = 1; i < n_causes; i++)
		for (size_t k = i; k-- > 0 && causes[k].rank == causes[i].rank && !causes[i].turn;)
			if (has_first_target_of(&causes[k], &causes[i]))
				causes[i].turn = causes[k].turn + 1;
	qsort(causes, n_causes, sizeof(*causes), compare_causes);
}

/* --- the format --- */

static int github_begin(struct format_output *output, const struct fact_head *head, struct err *err)
{
	(void)head;
	(void)err;
	output->state = mem_alloc(sizeof(struct github_writer));
	return 0;
}

static int add_target(
	struct format_output *output, const struct fact_target *target, struct err *err)
{
	struct github_writer *writer = output->state;

	if (verdict_of(output, target) == VERDICT_BROKEN && add_failure_cause(writer, target, err))
		return -1;
	for (size_t i = 0; i < target->findings.n_items; i++)
		if ((output->verbosity > 0 ||
			    !verdict_needs_no_action(output, &target->findings.items[i])) &&
			add_finding_cause(writer, target, &target->findings.items[i], err))
			return -1;
	for (size_t i = 0; i < target->skipped.n_items && verdict_shows_skips(output); i++)
		if (add_skip_cause(
			    writer, output->skips_fail, target, &target->skipped.items[i], err))
			return -1;
	return 0;
}

static int github_target(
	struct format_output *output, const struct fact_target *target, struct err *err)
{
	struct github_writer *writer = output->state;
	int status = add_target(output, target, err);

	arena_free(&writer->arena);
	return status;
}

static int write_commands(struct github_writer *writer, FILE *stream, struct err *err)
{
	for (size_t i = 0; i < writer->n_causes; i++) {
		add_command(&writer->text, &writer->causes[i]);
		if (verdict_flush(&writer->text, stream, err))
			return -1;
	}
	return writer->rest ? spool_copy(writer->rest, stream, err) : 0;
}

static int write_all(
	struct format_output *output, const struct fact_summary *summary, struct err *err)
{
	const struct fact_unused_ignore_list *unused = &summary->unused_ignores;
	const struct fact_gone_list *gone = &summary->baseline.gone;
	struct github_writer *writer = output->state;
	struct github_report report;

	for (size_t i = 0; i < unused->n_items; i++)
		if (add_ignore_cause(writer, &unused->items[i], err))
			return -1;
	for (size_t i = 0; i < gone->n_items; i++)
		if (add_gone_cause(writer, &gone->items[i], err))
			return -1;
	sort_causes(writer->causes, writer->n_causes);
	if (write_commands(writer, output->stream, err))
		return -1;
	report = (struct github_report){ .causes = writer->causes,
		.n_causes = writer->n_causes,
		.n_more = writer->n_more,
		.summary = summary };
	if (!output->is_partial)
		github_write_step_summary(&report, &output->beside);
	return 0;
}

static int github_end(
	struct format_output *output, const struct fact_summary *summary, struct err *err)
{
	struct github_writer *writer = output->state;
	int status = summary ? write_all(output, summary, err) : 0;

	for (size_t i = 0; i < writer->n_causes; i++)
		free_cause(&writer->causes[i]);
	free(writer->causes);
	if (writer->rest)
		fclose(writer->rest);
	text_free(&writer->text);
	arena_free(&writer->arena);
	source_locator_free(&writer->locator);
	free(writer);
	output->state = NULL;
	return status;
}

const struct format github_format = {
	.name = "github",
	.keeps_partial = true,
	.begin = github_begin,
	.target = github_target,
	.end = github_end,
};
