// SPDX-License-Identifier: MIT
/*
 * The junit format: one test case per target. The counts precede the cases, so the cases are
 * spooled to an unnamed file and copied after the counts at the end.
 */
#include "base/array_size.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/spool.h"
#include "formats/junit/xml.h"
#include "formats/source_location.h"
#include "formats/verdict.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct junit_writer {
	struct text text, scratch;
	struct source_locator locator;
	struct arena arena; /* of one target */
	int64_t begin_ms;
	FILE *spool;
	int64_t n_tests, n_failures, n_errors;
};

static void add_case_scratch(struct junit_writer *writer, bool is_attribute)
{
	xml_add(&writer->text, writer->scratch.bytes, writer->scratch.n_bytes, is_attribute);
	text_clear(&writer->scratch);
}

static void add_attribute(struct junit_writer *writer, const char *name, const char *value)
{
	text_printf(&writer->text, " %s=\"", name);
	xml_add(&writer->text, value, strlen(value), true);
	text_add(&writer->text, "\"");
}

static void add_case_note(struct junit_writer *writer, const char *label, const char *note)
{
	if (!note)
		return;
	text_printf(&writer->scratch, "  %s: ", label);
	verdict_add_line(&writer->scratch, note);
	text_add(&writer->scratch, "\n");
}

/* Findings that fail or, with failing false, those that do not. */
static void add_case_findings(struct junit_writer *writer, const struct format_output *output,
	const struct fact_target *target, bool failing)
{
	const struct fact_finding *findings = target->findings.items;

	for (size_t i = 0; findings && i < target->findings.n_items; i++) {
		const struct fact_finding *finding = &findings[i];

		if (verdict_finding_fails(output, finding) != failing)
			continue;
		verdict_add_line(&writer->scratch, severity_name(finding->severity));
		text_add(&writer->scratch, " ");
		verdict_add_finding(&writer->scratch, finding);
		text_add(&writer->scratch, "\n");
		add_case_note(writer, "why", finding->why);
		add_case_note(writer, "help", finding->hint);
		add_case_note(writer, "see", finding->clause);
	}
}

static void add_case_skips(struct junit_writer *writer, const struct fact_target *target)
{
	for (size_t i = 0; i < target->skipped.n_items; i++) {
		text_add(&writer->scratch, "skipped ");
		verdict_add_line(&writer->scratch, target->skipped.items[i].rule);
		text_add(&writer->scratch, ": ");
		verdict_add_line(&writer->scratch, target->skipped.items[i].reason);
		text_add(&writer->scratch, "\n");
	}
}

/* The first finding that fails, which represents all; NULL if the target failed by a skip. */
static const struct fact_finding *first_failing(
	const struct format_output *output, const struct fact_target *target)
{
	for (size_t i = 0; i < target->findings.n_items; i++)
		if (verdict_finding_fails(output, &target->findings.items[i]))
			return &target->findings.items[i];
	return NULL;
}

static void add_failure_element(struct junit_writer *writer, const struct format_output *output,
	const struct fact_target *target)
{
	const struct fact_finding *first = first_failing(output, target);
	const struct source_location source =
		source_location_of(&writer->locator, &writer->arena, target, NULL);

	text_add(&writer->text, "<failure");
	add_attribute(writer, "type", first ? first->rule : "skipped");
	text_add(&writer->text, " message=\"");
	if (first)
		verdict_add_finding(&writer->scratch, first);
	else
		text_add(&writer->scratch, "rules were skipped");
	add_case_scratch(writer, true);
	text_add(&writer->text, "\">");
	if (source.cell) /* whose lines are not those of the file */
		text_printf(&writer->scratch, "cell %" PRId64 ", line %" PRId64 "\n", source.cell,
			source.line);
	add_case_findings(writer, output, target, true);
	if (output->skips_fail)
		add_case_skips(writer, target);
	add_case_scratch(writer, false);
	text_add(&writer->text, "</failure>\n");
}

static void add_error_element(struct junit_writer *writer, const struct fact_target *target)
{
	const char *traceback = target->error.traceback;

	text_add(&writer->text, "<error");
	add_attribute(writer, "type", target_status_name(target->status));
	text_add(&writer->text, " message=\"");
	verdict_add_failure(&writer->scratch, target);
	add_case_scratch(writer, true);
	text_add(&writer->text, "\">");
	if (traceback)
		xml_add(&writer->text, traceback, strlen(traceback), false);
	text_add(&writer->text, "</error>\n");
}

