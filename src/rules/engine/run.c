// SPDX-License-Identifier: MIT
/*
 * Runs rules over one target: each rule over each interface that it judges, or over the object;
 * after the check, what is known of the producer; then findings and skips as values.
 */
#include "rules/engine/run.h"

#include "protocols/repair.h"
#include "rules/engine/selection.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FAILURES = 8, MAX_MESSAGE_CHARS = 600 };

enum outcome { NOT_JUDGED, PASSED, FAILED, SKIPPED };

struct report {
	struct arena *arena;
	struct {
		const char *field, *message;
		bool is_told; /* by the same failure of the object's other answer */
	} failures[MAX_FAILURES];
	size_t n_failures; /* all that were reported, kept or not */
	const char *skip_reason;
	const char *within; /* rule_within() */
};

/* One rule on one subject. A skip's root is the rule that caused it, by index. */
struct cell {
	unsigned char outcome;
	uint16_t root;
};

struct judging {
	const struct rule_selection *selection;
	const struct value *target;
	struct arena *arena;
	/* One for each interface, one for each other answer of an interface, then the object as a
	 * whole. */
	struct subject *subjects;
	size_t n_subjects;
	struct cell *cells; /* n_rules rows of n_subjects */
	struct rule_results results;
};

/* A copy of what vsnprintf wrote, with an ellipsis where it was cut. */
static const char *keep_message(struct arena *arena, char *message, int n_chars)
{
	if (n_chars >= MAX_MESSAGE_CHARS)
		memcpy(message + MAX_MESSAGE_CHARS - sizeof("..."), "...", sizeof("..."));
	return arena_copy(arena, message, strlen(message));
}

void rule_within(struct report *report, const char *path)
{
	report->within = path;
}

/* A copy of the path of a field, or NULL. */
static const char *keep_field(const struct report *report, const char *field)
{
	if (!field || !report->within)
		return field ? arena_copy(report->arena, field, strlen(field)) : NULL;
	return arena_printf(report->arena, "%s.%s", report->within, field);
}

void rule_fail(struct report *report, const char *field, const char *format, ...)
{
	char message[MAX_MESSAGE_CHARS];
	va_list arguments;
	int n_chars;

	if (report->n_failures++ >= MAX_FAILURES)
		return;
	va_start(arguments, format);
	n_chars = vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	report->failures[report->n_failures - 1].field = keep_field(report, field);
	report->failures[report->n_failures - 1].message =
		keep_message(report->arena, message, n_chars);
}

void rule_skip(struct report *report, const char *format, ...)
{
	char message[MAX_MESSAGE_CHARS];
	va_list arguments;
	int n_chars;

	va_start(arguments, format);
	n_chars = vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	report->skip_reason = keep_message(report->arena, message, n_chars);
}

static struct cell *cell_at(const struct judging *judging, size_t rule, size_t subject)
{
	return &judging->cells[rule * judging->n_subjects + subject];
}

/* What became of a needed rule, for a rule on `subject`: there, or else on the object as a whole;
 * for a rule on the whole, on any interface. */
static const struct cell *find_unmet(const struct judging *judging, size_t needed, size_t subject)
{
	size_t whole = judging->n_subjects - 1;

	for (size_t s = 0; s < judging->n_subjects; s++) {
		const struct cell *cell = cell_at(judging, needed, s);
		bool counts = s == subject || s == whole || subject == whole;

		if (counts && (cell->outcome == FAILED || cell->outcome == SKIPPED))
			return cell;
	}
	return NULL;
}

/* Skips where a needed rule did not pass. */
static bool has_unmet_need(
	const struct judging *judging, size_t rule, size_t subject, struct report *report)
{
	const struct selected_rule *row = &judging->selection->rules[rule];

	for (size_t i = 0; i < row->n_required; i++) {
		const struct cell *unmet = find_unmet(judging, row->requires[i], subject);
		const struct cell *root;

		if (!unmet)
			continue;
		cell_at(judging, rule, subject)->root = unmet->root;
		root = find_unmet(judging, unmet->root, subject);
		rule_skip(report, "needs %s, which %s",
			judging->selection->rules[unmet->root].rule->id,
			root && root->outcome == SKIPPED ? "was skipped" : "failed");
		return true;
	}
	return false;
}

static bool has_failed(const struct judging *judging, size_t rule)
{
	for (size_t s = 0; s < judging->n_subjects; s++)
		if (cell_at(judging, rule, s)->outcome == FAILED)
			return true;
	return false;
}

