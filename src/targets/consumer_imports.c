// SPDX-License-Identifier: MIT
/*
 * The modules of a dotted name. Which part of it is a module is known only once it is imported:
 * PIL.Image is one, and has to be imported; pyarrow.Tensor is a class, and tensorflow.experimental
 * an attribute.
 */
#include "targets/consumer_imports.h"

#include "model/usual_names.h"
#include "supervisor/answer.h"
#include "supervisor/find_python.h"

static const char *show_usual_names(struct arena *arena)
{
	const char *text = "";

	for (const struct usual_name *row = usual_names; row->name; row++)
		text = arena_printf(arena, "%s %s=%s", text, row->name, row->module);
	return text;
}

const char *consumer_imports(struct arena *arena, const struct import_settings *settings,
	const char *expression, const char *code, const char **error)
{
	const char *const arguments[] = { "-c", consumer_imports_source, expression,
		code ? code : "", show_usual_names(arena), NULL };
	struct child_answer answer = { 0 };
	const char *lines = NULL;
	struct python python;
	struct err ignored;

	*error = NULL;
	if (!python_find(settings->python, &python, &ignored) &&
		!answer_read(python.executable, arguments, (double)settings->timeout_seconds,
			&answer, &ignored) &&
		answer_is_complete(&answer))
		lines = arena_copy(
			arena, answer.text.n_bytes ? answer.text.bytes : "", answer.text.n_bytes);
	text_free(&answer.text);
	python_free(&python);
	if (lines && *lines == '!') {
		*error = lines + 1;
		return NULL;
	}
	return lines;
}