/* Findings that do not fail are the output of the case. */
static void add_system_out(struct junit_writer *writer, const struct format_output *output,
	const struct fact_target *target)
{
	add_case_findings(writer, output, target, false);
	if (output->verbosity > 0 && !output->skips_fail)
		add_case_skips(writer, target);
	if (!writer->scratch.n_bytes)
		return;
	text_add(&writer->text, "<system-out>");
	add_case_scratch(writer, false);
	text_add(&writer->text, "</system-out>\n");
}

static void add_time(struct junit_writer *writer, int64_t ms)
{
	text_printf(&writer->text, " time=\"%" PRId64 ".%03d\"", ms / 1000, (int)(ms % 1000));
}

static void begin_case(struct junit_writer *writer, const struct fact_target *target)
{
	const char *name = target->target ? target->target : "?";
	const struct source_location source =
		source_location_of(&writer->locator, &writer->arena, target, NULL);

	text_add(&writer->text, "<testcase");
	add_attribute(writer, "classname", source.name ? source.name : "suai");
	add_attribute(writer, "name", source.expression ? source.expression : name);
	if (source.path)
		add_attribute(writer, "file", source.path);
	if (source.line && !source.cell)
		text_printf(&writer->text, " line=\"%" PRId64 "\"", source.line);
	add_time(writer, fact_int_or(target->spent_ms, 0));
	text_add(&writer->text, ">\n");
}

static int junit_begin(struct format_output *output, const struct fact_head *head, struct err *err)
{
	struct junit_writer *writer = mem_alloc(sizeof(*writer));

	(void)head;
	output->state = writer;
	writer->begin_ms = clock_ms();
	writer->spool = spool_open(err);
	return writer->spool ? 0 : -1;
}

static int junit_target(
	struct format_output *output, const struct fact_target *target, struct err *err)
{
	struct junit_writer *writer = output->state;
	enum verdict verdict = verdict_of(output, target);

	writer->n_tests++;
	writer->n_failures += verdict == VERDICT_FAILED;
	writer->n_errors += verdict == VERDICT_BROKEN;
	begin_case(writer, target);
	if (verdict == VERDICT_BROKEN)
		add_error_element(writer, target);
	else if (verdict == VERDICT_FAILED)
		add_failure_element(writer, output, target);
	add_system_out(writer, output, target);
	text_add(&writer->text, "</testcase>\n");
	arena_free(&writer->arena);
	return verdict_flush(&writer->text, writer->spool, err) ? spool_fail("write", err) : 0;
}

static int write_testsuites(struct junit_writer *writer, FILE *stream, struct err *err)
{
	static const char *const elements[] = { "testsuites", "testsuite" };

	text_add(&writer->text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	for (size_t i = 0; i < ARRAY_SIZE(elements); i++) {
		text_printf(&writer->text,
			"<%s name=\"suai validate\" tests=\"%" PRId64 "\" failures=\"%" PRId64
			"\" errors=\"%" PRId64 "\" skipped=\"0\"",
			elements[i], writer->n_tests, writer->n_failures, writer->n_errors);
		add_time(writer, clock_ms() - writer->begin_ms);
		text_add(&writer->text, ">\n");
	}
	if (verdict_flush(&writer->text, stream, err) || spool_copy(writer->spool, stream, err))
		return -1;
	text_add(&writer->text, "</testsuite>\n</testsuites>\n");
	return verdict_flush(&writer->text, stream, err);
}

static int junit_end(
	struct format_output *output, const struct fact_summary *summary, struct err *err)
{
	struct junit_writer *writer = output->state;
	int status = summary && writer->spool ? write_testsuites(writer, output->stream, err) : 0;

	if (writer->spool)
		fclose(writer->spool);
	text_free(&writer->text);
	text_free(&writer->scratch);
	source_locator_free(&writer->locator);
	free(writer);
	output->state = NULL;
	return status;
}

const struct format junit_format = {
	.name = "junit",
	.begin = junit_begin,
	.target = junit_target,
	.end = junit_end,
};
