// SPDX-License-Identifier: MIT
/* Telling the name of a function from an expression. */
#include "targets/call_text.h"

#include "base/identifier.h"
#include "base/memory.h"
#include "base/python_code.h"
#include "targets/targets.h"

#include <stdlib.h>
#include <string.h>

/* FILE.py:function, where an expression contains no name after a colon only. 1: it is not. */
static int parse_file(struct arena *arena, const char *option, const char *text,
	struct job_call *call, struct err *err)
{
	const char *name, *function, *base;
	size_t n_chars;
	char *real;

	target_split(arena, text, &name, &function);
	n_chars = strlen(name);
	if (!function || !is_dotted_name(function) || n_chars < 4 ||
		strcmp(name + n_chars - 3, ".py") != 0)
		return 1;
	real = mem_real_path(name);
	if (!real)
		return err_set(err, EXIT_USAGE, "%s: no such file: '%s'", option, name);
	call->file = value_text_escaped(arena, real)->bytes;
	free(real);
	base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	call->module = arena_copy(arena, base, strlen(base) - 3);
	call->function = function;
	return 0;
}

int call_text_parse(struct arena *arena, const char *option, const char *text,
	struct job_call *call, struct err *err)
{
	size_t n_module;
	int status;

	if (!text)
		return 0;
	call->spelled = text;
	status = target_is_file(text) ? parse_file(arena, option, text, call, err) : 1;
	if (status < 1)
		return status;
	n_module = dotted_name_length(text);
	if (n_module && text[n_module] == ':' && is_dotted_name(text + n_module + 1)) {
		call->module = arena_copy(arena, text, n_module);
		call->function = text + n_module + 1;
		return 0;
	}
	call->expression = text;
	if (expression_count_name(text, "_"))
		return 0;
	err_set(err, EXIT_USAGE, "%s '%s' does not use _, the object that is passed", option, text);
	return err_suggest(err, is_dotted_name(text) ? arena_printf(arena, "%s(_)", text) : NULL,
		"; examples are numpy:from_dlpack and 'np.from_dlpack(_)'");
}
