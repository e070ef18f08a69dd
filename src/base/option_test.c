// SPDX-License-Identifier: MIT
/* Command lines, what they set, and error messages. */
#include "base/array_size.h"
#include "base/option.h"

#include "base/memory.h"
#include "base/test.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct settings {
	bool quiet, verbose, no_skips;
	int64_t timeout_seconds, values;
	const char *format, *output;
	struct option_list protocols, lines;
};

#define ROW(LETTER, NAME, KIND, FIELD)                      \
	.letter = (LETTER), .name = (NAME), .kind = (KIND), \
	.offset = offsetof(struct settings, FIELD)

static const struct option own[] = {
	{ ROW(0, "values", OPTION_OPTIONAL_NUMBER, values), .argument = "N", .absent = 10 },
	{ ROW('l', "line", OPTION_LIST, lines), .argument = "TEXT" },
	{ .name = NULL },
};

static const struct option shared[] = {
	{ ROW('q', "quiet", OPTION_FLAG, quiet) },
	{ ROW('v', "verbose", OPTION_FLAG, verbose), .setting = "true" },
	{ ROW(0, "no-skips", OPTION_FLAG, no_skips), .setting = "true" },
	{ ROW('f', "format", OPTION_CHOICE, format), .argument = "FORMAT",
		.choices = "text yaml json" },
	{ ROW('o', "output", OPTION_TEXT, output), .argument = "FILE" },
	{ ROW('t', "timeout", OPTION_NUMBER, timeout_seconds), .argument = "SEC", .least = -5,
		.most = 99 },
	{ ROW('p', "protocol", OPTION_LIST, protocols), .argument = "P",
		.choices = "sycl cuda dlpack", .split = true },
	{ .name = NULL },
};

/* Another command's, ignored with their values. */
static const struct option other[] = {
	{ ROW('z', "zip", OPTION_FLAG, quiet), .setting = "true" },
	{ ROW('k', "key", OPTION_TEXT, output), .argument = "K" },
	{ .name = NULL },
};

static const struct option *const others[] = { other, NULL };

static const struct {
	const char *line, *settings;
} good[] = {
	{ "-v --no-verbose", "" },
	{ "--no-verbose -v", "verbose" },
	{ "--no-skips", "no-skips" },
	{ "--no-skips --skips", "" },
	{ "--no-skips --no-no-skips", "" },
	{ "-z --zip --no-zip a", "a" },
	{ "-k x --key=y -kz a", "a" },
	{ "-qzk x a", "quiet a" },
	{ "", "" },
	{ "a.py b.py", "a.py b.py" },
	{ "-q a.py -v", "quiet verbose a.py" },
	{ "-qv", "quiet verbose" },
	{ "-qfyaml", "quiet format=yaml" },
	{ "-f json", "format=json" },
	{ "--format=json --format text", "format=text" },
	{ "-qo -", "quiet output=-" },
	{ "--output=", "output=" },
	{ "-o --quiet", "output=--quiet" },
	{ "--timeout -5", "timeout=-5" },
	{ "-t99", "timeout=99" },
	{ "--values=9223372036854775807", "values=9223372036854775807" },
	{ "--values", "values=10" },
	{ "--values 7", "values=10 7" },
	{ "--values=7", "values=7" },
	{ "-p sycl -p dlpack", "protocol=sycl protocol=dlpack" },
	{ "-p sycl,,cuda,", "protocol=sycl protocol=cuda" },
	{ "--line=a,b -l c", "line=a,b line=c" },
	{ "- x", "- x" },
	{ "-- -q --format", "-q --format" },
	{ "a -- - --", "a - --" },
};

