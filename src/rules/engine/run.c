// SPDX-License-Identifier: MIT
/*
 * Runs rules over one target: each rule over each interface that it covers, or over the object;
 * applies what is known about the producer to the outcome; lists findings and skips.
 */
#include "rules/engine/run.h"

#include "base/text.h"
#include "protocols/description.h"
#include "rules/engine/selection.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FAILURES = 8, MAX_FAILED_READS = 8 };

enum outcome { NOT_CHECKED, PASSED, FAILED, SKIPPED };

struct failure {
	const char *field, *message, *traceback;
	const char *fix, *why; /* NULL: those of the rule */
	bool is_duplicate;     /* the object's other capsule fails at the same field */
	const char *attribute; /* reading it raised *error; or NULL */
	const struct fact_error *error;
};

/* An exception that reading one or more attributes raised, and its finding. */
struct failed_read {
	struct failure failure; /* of the first attribute */
	size_t finding;
	const char *others[MAX_FAILED_READS]; /* attributes */
	size_t n_others;
};

struct report {
	struct arena *arena;
	struct failure failures[MAX_FAILURES];
	size_t n_failures; /* all that were reported, kept or not */
	const char *skip_reason;
	const char *failed_rule;  /* required, which is why the rule was skipped; or NULL */
	const char *field_prefix; /* rule_set_field_prefix() */
	const char *fix;          /* rule_set_fix() */
	const char *why;          /* rule_set_why() */
};

/* One rule on one subject. root: the index of the rule that caused a skip. */
struct cell {
	unsigned char outcome;
	uint16_t root;
};

struct rule_run {
	const struct rule_selection *selection;
	const struct fact_target *target;
	struct arena *arena;
	/* One for each interface, one for each other capsule of an interface, then the object as a
	 * whole. */
	struct subject *subjects;
	size_t n_subjects;
	struct cell *cells; /* n_rules rows of n_subjects */
	struct failed_read failed_reads[MAX_FAILED_READS];
	size_t n_failed_reads;
	struct rule_results results;
};

static const char *format_message(struct arena *arena, const char *format, va_list arguments)
{
	struct text whole = { 0 }, shown = { 0 };
	const char *message;

	text_vprintf(&whole, format, arguments);
	text_add_truncated(&shown, whole.bytes, whole.n_bytes, TEXT_MESSAGE_BYTES);
	message = arena_copy(arena, shown.bytes, shown.n_bytes);
	text_free(&whole);
	text_free(&shown);
	return message;
}

void rule_set_field_prefix(struct report *report, const char *path)
{
	report->field_prefix = path;
}

void rule_set_fix(struct report *report, const char *fix)
{
	report->fix = fix;
}

void rule_set_why(struct report *report, const char *why)
{
	report->why = why;
}

void rule_fail(struct report *report, const char *field, const char *format, ...)
{
	const char *message;
	va_list arguments;

	if (report->n_failures++ >= MAX_FAILURES)
		return;
	va_start(arguments, format);
	message = format_message(report->arena, format, arguments);
	va_end(arguments);
	if (field && report->field_prefix)
		field = arena_printf(report->arena, "%s.%s", report->field_prefix, field);
	else if (field)
		field = arena_copy(report->arena, field, strlen(field));
	report->failures[report->n_failures - 1].field = field;
	report->failures[report->n_failures - 1].fix = report->fix;
	report->failures[report->n_failures - 1].why = report->why;
	report->failures[report->n_failures - 1].message = message;
}

void rule_set_traceback(struct report *report, const char *traceback)
{
	if (report->n_failures && report->n_failures <= MAX_FAILURES)
		report->failures[report->n_failures - 1].traceback = traceback;
}

void rule_set_read_error(
	struct report *report, const char *attribute, const struct fact_error *error)
{
	struct failure *failure;

	if (!report->n_failures || report->n_failures > MAX_FAILURES)
		return;
	failure = &report->failures[report->n_failures - 1];
	failure->attribute = attribute;
	failure->error = error;
}

void rule_skip(struct report *report, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report->skip_reason = format_message(report->arena, format, arguments);
	va_end(arguments);
}

