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

static void check_query_as(const char *format, const struct fact_target *target, const char *keys,
	const char *protocol, int expected_status, const char *expected)
{
	char *bytes = NULL;
	size_t n_bytes = 0;
	FILE *stream = open_memstream(&bytes, &n_bytes);
	struct err err = { .message = "" };
	int status = query_check(&query_arrays, keys, format, &err);

	if (!status)
		status = query_print(
			stream, query_array_row(&arena, target, protocol), keys, format, &err);

	fclose(stream);
	CHECK(status == expected_status && !strcmp(bytes, expected), "--query %s: %d, '%s' %s",
		keys, status, bytes, err.message);
	free(bytes);
}

static void check_query(const struct fact_target *target, const char *keys, const char *protocol,
	int expected_status, const char *expected)
{
	check_query_as("text", target, keys, protocol, expected_status, expected);
}

static void test_query(void)
{
	struct err err = { .message = "" };
	struct fact_target target;
	const struct value *written = yaml_read(&arena, target_yaml, strlen(target_yaml), &err);
	bool is_read = written && !document_read(&arena, written, &target, &err);

	CHECK(is_read, "%s", err.message);
	if (!is_read)
		return;
	document_derive(&arena, &target);
	check_query(&target, "shape,strides_bytes,pointer", NULL, 0, "3 4\n16 4\n0x10000\n");
	check_query(&target, "memory.kind,extent.low,readonly,shape[1]", "numpy", 0,
		"host\n0x10000\ntrue\n4\n");
	check_query(&target, "memory.base,ndim", NULL, EXIT_FINDINGS, "\n2\n");
	check_query(&target, "shape", "cuda", EXIT_FINDINGS, "\n");
	check_query(&target, "protocol,version,status", NULL, 0, "numpy\n3\nok\n");
	check_query(&target, "copy.path", NULL, EXIT_FINDINGS, "\n");
	check_query(&target, "copy.result", NULL, -1, "");
	check_query_as("tsv", &target, "shape,protocol,ndim", NULL, 0, "3 4\tnumpy\t2\n");
	check_query_as("tsv", &target, "shape", NULL, 0, "3 4\n");
	check_query_as(
		"tsv", &target, "memory.base,ndim,copy.path", NULL, EXIT_FINDINGS, "\t2\t\n");
	check_query_as("tsv", &target, "shape,shap", NULL, -1, "");
	check_query_as("tsv", &target, NULL, NULL, -1, "");
	check_query(&target, "shap", NULL, -1, "");
	check_query(&target, "memory.knd", NULL, -1, "");
	check_query(&target, "memory", NULL, -1, "");
	check_query(&target, "memory.device", NULL, -1, "");
	check_query(&target, "shape[", NULL, EXIT_FINDINGS, "\n");
}

int main(void)
{
	test_query();
	arena_free(&arena);
	return test_end();
}