static const struct {
	const char *line, *message;
} bad[] = {
	{ "--fromat=yaml", "unknown option '--fromat' (did you mean '--format'?)" },
	{ "--valuse", "unknown option '--valuse' (did you mean '--values'?)" },
	{ "--zebra", "unknown option '--zebra'" },
	{ "-x", "unknown option '-x'" },
	{ "-qx", "unknown option '-x'" },
	{ "-qé", "unknown option '-é'" },
	{ "-f", "--format: requires a value (FORMAT)" },
	{ "-f yml", "--format: unknown value 'yml' (did you mean 'yaml'?)" },
	{ "-f YAML", "--format: unknown value 'YAML' (did you mean 'yaml'?)" },
	{ "--Format=yaml", "unknown option '--Format' (did you mean '--format'?)" },
	{ "-f xml", "--format: unknown value 'xml' (one of: text yaml json)" },
	{ "-p sycl,numba", "--protocol: unknown value 'numba' (one of: sycl cuda dlpack)" },
	{ "-t 1x", "--timeout: '1x' is not an integer" },
	{ "--timeout=", "--timeout: '' is not an integer" },
	{ "-t 9223372036854775808", "--timeout: '9223372036854775808' is out of range" },
	{ "--values=x", "--values: 'x' is not an integer" },
	{ "--quiet=1", "--quiet: takes no value" },
	{ "--no-quiet", "unknown option '--no-quiet'" },
	{ "--no-verbose=1", "--verbose: takes no value" },
	{ "--values=-1", "--values: -1 is too small; the minimum is 0" },
	{ "-t -6", "--timeout: -6 is too small; the minimum is -5" },
	{ "-t 100", "--timeout: 100 is too large; the maximum is 99" },
	{ "--key", "--key: requires a value (K)" },
};

static void add(struct text *out, const char *name, const char *value)
{
	text_printf(out, "%s%s%s%s", out->n_bytes ? " " : "", name, *name && value ? "=" : "",
		value ? value : "");
}

static void add_number(struct text *out, const char *name, int64_t value)
{
	char decimal[24];

	snprintf(decimal, sizeof(decimal), "%" PRId64, value);
	if (value)
		add(out, name, decimal);
}

static void add_list(struct text *out, const char *name, const struct option_list *list)
{
	for (size_t i = 0; i < list->n_items; i++)
		add(out, name, list->items[i]);
}

/* Parses line; what was set, or the message, goes to out. */
static int parse(const char *line, struct text *out)
{
	const struct option_tables tables = { .of = { own, shared }, .others = others };
	struct settings settings = { 0 };
	struct option_list operands = { 0 };
	char *copy = mem_copy_text(line), *rest = copy, *argv[16] = { (char[]){ "suai" } };
	struct err err = { 0 };
	int argc = 1, result;

	while (rest && *line)
		argv[argc++] = strsep(&rest, " ");
	result = option_parse(&tables, argc, argv, &settings, &operands, &err);
	if (result)
		text_add(out, err.code == EXIT_USAGE ? err.message : "wrong code");
	else
		text_add(out, "");
	if (!result) {
		if (settings.quiet)
			add(out, "quiet", NULL);
		if (settings.verbose)
			add(out, "verbose", NULL);
		if (settings.no_skips)
			add(out, "no-skips", NULL);
		if (settings.format)
			add(out, "format", settings.format);
		if (settings.output)
			add(out, "output", settings.output);
		add_number(out, "timeout", settings.timeout_seconds);
		add_number(out, "values", settings.values);
		add_list(out, "protocol", &settings.protocols);
		add_list(out, "line", &settings.lines);
		add_list(out, "", &operands);
	}
	option_list_free(&settings.protocols);
	option_list_free(&settings.lines);
	option_list_free(&operands);
	free(copy);
	return result;
}

static void test_suggestions(void)
{
	static const char *const words[] = { "inspect", "validate", "convert", "a" };
	static const char *const cases[][2] = { { "insepct", "inspect" }, { "vlidate", "validate" },
		{ "cnovrt", "convert" }, { "xyz", NULL }, { "b", NULL }, { "", NULL } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *got = option_suggest(cases[i][0], words, 4);

		CHECK(got == cases[i][1] || (got && cases[i][1] && !strcmp(got, cases[i][1])),
			"%s gave %s", cases[i][0], got ? got : "nothing");
	}
}

int main(void)
{
	struct text out = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		text_clear(&out);
		CHECK(!parse(good[i].line, &out), "%s: %s", good[i].line, out.bytes);
		CHECK(!strcmp(out.bytes, good[i].settings), "'%s' set '%s'", good[i].line,
			out.bytes);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		text_clear(&out);
		CHECK(parse(bad[i].line, &out), "%s was accepted", bad[i].line);
		CHECK(!strcmp(out.bytes, bad[i].message), "'%s': %s", bad[i].line, out.bytes);
	}
	test_suggestions();
	text_free(&out);
	return test_end();
}
