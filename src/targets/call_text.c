// SPDX-License-Identifier: MIT
/* Telling the name of a function from an expression. */
#include "targets/call_text.h"

#include "base/memory.h"
#include "targets/targets.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_identifier_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

bool call_text_names_object(const char *text)
{
	for (const char *at = strchr(text, '_'); at; at = strchr(at + 1, '_'))
		if ((at == text || !is_identifier_char(at[-1])) && !is_identifier_char(at[1]))
			return true;
	return false;
}

/* The end of the dotted name at text; NULL: there is none. */
static const char *end_of_name(const char *text)
{
	do {
		if (!is_identifier_char(*text) || isdigit((unsigned char)*text))
			return NULL;
		while (is_identifier_char(*text))
			text++;
	} while (*text == '.' && *++text);
	return text[-1] == '.' ? NULL : text;
}

/* FILE.py:function, where an expression contains no name after a colon only. 1: it is not. */
static int parse_file(struct arena *arena, const char *option, const char *text,
	struct job_call *call, struct err *err)
{
	const char *name, *function, *end, *base;
	size_t n_chars;
	char *real;

	target_split(arena, text, &name, &function);
	end = function ? end_of_name(function) : NULL;
	n_chars = strlen(name);
	if (!end || *end || n_chars < 4 || strcmp(name + n_chars - 3, ".py") != 0)
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
	const char *end = text ? end_of_name(text) : NULL;
	const char *end_of_function = end && *end == ':' ? end_of_name(end + 1) : NULL;
	int status;

	if (!text)
		return 0;
	call->spelled = text;
	status = target_is_file(text) ? parse_file(arena, option, text, call, err) : 1;
	if (status < 1)
		return status;
	if (end_of_function && !*end_of_function) {
		call->module = arena_copy(arena, text, (size_t)(end - text));
		call->function = end + 1;
		return 0;
	}
	call->expression = text;
	if (call_text_names_object(text))
		return 0;
	if (end && !*end)
		return err_set(err, EXIT_USAGE,
			"%s '%s' does not use _, the object that is passed (did you mean '%s(_)'?)",
			option, text, text);
	return err_set(err, EXIT_USAGE,
		"%s '%s' does not use _, the object that is passed; examples are numpy:from_dlpack and "
		"'np.from_dlpack(_)'",
		option, text);
}
