// SPDX-License-Identifier: MIT
/* `why`: what the consumer does with the object, the cause, and what works instead. */
#include "formats/text/text_parts.h"

#include "base/plural.h"
#include "base/words.h"

#include <string.h>

enum { MAX_LINES = 4 };

static void print_why_verdict(struct page *page, const struct fact_why *why)
{
	static const char *const texts[] = {
		[WHY_SHARED] = "accepted; the result shares the memory of the object",
		[WHY_COPIED] = "accepted; the result is a copy",
		[WHY_NARROWED] = "accepted; the result is narrowed",
		[WHY_CONVERTED] = "accepted; the result is a copy of another element type",
		[WHY_ACCEPTED] = "accepted; whether the result shares memory is unknown",
		[WHY_WRONG] = "accepted; the result has other elements",
		[WHY_REFUSED] = "refused",
		[WHY_LOST] = "the process was lost",
	};
	bool failed = why->verdict == WHY_REFUSED || why->verdict == WHY_LOST;
	bool is_uncompared = why->verdict == WHY_ACCEPTED && why->equal == ANSWER_UNKNOWN;

	page_label(page, "outcome");
	page_styled(page,
		failed                       ? STYLE_ERROR
		: why->verdict == WHY_SHARED ? STYLE_GOOD
					     : STYLE_STRONG,
		"%s",
		fact_text_is(why->type, "NoneType") ? "accepted; it returned None"
		: is_uncompared
			? "accepted; whether the result has the elements of the object is unknown"
			: texts[why->verdict]);
	if (why->type && !fact_text_is(why->type, "NoneType")) {
		text_add(&page->text, " (");
		page_foreign(page, STYLE_PLAIN, why->type);
		text_add(&page->text, why->result_dtype ? " of " : "");
		page_foreign(page, STYLE_PLAIN, why->result_dtype);
		if (is_uncompared && why->result_shape.known)
			text_printf(&page->text, ", shape %s",
				words_tuple(&page->arena, why->result_shape.items,
					(int)why->result_shape.n_items));
		text_add(&page->text, ")");
	}
	page_end_line(page, PAGE_VALUE_COLUMN);
}

static void print_foreign_field(struct page *page, const char *label, const char *text)
{
	if (!text)
		return;
	page_label(page, label);
	page_lines(page, text, PAGE_VALUE_COLUMN);
	page_end_line(page, PAGE_VALUE_COLUMN);
}

/* Compilers state hundreds of lines, which -v shows. */
static const char *first_lines(struct page *page, const char *message)
{
	enum { MAX_MESSAGE_LINES = 12 };
	const char *end = message;

	for (int i = 0; page->verbosity < 1 && i < MAX_MESSAGE_LINES; i++) {
		end += strcspn(end, "\n");
		if (!*end++)
			return message;
	}
	return page->verbosity < 1
		       ? arena_printf(&page->arena, "%.*s... (-v shows the whole exception)",
				 (int)(end - message), message)
		       : message;
}

static void print_why_error(struct page *page, const struct fact_why *why)
{
	if (!why->error.present)
		return;
	page_label(page, "exception");
	page_exception(page, STYLE_PLAIN, why->error.type,
		first_lines(page, fact_text_or(why->error.message, "")), PAGE_VALUE_COLUMN);
	page_end_line(page, PAGE_VALUE_COLUMN);
}

static void print_remedy(struct page *page, const struct fact_remedy *remedy)
{
	page_label(page, "works");
	page_foreign(page, STYLE_GOOD, remedy->line);
	text_add(&page->text, remedy->shared == ANSWER_YES  ? "  (no copy"
			      : remedy->shared == ANSWER_NO ? "  (copies"
							    : "  (may copy");
	text_add(&page->text, remedy->note ? "; " : "");
	page_foreign(page, STYLE_PLAIN, remedy->note);
	text_add(&page->text, ")");
	page_end_field(page);
}

static bool was_tried(const struct fact_remedy *remedy)
{
	return !remedy->reason || strncmp(remedy->reason, "not tried: ", 11) != 0;
}

/* Whether the line ran, and its result could not be compared. */
static bool is_unproven(const struct fact_remedy *remedy)
{
	return remedy->works == ANSWER_UNKNOWN && was_tried(remedy);
}

/* Whether the line fails as the object itself does. */
static bool fails_alike(const struct fact_why *why, const struct fact_remedy *remedy)
{
	const char *message = fact_text_or(why->error.message, "");

	return remedy->reason &&
	       strstr(remedy->reason, *message ? message : fact_text_or(why->error.type, "?"));
}

