// SPDX-License-Identifier: MIT
/* Trials as rules see them: what was counted, and how the worker ended. */
#include "rules/shared/lifetime.h"

#include "base/array_size.h"
#include "base/signal_name.h"
#include "base/text.h"
#include "model/trials.h"

#include <string.h>

static const struct {
	const char *trial;
	enum job_facts fact; /* that requests it */
} trial_facts[] = {
#define TRIAL_ROW(NAME, WORD, FACT, FLAGS) { WORD, FACT },
	TRIAL_LIST(TRIAL_ROW)
};

const struct fact_trial *lifetime_trial(const struct subject *subject, const char *name)
{
	static const struct fact_trial none;
	const struct fact_trial_list *trials = &subject->target->trials;

	for (size_t i = 0; i < trials->n_items; i++)
		if (fact_text_is(trials->items[i].trial, name) &&
			fact_text_is(trials->items[i].protocol, subject->interface->protocol))
			return &trials->items[i];
	return &none;
}

/* Whether the process ended by the signal of a timer, which the program of the object set. Those
 * that its interface sets are stopped after each step. */
static bool is_ended_by_timer(const struct fact_trial *trial)
{
	static const char *const ends[] = { KILLED_BY "SIGALRM", KILLED_BY "SIGVTALRM",
		KILLED_BY "SIGPROF" };
	const char *message = fact_text_or(trial->error.message, "");

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (trial->outcome == TRIAL_CRASHED && !strncmp(message, ends[i], strlen(ends[i])))
			return true;
	return false;
}

/* Whether the object ended the process. */
static bool ended_worker(const struct fact_trial *trial)
{
	return (trial->outcome == TRIAL_CRASHED || trial->outcome == TRIAL_HUNG ||
		       trial->outcome == TRIAL_LEFT) &&
	       !is_ended_by_timer(trial);
}

/* "crashed the process: killed by SIGSEGV", of a trial that did not run to its end, or its step. */
static const char *show_end(struct arena *arena, const struct fact_trial *trial)
{
	const char *message = fact_text_or(trial->error.message, "no reason was reported");

	switch (trial->outcome) {
	case TRIAL_CRASHED:
		return arena_printf(arena, "crashed the process: %s", message);
	case TRIAL_HUNG:
		return arena_printf(arena, "did not return: %s", message);
	case TRIAL_LEFT:
		return arena_printf(arena, "terminated the process: %s", message);
	case TRIAL_RAISED:
		return arena_printf(arena, "raised %s",
			fact_exception(arena, trial->error.type, trial->error.message));
	default:
		return arena_printf(arena, "was skipped: %s", message);
	}
}

const struct fact_counts *lifetime_counts(
	const struct subject *subject, struct report *report, const char *name)
{
	static const struct fact_counts none;
	const struct fact_trial *trial = lifetime_trial(subject, name);

	if (trial->outcome == TRIAL_DONE)
		return &trial->counts;
	if (!trial->present)
		rule_skip(report, "the trial '%s' was not run", name);
	else
		rule_skip(report, "the trial '%s' %s", name, show_end(subject->arena, trial));
	return &none;
}

bool lifetime_lost_in(const struct subject *subject, const char *name, const char *step)
{
	const struct fact_trial *trial = lifetime_trial(subject, name);

	return ended_worker(trial) && (!step || fact_text_is(trial->step, step));
}

/* "export 61", "the trial 'order'" */
static const char *show_step(struct arena *arena, const struct fact_trial *trial)
{
	return trial->step && strcmp(trial->step, TRIAL_STEP_START) != 0
		       ? trial->step
		       : arena_printf(arena, "the trial '%s'", trial->trial);
}

bool lifetime_check_step(
	const struct subject *subject, struct report *report, const char *name, const char *step)
{
	const struct fact_trial *trial = lifetime_trial(subject, name);

	if (!lifetime_lost_in(subject, name, step))
		return false;
	rule_fail(report, NULL, "%s %s", show_step(subject->arena, trial),
		show_end(subject->arena, trial));
	rule_set_traceback(report, trial->error.traceback);
	return true;
}

