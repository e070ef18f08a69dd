// SPDX-License-Identifier: MIT
/* Findings as rows: their own keys, and the target that they are of. */
#include "findings/finding_query.h"

static const struct document_key finding_keys[] = {
	{ "target", .kinds = KEY_TEXT },
	{ "type", .kinds = KEY_TEXT },
	{ "rule", .kinds = KEY_TEXT },
	{ "name", .kinds = KEY_TEXT },
	{ "severity", .kinds = KEY_TEXT },
	{ "protocol", .kinds = KEY_TEXT },
	{ "field", .kinds = KEY_TEXT },
	{ "message", .kinds = KEY_TEXT },
	{ "why", .kinds = KEY_TEXT },
	{ "hint", .kinds = KEY_TEXT },
	{ "clause", .kinds = KEY_TEXT },
	{ 0 },
};

const struct query_table query_findings = { "a finding", finding_keys, NULL };

int finding_query_print(struct run *run, FILE *out, const struct value *document, const char *keys,
	enum exit_code code, struct err *err)
{
	const struct value *findings = value_get(document, "findings");
	struct arena arena = { 0 };
	int status = 0;

	for (size_t i = 0; i < findings->n_items && status >= 0; i++) {
		struct value *row = value_copy(&arena, findings->items[i]);

		value_set(&arena, row, "target", value_copy(&arena, value_get(document, "target")));
		value_set(&arena, row, "type", value_copy(&arena, value_get(document, "type")));
		status = query_print(out, row, keys, err);
	}
	run_tell_failure(run, document, code);
	arena_free(&arena);
	return status < 0 ? -1 : 0;
}