static bool has_readable_interface(const struct fact_target *target)
{
	for (size_t i = 0; i < target->interfaces.n_items; i++)
		if (target->interfaces.items[i].status == INTERFACE_OK)
			return true;
	return false;
}

/* Whether no other line could work: each was tried and fails for the cause, or there is no array to
 * pass. */
static bool is_hopeless(const struct fact_target *target)
{
	const struct fact_why *why = &target->why;

	if (!why->cause)
		return false;
	if (why->cause == CAUSE_CONSUMER_MISSING)
		return true;
	/* The call of a line returned; arrays of objects are made of anything. */
	for (size_t i = 0; i < why->remedies.n_items; i++)
		if (why->remedies.items[i].type &&
			!fact_text_is(why->remedies.items[i].dtype, "object"))
			return false;
	if (!has_readable_interface(target) &&
		(why->cause == CAUSE_NO_PROTOCOL || why->cause == CAUSE_PRODUCER_ERROR))
		return true;
	for (size_t i = 0; i < why->remedies.n_items; i++)
		if (!was_tried(&why->remedies.items[i]) ||
			!fails_alike(why, &why->remedies.items[i]))
			return false;
	return why->remedies.n_items > 0;
}

/* Whether the result of the line is the object. */
static bool is_object(const struct fact_remedy *remedy)
{
	return remedy->reason && !strncmp(remedy->reason, "the object already is ", 22);
}

/* A line of Python that fails for another reason than the object itself, if possible one whose
 * result is the object, or that the consumer accepts. suai convert passes an object of another
 * type, which may fail for that. */
static const struct fact_remedy *find_other_failure(const struct fact_why *why)
{
	const struct fact_remedy *found = NULL;

	for (size_t i = 0; i < why->remedies.n_items; i++) {
		const struct fact_remedy *remedy = &why->remedies.items[i];

		if (remedy->works == ANSWER_NO && was_tried(remedy) && !fails_alike(why, remedy) &&
			strncmp(remedy->line, "suai ", 5) != 0 &&
			(!found || (!found->type && remedy->type) || is_object(remedy)))
			found = remedy;
	}
	return found;
}

/* For an object that is an array only by a method or __array__: the first line, whose exception
 * shows why it cannot be one. */
static const struct fact_remedy *find_failing_method(const struct fact_target *target)
{
	const struct fact_remedy *first =
		target->why.remedies.n_items ? &target->why.remedies.items[0] : NULL;

	return first && target->instead.alternatives.n_items && !target->interfaces.n_items &&
			       !first->type && was_tried(first)
		       ? first
		       : NULL;
}

static void print_nothing_works(struct page *page, const struct fact_target *target)
{
	const struct fact_why *why = &target->why;
	const struct fact_remedy *other =
		is_hopeless(target) ? find_failing_method(target) : find_other_failure(why);
	size_t n_tried = 0, n_unproven = 0;

	for (size_t i = 0; i < why->remedies.n_items; i++) {
		n_tried += was_tried(&why->remedies.items[i]);
		n_unproven += is_unproven(&why->remedies.items[i]);
	}
	page_label(page, "works");
	if (why->cause == CAUSE_CONSUMER_MISSING) {
		text_add(&page->text,
			strstr(fact_text_or(why->error.message, ""), "o module ") ||
					strstr(why->error.message, "does not exist")
				? "nothing works without the module; --python or $SUAI_PYTHON chooses another interpreter"
				: "nothing works until the name of the consumer is corrected");
	} else if (is_hopeless(target)) {
		text_add(&page->text, "nothing works");
	} else if (n_unproven) {
		text_printf(&page->text,
			"unknown; %zu of the %zu line%s that suai tried ran, but the results could not be compared",
			n_unproven, n_tried, plural((long long)n_tried));
	} else if (n_tried) {
		text_printf(&page->text, "none of the %zu line%s that suai tried", n_tried,
			plural((long long)n_tried));
	} else if (why->cause == CAUSE_MEMORY) {
		text_add(&page->text, "nothing works with so many elements; pass a part of them");
	} else if (why->cause == CAUSE_KEYWORD) {
		text_add(&page->text,
			"nothing works until the consumer is passed the arguments that it requires");
	} else {
		text_add(&page->text, "suai tried no line");
	}
	if (other && !n_unproven && why->cause != CAUSE_CONSUMER_MISSING) {
		text_add(&page->text, "; ");
		page_foreign(page, STYLE_PLAIN, is_object(other) ? NULL : other->line);
		text_add(&page->text, is_object(other) ? "" : " fails: ");
		page_foreign(page, STYLE_PLAIN,
			arena_copy(&page->arena, other->reason, strcspn(other->reason, "\n")));
	}
	if (why->remedies.n_items)
		text_add(&page->text, " (-v lists the lines)");
	page_end_line(page, PAGE_VALUE_COLUMN);
}

