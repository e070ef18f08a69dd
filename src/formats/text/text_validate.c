// SPDX-License-Identifier: MIT
/* Findings in the manner of ruff and rustc: one line, the declared value with the field marked, and
 * what the rule says. */
#include "formats/text/text_parts.h"

#include "formats/text/text_python.h"

#include <inttypes.h>
#include <string.h>

enum { FRAME_COLUMN = 4, NEAR_LINES = 2, MAX_LINES = 10 };

static const struct value *interface_of_finding(
	const struct value *target, const struct value *protocol)
{
	const struct value *interfaces = value_get(target, "interfaces");

	for (size_t i = 0; value_is_sequence(interfaces) && i < interfaces->n_items; i++)
		if (value_is(protocol, VALUE_TEXT) &&
			value_is_text(value_get(interfaces->items[i], "protocol"), protocol->bytes))
			return interfaces->items[i];
	return NULL;
}

static void print_head(struct page *page, const struct value *target, const struct value *finding)
{
	const char *severity = value_text_or(value_get(finding, "severity"), "error");

	page_foreign(page, STYLE_STRONG, value_get(target, "target"));
	text_add(&page->text, ": ");
	page_foreign(page, page_severity_style(severity), value_get(finding, "severity"));
	text_add(&page->text, " ");
	page_foreign(page, page_severity_style(severity), value_get(finding, "rule"));
	text_add(&page->text, " ");
	page_foreign(page, STYLE_PLAIN, value_get(finding, "name"));
	text_add(&page->text, ": ");
	page_lines(page, value_get(finding, "message"), FRAME_COLUMN);
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

/* Lines that are far from the mark are left out where there are many. */
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

/* Whether field is a key that some dictionary protocol knows and this dictionary lacks. */
static bool is_missing_key(const struct value *declared, const char *field)
{
	static const char *const keys[] = { "shape", "typestr", "data", "version", "strides",
		"descr", "mask", "offset", "stream", "syclobj" };

	for (size_t i = 0; field && i < sizeof(keys) / sizeof(*keys); i++)
		if (!strncmp(field, keys[i], strlen(keys[i])))
			return value_is(declared, VALUE_MAP) && !value_get(declared, keys[i]);
	return false;
}

/* What is missing is marked at the closing brace. */
static void mark_end(struct python_text *python)
{
	const char *brace = strrchr(python->text.bytes, '}');

	if (!brace)
		return;
	python->found = true;
	python->mark_start = (size_t)(brace - python->text.bytes);
	python->mark_end = python->mark_start + 1;
}

/* What the object declared, unless that is nothing, or the rest of a call that failed. A struct is
 * long, and without a mark in it the message has said all: -v shows it. */
static void print_declared(
	struct page *page, const struct value *target, const struct value *finding)
{
	const struct value *interface =
		interface_of_finding(target, value_get(finding, "protocol"));
	const struct value *declared = value_get(interface, "declared");
	bool is_dictionary = interface && text_is_dictionary(interface);
	struct python_text python = { .marked = value_text_or(value_get(finding, "field"), NULL),
		.bare_addresses = interface && !is_dictionary };

	if (value_is_null(declared))
		return;
	text_python_write(
		&python, declared, value_get(interface, "types"), 0, PAGE_COLUMNS - FRAME_COLUMN);
	if (!python.found && is_dictionary && is_missing_key(declared, python.marked))
		mark_end(&python);
	if (python.found || page->verbosity > 0 ||
		(is_dictionary && value_is_text(value_get(interface, "status"), "ok")))
		print_frame(page, &python,
			page_severity_style(
				value_text_or(value_get(finding, "severity"), "error")));
	text_python_free(&python);
}

static void print_finding_note(struct page *page, const char *label, const struct value *text)
{
	if (value_is_null(text))
		return;
	page_spaces(page, FRAME_COLUMN - 2);
	page_styled(page, STYLE_DIM, "=");
	page_styled(page, STYLE_STRONG, " %s: ", label);
	page_wrapped(page, text, FRAME_COLUMN + (int)strlen(label) + 2);
	text_add(&page->text, "\n");
}

/* Where the code of the object raised, if the finding is about that: the last place of the
 * traceback, "FILE, line N, in NAME". */
static void print_raised_at(
	struct page *page, const struct value *target, const struct value *finding)
{
	const struct value *interface =
		interface_of_finding(target, value_get(finding, "protocol"));
	const char *traceback = value_text_or(value_at(interface, "error.traceback"), "");
	const char *type = value_text_or(value_at(interface, "error.type"), NULL);
	const char *message = value_text_or(value_get(finding, "message"), "");
	struct value line = { .kind = VALUE_TEXT };
	const char *last = NULL;

	for (const char *at = traceback; (at = strstr(at, "\n  File \"")); at++)
		last = at + strlen("\n  File ");
	if (!last || !type || !strstr(message, type) || !value_is_null(value_get(finding, "field")))
		return;
	page_spaces(page, FRAME_COLUMN - 2);
	page_styled(page, STYLE_DIM, "=");
	page_styled(page, STYLE_STRONG, " at: ");
	line.bytes = last;
	line.n_bytes = strcspn(last, "\n");
	page_foreign(page, STYLE_PLAIN, &line);
	text_add(&page->text, "\n");
}

static void print_finding(
	struct page *page, const struct value *target, const struct value *finding)
{
	print_head(page, target, finding);
	if (page->verbosity < 0)
		return;
	print_declared(page, target, finding);
	print_raised_at(page, target, finding);
	print_finding_note(page, "why", value_get(finding, "why"));
	print_finding_note(page, "help", value_get(finding, "hint"));
	print_finding_note(page, "see", value_get(finding, "clause"));
	text_add(&page->text, "\n");
}

static void print_skipped(
	struct page *page, const struct value *target, const struct value *skipped)
{
	for (size_t i = 0; value_is_sequence(skipped) && i < skipped->n_items; i++) {
		page_foreign(page, STYLE_STRONG, value_get(target, "target"));
		if (page->skips_fail) {
			text_add(&page->text, ": ");
			page_styled(page, page_severity_style("error"), "error");
		}
		page_styled(page, STYLE_DIM, page->skips_fail ? " skipped " : ": skipped ");
		page_foreign(page, STYLE_DIM, value_get(skipped->items[i], "rule"));
		text_add(&page->text, ": ");
		page_lines(page, value_get(skipped->items[i], "reason"), FRAME_COLUMN);
		text_add(&page->text, "\n");
	}
}

/* Findings that the baseline lists. */
static void print_known(struct page *page, const struct value *target, const struct value *known)
{
	for (size_t i = 0; value_is_sequence(known) && i < known->n_items; i++) {
		page_foreign(page, STYLE_STRONG, value_get(target, "target"));
		page_styled(page, STYLE_DIM, ": known ");
		page_foreign(page, STYLE_DIM, value_get(known->items[i], "rule"));
		text_add(&page->text, ": ");
		page_lines(page, value_get(known->items[i], "message"), FRAME_COLUMN);
		text_add(&page->text, "\n");
	}
}

void text_validate(struct page *page, const struct value *target)
{
	const struct value *findings = value_get(target, "findings");

	if (!value_is_text(value_get(target, "status"), "ok")) {
		text_failure(page, target);
		text_add(&page->text, page->verbosity < 0 ? "" : "\n");
	}
	for (size_t i = 0; value_is_sequence(findings) && i < findings->n_items; i++)
		print_finding(page, target, findings->items[i]);
	text_count_untried(page, target);
	if (page->verbosity > 0) {
		text_steps(page, target, ": ");
		print_known(page, target, value_get(target, "known"));
	}
	if (page->verbosity > 0 || page->skips_fail)
		print_skipped(page, target, value_get(target, "skipped"));
}

/* "2 errors, 1 note" */
static void add_counts(struct page *page, const struct value *summary)
{
	static const struct {
		const char *key, *singular;
	} counts[] = { { "errors", "error" }, { "warnings", "warning" }, { "notes", "note" } };
	bool any = false;

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		int64_t count = value_int_or(value_get(summary, counts[i].key), 0);

		if (!count)
			continue;
		text_add(&page->text, any ? ", " : "");
		page_styled(page, page_severity_style(counts[i].singular), "%" PRId64 " %s", count,
			count == 1 ? counts[i].singular : counts[i].key);
		any = true;
	}
	if (!any)
		page_styled(page,
			value_int_or(value_get(summary, "failed_targets"), 0) ? STYLE_PLAIN
									      : STYLE_GOOD,
			"no findings");
}