/* Steps that other rules check, and the end of the interpreter, which also runs code that is not
 * the object's. */
static bool is_covered_by_other_rule(const struct fact_trial *trial)
{
	static const char *const steps[] = { TRIAL_STEP_DROPPED, TRIAL_STEP_USED,
		TRIAL_STEP_USED_DELETER, TRIAL_STEP_THREAD, TRIAL_STEP_EXIT,
		TRIAL_STEP_EXIT_DELETER };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (fact_text_is(trial->step, steps[i]))
			return true;
	return fact_text_is(trial->trial, "exchange") || fact_text_is(trial->trial, "odd-stream");
}

/* The release of the object belongs to no protocol: only the first trial that observed it
 * reports it. */
static bool is_reported_before(const struct subject *subject, const struct fact_trial *trial)
{
	if (!fact_text_is(trial->step, TRIAL_STEP_RELEASE))
		return false;
	for (const struct fact_trial *t = subject->target->trials.items; t < trial; t++)
		if (ended_worker(t) && fact_text_is(t->step, TRIAL_STEP_RELEASE))
			return true;
	return false;
}

/* Prefers the trial of the deleter, the simplest of those that a deleter can crash. */
static const struct fact_trial *find_lost(const struct subject *subject, size_t *n_lost)
{
	const struct fact_trial_list *trials = &subject->target->trials;
	const struct fact_trial *found = NULL;

	*n_lost = 0;
	for (size_t i = 0; i < trials->n_items; i++) {
		const struct fact_trial *trial = &trials->items[i];

		if (!fact_text_is(trial->protocol, subject->interface->protocol) ||
			!ended_worker(trial) || is_covered_by_other_rule(trial) ||
			is_reported_before(subject, trial))
			continue;
		++*n_lost;
		if (!found || fact_text_is(trial->trial, "deleter"))
			found = trial;
	}
	return found;
}

/* NULL: there is none. */
static const struct fact_trial *find_ended_by_timer(const struct subject *subject)
{
	const struct fact_trial_list *trials = &subject->target->trials;

	for (size_t i = 0; i < trials->n_items; i++)
		if (fact_text_is(trials->items[i].protocol, subject->interface->protocol) &&
			is_ended_by_timer(&trials->items[i]))
			return &trials->items[i];
	return NULL;
}

/* Growth during the rounds; 0 if it is unknown. */
static int64_t growth(struct fact_int before, struct fact_int after)
{
	if (fact_int_or(before, -1) < 0 || fact_int_or(after, -1) < 0)
		return 0;
	return after.value - before.value;
}

/* Caches grow by less than a word per round, or one block in two rounds, and stop. */
struct grown {
	int64_t n_rounds;                  /* 0: not reported */
	int64_t references, bytes, blocks; /* 0 if there is no leak */
};

static struct grown read_grown(const struct fact_counts *counts, bool dropped)
{
	const struct fact_level *before = dropped ? &counts->before_dropped : &counts->before;
	const struct fact_level *after = dropped ? &counts->after_dropped : &counts->after;
	int64_t n_rounds = fact_int_or(counts->rounds, 0);
	struct grown grown = {
		.n_rounds = dropped ? fact_int_or(counts->rounds_dropped, n_rounds) : n_rounds,
		.references = growth(before->references, after->references),
		.bytes = growth(before->malloc_bytes, after->malloc_bytes),
		.blocks = growth(before->python_blocks, after->python_blocks),
	};
	int64_t least = grown.n_rounds / 2;

	if (grown.n_rounds <= 0)
		return (struct grown){ 0 };
	if (grown.references < least && grown.references > -least)
		grown.references = 0;
	if (grown.bytes / (int64_t)sizeof(void *) < grown.n_rounds)
		grown.bytes = 0;
	if (grown.blocks < least)
		grown.blocks = 0;
	return grown;
}

