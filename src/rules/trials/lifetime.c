// SPDX-License-Identifier: MIT
/* Trials as rules see them: what was counted, and what became of the worker. */
#include "rules/trials/lifetime.h"

#include "base/text.h"
#include "model/trials.h"

#include <string.h>

const struct value *lifetime_find(const struct subject *subject, const char *trial)
{
	const struct value *trials = value_get(subject->target_value, "trials");
	const struct value *protocol = value_get(subject->interface_value, "protocol");

	for (size_t i = 0; value_is_sequence(trials) && i < trials->n_items; i++)
		if (value_is_text(value_get(trials->items[i], "trial"), trial) &&
			value_equal(value_get(trials->items[i], "protocol"), protocol))
			return trials->items[i];
	return NULL;
}

const struct value *lifetime_record(
	const struct subject *subject, struct report *report, const char *trial)
{
	const struct value *record = lifetime_find(subject, trial);

	if (!record)
		rule_skip(report, "the trial '%s' was not held", trial);
	return record;
}

static bool ended_worker(const struct value *record)
{
	const char *outcome = value_text_or(value_get(record, "outcome"), "");

	return !strcmp(outcome, "crashed") || !strcmp(outcome, "hung") || !strcmp(outcome, "left");
}

const struct value *lifetime_counts(
	const struct subject *subject, struct report *report, const char *trial)
{
	const struct value *record = lifetime_record(subject, report, trial);

	if (!record || value_is_text(value_get(record, "outcome"), "done"))
		return value_get(record, "counts");
	rule_skip(report, "the trial '%s' %s: %s", trial,
		value_text_or(value_get(record, "outcome"), "ended"),
		value_text_or(value_at(record, "error.message"), "no reason was told"));
	return NULL;
}

const struct value *lifetime_known_counts(const struct subject *subject, const char *trial)
{
	return value_get(lifetime_find(subject, trial), "counts");
}

bool lifetime_lost_in(const struct subject *subject, const char *trial, const char *step)
{
	const struct value *record = lifetime_find(subject, trial);

	return ended_worker(record) && (!step || value_is_text(value_get(record, "step"), step));
}

/* "crashed the process: killed by SIGSEGV" */
static const char *describe_loss(struct arena *arena, const struct value *record)
{
	const char *outcome = value_text_or(value_get(record, "outcome"), "");

	return arena_printf(arena, "%s: %s",
		!strcmp(outcome, "crashed") ? "crashed the process"
		: !strcmp(outcome, "hung")  ? "did not return"
					    : "ended the process",
		value_text_or(value_at(record, "error.message"), "no reason was told"));
}

bool lifetime_check_step(
	const struct subject *subject, struct report *report, const char *trial, const char *step)
{
	const struct value *record = lifetime_find(subject, trial);

	if (!lifetime_lost_in(subject, trial, step))
		return false;
	rule_fail(report, NULL, "%s %s", value_text_or(value_get(record, "step"), "a step"),
		describe_loss(subject->arena, record));
	return true;
}

/* Steps that rules of their own judge, and the interpreter's end, which runs what is not the
 * object's. */
static bool is_covered_by_other_rule(const struct value *record)
{
	static const char *const steps[] = { TRIAL_STEP_DROPPED, TRIAL_STEP_USED,
		TRIAL_STEP_USED_DELETER, TRIAL_STEP_THREAD, TRIAL_STEP_EXIT,
		TRIAL_STEP_EXIT_DELETER };

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (value_is_text(value_get(record, "step"), steps[i]))
			return true;
	return value_is_text(value_get(record, "trial"), "exchange") ||
	       value_is_text(value_get(record, "trial"), "odd-stream");
}

/* The object's end is no protocol's: the first record that tells of it does. */
static bool is_reported_before(const struct subject *subject, const struct value *record)
{
	const struct value *trials = value_get(subject->target_value, "trials");

	if (!value_is_text(value_get(record, "step"), TRIAL_STEP_RELEASE))
		return false;
	for (size_t i = 0; trials->items[i] != record; i++)
		if (ended_worker(trials->items[i]) &&
			value_is_text(value_get(trials->items[i], "step"), TRIAL_STEP_RELEASE))
			return true;
	return false;
}

static bool is_lost_here(const struct subject *subject, const struct value *record)
{
	return value_equal(value_get(record, "protocol"),
		       value_get(subject->interface_value, "protocol")) &&
	       ended_worker(record) && !is_covered_by_other_rule(record) &&
	       !is_reported_before(subject, record);
}

/* The deleter by itself is the simplest of the trials that a deleter ends. */
static const struct value *find_lost(const struct subject *subject, size_t *n_lost)
{
	const struct value *trials = value_get(subject->target_value, "trials");
	const struct value *found = NULL;

	*n_lost = 0;
	for (size_t i = 0; value_is_sequence(trials) && i < trials->n_items; i++) {
		if (!is_lost_here(subject, trials->items[i]))
			continue;
		++*n_lost;
		if (!found || value_is_text(value_get(trials->items[i], "trial"), "deleter"))
			found = trials->items[i];
	}
	return found;
}

/* How much more there is after the rounds than before; 0 where that is not known. */
static int64_t growth(const struct value *counts, const char *key, bool dropped)
{
	const struct value *first = value_get(counts, dropped ? "before_dropped" : "before");
	const struct value *last = value_get(counts, dropped ? "after_dropped" : "after");
	int64_t before = value_int_or(value_get(first, key), -1);
	int64_t after = value_int_or(value_get(last, key), -1);

	return before < 0 || after < 0 ? 0 : after - before;
}

