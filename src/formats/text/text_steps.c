// SPDX-License-Identifier: MIT
/* Calls and trials with their outcomes, and requested ones that did not apply. */
#include "formats/text/text_parts.h"

#include "base/array_size.h"
#include "base/plural.h"
#include "formats/verdict.h"
#include "model/trials.h"

#include <inttypes.h>
#include <string.h>

/* The options that request calls and trials. */
static const struct {
	enum job_facts fact;
	const char *what, *why;
} asked[PAGE_ASKED] = {
	{ FACT_CALLS, "call of --calls",
		"only __dlpack__, DLPack's C exchange API and buffers have calls" },
	{ FACT_LIFETIME, "trial of --lifetime",
		"trials require a live object with an interface that can be read" },
	{ FACT_LIVE, "trial of --live",
		"trials require a live object with __sycl_usm_array_interface__, __cuda_array_interface__, or __dlpack__ on a CUDA or ROCm device" },
};

/* The fact that requests a trial; 0: there is no such trial. */
static int fact_of(const char *trial)
{
	static const struct {
		const char *name;
		enum job_facts fact;
	} trials[] = {
#define ROW(NAME, WORD, FACT, FLAGS) { WORD, FACT },
		TRIAL_LIST(ROW)
	};

	for (size_t i = 0; i < ARRAY_SIZE(trials); i++)
		if (!strcmp(trials[i].name, trial))
			return trials[i].fact;
	return 0;
}

/* The number of items of a list. */
static size_t count_items(const struct value *list)
{
	return value_is_sequence(list) ? list->n_items : 0;
}

static bool has_calls(const struct fact_target *target)
{
	size_t n_calls = target->calls.n_items;

	for (size_t i = 0; i < target->interfaces.n_items; i++) {
		const struct value *details = target->interfaces.items[i].details;

		n_calls += count_items(value_at(details, "exchange.calls")) +
			   count_items(value_get(details, "requests"));
	}
	return n_calls > 0;
}

static bool has_any(const struct fact_target *target, enum job_facts fact)
{
	if (fact == FACT_CALLS)
		return has_calls(target);
	for (size_t i = 0; i < target->trials.n_items; i++)
		if (target->trials.items[i].trial &&
			fact_of(target->trials.items[i].trial) == (int)fact)
			return true;
	return false;
}

void text_count_untried(struct page *page, const struct fact_target *target)
{
	for (size_t i = 0; i < PAGE_ASKED && target->status == STATUS_OK; i++)
		page->n_untried[i] += !has_any(target, asked[i].fact);
	for (size_t i = 0; i < target->skipped.n_items && !page->skips_fail; i++)
		page->n_inapplicable +=
			target->status != STATUS_OK ||
			text_refusal_of(target, &target->skipped.items[i]) != NULL ||
			text_is_unread(&target->skipped.items[i]);
}

void text_untried(struct page *page, int asks, int64_t n_targets)
{
	bool is_all = true, any_applies = false;

	for (size_t i = 0; i < PAGE_ASKED; i++) {
		is_all &= (asks & asked[i].fact) != 0;
		any_applies |= page->n_untried[i] < n_targets;
	}
	if (is_all && any_applies && page->verbosity <= 0)
		return;
	for (size_t i = 0; i < PAGE_ASKED; i++) {
		int64_t n_untried = page->n_untried[i];

		if (!(asks & asked[i].fact) || !n_untried)
			continue;
		text_printf(&page->text, "no %s applies to ", asked[i].what);
		if (n_untried < n_targets)
			text_printf(&page->text, "%" PRId64 " of ", n_untried);
		text_printf(&page->text, "%" PRId64 " target%s: %s", n_targets, plural(n_targets),
			asked[i].why);
		page_end_line(page, PAGE_LABEL_COLUMN);
	}
}

static void add_outcome(struct page *page, enum page_style style, const char *outcome,
	const char *returned, const struct fact_error *error)
{
	text_add(&page->text, ": ");
	page_foreign(page, style, outcome);
	text_add(&page->text, returned ? " " : "");
	verdict_add_line(&page->text, returned);
	text_add(&page->text, error->type ? " " : error->message ? ": " : "");
	verdict_add_error(&page->text, error);
	page_end_line(page, PAGE_LABEL_COLUMN);
}

enum page_style text_call_style(enum call_outcome outcome)
{
	return outcome == CALL_RAISED    ? STYLE_ERROR
	       : outcome == CALL_REFUSED ? STYLE_DIFFERS
					 : STYLE_PLAIN;
}

static enum page_style trial_style(enum trial_outcome outcome)
{
	return outcome == TRIAL_RAISED || outcome == TRIAL_CRASHED || outcome == TRIAL_HUNG ||
			       outcome == TRIAL_LEFT
		       ? STYLE_ERROR
		       : STYLE_PLAIN;
}

static void begin_step(
	struct page *page, const struct fact_target *target, const char *mark, const char *kind)
{
	page_foreign(page, STYLE_STRONG, target->target);
	page_styled(page, STYLE_DIM, "%s%s ", mark, kind);
}

void text_steps(struct page *page, const struct fact_target *target, const char *mark)
{
	for (size_t i = 0; i < target->calls.n_items; i++) {
		const struct fact_call *call = &target->calls.items[i];

		begin_step(page, target, mark, "call");
		verdict_add_line(&page->text, call->step);
		add_outcome(page, text_call_style(call->outcome), call_outcome_name(call->outcome),
			call->returned, &call->error);
	}
	for (size_t i = 0; i < target->trials.n_items; i++) {
		const struct fact_trial *trial = &target->trials.items[i];

		begin_step(page, target, mark, "trial");
		verdict_add_line(&page->text, trial->trial);
		text_add(&page->text, " of ");
		verdict_add_line(&page->text, trial->protocol);
		add_outcome(page, trial_style(trial->outcome), trial_outcome_name(trial->outcome),
			NULL, &trial->error);
	}
}
