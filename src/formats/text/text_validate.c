// SPDX-License-Identifier: MIT
/* What `validate` found, one block per cause, in the style of ruff and rustc: the declared value
 * with the fields marked, then for each finding one line, why, and how to fix it. */
#include "formats/text/text_parts.h"

#include "base/array_size.h"
#include "base/plural.h"

#include <inttypes.h>
#include <string.h>

enum { FINDING_COLUMN = 4, MAX_ALSO_COLUMNS = 145, LAST_RANK = 5 };

/* --- the names of targets --- */

/* Without what precedes the expression, "arrays.py:", if the target before has the same. */
static const char *short_name(const char *name, const char *before)
{
	size_t n = strcspn(before, ": ([{'\"");

	return before[n] == ':' && !strncmp(name, before, n + 1) ? name + n + 1 : name;
}

/* "a.py:x", "a.py:x, y" or "a.py:x and 3 more" */
static void print_names(struct page *page, const struct fact_texts *targets)
{
	page_foreign(page, STYLE_STRONG, targets->items[0]);
	if (targets->n_items == 2) {
		text_add(&page->text, ", ");
		page_foreign(page, STYLE_STRONG, short_name(targets->items[1], targets->items[0]));
	} else if (targets->n_items > 2) {
		text_printf(&page->text, " and %zu more", targets->n_items - 1);
	}
	text_add(&page->text, ": ");
}

static void begin_explanation_part(struct page *page, int column, const char *label)
{
	page_spaces(page, column);
	page_styled(page, STYLE_DIM, "=");
	page_styled(page, STYLE_STRONG, " %s: ", label);
}

static void print_explanation_part(
	struct page *page, int column, const char *label, const char *text)
{
	if (!text)
		return;
	begin_explanation_part(page, column, label);
	page_foreign(page, STYLE_PLAIN, text);
	page_end_line(page, column + 4 + (int)strlen(label));
}

/* The targets from index `from` on, two lines of them without -v. */
static void print_also(struct page *page, int column, const struct fact_texts *targets, size_t from)
{
	size_t n_columns = 0, i;

	if (from >= targets->n_items)
		return;
	begin_explanation_part(page, column, "also");
	for (i = from; i < targets->n_items; i++) {
		const char *name = short_name(targets->items[i], targets->items[i - 1]);

		n_columns += strlen(name) + 2;
		if (i > from && page->verbosity <= 0 && n_columns > MAX_ALSO_COLUMNS)
			break;
		text_add(&page->text, i > from ? ", " : "");
		page_foreign(page, STYLE_PLAIN, name);
	}
	if (i < targets->n_items) {
		text_printf(&page->text, " and %zu more", targets->n_items - i);
		page_hint(page, (int64_t)(targets->n_items - i));
	}
	page_end_line(page, column + 8);
}

/* --- findings --- */

/* "error SUAI102 shape-tuple: shape is a list of length 2, not a tuple"; lines after the first are
 * indented by column. */
static void print_finding(struct page *page, const struct fact_finding *finding, int column)
{
	enum page_style style = page_severity_style(finding->severity);

	page_foreign(page, style, severity_name(finding->severity));
	text_add(&page->text, " ");
	page_rule(page, style, finding->rule);
	text_add(&page->text, " ");
	page_foreign(page, STYLE_PLAIN, finding->name);
	text_add(&page->text, ": ");
	page_lines(page, finding->message, column);
	page_end_line(page, column);
}

static bool has_explanation(const struct page *page, const struct fact_finding *finding)
{
	return finding->severity > SEVERITY_NOTE || finding->severity >= page->fail_from ||
	       page->verbosity > 0;
}

/* Why, and how to fix it, unless the next finding of the block repeats that; 'suai rule' and -v
 * explain notes. also: the first target to list. */
static void print_explanation(struct page *page, int column, const struct cause *cause, size_t also)
{
	const struct fact_finding *finding = &cause->finding;
	const struct fact_finding *next = cause->next ? &cause->next->finding : NULL;
	bool repeats = next && next->severity == finding->severity &&
		       text_equals(next->rule, finding->rule);

	if (!has_explanation(page, finding))
		return;
	print_explanation_part(page, column, "at", cause->raised_at);
	if (!repeats)
		print_explanation_part(page, column, "case", cause->about);
	if (!repeats || !text_equals(finding->why, next->why))
		print_explanation_part(page, column, "why", finding->why);
	if (!repeats || !text_equals(finding->hint, next->hint))
		print_explanation_part(page, column, "help", finding->hint);
	if (page->verbosity > 0 && !repeats)
		print_explanation_part(page, column, "see", finding->clause);
	print_also(page, column, &cause->targets, also);
}

