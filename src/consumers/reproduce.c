// SPDX-License-Identifier: MIT
#include "consumers/reproduce.h"

#include "consumers/reproduce_script.h"

#include <string.h>

enum { FLOAT_CODE = 2 };

/* Where the row has no readable layout, that of an array with the dimensions and a type. */
static void describe_layout(struct script *script)
{
	struct array *layout = &script->layout;
	struct err ignored;

	script->has_layout = consumer_case_describe(script->row, layout, &script->n_bytes);
	script->has_type = layout->dtype.bits && layout->dtype.bits % 8 == 0;
	script->has_layout &= script->has_type;
	if (script->has_layout)
		return;
	if (!script->has_type)
		dtype_from_dlpack(&layout->dtype, FLOAT_CODE, 32, 1, &ignored);
	layout->pointer = 0;
	for (int i = 0; i < layout->n_dims; i++)
		layout->shape[i] = script->row->shape[i] > 0 && script->row->shape[i] < 8
					   ? script->row->shape[i]
					   : 1;
	array_set_compact_strides(layout, 'C');
}

/* In lines of at most REPRODUCE_MAX_COLUMNS characters. */
static void add_wrapped_comment(struct script *script, const char *text)
{
	size_t n_chars;

	for (; *text; text += n_chars + strspn(text + n_chars, " ")) {
		n_chars = strlen(text);
		if (n_chars > REPRODUCE_MAX_COLUMNS - 2) {
			n_chars = REPRODUCE_MAX_COLUMNS - 2;
			while (n_chars && text[n_chars] != ' ')
				n_chars--;
		}
		n_chars = n_chars ? n_chars : strcspn(text, " ");
		text_printf(&script->text, "# %.*s\n", (int)n_chars, text);
	}
}

/* Lines that are neither imports nor comments. */
static int count_lines_of_code(const char *script)
{
	int n_lines = 0;

	for (const char *line = script; line && *line;
		line = strchr(line, '\n'), line += line != NULL)
		n_lines += *line != '\n' && *line != '#' && strncmp(line, "import ", 7) != 0 &&
			   strncmp(line, "from ", 5) != 0;
	return n_lines;
}

static const char *write_script(struct arena *arena, const struct consumer_case *row,
	const struct tensor_interface *interface, const struct job_call *call,
	const struct reproduce_names *names, bool is_short)
{
	struct script script = { .arena = arena,
		.row = row,
		.interface = interface,
		.call = call,
		.names = names,
		.is_short = is_short,
		.name = row->expectation == EXPECT_ELEMENTS ? "expected" : "array",
		.n_bytes = 24 };
	static const char *const expectations[] = { "these elements, or an exception",
		"an exception", "an exception; a process that ends is a defect" };
	bool has_memory = !interface->has_structs || script_returns_capsule(&script);
	const char *text;

	describe_layout(&script);
	script.numbers = script_find_numbers(arena, &script.layout.dtype);
	script.device = script_find_device(&script);
	if (interface->has_structs)
		script_find_edits(&script);
	script_add_imports(&script, has_memory);
	add_wrapped_comment(&script, arena_printf(arena, "%s: %s.", row->id, row->about));
	text_printf(&script.text, "# Expected: %s.\n", expectations[row->expectation]);
	if (script_has_table(&script))
		script_add_short_expected(&script);
	else if (has_memory)
		script_add_expected(&script);
	if (script_has_extents(&script))
		script_add_extents(&script);
	if (interface->has_structs)
		script_add_dlpack_class(&script);
	else
		script_add_other_class(&script);
	script_add_check(&script, script_add_call(&script));
	text = arena_copy(arena, script.text.bytes, script.text.n_bytes);
	text_free(&script.text);
	return text;
}

const char *reproduce_script(struct arena *arena, const struct consumer_case *row,
	const struct tensor_interface *interface, const struct job_call *call,
	const struct reproduce_names *names)
{
	const char *script = write_script(arena, row, interface, call, names, false);

	return count_lines_of_code(script) <= REPRODUCE_MAX_LINES
		       ? script
		       : write_script(arena, row, interface, call, names, true);
}