/* For the readings, or the exports that were consumed. */
static struct grown read_rounds(const struct subject *subject)
{
	return read_grown(&lifetime_trial(subject, "rounds")->counts, false);
}

bool lifetime_leaks(const struct subject *subject, bool dropped)
{
	struct grown grown = read_grown(&lifetime_trial(subject, "rounds")->counts, dropped);

	return grown.references > 0 || grown.bytes || grown.blocks;
}

static void fail_references(const struct grown *grown, struct report *report, const char *what)
{
	int64_t n = grown->references;

	if (n)
		rule_fail(report, NULL, "%lld %s %s %lld references to the object%s",
			(long long)grown->n_rounds, what, n > 0 ? "leaked" : "released",
			(long long)(n > 0 ? n : -n), /* -n fits: both readings were positive */
			n > 0 ? "" : " that they had not acquired");
}

static void fail_growth(const struct grown *grown, struct report *report, const char *what)
{
	if (grown->bytes)
		rule_fail(report, NULL, "%lld %s leaked %lld bytes of memory",
			(long long)grown->n_rounds, what, (long long)grown->bytes);
	else if (grown->blocks)
		rule_fail(report, NULL, "%lld %s leaked %lld blocks of Python memory",
			(long long)grown->n_rounds, what, (long long)grown->blocks);
}

bool lifetime_loses_references(const struct subject *subject)
{
	return read_rounds(subject).references < 0;
}

/* The command that repeats the trial under a debugger. */
static const char *show_command(struct arena *arena, const struct fact_trial *trial)
{
	const char *option = "--lifetime";

	for (size_t i = 0; i < ARRAY_SIZE(trial_facts); i++)
		if (fact_text_is(trial->trial, trial_facts[i].trial) &&
			trial_facts[i].fact == FACT_LIVE)
			option = "--live";
	return arena_printf(arena,
		"run only this trial, under a debugger: suai validate %s --only-step 'trial %s of %s' --wrap 'gdb -ex run --args'",
		option, trial->trial, trial->protocol);
}

void lifetime_check_survived(const struct subject *subject, struct report *report)
{
	struct grown grown = read_rounds(subject);
	size_t n_lost;
	const struct fact_trial *trial = find_lost(subject, &n_lost);

	if (trial) {
		rule_set_fix(report, show_command(subject->arena, trial));
		rule_fail(report, NULL, "%s %s (trial '%s'%s)", show_step(subject->arena, trial),
			show_end(subject->arena, trial), trial->trial,
			n_lost < 2 ? ""
				   : arena_printf(subject->arena, " and %zu more", n_lost - 1));
		rule_set_traceback(report, trial->error.traceback);
	} else if (grown.references < 0 && subject->protocol != &dlpack_protocol) {
		rule_set_fix(report, "release only the references that the read acquired");
		fail_references(&grown, report, "reads");
	} else if ((trial = find_ended_by_timer(subject))) {
		rule_skip(report, "a timer of the program ended the process of the trial '%s': %s",
			trial->trial, trial->error.message);
	}
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
	const struct fact_texts *differs = &subject->interface->again.differs;

	/* The trial reads its own object in full; `again` is a second reading of each object. */
	if (!differs->n_items)
		differs = &lifetime_trial(subject, "rounds")->counts.differs;
	for (size_t i = 0; i < differs->n_items; i++) {
		const char *key = differs->items[i];

		if (!text_lists_word(spared, key))
			rule_fail(report, *key ? key : NULL, "two reads differ%s%s",
				*key ? " in " : "", key);
	}
}

void lifetime_check_kept(
	const struct subject *subject, struct report *report, const char *trial, const char *event)
{
	const struct fact_counts *counts = lifetime_counts(subject, report, trial);

	if (counts->readable == ANSWER_NO)
		rule_fail(report, NULL, "the memory could not be read after %s", event);
	else if (counts->readable == ANSWER_YES && counts->changed == ANSWER_YES)
		rule_fail(report, NULL,
			"the elements changed after %s: their memory was freed or overwritten",
			event);
}
