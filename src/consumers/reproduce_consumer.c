// SPDX-License-Identifier: MIT
/* The call of the consumer, and the check of what it returns. */
#include "consumers/reproduce_script.h"

#include "base/identifier.h"
#include "base/python_code.h"

#include <string.h>

static const char *quote(struct arena *arena, const char *text)
{
	const char *quoted = "\"";

	for (; *text; text++)
		quoted = arena_printf(
			arena, "%s%s%c", quoted, *text == '"' || *text == '\\' ? "\\" : "", *text);
	return arena_printf(arena, "%s\"", quoted);
}

/* The function that an expression over the names of a file returns. */
static const char *show_function_of_file(
	struct arena *arena, const char *file, const char *function)
{
	const char *names = arena_printf(arena, "runpy.run_path(%s)", quote(arena, file));

	if (is_identifier(function))
		return arena_printf(arena, "%s[\"%s\"]", names, function);
	return arena_printf(arena, "eval(%s, %s)", quote(arena, function), names);
}

const char *script_add_call(struct script *script)
{
	const char *object =
		script->interface->release == RELEASE_BUFFER ? "memoryview(expected)" : "Tensor()";
	const struct reproduce_names *names = script->names;
	const struct job_call *call = script->call;
	struct arena *arena = script->arena;
	const char *passed;

	if (call->module)
		return arena_printf(arena, "%s.%s(%s)",
			strcmp(call->module, "numpy") != 0 ? call->module : "np", call->function,
			object);
	if (names->file)
		return arena_printf(arena, "%s(%s)",
			show_function_of_file(arena, names->file, names->function), object);
	if (expression_count_name(call->expression, "_") == 1)
		return expression_replace_name(arena, call->expression, "_", object);
	passed = arena_printf(arena, "(lambda _: %s)(%s)", call->expression, object);
	if (strlen("result = ") + strlen(passed) <= REPRODUCE_MAX_COLUMNS)
		return passed;
	text_printf(&script->text, "_ = %s\n", object);
	return call->expression;
}

/* A line that reads what the consumer returns, in the format; two if it would be too long. */
static void add_line_of_result(
	struct script *script, const char *before, const char *passed, const char *after)
{
	if (strlen(before) + strlen(passed) + strlen(after) <= REPRODUCE_MAX_COLUMNS)
		text_printf(&script->text, "%s%s%s\n", before, passed, after);
	else
		text_printf(&script->text, "result = %s\n%sresult%s\n", passed, before, after);
}

static void add_device_check(struct script *script, const char *passed)
{
	const struct device_script *device = script->device;

	if (!array_elements(&script->layout))
		text_printf(&script->text,
			"result = %s\nassert tuple(result.shape) == expected.shape, result\n",
			passed);
	else
		add_line_of_result(script, device->check[0], passed, device->check[1]);
}

/* What reads a result in place: only NumPy's own are known to have __dlpack__. */
static const char *find_reader(struct script *script, const char **passed)
{
	const struct job_call *call = script->call;

	if (call->module && !strcmp(call->module, "numpy"))
		return "np.from_dlpack(";
	text_printf(&script->text, "out = %s\n", *passed);
	*passed = "out";
	return "(np.from_dlpack if hasattr(out, \"__dlpack__\") else np.asarray)(";
}

void script_add_check(struct script *script, const char *passed)
{
	const struct consumer_case *row = script->row;
	struct arena *arena = script->arena;
	const char *read = "np.asarray(", *end = ")";

	if (row->expectation != EXPECT_ELEMENTS) {
		add_line_of_result(script, "print(\"accepted:\", type(", passed, "))");
		return;
	}
	if (script->device) {
		add_device_check(script, passed);
		return;
	}
	if (script->interface->has_structs && script->numbers.is_native)
		read = find_reader(script, &passed);
	else if (script->interface->has_structs)
		end = arena_printf(arena, ").view(\"%s\")", script->numbers.kind);
	if (!(row->flags & CASE_READONLY)) {
		add_line_of_result(script,
			arena_printf(arena, "np.testing.assert_array_equal(%s", read), passed,
			arena_printf(arena, "%s, expected)", end));
		return;
	}
	add_line_of_result(script, arena_printf(arena, "array = %s", read), passed, end);
	text_printf(&script->text,
		"assert np.array_equal(array, expected)"
		" and not (array.flags.writeable and np.shares_memory(array, expected))\n");
}