/* The rule that failed and tells of the same cause, by index; n_rules: none. */
static size_t find_told(const struct judging *judging, const struct selected_rule *row)
{
	for (size_t i = 0; i < row->n_subsuming; i++)
		if (has_failed(judging, row->subsumed_by[i]))
			return row->subsumed_by[i];
	return judging->selection->n_rules;
}

static void append_finding(struct judging *judging, const struct selected_rule *row,
	const struct subject *subject, enum rule_severity severity, const char *field,
	const char *message, const char *why)
{
	const struct rule_request *request = &judging->selection->request;
	const struct rule *rule = row->rule;
	struct arena *arena = judging->arena;
	struct value *finding = value_map(arena);
	const char *protocol = value_text_or(value_get(subject->interface, "protocol"), NULL);

	if (!row->shown || severity < request->report_from)
		return;
	value_set(arena, finding, "rule", value_text(arena, rule->id));
	value_set(arena, finding, "name", value_text(arena, rule->name));
	value_set(arena, finding, "severity", value_text(arena, rule_severity_name(severity)));
	value_set(arena, finding, "protocol", value_text(arena, protocol));
	value_set(arena, finding, "field", value_text(arena, field));
	value_set(arena, finding, "message", value_text(arena, message));
	value_set(arena, finding, "why", value_text(arena, why));
	value_set(arena, finding, "hint", value_text(arena, rule->fix));
	value_set(arena, finding, "clause", value_text(arena, rule->clause));
	value_append(arena, judging->results.findings, finding);
	judging->results.fails |= severity >= request->fail_from;
}

static void append_failures(struct judging *judging, const struct selected_rule *row,
	const struct subject *subject, const struct report *report,
	const struct rule_producer *producer)
{
	enum rule_severity severity =
		severity_of(&judging->selection->request, row->rule, producer);
	const char *why = producer ? producer->evidence : row->rule->why;

	for (size_t i = 0; i < report->n_failures && i < MAX_FAILURES; i++) {
		const char *message = report->failures[i].message;

		if (report->failures[i].is_told)
			continue;
		if (i == MAX_FAILURES - 1 && report->n_failures > MAX_FAILURES)
			message = arena_printf(judging->arena, "%s; and %zu more like it", message,
				report->n_failures - MAX_FAILURES);
		append_finding(
			judging, row, subject, severity, report->failures[i].field, message, why);
	}
}

static void append_skip(
	struct judging *judging, const struct selected_rule *row, const char *reason)
{
	struct value *skip = value_map(judging->arena);

	if (!row->shown)
		return;
	value_set(judging->arena, skip, "rule", value_text(judging->arena, row->rule->id));
	value_set(judging->arena, skip, "reason", value_text(judging->arena, reason));
	value_append(judging->arena, judging->results.skipped, skip);
}

/* The failure is left to the rule that told of it, or skipped where that is not selected. */
static void leave_to(struct judging *judging, size_t rule, size_t subject, size_t told)
{
	const struct selected_rule *by = &judging->selection->rules[told];
	struct cell *cell = cell_at(judging, rule, subject);

	cell->outcome = FAILED;
	cell->root = (uint16_t)told;
	if (!by->shown)
		append_skip(judging, &judging->selection->rules[rule],
			arena_printf(judging->arena, "said by %s, which failed and is not selected",
				by->rule->id));
}

/* Turns what the check reported into the outcome, with what is known of the producer. */
static void record_outcome(struct judging *judging, size_t rule, size_t subject,
	const struct report *report, bool was_checked)
{
	const struct selected_rule *row = &judging->selection->rules[rule];
	const struct subject *facts = &judging->subjects[subject];
	const struct rule_producer *producer = producer_of(
		&judging->selection->request, row->rule, judging->target, facts->interface);
	bool known_to_break = producer && producer->effect == PRODUCER_BREAKS;
	struct cell *cell = cell_at(judging, rule, subject);
	size_t told = find_told(judging, row);

	cell->outcome = PASSED;
	if (was_checked && producer && producer->effect == PRODUCER_KEEPS)
		return;
	if (report->n_failures && told < judging->selection->n_rules) {
		leave_to(judging, rule, subject, told);
	} else if (report->n_failures) {
		cell->outcome = FAILED;
		append_failures(judging, row, facts, report, known_to_break ? NULL : producer);
	} else if (report->skip_reason && was_checked && known_to_break) {
		cell->outcome = FAILED;
		append_finding(judging, row, facts, SEV_NOTE, producer->field, producer->message,
			producer->evidence);
	} else if (report->skip_reason) {
		cell->outcome = SKIPPED;
		append_skip(judging, row, report->skip_reason);
	}
}