static struct cell *cell_at(const struct rule_run *run, size_t rule, const struct subject *subject)
{
	return &run->cells[rule * run->n_subjects + (size_t)(subject - run->subjects)];
}

/* The cell in which a required rule did not pass; or NULL. A rule on an interface requires it to
 * pass there and on the object as a whole; a rule on the object, on every interface. */
static const struct cell *find_unmet(
	const struct rule_run *run, size_t required, const struct subject *subject)
{
	for (size_t s = 0; s < run->n_subjects; s++) {
		const struct subject *other = &run->subjects[s];
		const struct cell *cell = cell_at(run, required, other);
		bool counts = other == subject || !other->interface || !subject->interface;

		if (counts && (cell->outcome == FAILED || cell->outcome == SKIPPED))
			return cell;
	}
	return NULL;
}

/* Skips if a required rule did not pass. */
static bool has_unmet_requirement(const struct rule_run *run, size_t rule,
	const struct subject *subject, struct report *report)
{
	const struct selected_rule *row = &run->selection->rules[rule];

	for (size_t i = 0; i < row->n_required; i++) {
		const struct cell *unmet = find_unmet(run, row->requires[i], subject);
		const struct cell *root;
		const char *id;
		bool was_skipped;

		if (!unmet)
			continue;
		cell_at(run, rule, subject)->root = unmet->root;
		root = find_unmet(run, unmet->root, subject);
		id = run->selection->rules[unmet->root].rule->id;
		was_skipped = root && root->outcome == SKIPPED;
		report->failed_rule = was_skipped ? NULL : id;
		rule_skip(report, "requires %s, which %s", id,
			was_skipped ? "was skipped" : "failed");
		return true;
	}
	return false;
}

/* The index of a rule that failed and reports the same cause; n_rules: none. */
static size_t find_subsuming(const struct rule_run *run, const struct selected_rule *row)
{
	for (size_t i = 0; i < row->n_subsuming; i++)
		for (size_t s = 0; s < run->n_subjects; s++)
			if (cell_at(run, row->subsumed_by[i], &run->subjects[s])->outcome == FAILED)
				return row->subsumed_by[i];
	return run->selection->n_rules;
}

/* The text without the name of the attribute, which KeyError: '__dlpack__' contains; "" for NULL.
 */
static const char *without_attribute(struct arena *arena, const char *text, const char *attribute)
{
	const char *at, *rest = fact_text_or(text, ""), *kept = "";

	while ((at = strstr(rest, attribute))) {
		kept = arena_printf(arena, "%s%.*s", kept, (int)(at - rest), rest);
		rest = at + strlen(attribute);
	}
	return arena_printf(arena, "%s%s", kept, rest);
}

/* Whether both attributes were read by the same code, which raised the same exception. Code without
 * a traceback, such as a weakref.proxy of a dead object, is the same if its message is. */
static bool is_same_read_error(
	struct arena *arena, const struct failure *first, const struct failure *second)
{
	const struct fact_error *a = first->error, *b = second->error;

	return a->type && fact_text_is(b->type, a->type) && !a->traceback == !b->traceback &&
	       (a->traceback || *fact_text_or(a->message, "")) &&
	       !strcmp(without_attribute(arena, a->traceback, first->attribute),
		       without_attribute(arena, b->traceback, second->attribute)) &&
	       !strcmp(without_attribute(arena, a->message, first->attribute),
		       without_attribute(arena, b->message, second->attribute));
}

static struct failed_read *find_failed_read(struct rule_run *run, const struct failure *failure)
{
	for (size_t i = 0; i < run->n_failed_reads; i++)
		if (is_same_read_error(run->arena, &run->failed_reads[i].failure, failure))
			return &run->failed_reads[i];
	return NULL;
}

/* Adds the attribute to the finding about the same exception. */
static void add_failed_read(
	struct rule_run *run, struct failed_read *read, const struct failure *failure)
{
	struct fact_finding *finding = &run->results.findings.items[read->finding];
	const char *names = NULL;