/* Of one of several blocks with the same explanation: what is its own, and, if it is the last,
 * that explanation. */
static void print_shared_explanation(
	struct page *page, int column, const struct cause *cause, size_t also, bool is_last)
{
	const struct fact_finding *finding = &cause->finding;

	if (!has_explanation(page, finding))
		return;
	print_explanation_part(page, column, "at", cause->raised_at);
	print_explanation_part(page, column, "case", cause->about);
	print_also(page, column, &cause->targets, also);
	if (!is_last)
		return;
	print_explanation_part(page, column, "why", finding->why);
	print_explanation_part(page, column, "help", finding->hint);
	if (page->verbosity > 0)
		print_explanation_part(page, column, "see", finding->clause);
}

/* "3 errors, 1 warning"; false if all are 0. */
static bool print_counts(struct page *page, const int64_t counts[SEVERITY_ERROR + 1])
{
	bool any = false;

	for (enum severity severity = SEVERITY_ERROR; severity >= SEVERITY_NOTE; severity--) {
		if (!counts[severity])
			continue;
		text_add(&page->text, any ? ", " : "");
		page_styled(page, page_severity_style(severity), "%" PRId64 " %s%s",
			counts[severity], severity_name(severity), plural(counts[severity]));
		any = true;
	}
	return any;
}

/* The first target that print_names does not name; n_items: all are named. */
static size_t first_unnamed(const struct fact_texts *targets)
{
	return targets->n_items > 2 ? 1 : targets->n_items;
}

/* Whether all findings of the block have the same targets. */
static bool has_common_targets(const struct cause_block *block)
{
	const struct fact_texts *targets = &block->causes->targets;

	for (const struct cause *cause = block->causes->next; cause; cause = cause->next) {
		if (cause->targets.n_items != targets->n_items)
			return false;
		for (size_t i = 0; i < targets->n_items; i++)
			if (strcmp(cause->targets.items[i], targets->items[i]) != 0)
				return false;
	}
	return true;
}

/* Several findings about one value. */
static void print_shared_block(struct page *page, const struct cause_block *block)
{
	const struct fact_texts *targets = &block->causes->targets;
	const struct fact_texts first = { .n_items = 1, .items = targets->items };
	bool is_common = has_common_targets(block);
	int64_t counts[SEVERITY_ERROR + 1] = { 0 };

	for (const struct cause *cause = block->causes; cause; cause = cause->next)
		counts[cause->finding.severity]++;
	print_names(page, is_common ? targets : &first);
	print_counts(page, counts);
	text_add(&page->text, " in ");
	page_foreign(page, STYLE_PLAIN, block->causes->finding.protocol);
	page_end_line(page, FINDING_COLUMN);
	text_add(&page->text, block->frame);
	for (const struct cause *cause = block->causes; cause; cause = cause->next) {
		page_spaces(page, FINDING_COLUMN - 2);
		print_finding(page, &cause->finding, FINDING_COLUMN + 2);
		print_explanation(
			page, FINDING_COLUMN, cause, is_common ? cause->targets.n_items : 1);
	}
	if (is_common)
		print_also(page, FINDING_COLUMN - 2, targets, first_unnamed(targets));
}

static void print_finding_block(struct page *page, const struct cause_block *block)
{
	const struct cause *cause = block->causes;
	size_t also = first_unnamed(&cause->targets);
	bool is_continued = block->next && block->next->continues;

	if (cause->next) {
		print_shared_block(page, block);
		return;
	}
	print_names(page, &cause->targets);
	print_finding(page, &cause->finding, FINDING_COLUMN);
	text_add(&page->text, block->frame ? block->frame : "");
	if (block->continues || is_continued)
		print_shared_explanation(page, FINDING_COLUMN - 2, cause, also, !is_continued);
	else
		print_explanation(page, FINDING_COLUMN - 2, cause, also);
}

