// SPDX-License-Identifier: MIT
/* Options to keywords of __dlpack__ (array API 2025.12, __dlpack__). */
#include "commands/dlpack_options.h"

#include "commands/device_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_two(const char *text, char separator, int64_t *first, int64_t *second)
{
	char *end;

	*first = strtoll(text, &end, 10);
	if (end == text || *end != separator)
		return false;
	text = end + 1;
	*second = strtoll(text, &end, 10);
	return end != text && !*end;
}

static struct value *pair(struct arena *arena, int64_t first, int64_t second)
{
	struct value *tuple = value_tuple(arena);

	value_append(arena, tuple, value_int(arena, first));
	value_append(arena, tuple, value_int(arena, second));
	return tuple;
}

static int add_device(struct arena *arena, struct value *job, const char *text, struct err *err)
{
	struct device_name name;

	if (device_name_parse(text, &name, err)) {
		err_wrap(err, "--dl-device");
		return -1;
	}
	if (name.type < 0)
		return err_set(err, EXIT_USAGE,
			"--dl-device '%s': DLPack numbers devices; 'suai devices' says which is which, such "
			"as oneapi:0",
			text);
	value_set(arena, job, "dl_device", pair(arena, name.type, name.id));
	return 0;
}

static int add_max_version(
	struct arena *arena, struct value *job, const char *text, struct err *err)
{
	int64_t major, minor;

	if (!strcmp(text, "none")) {
		value_set(arena, job, "max_version", value_null(arena));
		return 0;
	}
	if (strspn(text, "0123456789.") != strlen(text) || !parse_two(text, '.', &major, &minor) ||
		major > UINT32_MAX || minor > UINT32_MAX)
		return err_set(
			err, EXIT_USAGE, "--max-version '%s': write MAJOR.MINOR, or none", text);
	value_set(arena, job, "max_version", pair(arena, major, minor));
	return 0;
}

/* A number, or {py: EXPR}; NULL where the text is neither. */
static struct value *parse_handle(struct arena *arena, const char *text)
{
	struct value *stream;
	char *end;
	long long number = strtoll(text, &end, 0);

	if (end != text && !*end)
		return value_int(arena, number);
	if (strncmp(text, "py:", 3) != 0 || !text[3])
		return NULL;
	stream = value_map(arena);
	value_set(arena, stream, "py", value_text_escaped(arena, text + 3));
	return stream;
}

static int add_stream(struct arena *arena, struct value *job, const char *text, struct err *err)
{
	struct value *stream = parse_handle(arena, text);

	if (!strcmp(text, "none")) {
		stream = value_null(arena);
	} else if (!strcmp(text, "new")) {
		stream = value_map(arena);
		value_set(arena, stream, "new", value_bool(arena, true));
	} else if (!stream) {
		return err_set(err, EXIT_USAGE,
			"--stream '%s': write none, a number, new, or py:EXPR", text);
	}
	value_set(arena, job, "stream", stream);
	return 0;
}

struct value *dlpack_parse_producer(struct arena *arena, const char *text, struct err *err)
{
	struct value *stream = text ? parse_handle(arena, text) : value_null(arena);
	int64_t number;

	if (stream && (!value_to_int64(stream, &number) || number > 0))
		return stream;
	err_set(err, EXIT_USAGE, "--producer-stream '%s': write 1, 2, a handle, or py:EXPR", text);
	return NULL;
}

static struct value *copy_keyword(struct arena *arena, const char *when)
{
	return strcmp(when, "auto") ? value_bool(arena, !strcmp(when, "always"))
				    : value_null(arena);
}

struct value *dlpack_options_to_job(
	struct arena *arena, const struct dlpack_settings *settings, struct err *err)
{
	struct value *job = value_map(arena);

	if (settings->stream && add_stream(arena, job, settings->stream, err))
		return NULL;
	if (settings->max_version && add_max_version(arena, job, settings->max_version, err))
		return NULL;
	if (settings->dl_device && add_device(arena, job, settings->dl_device, err))
		return NULL;
	if (settings->copy)
		value_set(arena, job, "copy", copy_keyword(arena, settings->copy));
	return job;
}