static void add_baseline(struct page *page, const struct value *baseline)
{
	int64_t n_known = value_int_or(value_get(baseline, "known"), 0);
	const struct value *gone = value_get(baseline, "gone");

	if (n_known)
		text_printf(&page->text, "; %" PRId64 " known%s", n_known,
			page->verbosity > 0 ? "" : " (-v shows them)");
	if (value_is_sequence(gone) && gone->n_items)
		text_printf(&page->text, "; %zu no longer found", gone->n_items);
}

void text_summary(struct page *page, const struct value *summary, int asks)
{
	int64_t n_targets = value_int_or(value_get(summary, "targets"), 0);
	int64_t n_failed = value_int_or(value_get(summary, "failed_targets"), 0);
	int64_t n_skipped = value_int_or(value_get(summary, "skipped"), 0);

	add_counts(page, summary);
	if (n_failed)
		text_printf(&page->text, "; %" PRId64 " of", n_failed);
	text_printf(&page->text,
		n_failed ? " %" PRId64 " target%s failed" : " in %" PRId64 " target%s", n_targets,
		n_targets == 1 ? "" : "s");
	add_baseline(page, value_get(summary, "baseline"));
	if (n_skipped)
		text_printf(&page->text, "; %" PRId64 " rule%s skipped%s", n_skipped,
			n_skipped == 1 ? "" : "s",
			page->skips_fail      ? ", which --no-skips forbids"
			: page->verbosity > 0 ? ""
					      : " (-v shows why)");
	text_add(&page->text, "\n");
	text_untried(page, asks, n_targets);
}
