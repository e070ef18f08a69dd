// SPDX-License-Identifier: MIT
/* --query: which keys are accepted, and the line printed for each. */
#include "run/query.h"

#include "base/test.h"
#include "documents/document.h"
#include "formats/yaml/yaml_read.h"

#include <stdlib.h>
#include <string.h>

static struct arena arena;

static const char target_yaml[] =
	"target: arrays.py:a\n"
	"interfaces:\n"
	"- protocol: numpy\n"
	"  declared: {shape: [3, 4], typestr: '<f4', data: [65536, true], version: 3}\n"
	"  memory: {kind: host, asked: {low: '0x10000', high: '0x10030'}, by: maps}\n";

static void check_query(const struct value *document, const char *keys, const char *protocol,
	int expected_status, const char *expected)
{
	char *bytes = NULL;
	size_t n_bytes = 0;
	FILE *stream = open_memstream(&bytes, &n_bytes);
	struct err err = { .message = "" };
	int status = query_check(&query_arrays, keys, &err);

	if (!status)
		status = query_print(
			stream, query_array_row(&arena, document, protocol), keys, &err);

	fclose(stream);
	CHECK(status == expected_status && !strcmp(bytes, expected), "--query %s: %d, '%s' %s",
		keys, status, bytes, err.message);
	free(bytes);
}

static void test_query(void)
{
	struct err err = { .message = "" };
	const struct value *written = yaml_read(&arena, target_yaml, strlen(target_yaml), &err);
	const struct value *facts = written ? document_to_facts(&arena, written, &err) : NULL;
	const struct value *document;

	CHECK(facts, "%s", err.message);
	if (!facts)
		return;
	document = document_from_facts(&arena, facts);
	check_query(document, "shape,strides_bytes,pointer", NULL, 0, "3 4\n16 4\n0x10000\n");
	check_query(document, "memory.kind,extent.low,readonly,shape[1]", "numpy", 0,
		"host\n0x10000\ntrue\n4\n");
	check_query(document, "memory.base,ndim", NULL, EXIT_FINDINGS, "\n2\n");
	check_query(document, "shape", "cuda", EXIT_FINDINGS, "\n");
	check_query(document, "protocol,version,status", NULL, 0, "numpy\n3\nok\n");
	check_query(document, "copy.path", NULL, EXIT_FINDINGS, "\n");
	check_query(document, "copy.result", NULL, -1, "");
	check_query(document, "shap", NULL, -1, "");
	check_query(document, "memory.knd", NULL, -1, "");
	check_query(document, "memory", NULL, -1, "");
	check_query(document, "memory.device", NULL, -1, "");
	check_query(document, "shape[", NULL, EXIT_FINDINGS, "\n");
}

int main(void)
{
	test_query();
	arena_free(&arena);
	return test_end();
}
