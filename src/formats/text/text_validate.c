// SPDX-License-Identifier: MIT
/* Findings in the style of ruff and rustc: one line, the declared value with the field marked, and
 * the texts of the rule. */
#include "formats/text/text_parts.h"

#include "base/array_size.h"
#include "facts/declared_codec.h"
#include "formats/text/text_python.h"
#include "model/escape.h"

#include <inttypes.h>
#include <string.h>

enum { FRAME_COLUMN = 4, NEAR_LINES = 2, MAX_LINES = 10 };

static const struct fact_interface *interface_of_finding(
	const struct fact_target *target, const struct fact_finding *finding)
{
	for (size_t i = 0; i < target->interfaces.n_items && finding->protocol; i++)
		if (fact_text_is(target->interfaces.items[i].protocol, finding->protocol))
			return &target->interfaces.items[i];
	return NULL;
}

static void print_head(
	struct page *page, const struct fact_target *target, const struct fact_finding *finding)
{
	enum page_style style = page_severity_style(finding->severity);

	page_foreign(page, STYLE_STRONG, target->target);
	text_add(&page->text, ": ");
	page_foreign(page, style, severity_name(finding->severity));
	text_add(&page->text, " ");
	page_foreign(page, style, finding->rule);
	text_add(&page->text, " ");
	page_foreign(page, STYLE_PLAIN, finding->name);
	text_add(&page->text, ": ");
	page_lines(page, finding->message, FRAME_COLUMN);
	text_add(&page->text, "\n");
}

static void print_bar(struct page *page)
{
	page_spaces(page, FRAME_COLUMN - 2);
	page_styled(page, STYLE_DIM, "|");
}

/* The marks under the part of a line [line, line + n_bytes) that the marked value covers. */
static void print_marks(struct page *page, const struct python_text *python, size_t line,
	size_t n_bytes, enum page_style style)
{
	static const char marks[] = "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"
				    "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^";
	const char *bytes = python->text.bytes;
	size_t start = python->mark_start, end = python->mark_end, n_marks;

	if (!python->found || start < line || start >= line + n_bytes)
		return;
	if (end > line + n_bytes)
		end = line + n_bytes;
	print_bar(page);
	page_spaces(page, (int)page_columns(bytes + line, start - line) + 1);
	n_marks = page_columns(bytes + start, end - start);
	page_styled(
		page, style, "%.*s", (int)(n_marks < PAGE_COLUMNS ? n_marks : PAGE_COLUMNS), marks);
	text_add(&page->text, "\n");
}

static size_t count_lines(const char *bytes, size_t n_bytes)
{
	size_t n_lines = 0;

	for (size_t i = 0; i < n_bytes; i++)
		n_lines += bytes[i] == '\n';
	return n_lines;
}

/* Omits lines far from the mark if there are many. */
static bool is_line_shown(const struct page *page, const struct python_text *python, size_t number)
{
	const char *bytes = python->text.bytes;
	size_t marked = python->found ? count_lines(bytes, python->mark_start) : 0;
	size_t distance = number < marked ? marked - number : number - marked;

	return page->verbosity > 0 || !python->found || distance <= NEAR_LINES ||
	       count_lines(bytes, python->text.n_bytes) < MAX_LINES;
}

static void print_frame(struct page *page, const struct python_text *python, enum page_style style)
{
	const struct text *text = &python->text;
	size_t number = 0;
	bool was_shown = true;

	for (size_t line = 0, n_bytes; line <= text->n_bytes; line += n_bytes + 1) {
		bool shown = is_line_shown(page, python, number++);

		n_bytes = strcspn(text->bytes + line, "\n");
		if (shown || was_shown)
			print_bar(page);
		if (shown)
			text_printf(&page->text, " %.*s\n", (int)n_bytes, text->bytes + line);
		else if (was_shown)
			page_styled(page, STYLE_DIM, " ...\n");
		if (shown)
			print_marks(page, python, line, n_bytes, style);
		was_shown = shown;
	}
}

/* Whether field is a key of a dictionary protocol that is missing from this dictionary. */
static bool is_missing_key(const struct value *declared, const char *field)
{
	static const char *const keys[] = { "shape", "typestr", "data", "version", "strides",
		"descr", "mask", "offset", "stream", "syclobj" };

	for (size_t i = 0; field && i < sizeof(keys) / sizeof(*keys); i++)
		if (!strncmp(field, keys[i], strlen(keys[i])))
			return value_is(declared, VALUE_MAP) && !value_get(declared, keys[i]);
	return false;
}

/* A missing key is marked at the closing brace. */
static void mark_end(struct python_text *python)
{
	const char *brace = strrchr(python->text.bytes, '}');

	if (!brace)
		return;
	python->found = true;
	python->mark_start = (size_t)(brace - python->text.bytes);
	python->mark_end = python->mark_start + 1;
}

/* The declared value, unless it is null or left over from a failed call. A struct, which is long,
 * is printed only if the field is marked in it, or with -v. */
static void print_declared(struct page *page, const struct fact_interface *interface,
	const struct fact_finding *finding)
{
	bool is_dictionary = text_is_dictionary(interface);
	struct python_text python = { .marked = finding->field, .bare_addresses = !is_dictionary };
	struct value *types, *plain;

	if (value_is_null(interface->declared))
		return;
	types = value_map(&page->arena);
	plain = plain_from_facts(&page->arena, interface->declared, types);
	text_python_write(&python, plain, types, 0, PAGE_COLUMNS - FRAME_COLUMN);
	if (!python.found && is_dictionary && is_missing_key(interface->declared, python.marked))
		mark_end(&python);
	if (python.found || page->verbosity > 0 ||
		(is_dictionary && interface->status == INTERFACE_OK))
		print_frame(page, &python, page_severity_style(finding->severity));
	text_python_free(&python);
}

