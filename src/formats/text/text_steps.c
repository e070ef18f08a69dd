// SPDX-License-Identifier: MIT
/* Calls and trials with their outcomes, and requested ones that did not apply. */
#include "formats/text/text_parts.h"

#include "formats/verdict.h"
#include "model/trials.h"

#include <inttypes.h>
#include <string.h>

/* The options that ask for calls and trials, by their fact. */
static const struct {
	enum job_facts fact;
	const char *what, *why;
} asked[PAGE_ASKED] = {
	{ FACT_CALLS, "call of --calls",
		"calls are made of __dlpack__, DLPack's C exchange API and buffers" },
	{ FACT_LIFETIME, "trial of --lifetime",
		"they require a live object with an interface that can be read" },
	{ FACT_LIVE, "trial of --live",
		"they require a live array on a SYCL, CUDA or ROCm device" },
};

/* The fact that requests a trial; 0: there is no such trial. */
static int fact_of(const char *trial)
{
	static const struct {
		const char *name;
		enum job_facts fact;
	} trials[] = {
#define ROW(NAME, WORD, FACT, ABOUT) { WORD, FACT },
		TRIAL_LIST(ROW)
	};

	for (size_t i = 0; i < sizeof(trials) / sizeof(*trials); i++)
		if (!strcmp(trials[i].name, trial))
			return trials[i].fact;
	return 0;
}

static bool has_calls(const struct value *target)
{
	const struct value *interfaces = value_get(target, "interfaces");
	size_t n_calls;

	verdict_list(target, "calls", &n_calls);
	for (size_t i = 0; value_is_sequence(interfaces) && i < interfaces->n_items; i++) {
		const struct value *details = value_get(interfaces->items[i], "details");
		size_t n_exchange, n_requests;

		verdict_list(value_get(details, "exchange"), "calls", &n_exchange);
		verdict_list(details, "requests", &n_requests);
		n_calls += n_exchange + n_requests;
	}
	return n_calls > 0;
}

static bool has_any(const struct value *target, enum job_facts fact)
{
	size_t n_trials;
	const struct value *trials = verdict_list(target, "trials", &n_trials);

	if (fact == FACT_CALLS)
		return has_calls(target);
	for (size_t i = 0; i < n_trials; i++)
		if (fact_of(value_text_or(value_get(trials->items[i], "trial"), "")) == (int)fact)
			return true;
	return false;
}

void text_count_untried(struct page *page, const struct value *target)
{
	for (size_t i = 0; i < PAGE_ASKED; i++)
		if (value_is_text(value_get(target, "status"), "ok"))
			page->n_untried[i] += !has_any(target, asked[i].fact);
}

void text_untried(struct page *page, int asks, int64_t n_targets)
{
	for (size_t i = 0; i < PAGE_ASKED; i++) {
		int64_t n_untried = page->n_untried[i];

		if (!(asks & asked[i].fact) || !n_untried)
			continue;
		text_printf(&page->text, "no %s applies to ", asked[i].what);
		if (n_untried < n_targets)
			text_printf(&page->text, "%" PRId64 " of ", n_untried);
		text_printf(&page->text, "%" PRId64 " target%s: %s\n", n_targets,
			n_targets == 1 ? "" : "s", asked[i].why);
	}
}

static void add_outcome(struct page *page, const struct value *record)
{
	const struct value *returned = value_get(record, "returned");
	const struct value *type = value_at(record, "error.type");
	const struct value *message = value_at(record, "error.message");

	text_add(&page->text, ": ");
	verdict_add_line(&page->text, value_get(record, "outcome"));
	if (!value_is_null(returned))
		text_add(&page->text, " ");
	verdict_add_line(&page->text, returned);
	if (!value_is_null(type))
		text_add(&page->text, " ");
	verdict_add_line(&page->text, type);
	if (!value_is_null(message))
		text_add(&page->text, ": ");
	verdict_add_line(&page->text, message);
	text_add(&page->text, "\n");
}

static void begin_step(
	struct page *page, const struct value *target, const char *mark, const char *kind)
{
	page_foreign(page, STYLE_STRONG, value_get(target, "target"));
	page_styled(page, STYLE_DIM, "%s%s ", mark, kind);
}

void text_steps(struct page *page, const struct value *target, const char *mark)
{
	size_t n_calls, n_trials;
	const struct value *calls = verdict_list(target, "calls", &n_calls);
	const struct value *trials = verdict_list(target, "trials", &n_trials);

	for (size_t i = 0; i < n_calls; i++) {
		begin_step(page, target, mark, "call");
		verdict_add_line(&page->text, value_get(calls->items[i], "step"));
		add_outcome(page, calls->items[i]);
	}
	for (size_t i = 0; i < n_trials; i++) {
		begin_step(page, target, mark, "trial");
		verdict_add_line(&page->text, value_get(trials->items[i], "trial"));
		text_add(&page->text, " of ");
		verdict_add_line(&page->text, value_get(trials->items[i], "protocol"));
		add_outcome(page, trials->items[i]);
	}
}