static void print_failure(struct page *page, const struct cause *cause)
{
	print_names(page, &cause->targets);
	text_failure_reason(page, &cause->failure);
	print_also(page, FINDING_COLUMN - 2, &cause->targets, first_unnamed(&cause->targets));
}

static void print_skip(struct page *page, const struct cause *cause)
{
	print_names(page, &cause->targets);
	if (page->skips_fail)
		page_styled(page, STYLE_ERROR, "error ");
	page_styled(page, STYLE_DIM, "skipped ");
	if (cause->skip.rule) {
		page_rule(page, STYLE_DIM, cause->skip.rule);
		text_add(&page->text, ": ");
	}
	page_lines(page, cause->skip.reason, FINDING_COLUMN);
	page_end_line(page, FINDING_COLUMN);
}

/* --- the blocks --- */

/* What is printed before what: 0 to LAST_RANK. */
static int block_rank(const struct page *page, const struct cause_block *block)
{
	if (block->kind == CAUSE_FAILURE)
		return 0;
	if (block->kind == CAUSE_SKIP)
		return page->skips_fail ? 2 : 5;
	return block->worst == SEVERITY_ERROR ? 1 : block->worst == SEVERITY_WARNING ? 3 : 4;
}

/* Blocks of several lines are surrounded by empty lines. */
static bool is_tall(const struct page *page, const struct cause_block *block)
{
	if (block->kind == CAUSE_FAILURE)
		return block->causes->failure.error.traceback != NULL;
	return block->kind == CAUSE_FINDING &&
	       (block->worst > SEVERITY_NOTE || page->verbosity > 0);
}

static void print_block(struct page *page, const struct cause_block *block)
{
	if (block->kind == CAUSE_FAILURE)
		print_failure(page, block->causes);
	else if (block->kind == CAUSE_SKIP)
		print_skip(page, block->causes);
	else
		print_finding_block(page, block);
}

void text_causes(struct page *page, const struct causes *causes)
{
	const struct cause_block *before = NULL;

	text_add(&page->text, causes->follows_lines && causes->blocks ? "\n" : "");
	for (int rank = 0; rank <= LAST_RANK; rank++)
		for (const struct cause_block *block = causes->blocks; block; block = block->next) {
			if (block_rank(page, block) != rank)
				continue;
			if (before && !block->continues &&
				(is_tall(page, before) || is_tall(page, block)))
				text_add(&page->text, "\n");
			print_block(page, block);
			before = block;
		}
}

/* A finding that the baseline lists ("known"), or that a comment ignores. */
static void print_suppressed(struct page *page, const struct fact_target *target, const char *how,
	const struct fact_finding *finding)
{
	page_foreign(page, STYLE_STRONG, target->target);
	page_styled(page, STYLE_DIM, ": %s ", how);
	page_rule(page, STYLE_DIM, finding->rule);
	text_add(&page->text, ": ");
	page_lines(page, finding->message, FINDING_COLUMN);
	if (finding->reason) {
		text_add(&page->text, " (");
		page_lines(page, finding->reason, FINDING_COLUMN);
		text_add(&page->text, ")");
	}
	page_end_line(page, FINDING_COLUMN);
}

/* -q: one line per finding, as they come. */
static void print_brief(struct page *page, const struct fact_target *target)
{
	if (target->status != STATUS_OK)
		text_failure(page, target);
	for (size_t i = 0; i < target->findings.n_items; i++) {
		const struct fact_finding *finding = &target->findings.items[i];

		if (!cause_is_shown(page, finding))
			continue;
		page_foreign(page, STYLE_STRONG, target->target);
		text_add(&page->text, ": ");
		print_finding(page, finding, FINDING_COLUMN);
	}
	for (size_t i = 0; page->skips_fail && i < target->skipped.n_items; i++) {
		const char *name = fact_text_or(target->target, "?");
		const struct cause cause = { .skip = target->skipped.items[i],
			.targets = { .n_items = 1, .items = &name } };

		print_skip(page, &cause);
	}
}

void text_validate(struct page *page, struct causes *causes, const struct fact_target *target)
{
	text_count_untried(page, target);
	if (page->verbosity < 0) {
		print_brief(page, target);
		return;
	}
	causes_add(causes, page, target);
	if (page->verbosity > 0)
		text_steps(page, target, ": ");
	for (size_t i = 0; i < target->known.n_items && page->verbosity > 0; i++)
		print_suppressed(page, target, "known", &target->known.items[i]);
	for (size_t i = 0; i < target->ignored.n_items && page->verbosity > 0; i++)
		print_suppressed(page, target, "ignored", &target->ignored.items[i]);
	causes->follows_lines |= page->text.n_bytes > 0;
}

