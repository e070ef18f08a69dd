// SPDX-License-Identifier: MIT
/*
 * The junit format: a test case a target. JUnit states the counts before the cases, so the cases
 * are spooled to an unnamed file and copied behind the counts at the end.
 */
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
	struct source_location_finder finder;
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

static void add_case_note(struct junit_writer *writer, const char *label, const struct value *note)
{
	if (value_is_null(note))
		return;
	text_printf(&writer->scratch, "  %s: ", label);
	verdict_add_line(&writer->scratch, note);
	text_add(&writer->scratch, "\n");
}

/* Findings that fail, or those that do not, with what to do. */
static void add_case_findings(struct junit_writer *writer, const struct output *output,
	const struct value *document, bool failing)
{
	size_t n_findings;
	const struct value *findings = verdict_list(document, "findings", &n_findings);

	for (size_t i = 0; i < n_findings; i++) {
		const struct value *finding = findings->items[i];

		if (verdict_finding_fails(output, finding) != failing)
			continue;
		verdict_add_line(&writer->scratch, value_get(finding, "severity"));
		text_add(&writer->scratch, " ");
		verdict_add_finding(&writer->scratch, finding);
		text_add(&writer->scratch, "\n");
		add_case_note(writer, "why", value_get(finding, "why"));
		add_case_note(writer, "help", value_get(finding, "hint"));
		add_case_note(writer, "see", value_get(finding, "clause"));
	}
}

static void add_case_skips(struct junit_writer *writer, const struct value *document)
{
	size_t n_skipped;
	const struct value *skipped = verdict_list(document, "skipped", &n_skipped);

	for (size_t i = 0; i < n_skipped; i++) {
		text_add(&writer->scratch, "skipped ");
		verdict_add_line(&writer->scratch, value_get(skipped->items[i], "rule"));
		text_add(&writer->scratch, ": ");
		verdict_add_line(&writer->scratch, value_get(skipped->items[i], "reason"));
		text_add(&writer->scratch, "\n");
	}
}

/* The first finding that fails stands for all; NULL where a skip failed the target. */
static const struct value *first_failing(const struct output *output, const struct value *document)
{
	size_t n_findings;
	const struct value *findings = verdict_list(document, "findings", &n_findings);

	for (size_t i = 0; i < n_findings; i++)
		if (verdict_finding_fails(output, findings->items[i]))
			return findings->items[i];
	return NULL;
}

static void add_failure_element(
	struct junit_writer *writer, const struct output *output, const struct value *document)
{
	const struct value *first = first_failing(output, document);

	text_add(&writer->text, "<failure");
	add_attribute(writer, "type", value_text_or(value_get(first, "rule"), "skipped"));
	text_add(&writer->text, " message=\"");
	if (first)
		verdict_add_finding(&writer->scratch, first);
	else
		text_add(&writer->scratch, "rules were skipped");
	add_case_scratch(writer, true);
	text_add(&writer->text, "\">");
	add_case_findings(writer, output, document, true);
	if (output->skips_fail)
		add_case_skips(writer, document);
	add_case_scratch(writer, false);
	text_add(&writer->text, "</failure>\n");
}

static void add_error_element(struct junit_writer *writer, const struct value *document)
{
	const struct value *traceback = value_at(document, "error.traceback");

	text_add(&writer->text, "<error");
	add_attribute(writer, "type", value_text_or(value_get(document, "status"), "failed"));
	text_add(&writer->text, " message=\"");
	verdict_add_failure(&writer->scratch, document);
	add_case_scratch(writer, true);
	text_add(&writer->text, "\">");
	if (value_is(traceback, VALUE_TEXT))
		xml_add(&writer->text, traceback->bytes, traceback->n_bytes, false);
	text_add(&writer->text, "</error>\n");
}

/* What does not fail is the case's output. */
static void add_system_out(
	struct junit_writer *writer, const struct output *output, const struct value *document)
{
	add_case_findings(writer, output, document, false);
	if (output->verbosity > 0 && !output->skips_fail)
		add_case_skips(writer, document);
	if (!writer->scratch.n_bytes)
		return;
	text_add(&writer->text, "<system-out>");
	add_case_scratch(writer, false);
	text_add(&writer->text, "</system-out>\n");
}

static void begin_case(struct junit_writer *writer, const struct value *document)
{
	const char *target = value_text_or(value_get(document, "target"), "?");
	struct source_location source = source_location_find(&writer->finder, target);

	text_add(&writer->text, "<testcase");
	add_attribute(writer, "classname", source.file ? source.file : "suai");
	add_attribute(writer, "name", source.expression ? source.expression : target);
	if (source.file)
		add_attribute(writer, "file", source.file);
	if (source.line)
		text_printf(&writer->text, " line=\"%" PRId64 "\"", source.line);
	text_add(&writer->text, ">\n");
}

static int junit_begin(struct output *output, const struct value *head, struct err *err)
{
	struct junit_writer *writer = mem_alloc(sizeof(*writer));

	(void)head;
	output->state = writer;
	writer->spool = spool_open(err);
	return writer->spool ? 0 : -1;
}

static int junit_target(struct output *output, const struct value *document, struct err *err)
{
	struct junit_writer *writer = output->state;
	enum verdict verdict = verdict_of(output, document);

	writer->n_tests++;
	writer->n_failures += verdict == VERDICT_FAILED;
	writer->n_errors += verdict == VERDICT_BROKEN;
	begin_case(writer, document);
	if (verdict == VERDICT_BROKEN)
		add_error_element(writer, document);
	else if (verdict == VERDICT_FAILED)
		add_failure_element(writer, output, document);
	add_system_out(writer, output, document);
	text_add(&writer->text, "</testcase>\n");
	return verdict_flush(&writer->text, writer->spool, "junit", err);
}

static int write_testsuites(struct junit_writer *writer, FILE *stream, struct err *err)
{
	static const char *const elements[] = { "testsuites", "testsuite" };

	text_add(&writer->text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	for (size_t i = 0; i < 2; i++)
		text_printf(&writer->text,
			"<%s name=\"suai validate\" tests=\"%" PRId64 "\" failures=\"%" PRId64
			"\" errors=\"%" PRId64 "\" skipped=\"0\">\n",
			elements[i], writer->n_tests, writer->n_failures, writer->n_errors);
	if (verdict_flush(&writer->text, stream, "junit", err) ||
		spool_copy(writer->spool, stream, "junit", err))
		return -1;
	text_add(&writer->text, "</testsuite>\n</testsuites>\n");
	return verdict_flush(&writer->text, stream, "junit", err);
}

static int junit_end(struct output *output, const struct value *summary, struct err *err)
{
	struct junit_writer *writer = output->state;
	int status = summary && writer->spool ? write_testsuites(writer, output->stream, err) : 0;

	if (writer->spool)
		fclose(writer->spool);
	text_free(&writer->text);
	text_free(&writer->scratch);
	source_location_finder_free(&writer->finder);
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
