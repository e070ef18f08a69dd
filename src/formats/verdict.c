// SPDX-License-Identifier: MIT
/* Verdicts, and text of objects without line breaks. */
#include "formats/verdict.h"

#include "model/escape.h"

#include <errno.h>
#include <string.h>

static int severity_rank(const char *severity)
{
	static const char *const severities[] = { "note", "warning", "error" };

	for (int i = 0; i < 3; i++)
		if (!strcmp(severities[i], severity))
			return i;
	return 2;
}

bool verdict_finding_fails(const struct output *output, const struct value *finding)
{
	const char *severity = value_text_or(value_get(finding, "severity"), "error");
	const char *fail_from = output->fail_from ? output->fail_from : "error";

	return severity_rank(severity) >= severity_rank(fail_from);
}

const struct value *verdict_list(const struct value *document, const char *key, size_t *n_items)
{
	const struct value *list = value_get(document, key);

	*n_items = value_is_sequence(list) ? list->n_items : 0;
	return list;
}

enum verdict verdict_of(const struct output *output, const struct value *document)
{
	size_t n_findings, n_skipped;
	const struct value *findings = verdict_list(document, "findings", &n_findings);

	if (!value_is_text(value_get(document, "status"), "ok"))
		return VERDICT_BROKEN;
	for (size_t i = 0; i < n_findings; i++)
		if (verdict_finding_fails(output, findings->items[i]))
			return VERDICT_FAILED;
	verdict_list(document, "skipped", &n_skipped);
	return output->skips_fail && n_skipped ? VERDICT_FAILED : VERDICT_PASSED;
}

bool verdict_shows_skips(const struct output *output)
{
	return output->skips_fail || output->verbosity > 0;
}

void verdict_add_line(struct text *out, const struct value *value)
{
	const char *line, *end;
	size_t n_bytes;

	if (!value_is(value, VALUE_TEXT))
		return;
	line = value->bytes;
	end = line + value->n_bytes;
	while (end > line && end[-1] == '\n')
		end--;
	for (; line <= end; line += n_bytes + 1) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));

		n_bytes = (size_t)((stop ? stop : end) - line);
		if (line > value->bytes)
			text_add(out, " ");
		escape_text(out, line, n_bytes, ESCAPE_TERMINAL);
	}
}

void verdict_add_finding(struct text *out, const struct value *finding)
{
	verdict_add_line(out, value_get(finding, "rule"));
	text_add(out, " ");
	verdict_add_line(out, value_get(finding, "name"));
	text_add(out, ": ");
	verdict_add_line(out, value_get(finding, "message"));
}

void verdict_add_failure(struct text *out, const struct value *document)
{
	const struct value *step = value_get(document, "step");
	const struct value *error = value_get(document, "error");
	const struct value *type = value_get(error, "type");
	const struct value *message = value_get(error, "message");

	verdict_add_line(out, value_get(document, "status"));
	if (!value_is_null(step))
		text_add(out, " at ");
	verdict_add_line(out, step);
	if (!value_is_null(type))
		text_add(out, ": ");
	verdict_add_line(out, type);
	if (!value_is_null(message))
		text_add(out, ": ");
	verdict_add_line(out, message);
}

int verdict_flush(struct text *text, FILE *stream, const char *format, struct err *err)
{
	if (text->n_bytes && fwrite(text->bytes, 1, text->n_bytes, stream) != text->n_bytes)
		return err_set(err, EXIT_USAGE, "cannot write %s: %s", format, strerror(errno));
	text_clear(text);
	return 0;
}