/* --- the end --- */

/* "-v shows 12 more notes: SUAI205 in 11 targets (known dpnp behaviour), DLP312 in 1 (no action
 * needed)". Of a single target, the last line counts them. */
static void print_omitted(struct page *page, const struct causes *causes, int64_t n_targets)
{
	if (!causes->n_omitted || n_targets == 1)
		return;
	page_styled(page, STYLE_DIM,
		"%s%" PRId64 " more note%s:", page->has_hints ? "-v shows " : "", causes->n_omitted,
		plural(causes->n_omitted));
	for (const struct omitted_notes *notes = causes->omitted; notes; notes = notes->next) {
		text_add(&page->text, " ");
		page_rule(page, STYLE_DIM, notes->rule);
		page_styled(page, STYLE_DIM, " in %" PRId64, notes->n_targets);
		if (notes == causes->omitted)
			page_styled(page, STYLE_DIM, " target%s", plural(notes->n_targets));
		page_styled(page, STYLE_DIM, notes->package ? " (known " : " (no action needed");
		page_foreign(page, STYLE_DIM, notes->package);
		page_styled(page, STYLE_DIM, notes->package ? " behaviour)" : ")");
		page_styled(page, STYLE_DIM, notes->next ? "," : "");
	}
	page_end_line(page, FINDING_COLUMN);
}

static void add_baseline(struct page *page, const struct fact_baseline *baseline)
{
	if (baseline->known.value) {
		text_printf(&page->text, "; %" PRId64 " known", baseline->known.value);
		page_hint(page, baseline->known.value);
	}
	if (baseline->gone.n_items)
		text_printf(&page->text, "; %zu no longer found", baseline->gone.n_items);
}

/* " in 2 targets" */
static void print_target_count(struct page *page, const char *preposition, int64_t n)
{
	text_printf(&page->text, "%s%" PRId64 " target%s", preposition, n, plural(n));
}

void text_summary(struct page *page, const struct fact_summary *summary, int asks,
	const struct causes *causes)
{
	int64_t n_targets = summary->targets.value, n_failed = summary->failed_targets.value;
	int64_t n_skipped = summary->skipped.value - page->n_inapplicable;
	int64_t n_passed = n_targets - n_failed;
	bool has_counts;
	const int64_t counts[] = { [SEVERITY_ERROR] = summary->errors.value,
		[SEVERITY_WARNING] = summary->warnings.value,
		[SEVERITY_NOTE] = summary->notes.value - (causes ? causes->n_omitted : 0) };

	if (causes) {
		text_add(&page->text, causes->follows_lines || causes->blocks ? "\n" : "");
		print_omitted(page, causes, n_targets);
	}
	has_counts = print_counts(page, counts);
	if (!has_counts && (n_passed || !n_failed)) {
		page_styled(page, n_failed ? STYLE_PLAIN : STYLE_GOOD, "no findings");
		print_target_count(page, " in ", n_passed);
	} else if (has_counts && !n_failed) {
		print_target_count(page, " in ", n_targets);
	}
	if (n_failed) {
		text_printf(
			&page->text, "%s%" PRId64, has_counts || n_passed ? "; " : "", n_failed);
		print_target_count(page, " of ", n_targets);
		text_add(&page->text, " failed");
	}
	if (causes && causes->n_omitted && n_targets == 1) {
		text_printf(&page->text, "; %" PRId64 " more note%s", causes->n_omitted,
			plural(causes->n_omitted));
		page_hint(page, causes->n_omitted);
	}
	add_baseline(page, &summary->baseline);
	if (summary->ignored.value) {
		text_printf(&page->text, "; %" PRId64 " ignored", summary->ignored.value);
		page_hint(page, summary->ignored.value);
	}
	if (n_skipped)
		text_printf(&page->text, "; %" PRId64 " rule%s skipped%s", n_skipped,
			plural(n_skipped),
			page->skips_fail  ? ", which --no-skips forbids"
			: page->has_hints ? " (-v shows why)"
					  : "");
	page_end_line(page, FINDING_COLUMN);
	text_untried(page, asks, n_targets);
}