	if (read->n_others == MAX_FAILED_READS)
		return;
	read->others[read->n_others++] = failure->attribute;
	for (size_t i = 0; i < read->n_others; i++)
		names = !names ? read->others[i]
			       : arena_printf(run->arena, "%s%s%s", names,
					 i + 1 < read->n_others ? ", " : " and ", read->others[i]);
	finding->message = arena_printf(run->arena, "%s; so did %s", read->failure.message, names);
	if (failure->error->traceback)
		finding->hint = "raise AttributeError for attributes that the object does not have";
}

static void append_finding(struct rule_run *run, const struct selected_rule *row,
	const struct subject *subject, enum severity severity, const struct failure *failure,
	const struct rule_producer *producer)
{
	const struct rule_request *request = &run->selection->request;
	const struct rule *rule = row->rule;
	bool is_excused = producer && producer->effect == PRODUCER_EXCUSED;

	if (!row->shown || severity < request->report_from)
		return;
	*FACT_LIST_ADD(run->arena, &run->results.findings) = (struct fact_finding){
		.present = true,
		.rule = rule->id,
		.name = rule->name,
		.severity = severity,
		.protocol = subject->interface ? subject->interface->protocol : NULL,
		.field = failure->field,
		.message = failure->message,
		.traceback = failure->traceback,
		.why = producer       ? producer->evidence
		       : failure->why ? failure->why
				      : rule->why,
		.hint = failure->fix ? failure->fix : rule->fix,
		.clause = rule_clause(run->arena, rule, subject->target->consumption.protocol),
		.actionable = answer_of(!rule->is_informative),
		.excused_by = is_excused ? producer->type : NULL,
	};
}

static void append_failures(struct rule_run *run, const struct selected_rule *row,
	const struct subject *subject, const struct report *report,
	const struct rule_producer *producer)
{
	enum severity severity =
		rule_effective_severity(&run->selection->request, row->rule, producer);

	for (size_t i = 0; i < report->n_failures && i < MAX_FAILURES; i++) {
		struct failure failure = report->failures[i];
		struct failed_read *read = failure.error ? find_failed_read(run, &failure) : NULL;
		size_t n_findings = run->results.findings.n_items;

		if (failure.is_duplicate)
			continue;
		if (read) {
			add_failed_read(run, read, &failure);
			continue;
		}
		if (i == MAX_FAILURES - 1 && report->n_failures > MAX_FAILURES)
			failure.message =
				arena_printf(run->arena, "%s (similar findings not shown: %zu)",
					failure.message, report->n_failures - MAX_FAILURES);
		append_finding(run, row, subject, severity, &failure, producer);
		if (failure.error && run->results.findings.n_items > n_findings &&
			run->n_failed_reads < MAX_FAILED_READS)
			run->failed_reads[run->n_failed_reads++] =
				(struct failed_read){ .failure = failure, .finding = n_findings };
	}
}

static void append_skip(struct rule_run *run, const struct selected_rule *row, const char *reason,
	const char *failed_rule)
{
	struct fact_skip *skip;

	if (!row->shown)
		return;
	skip = FACT_LIST_ADD(run->arena, &run->results.skipped);
	skip->rule = row->rule->id;
	skip->reason = reason;
	skip->failed_rule = failed_rule;
}

/* Turns what the check reported into the outcome, with what is known about the producer. A failure
 * that another rule reports is dropped, or skipped if that rule is not selected. */
static void set_outcome(struct rule_run *run, size_t rule, const struct subject *subject,
	const struct report *report, bool was_checked)
{
	const struct selected_rule *row = &run->selection->rules[rule];
	struct cell *cell = cell_at(run, rule, subject);
	const struct rule_producer *producer;
	bool known_to_break;
	size_t subsuming;

	cell->outcome = PASSED;
	if (!report->n_failures && !report->skip_reason)
		return;
	producer = rule_producer_of(
		&run->selection->request, row->rule, run->target, subject->interface);
	if (was_checked && producer && producer->effect == PRODUCER_KEEPS)
		return;
	known_to_break = producer && producer->effect == PRODUCER_BREAKS;
	subsuming = find_subsuming(run, row);
	if (report->n_failures && subsuming < run->selection->n_rules) {
		const struct selected_rule *by = &run->selection->rules[subsuming];

		cell->outcome = FAILED;
		cell->root = (uint16_t)subsuming;
		if (!by->shown)
			append_skip(run, row,
				arena_printf(run->arena,
					"reported by %s, which failed but is not selected",
					by->rule->id),
				NULL);
	} else if (report->n_failures) {
		cell->outcome = FAILED;
		append_failures(run, row, subject, report, known_to_break ? NULL : producer);
	} else if (report->skip_reason && was_checked && known_to_break) {
		cell->outcome = FAILED;
		append_finding(run, row, subject, SEVERITY_NOTE,
			&(struct failure){ .field = producer->field, .message = producer->message },
			producer);
	} else if (report->skip_reason) {
		cell->outcome = SKIPPED;
		append_skip(run, row, report->skip_reason, report->failed_rule);
	}
}