/* The reason why lines were not tried, such as the size of the array. */
static void print_untried(struct page *page, const struct fact_why *why)
{
	for (size_t i = 0; page->verbosity < 1 && i < why->remedies.n_items; i++) {
		const struct fact_remedy *remedy = &why->remedies.items[i];

		if (was_tried(remedy) || strstr(remedy->reason, ": other lines work"))
			continue;
		page_label(page, "tried");
		page_foreign(page, STYLE_PLAIN, remedy->line);
		text_add(&page->text, " and others: ");
		page_foreign(page, STYLE_PLAIN, remedy->reason);
		page_end_line(page, PAGE_VALUE_COLUMN);
		return;
	}
}

static void print_remedies(struct page *page, const struct fact_target *target)
{
	const struct fact_why *why = &target->why;
	bool is_lost = why->verdict == WHY_REFUSED || why->verdict == WHY_LOST;
	size_t n_works = 0, n_ran = 0;

	for (size_t i = 0; i < why->remedies.n_items; i++) {
		const struct fact_remedy *remedy = &why->remedies.items[i];

		if (remedy->works != ANSWER_YES)
			continue;
		if (n_works++ < MAX_LINES || page->verbosity > 0)
			print_remedy(page, remedy);
	}
	if (!n_works && is_lost)
		print_nothing_works(page, target);
	for (size_t i = 0; !n_works && is_lost && page->verbosity < 1 && i < why->remedies.n_items;
		i++) {
		if (!is_unproven(&why->remedies.items[i]) || n_ran++ >= MAX_LINES)
			continue;
		page_label(page, "ran");
		page_foreign(page, STYLE_PLAIN, why->remedies.items[i].line);
		page_end_line(page, PAGE_VALUE_COLUMN);
	}
	print_untried(page, why);
	for (size_t i = 0; page->verbosity > 0 && i < why->remedies.n_items; i++) {
		const struct fact_remedy *remedy = &why->remedies.items[i];

		if (remedy->works == ANSWER_YES)
			continue;
		page_label(page, "tried");
		page_foreign(page, STYLE_PLAIN, remedy->line);
		text_add(&page->text, ": ");
		page_lines(page, fact_text_or(remedy->reason, "?"), PAGE_VALUE_COLUMN);
		page_end_line(page, PAGE_VALUE_COLUMN);
	}
}

/* The process that read the object's interfaces ended, whatever the consumer did. */
static void print_lost_capture(struct page *page, const struct fact_target *target)
{
	if (target->status == STATUS_OK || !target->status || target->why.verdict == WHY_LOST)
		return;
	page_label(page, "object");
	text_failure_reason(page, target);
}

/* Deprecated calls do not explain a refusal whose cause is known. */
static bool is_minor(const struct page *page, const struct fact_why *why, const char *warning)
{
	return page->verbosity < 1 && why->verdict == WHY_REFUSED && why->cause &&
	       !strncmp(warning, "DeprecationWarning:", strlen("DeprecationWarning:"));
}

void text_why(struct page *page, const struct fact_target *target)
{
	const struct fact_why *why = &target->why;

	if (!why->verdict) {
		text_failure(page, target);
		return;
	}
	page_foreign(page, STYLE_STRONG, target->target);
	text_add(&page->text, target->type ? "  " : "");
	page_foreign(page, STYLE_PLAIN, target->type);
	text_add(&page->text, " to ");
	page_foreign(page, STYLE_STRONG, why->consumer);
	page_end_line(page, PAGE_LABEL_COLUMN);
	print_why_verdict(page, why);
	print_why_error(page, why);
	print_lost_capture(page, target);
	print_foreign_field(page, "step", why->step);
	if (why->message) {
		page_label(page, why->verdict == WHY_SHARED ? "note" : "cause");
		page_lines(page, why->message, PAGE_VALUE_COLUMN);
		if (why->cause || why->verdict == WHY_REFUSED) {
			text_add(&page->text, " [");
			page_foreign(page, STYLE_PLAIN,
				why->cause ? why_cause_name(why->cause) : "unknown");
			text_add(&page->text, "]");
		}
		page_end_line(page, PAGE_VALUE_COLUMN);
	}
	for (size_t i = 0; i < why->warnings.n_items; i++)
		if (!is_minor(page, why, why->warnings.items[i]) &&
			(i == 0 || strcmp(why->warnings.items[i], why->warnings.items[i - 1]) != 0))
			print_foreign_field(page, "warning", why->warnings.items[i]);
	print_remedies(page, target);
}
