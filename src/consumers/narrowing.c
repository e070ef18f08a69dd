// SPDX-License-Identifier: MIT
#include "consumers/narrowing.h"

#include <stdlib.h>
#include <string.h>

/* The number of bits at the end of a type's name: 16 of "float16"; 0: none. */
static long bits_of_name(const char *name)
{
	size_t n_chars = strcspn(name, "0123456789");

	return name[n_chars] ? strtol(name + n_chars, NULL, 10) : 0;
}

static bool dtype_begins_with(const char *text, const char *word)
{
	return !strncmp(text, word, strlen(word));
}

static bool is_real_dtype(const char *name)
{
	return dtype_begins_with(name, "float") || dtype_begins_with(name, "bfloat");
}

static bool is_integer_dtype(const char *name)
{
	return dtype_begins_with(name, "int") || dtype_begins_with(name, "uint");
}

bool dtype_name_is_narrower(const char *from, const char *to)
{
	if (dtype_begins_with(from, "complex") && dtype_begins_with(to, "complex"))
		return bits_of_name(to) < bits_of_name(from);
	if (is_real_dtype(from) && is_real_dtype(to))
		return bits_of_name(to) < bits_of_name(from) ||
		       (dtype_begins_with(from, "bfloat") && !strcmp(to, "float16"));
	if (dtype_begins_with(from, "int") && dtype_begins_with(to, "int"))
		return bits_of_name(to) < bits_of_name(from);
	if (dtype_begins_with(from, "uint"))
		return dtype_begins_with(to, "uint")
			       ? bits_of_name(to) < bits_of_name(from)
			       : dtype_begins_with(to, "int") &&
					 bits_of_name(to) <= bits_of_name(from);
	if (dtype_begins_with(from, "int"))
		return dtype_begins_with(to, "uint");
	return (dtype_begins_with(from, "complex") &&
		       (is_real_dtype(to) || is_integer_dtype(to))) ||
	       (is_real_dtype(from) && is_integer_dtype(to));
}