/* Calls the check if its requirements are met. False if the rule does not apply to the edition. */
static bool evaluate_check(struct rule_run *run, size_t rule, const struct subject *subject,
	struct report *report, bool *is_checked)
{
	const struct selected_rule *row = &run->selection->rules[rule];
	const char *disabled = run->selection->disabled;

	*report = (struct report){ .arena = run->arena };
	*is_checked = false;
	cell_at(run, rule, subject)->root = (uint16_t)rule;
	if (!edition_covers(run->selection, row->rule, subject))
		return false;
	if (has_unmet_requirement(run, rule, subject, report))
		return true;
	if (subject->interface && row->rule->facts & FACT_MEMORY &&
		!row->rule->reads_device_details && !subject->memory)
		rule_skip(report, "%s",
			fact_text_or(subject->interface->memory_reason,
				"the memory at the array's address was not looked up"));
	else if (!disabled || strcmp(disabled, row->rule->id) != 0) {
		*is_checked = true;
		row->rule->check(subject, report);
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

/* Names the capsule in failures at fields that the other capsule has and passes; failures at the
 * same field of both are reported once. */
static void attribute_failures(struct rule_run *run, struct report *first,
	const struct subject *subject, struct report *second, bool is_second_checked)
{
	struct arena *arena = run->arena;
	const struct subject *other = subject->other_capsule;

	for (size_t i = 0; i < second->n_failures && i < MAX_FAILURES; i++) {
		const char *field = second->failures[i].field;

		second->failures[i].is_duplicate = fails_at(first, field);
		second->failures[i].message = arena_printf(
			arena, "in %s: %s", other->capsule_name, second->failures[i].message);
	}
	for (size_t i = 0; is_second_checked && i < first->n_failures && i < MAX_FAILURES; i++) {
		const char *field = first->failures[i].field;
		bool is_in_both = !field || !value_is_null(value_at(other->declared, field));

		if (!fails_at(second, field) && is_in_both)
			first->failures[i].message = arena_printf(arena, "in %s: %s",
				subject->capsule_name, first->failures[i].message);
	}
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

static void run_rule(struct rule_run *run, size_t rule, const struct subject *subject)
{
	const struct subject *other = run->selection->rules[rule].rule->checks_both_capsules
					      ? subject->other_capsule
					      : NULL;
	struct report report, second;
	bool applies, is_checked, second_applies = false, is_second_checked = false;

	applies = evaluate_check(run, rule, subject, &report, &is_checked);
	if (other)
		second_applies = evaluate_check(run, rule, other, &second, &is_second_checked);
	if (second_applies)
		attribute_failures(run, &report, subject, &second, is_second_checked);
	if (applies)
		set_outcome(run, rule, subject, &report, is_checked);
	if (second_applies)
		set_outcome(run, rule, other, &second, is_second_checked);
}

/* The memory that the worker captured; NULL if it was captured for another extent. */
static const struct memory *memory_at_array(const struct subject *subject)
{
	const struct memory *memory = &subject->interface->memory;
	uint64_t low, high;
	struct err err;

	if (!subject->array || !memory->present)
		return NULL;
	if (array_extent(subject->array, &low, &high, &err))
		low = high = subject->array->pointer;
	if (memory->asked_low != low || memory->asked_high != high)
		return NULL;
	return memory;
}

static void read_subject(
	struct arena *arena, struct subject *subject, struct fact_interface *interface)
{
	const struct description *description;

	subject->interface = interface;
	subject->protocol = protocol_of_interface(interface);
	subject->declared = interface->declared;
	subject->details = interface->details;
	subject->array_error = "the interface was not read";
	if (!subject->protocol || !interface_was_read(subject->interface))
		return;
	description = protocol_describe(arena, interface);
	subject->array = description->lenient;
	subject->is_repaired = description->lenient && !description->strict;
	subject->array_error = description->strict ? NULL : description->err.message;
	subject->memory = memory_at_array(subject);
}

/* "the legacy capsule of __dlpack__()" */
static const char *name_capsule(struct arena *arena, const struct subject *subject)
{
	bool is_legacy = value_is_null(value_get(subject->declared, "version"));

	return arena_printf(arena, "the %s capsule of %s", is_legacy ? "legacy" : "versioned",
		value_text_or(value_get(subject->details, "call"), "another call"));
}

/* The other capsules of interfaces that have one, from subjects[n_interfaces] on; returns the end.
 */
static struct subject *read_other_capsules(struct rule_run *run, size_t n_interfaces)
{
	struct subject *next = &run->subjects[n_interfaces];

	for (size_t i = 0; i < n_interfaces; i++) {
		struct subject *subject = &run->subjects[i];
		struct fact_interface *other =
			subject->protocol && subject->protocol->other
				? subject->protocol->other(run->arena, subject->interface)
				: NULL;

		if (!other)
			continue;
		read_subject(run->arena, next, other);
		subject->capsule_name = name_capsule(run->arena, subject);
		next->capsule_name = name_capsule(run->arena, next);
		subject->other_capsule = next++;
	}
	return next;
}

static void prepare_subjects(struct rule_run *run)
{
	struct arena *arena = run->arena;
	const struct fact_target *target = run->target;
	size_t n_interfaces = target->interfaces.n_items;

	run->subjects = arena_alloc(arena, (2 * n_interfaces + 1) * sizeof(*run->subjects));
	for (size_t i = 0; i <= 2 * n_interfaces; i++) {
		struct subject *subject = &run->subjects[i];

		subject->target = target;
		subject->arena = arena;
		subject->interfaces = run->subjects;
		subject->n_interfaces = n_interfaces;
		if (i < n_interfaces)
			read_subject(arena, subject, &target->interfaces.items[i]);
	}
	run->n_subjects = (size_t)(read_other_capsules(run, n_interfaces) - run->subjects) + 1;
	run->cells =
		arena_alloc(arena, run->selection->n_rules * run->n_subjects * sizeof(*run->cells));
}

/* Other capsules are checked together with the first one. A target is an object, what a consumer
 * did with one, or what a program exchanged. */
static bool is_subject_of(
	const struct rule *rule, const struct rule_run *run, const struct subject *subject)
{
	int kind = run->target->consumption.present ? FACT_CONSUMER
		   : run->target->call_site.present ? FACT_EXCHANGE
						    : 0;

	if ((rule->facts & (FACT_CONSUMER | FACT_EXCHANGE)) != kind)
		return false;
	if (!subject->interface)
		return !rule->protocols;
	if (subject >= run->subjects + run->target->interfaces.n_items)
		return false;
	return subject->protocol && rule_covers_protocol(rule, subject->protocol->name);
}

bool rules_was_skipped(const struct fact_skip_list *skipped, const char *id)
{
	for (size_t i = 0; i < skipped->n_items; i++)
		if (!strcmp(skipped->items[i].rule, id))
			return true;
	return false;
}

struct rule_results rules_run(const struct rule_selection *selection,
	const struct fact_target *target, struct arena *arena)
{
	struct rule_run run = { .selection = selection, .target = target, .arena = arena };

	run.results.findings.known = run.results.skipped.known = true;
	prepare_subjects(&run);
	for (size_t r = 0; r < selection->n_rules; r++)
		for (size_t s = 0; selection->rules[r].runs && s < run.n_subjects; s++)
			if (is_subject_of(selection->rules[r].rule, &run, &run.subjects[s]))
				run_rule(&run, r, &run.subjects[s]);
	return run.results;
}
