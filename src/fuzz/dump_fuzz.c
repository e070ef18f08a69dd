// SPDX-License-Identifier: MIT
/*
 * Any file as a dump: documents of inspect, reports of trace, lists of pieces, captures of the
 * module. All rules check what is read, and a format writes it; from a document, it is read again.
 * The first byte chooses the format, and between a document with edits and a capture, whose
 * checksums are made right.
 */
#include "base/crc32.h"
#include "documents/document.h"
#include "facts/capture_stream.h"
#include "formats/format.h"
#include "formats/yaml/yaml_read.h"
#include "fuzz/edits.h"
#include "rules/engine/run.h"
#include "targets/dump.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TARGETS = 16, CAPTURE_RECORD_HEAD_BYTES = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

static void report(const char *what, const char *message, const char *text)
{
	fprintf(stderr, "%s: %s\n%s\n", what, message, text);
	abort();
}

/* One target in a format (free with free()). */
static char *format_target(
	const struct format *format, const struct fact_target *target, size_t *n_bytes)
{
	const struct fact_summary summary = { .present = true };
	const struct fact_head head = { .present = true };
	struct err err = { .message = "" };
	char *bytes = NULL;
	FILE *stream = open_memstream(&bytes, n_bytes);
	struct format_output output = {
		.stream = stream, .command = "validate", .verbosity = 1, .skips_fail = true
	};

	if (format->begin(&output, &head, &err) || format->target(&output, target, &err) ||
		format->end(&output, &summary, &err))
		report(format->name, err.message, "");
	fclose(stream);
	return bytes;
}

static const struct format *choose_format(size_t number)
{
	size_t i = 0;

	for (; number; number--)
		i = formats[i + 1] ? i + 1 : 0;
	return formats[i];
}

/* JSON and SARIF are YAML, too. */
static bool is_yaml(const struct format *format)
{
	return !strcmp(format->name, "yaml") || !strcmp(format->name, "json") ||
	       !strcmp(format->name, "sarif");
}

/* The target of a document has the same facts. */
static void check_document(struct arena *arena, const struct value *document,
	const struct fact_target *target, const char *text)
{
	const struct value *item = value_item(value_get(document, "targets"), 0);
	struct fact_target back, expected = *target;
	struct err err = { .message = "" };

	if (document_read(arena, item, &back, &err))
		report("read again", err.message, text);
	document_derive(arena, &back);
	expected.findings = expected.known = (struct fact_finding_list){ 0 };
	expected.skipped = (struct fact_skip_list){ 0 };
	if (!value_equal(document_write(arena, &back), document_write(arena, &expected)))
		report("read again", "another document", text);
}

static void check_dumped(struct arena *arena, const struct rule_selection *selection,
	struct fact_target *target, const struct format *format)
{
	struct rule_results results;
	const struct value *read = NULL;
	struct err err = { .message = "" };
	size_t n_bytes;
	char *bytes;

	document_derive(arena, target);
	results = rules_run(selection, target, arena);
	for (size_t i = 0; i < results.findings.n_items; i++)
		if (!rule_find(results.findings.items[i].rule) ||
			!results.findings.items[i].message[0])
			abort();
	target->findings = results.findings;
	target->skipped = results.skipped;
	bytes = format_target(format, target, &n_bytes);
	if (is_yaml(format) && !(read = yaml_read(arena, bytes, n_bytes, &err)))
		report(format->name, err.message, bytes);
	if (read && strcmp(format->name, "sarif") != 0)
		check_document(arena, read, target, bytes);
	free(bytes);
}

/* The payload as the only record of a capture. */
static const char *capture_file(const uint8_t *payload, size_t n_bytes)
{
	uint32_t crc32 = crc32_add(0, payload, n_bytes);
	struct text text = { 0 };
	unsigned char head[CAPTURE_RECORD_HEAD_BYTES];
	const char *path;

	for (int i = 0; i < 4; i++) {
		head[i] = (unsigned char)(n_bytes >> 8 * i);
		head[i + 4] = (unsigned char)(crc32 >> 8 * i);
	}
	capture_stream_begin(&text);
	text_add_bytes(&text, head, sizeof(head));
	text_add_bytes(&text, payload, n_bytes);
	path = fuzz_file(text.bytes, text.n_bytes);
	text_free(&text);
	return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	const struct rule_request request = { .fail_from = SEVERITY_ERROR, .facts = FACT_ALL };
	static struct arena kept;
	static const struct rule_selection *selection;
	struct arena arena = { 0 };
	struct fact_target target;
	struct err err = { .message = "" };
	const char *path;
	struct dump dump;

	if (!n_bytes)
		return 0;
	if (!selection)
		selection = rules_select(&kept, &request, &err);
	if (!selection)
		abort();
	path = bytes[0] & 1 ? capture_file(bytes + 1, n_bytes - 1)
			    : fuzz_edited_file(bytes + 1, n_bytes - 1);
	if (!dump_open(&dump, &arena, path, 1, &err))
		for (int i = 0; i < MAX_TARGETS && dump_next(&dump, &arena, &target); i++)
			check_dumped(&arena, selection, &target, choose_format(bytes[0] / 2));
	else if (!err.message[0])
		abort();
	dump_close(&dump);
	arena_free(&arena);
	return 0;
}
