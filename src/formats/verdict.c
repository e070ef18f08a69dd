// SPDX-License-Identifier: MIT
/* Verdicts, and untrusted text without line breaks. */
#include "formats/verdict.h"

#include "model/escape.h"

#include <errno.h>
#include <string.h>

bool verdict_finding_fails(const struct format_output *output, const struct fact_finding *finding)
{
	return finding->severity >= output->fail_from;
}

bool verdict_needs_no_action(const struct format_output *output, const struct fact_finding *finding)
{
	return finding->severity == SEVERITY_NOTE && !verdict_finding_fails(output, finding) &&
	       (finding->excused_by || finding->actionable == ANSWER_NO);
}

enum verdict verdict_of(const struct format_output *output, const struct fact_target *target)
{
	if (target->status != STATUS_OK)
		return VERDICT_BROKEN;
	for (size_t i = 0; i < target->findings.n_items; i++)
		if (verdict_finding_fails(output, &target->findings.items[i]))
			return VERDICT_FAILED;
	return output->skips_fail && target->skipped.n_items ? VERDICT_FAILED : VERDICT_PASSED;
}

bool verdict_shows_skips(const struct format_output *output)
{
	return output->skips_fail || output->verbosity > 0;
}

void verdict_add_line(struct text *out, const char *line)
{
	size_t n_bytes;

	if (!line)
		return;
	n_bytes = strlen(line);
	while (n_bytes && line[n_bytes - 1] == '\n')
		n_bytes--;
	for (const char *end = line + n_bytes, *stop; line <= end; line = stop + 1) {
		stop = memchr(line, '\n', (size_t)(end - line));
		stop = stop ? stop : end;
		escape_text(out, line, (size_t)(stop - line), ESCAPE_TERMINAL);
		text_add(out, stop < end ? " " : "");
	}
}

void verdict_add_cause_key(struct text *key, const char *message)
{
	enum { MIN_ADDRESS_DIGITS = 5 }; /* Linux maps nothing below 0x10000 */
	static const char noun[] = "address ", suggestion[] = "; try '", element[] = ": element (";
	const size_t n_noun = strlen(noun);

	for (const char *at = message ? message : "";
		*at && strncmp(at, suggestion, strlen(suggestion)) != 0 &&
		strncmp(at, element, strlen(element)) != 0;) {
		size_t n_digits = strncmp(at, "0x", 2) ? 0 : strspn(at + 2, "0123456789abcdef");
		bool is_named = n_digits && (size_t)(at - message) >= n_noun &&
				!strncmp(at - n_noun, noun, n_noun);
		bool is_address = n_digits >= MIN_ADDRESS_DIGITS || is_named;

		text_add_bytes(key, at, is_address ? 2 : 1);
		at += is_address ? 2 + n_digits : 1;
	}
}

void verdict_add_finding(struct text *out, const struct fact_finding *finding)
{
	verdict_add_line(out, finding->rule);
	text_add(out, " ");
	verdict_add_line(out, finding->name);
	text_add(out, ": ");
	verdict_add_line(out, finding->message);
}

void verdict_add_error(struct text *out, const struct fact_error *error)
{
	struct text message = { 0 };

	verdict_add_line(out, error->type);
	text_add(out, error->type && error->message && *error->message ? ": " : "");
	if (error->message) {
		text_add_truncated(
			&message, error->message, strlen(error->message), TEXT_MESSAGE_BYTES);
		verdict_add_line(out, message.bytes);
	}
	text_free(&message);
}

bool verdict_is_unreadable(const struct fact_target *target)
{
	return target->status == STATUS_MISSING && fact_text_is(target->step, "read");
}

void verdict_add_failure(struct text *out, const struct fact_target *target)
{
	const struct fact_error *error = &target->error;

	if (verdict_is_unreadable(target)) {
		text_add(out, "unreadable");
	} else {
		verdict_add_line(out, target_status_name(target->status));
		text_add(out, target->step ? " at " : "");
		verdict_add_line(out, target->step);
	}
	text_add(out, error->type || error->message ? ": " : "");
	verdict_add_error(out, error);
}

int verdict_flush(struct text *text, FILE *stream, struct err *err)
{
	if (text->n_bytes && fwrite(text->bytes, 1, text->n_bytes, stream) != text->n_bytes)
		return err_set(err, EXIT_USAGE, "%s", strerror(errno));
	text_clear(text);
	return 0;
}