static void print_finding_note(struct page *page, const char *label, const char *text)
{
	if (!text)
		return;
	page_spaces(page, FRAME_COLUMN - 2);
	page_styled(page, STYLE_DIM, "=");
	page_styled(page, STYLE_STRONG, " %s: ", label);
	page_wrapped(page, text, FRAME_COLUMN + (int)strlen(label) + 2);
	text_add(&page->text, "\n");
}

/* For a finding about an exception: the last entry of the traceback, "FILE, line N, in NAME". */
static void print_raised_at(struct page *page, const char *traceback)
{
	const char *last = NULL;

	for (const char *at = traceback; at && (at = strstr(at, "\n  File \"")); at++)
		last = at + strlen("\n  File ");
	if (!last)
		return;
	page_spaces(page, FRAME_COLUMN - 2);
	page_styled(page, STYLE_DIM, "=");
	page_styled(page, STYLE_STRONG, " at: ");
	escape_text(&page->text, last, strcspn(last, "\n"), ESCAPE_TERMINAL);
	text_add(&page->text, "\n");
}

static void print_finding(
	struct page *page, const struct fact_target *target, const struct fact_finding *finding)
{
	const struct fact_interface *interface = interface_of_finding(target, finding);

	print_head(page, target, finding);
	if (page->verbosity < 0)
		return;
	if (interface)
		print_declared(page, interface, finding);
	print_raised_at(page, finding->traceback);
	print_finding_note(page, "why", finding->why);
	print_finding_note(page, "help", finding->hint);
	print_finding_note(page, "see", finding->clause);
	text_add(&page->text, "\n");
}

static void print_skipped(
	struct page *page, const struct fact_target *target, const struct fact_skip *skipped)
{
	page_foreign(page, STYLE_STRONG, target->target);
	if (page->skips_fail) {
		text_add(&page->text, ": ");
		page_styled(page, STYLE_ERROR, "error");
	}
	page_styled(page, STYLE_DIM, page->skips_fail ? " skipped " : ": skipped ");
	page_foreign(page, STYLE_DIM, skipped->rule);
	text_add(&page->text, ": ");
	page_lines(page, skipped->reason, FRAME_COLUMN);
	text_add(&page->text, "\n");
}

/* A finding that the baseline lists. */
static void print_known(
	struct page *page, const struct fact_target *target, const struct fact_finding *known)
{
	page_foreign(page, STYLE_STRONG, target->target);
	page_styled(page, STYLE_DIM, ": known ");
	page_foreign(page, STYLE_DIM, known->rule);
	text_add(&page->text, ": ");
	page_lines(page, known->message, FRAME_COLUMN);
	text_add(&page->text, "\n");
}

void text_validate(struct page *page, const struct fact_target *target)
{
	if (target->status != STATUS_OK) {
		text_failure(page, target);
		text_add(&page->text, page->verbosity < 0 ? "" : "\n");
	}
	for (size_t i = 0; i < target->findings.n_items; i++)
		print_finding(page, target, &target->findings.items[i]);
	text_count_untried(page, target);
	if (page->verbosity > 0)
		text_steps(page, target, ": ");
	for (size_t i = 0; i < target->known.n_items && page->verbosity > 0; i++)
		print_known(page, target, &target->known.items[i]);
	for (size_t i = 0; i < target->skipped.n_items; i++)
		if (page->verbosity > 0 || page->skips_fail)
			print_skipped(page, target, &target->skipped.items[i]);
}

/* "2 errors, 1 note" */
static void add_counts(struct page *page, const struct fact_summary *summary)
{
	const struct {
		enum severity severity;
		int64_t count;
	} counts[] = {
		{ SEVERITY_ERROR, summary->errors.value },
		{ SEVERITY_WARNING, summary->warnings.value },
		{ SEVERITY_NOTE, summary->notes.value },
	};
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		if (!counts[i].count)
			continue;
		text_add(&page->text, any ? ", " : "");
		page_styled(page, page_severity_style(counts[i].severity), "%" PRId64 " %s%s",
			counts[i].count, severity_name(counts[i].severity),
			counts[i].count == 1 ? "" : "s");
		any = true;
	}
	if (!any)
		page_styled(page, summary->failed_targets.value ? STYLE_PLAIN : STYLE_GOOD,
			"no findings");
}

static void add_baseline(struct page *page, const struct fact_baseline *baseline)
{
	if (baseline->known.value)
		text_printf(&page->text, "; %" PRId64 " known%s", baseline->known.value,
			page->verbosity > 0 ? "" : " (-v shows them)");
	if (baseline->gone.n_items)
		text_printf(&page->text, "; %zu no longer found", baseline->gone.n_items);
}

void text_summary(struct page *page, const struct fact_summary *summary, int asks)
{
	int64_t n_targets = summary->targets.value, n_failed = summary->failed_targets.value;
	int64_t n_skipped = summary->skipped.value;

	add_counts(page, summary);
	if (n_failed)
		text_printf(&page->text, "; %" PRId64 " of", n_failed);
	text_printf(&page->text,
		n_failed ? " %" PRId64 " target%s failed" : " in %" PRId64 " target%s", n_targets,
		n_targets == 1 ? "" : "s");
	add_baseline(page, &summary->baseline);
	if (n_skipped)
		text_printf(&page->text, "; %" PRId64 " rule%s skipped%s", n_skipped,
			n_skipped == 1 ? "" : "s",
			page->skips_fail      ? ", which --no-skips forbids"
			: page->verbosity > 0 ? ""
					      : " (-v shows why)");
	text_add(&page->text, "\n");
	text_untried(page, asks, n_targets);
}