/* What the check says, if it applies and its needs are met. False where the edition has no such
 * rule. */
static bool examine(struct judging *judging, size_t rule, size_t subject, struct report *report,
	bool *is_checked)
{
	const struct selected_rule *row = &judging->selection->rules[rule];
	const struct subject *facts = &judging->subjects[subject];
	const char *disabled = judging->selection->disabled;

	*report = (struct report){ .arena = judging->arena };
	*is_checked = false;
	cell_at(judging, rule, subject)->root = (uint16_t)rule;
	if (!edition_covers(judging->selection, row->rule, facts))
		return false;
	if (has_unmet_need(judging, rule, subject, report))
		return true;
	if (facts->interface && row->rule->facts & FACT_MEMORY &&
		!row->rule->reads_device_details && !facts->memory)
		rule_skip(report, "%s",
			value_text_or(value_get(facts->interface, "memory_reason"),
				"nobody was asked what is at this address"));
	else if (!disabled || strcmp(disabled, row->rule->id) != 0) {
		*is_checked = true;
		row->rule->check(facts, report);
	}
	return true;
}

/* Whether the report has a failure at that field. */
static bool fails_at(const struct report *report, const char *field)
{
	for (size_t i = 0; i < report->n_failures && i < MAX_FAILURES; i++) {
		const char *other = report->failures[i].field;

		if (field && other ? !strcmp(field, other) : field == other)
			return true;
	}
	return false;
}

/* Whether the answer has the field at all, so that a failure there could be of either. */
static bool has_field(const struct subject *subject, const char *field)
{
	const struct value *declared = value_at(subject->declared, field ? field : "");

	return !field || !value_is_null(declared);
}

/* Says of which answer a failure is that the other does not have; what both have is told once. */
static void tell_apart(struct judging *judging, struct report *first, const struct subject *subject,
	struct report *second, bool is_second_checked)
{
	struct arena *arena = judging->arena;
	const struct subject *other = subject->other_capsule;

	for (size_t i = 0; i < second->n_failures && i < MAX_FAILURES; i++) {
		const char *field = second->failures[i].field;

		second->failures[i].is_told = fails_at(first, field);
		second->failures[i].message = arena_printf(
			arena, "in %s: %s", other->capsule_name, second->failures[i].message);
	}
	for (size_t i = 0; is_second_checked && i < first->n_failures && i < MAX_FAILURES; i++)
		if (!fails_at(second, first->failures[i].field) &&
			has_field(other, first->failures[i].field))
			first->failures[i].message = arena_printf(arena, "in %s: %s",
				subject->capsule_name, first->failures[i].message);
	for (size_t i = 0; i < second->n_failures && i < MAX_FAILURES; i++)
		if (second->failures[i].field)
			second->failures[i].field =
				arena_printf(arena, "other_capsule.%s", second->failures[i].field);
	if (second->skip_reason && first->skip_reason)
		second->skip_reason = NULL;
	else if (second->skip_reason)
		second->skip_reason =
			arena_printf(arena, "%s: %s", other->capsule_name, second->skip_reason);
}

static void run_rule(struct judging *judging, size_t rule, size_t subject)
{
	const struct subject *facts = &judging->subjects[subject];
	const struct subject *other = judging->selection->rules[rule].rule->checks_both_capsules
					      ? facts->other_capsule
					      : NULL;
	size_t other_index = other ? (size_t)(other - judging->subjects) : 0;
	struct report report, second;
	bool applies, is_checked, second_applies = false, is_second_checked = false;

	applies = examine(judging, rule, subject, &report, &is_checked);
	if (other)
		second_applies = examine(judging, rule, other_index, &second, &is_second_checked);
	if (second_applies)
		tell_apart(judging, &report, facts, &second, is_second_checked);
	if (applies)
		record_outcome(judging, rule, subject, &report, is_checked);
	if (second_applies)
		record_outcome(judging, rule, other_index, &second, is_second_checked);
}

/* The answer of the worker, where it was asked about the extent that the judge works out. */
static const struct memory *read_memory(struct arena *arena, const struct subject *subject)
{
	struct memory *memory = arena_alloc(arena, sizeof(*memory));
	uint64_t low, high;
	struct err err;

	if (!subject->array || !memory_from_value(memory, value_get(subject->interface, "memory")))
		return NULL;
	if (array_extent(subject->array, &low, &high, &err))
		low = high = subject->array->pointer;
	if (memory->asked_low != low || memory->asked_high != high)
		return NULL;
	return memory;
}

