// SPDX-License-Identifier: MIT
/* Spellings of devices: DLPack's names and numbers, SYCL's filter strings, clinfo's numbers. */
#include "commands/device_name.h"

#include "facts/memory.h"
#include "model/runtimes.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* DLPack's names of devices whose memory convert knows. */
static const struct {
	const char *type, *runtime;
} rows[] = { { "cpu", "host" },
#define ROW(NAME, TYPE, ASKED, TEXT) { #TYPE, #NAME },
	DEVICE_RUNTIME_LIST(ROW) DESCRIBED_RUNTIME_LIST(ROW)
#undef ROW
};

/* How each runtime names its devices. */
static const struct named_runtime {
	const char *name, *device_type;
	enum { ORDINAL, FILTER, NUMBERS } text;
} runtimes[] = {
#define ROW(NAME, TYPE, ASKED, TEXT) { #NAME, #TYPE, TEXT },
	DEVICE_RUNTIME_LIST(ROW)
#undef ROW
};

static bool is_number(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0';
}

/* A whole number up to the character that ends it. */
static bool parse_number(const char *text, char end, int64_t *number, const char **rest)
{
	char *stop;

	errno = 0;
	*number = strtoll(text, &stop, 10);
	if (rest)
		*rest = stop + 1;
	return stop != text && *stop == end && !errno;
}

static bool is_pair(const char *text, char separator, int64_t *first, int64_t *second)
{
	const char *rest;

	return parse_number(text, separator, first, &rest) &&
	       parse_number(rest, '\0', second, NULL);
}

static void set_type(struct device_name *name, int64_t type)
{
	const char *type_name = device_type_name(type);

	name->type = type;
	for (size_t i = 0; type_name && i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].type, type_name))
			name->runtime = rows[i].runtime;
}

/* What follows the colon: FILTER, where a number is what DLPack counts, or P.D. */
static bool parse_filter_of(
	const struct named_runtime *runtime, const char *text, struct device_name *name)
{
	int64_t platform, device;

	if (runtime->text == ORDINAL || !*text)
		return false;
	if (runtime->text == NUMBERS &&
		(text[strspn(text, "0123456789.")] || !is_pair(text, '.', &platform, &device)))
		return false;
	name->filter = text;
	name->runtime = runtime->name;
	if (runtime->text == FILTER && is_number(text) && parse_number(text, '\0', &name->id, NULL))
		name->type = device_type_code(runtime->device_type);
	return true;
}

static bool parse_filter(const char *text, struct device_name *name)
{
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++) {
		size_t n_chars = strlen(runtimes[i].name);

		if (!strncmp(text, runtimes[i].name, n_chars) && text[n_chars] == ':' &&
			parse_filter_of(&runtimes[i], text + n_chars + 1, name))
			return true;
	}
	return false;
}

/* TYPE, or TYPE:ID. */
static bool parse_type(const char *text, struct device_name *name)
{
	const char *colon = strchr(text, ':');
	char type[32];
	int code;

	snprintf(type, sizeof(type), "%.*s", colon ? (int)(colon - text) : (int)strlen(text), text);
	code = device_type_code(type);
	if (code < 0 || (colon && !parse_number(colon + 1, '\0', &name->id, NULL)))
		return false;
	set_type(name, code);
	return true;
}

/* Whether text is a device once it is in lower case, as all names of devices are. */
static bool is_lower_device(const char *text, char lower[64])
{
	struct device_name ignored = { .type = -1 };
	size_t n_chars = strlen(text);

	if (n_chars >= 64)
		return false;
	for (size_t i = 0; i <= n_chars; i++)
		lower[i] = (char)tolower((unsigned char)text[i]);
	return parse_filter(lower, &ignored) || parse_type(lower, &ignored);
}

int device_name_parse(const char *text, struct device_name *name, struct err *err)
{
	char lower[64] = "";
	int64_t type;

	*name = (struct device_name){ .type = -1 };
	if (is_pair(text, ',', &type, &name->id)) {
		set_type(name, type);
		return 0;
	}
	name->id = 0;
	if (parse_filter(text, name) || parse_type(text, name))
		return 0;
	if (is_lower_device(text, lower))
		return err_set(
			err, EXIT_USAGE, "'%s' is no device (did you mean '%s'?)", text, lower);
	return err_set(err, EXIT_USAGE,
		"'%s' is no device; write " DEVICE_NAMES "; 'suai devices' lists what is here",
		text);
}

const char *device_name_place(struct arena *arena, const struct device_name *name)
{
	if (!strcmp(name->runtime, "host"))
		return "cpu";
	return name->filter ? arena_printf(arena, "%s:%s", name->runtime, name->filter)
			    : arena_printf(arena, "%s:%lld", name->runtime, (long long)name->id);
}