/* Caches grow by less than a word a round, or a block in two rounds, and stop. */
struct grown {
	int64_t n_rounds;                  /* 0: none were told */
	int64_t references, bytes, blocks; /* 0 where it is no leak */
};

static struct grown read_grown(const struct value *counts, bool dropped)
{
	int64_t n_rounds = value_int_or(value_get(counts, "rounds"), 0);
	struct grown grown = {
		.n_rounds = dropped ? value_int_or(value_get(counts, "rounds_dropped"), n_rounds)
				    : n_rounds
	};
	int64_t least = grown.n_rounds / 2;

	if (grown.n_rounds <= 0)
		return (struct grown){ 0 };
	grown.references = growth(counts, "references", dropped);
	grown.bytes = growth(counts, "malloc_bytes", dropped);
	grown.blocks = growth(counts, "python_blocks", dropped);
	if (grown.references < least && grown.references > -least)
		grown.references = 0;
	if (grown.bytes / (int64_t)sizeof(void *) < grown.n_rounds)
		grown.bytes = 0;
	if (grown.blocks < least)
		grown.blocks = 0;
	return grown;
}

bool lifetime_leaks(const struct subject *subject, bool dropped)
{
	struct grown grown =
		read_grown(value_get(lifetime_find(subject, "rounds"), "counts"), dropped);

	return grown.references > 0 || grown.bytes || grown.blocks;
}

static void fail_references(const struct grown *grown, struct report *report, const char *what)
{
	int64_t n = grown->references;

	if (n)
		rule_fail(report, NULL, "%lld %s %s %lld references to the object",
			(long long)grown->n_rounds, what, n > 0 ? "left" : "took away",
			(long long)(n > 0 ? n : -n)); /* -n fits: both readings were positive */
}

static void fail_growth(const struct grown *grown, struct report *report, const char *what)
{
	if (grown->bytes)
		rule_fail(report, NULL, "%lld %s left %lld bytes of memory",
			(long long)grown->n_rounds, what, (long long)grown->bytes);
	else if (grown->blocks)
		rule_fail(report, NULL, "%lld %s left %lld blocks of Python's memory",
			(long long)grown->n_rounds, what, (long long)grown->blocks);
}

bool lifetime_loses_references(const struct subject *subject)
{
	return read_grown(lifetime_known_counts(subject, "rounds"), false).references < 0;
}

void lifetime_check_survived(const struct subject *subject, struct report *report)
{
	struct grown grown =
		read_grown(value_get(lifetime_find(subject, "rounds"), "counts"), false);
	size_t n_lost;
	const struct value *record = find_lost(subject, &n_lost);

	if (record)
		rule_fail(report, NULL, "%s %s (trial '%s'%s)",
			value_text_or(value_get(record, "step"), "a step"),
			describe_loss(subject->arena, record),
			value_text_or(value_get(record, "trial"), "?"),
			n_lost < 2 ? ""
				   : arena_printf(subject->arena, " and %zu more", n_lost - 1));
	else if (grown.references < 0 && subject->protocol != &dlpack_protocol)
		fail_references(&grown, report, "readings");
}

void lifetime_check_references(
	const struct subject *subject, struct report *report, const char *what)
{
	struct grown grown = read_grown(lifetime_counts(subject, report, "rounds"), false);

	fail_references(&grown, report, what);
}

void lifetime_check_growth(const struct subject *subject, struct report *report, const char *what)
{
	struct grown grown = read_grown(lifetime_counts(subject, report, "rounds"), false);

	fail_growth(&grown, report, what);
}

void lifetime_check_rounds(
	const struct subject *subject, struct report *report, const char *trial, const char *what)
{
	struct grown grown = read_grown(lifetime_counts(subject, report, trial), false);

	fail_references(&grown, report, what);
	if (!grown.references)
		fail_growth(&grown, report, what);
}

void lifetime_check_same(const struct subject *subject, struct report *report, const char *spared)
{
	const struct value *of_trial = value_at(lifetime_find(subject, "rounds"), "counts.differs");
	const struct value *differs = value_at(subject->interface_value, "again.differs");

	/* The trial reads the whole of an object of its own, the other reading each object. */
	if (!value_is_sequence(differs) || !differs->n_items)
		differs = of_trial;
	for (size_t i = 0; value_is_sequence(differs) && i < differs->n_items; i++) {
		const char *key = value_text_or(differs->items[i], "");

		if (!text_lists_word(spared, key))
			rule_fail(report, *key ? key : NULL,
				"two readings, one after the other, differ%s%s", *key ? " in " : "",
				key);
	}
}

void lifetime_check_kept(
	const struct subject *subject, struct report *report, const char *trial, const char *once)
{
	const struct value *counts = lifetime_counts(subject, report, trial);
	const struct value *readable = value_get(counts, "readable");

	if (!readable)
		return;
	if (!value_bool_or(readable, true))
		rule_fail(report, NULL, "the memory cannot be read once %s", once);
	else if (value_bool_or(value_get(counts, "changed"), false))
		rule_fail(report, NULL,
			"the elements are overwritten once %s: their memory was freed", once);
}