static void describe_subject(struct arena *arena, struct subject *subject)
{
	const char *name = value_text_or(value_get(subject->interface, "protocol"), "");
	const char *status = value_text_or(value_get(subject->interface, "status"), "ok");
	const struct protocol *protocol = protocol_find(name);
	struct array *array;
	struct err err;

	subject->array_error = "nothing was captured";
	if (!protocol || strcmp(status, "ok") != 0)
		return;
	array = arena_alloc(arena, sizeof(*array));
	if (!protocol_describe_lenient(
		    protocol, arena, subject->interface, array, &subject->is_repaired, &err))
		subject->array = array;
	else
		subject->array_error = arena_copy(arena, err.message, strlen(err.message));
}

/* "the legacy capsule of __dlpack__()" */
static const char *name_answer(struct arena *arena, const struct subject *subject)
{
	bool is_legacy = value_is_null(value_get(subject->declared, "version"));

	return arena_printf(arena, "the %s capsule of %s", is_legacy ? "legacy" : "versioned",
		value_text_or(value_get(subject->details, "call"), "another call"));
}

static void read_subject(
	struct arena *arena, struct subject *subject, const struct value *interface)
{
	subject->interface = interface;
	subject->declared = value_get(interface, "declared");
	subject->details = value_get(interface, "details");
	describe_subject(arena, subject);
	subject->memory = read_memory(arena, subject);
}

/* The other answers of interfaces that have one, from subjects[n_interfaces] on. */
static void read_others(struct judging *judging, size_t n_interfaces)
{
	struct subject *next = &judging->subjects[n_interfaces];

	for (size_t i = 0; i < n_interfaces; i++) {
		struct subject *subject = &judging->subjects[i];
		const struct protocol *protocol =
			protocol_find(value_text_or(value_get(subject->interface, "protocol"), ""));
		const struct value *other =
			protocol && protocol->other
				? protocol->other(judging->arena, subject->interface)
				: NULL;

		if (!other)
			continue;
		read_subject(judging->arena, next, other);
		subject->capsule_name = name_answer(judging->arena, subject);
		next->capsule_name = name_answer(judging->arena, next);
		subject->other_capsule = next++;
	}
}

static size_t count_others(const struct value *interfaces)
{
	size_t n_others = 0;

	for (size_t i = 0; value_is_sequence(interfaces) && i < interfaces->n_items; i++)
		n_others += value_is(
			value_at(interfaces->items[i], "details.other_capsule"), VALUE_MAP);
	return n_others;
}

static void prepare_subjects(struct judging *judging)
{
	const struct value *interfaces = value_get(judging->target, "interfaces");
	size_t n_interfaces = value_is_sequence(interfaces) ? interfaces->n_items : 0;
	struct arena *arena = judging->arena;

	judging->n_subjects = n_interfaces + count_others(interfaces) + 1;
	judging->subjects = arena_alloc(arena, judging->n_subjects * sizeof(struct subject));
	judging->cells = arena_alloc(
		arena, judging->selection->n_rules * judging->n_subjects * sizeof(struct cell));
	judging->results.findings = value_list(arena);
	judging->results.skipped = value_list(arena);
	for (size_t i = 0; i < judging->n_subjects; i++) {
		struct subject *subject = &judging->subjects[i];

		subject->target = judging->target;
		subject->arena = arena;
		subject->interfaces = judging->subjects;
		subject->n_interfaces = n_interfaces;
		if (i < n_interfaces)
			read_subject(arena, subject, interfaces->items[i]);
	}
	read_others(judging, n_interfaces);
}

static bool is_subject_of(const struct rule *rule, const struct subject *subject)
{
	if (!subject->interface)
		return !rule->protocols;
	return rule_judges(rule, value_text_or(value_get(subject->interface, "protocol"), ""));
}

/* Judged beside the first answer of its interface. */
static bool is_other(const struct judging *judging, size_t subject)
{
	return subject >= judging->subjects->n_interfaces && subject < judging->n_subjects - 1;
}

struct rule_results rules_run(
	const struct rule_selection *selection, const struct value *target, struct arena *arena)
{
	struct judging judging = { .selection = selection, .target = target, .arena = arena };

	prepare_subjects(&judging);
	for (size_t r = 0; r < selection->n_rules; r++)
		for (size_t s = 0; selection->rules[r].runs && s < judging.n_subjects; s++)
			if (!is_other(&judging, s) &&
				is_subject_of(selection->rules[r].rule, &judging.subjects[s]))
				run_rule(&judging, r, s);
	return judging.results;
}
