// SPDX-License-Identifier: MIT
/* Converts options to keywords of __dlpack__ (array API 2025.12, __dlpack__). */
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

static struct value *integer_pair(struct arena *arena, int64_t first, int64_t second)
{
	struct value *tuple = value_tuple(arena);

	value_append(arena, tuple, value_int(arena, first));
	value_append(arena, tuple, value_int(arena, second));
	return tuple;
}

static int add_device(
	struct arena *arena, struct value *keywords, const char *text, struct err *err)
{
	struct job_device device;

	if (device_name_parse(text, &device, err)) {
		err_wrap(err, "--dl-device");
		return -1;
	}
	if (device.type < 0)
		return err_set(err, EXIT_USAGE,
			"--dl-device '%s': expected a DLPack device, such as oneapi:0; 'suai devices' lists them",
			text);
	value_set(arena, keywords, "dl_device", integer_pair(arena, device.type, device.id));
	return 0;
}

static int add_max_version(
	struct arena *arena, struct value *keywords, const char *text, struct err *err)
{
	int64_t major, minor;

	if (!strcmp(text, "none")) {
		value_set(arena, keywords, "max_version", value_null(arena));
		return 0;
	}
	if (strspn(text, "0123456789.") != strlen(text) || !parse_two(text, '.', &major, &minor) ||
		major > UINT32_MAX || minor > UINT32_MAX)
		return err_set(
			err, EXIT_USAGE, "--max-version '%s': expected MAJOR.MINOR, or none", text);
	value_set(arena, keywords, "max_version", integer_pair(arena, major, minor));
	return 0;
}

/* A number, or py:EXPR. */
static bool parse_handle(const char *text, struct job_stream *stream)
{
	char *end;

	*stream =
		(struct job_stream){ .kind = JOB_STREAM_HANDLE, .handle = strtoll(text, &end, 0) };
	if (end != text && !*end)
		return true;
	*stream = (struct job_stream){ .kind = JOB_STREAM_PYTHON, .expression = text + 3 };
	return !strncmp(text, "py:", 3) && text[3];
}

int stream_option_parse(const char *text, struct job_stream *stream, struct err *err)
{
	*stream = (struct job_stream){ 0 };
	if (!text)
		return 0;
	stream->kind = strcmp(text, "new") ? JOB_STREAM_NONE : JOB_STREAM_NEW;
	if (!strcmp(text, "none") || !strcmp(text, "new") || parse_handle(text, stream))
		return 0;
	return err_set(
		err, EXIT_USAGE, "--stream '%s': expected none, a number, new, or py:EXPR", text);
}

int producer_option_parse(const char *text, struct job_stream *stream, struct err *err)
{
	*stream = (struct job_stream){ 0 };
	if (!text || (parse_handle(text, stream) &&
			     (stream->kind == JOB_STREAM_PYTHON || stream->handle > 0)))
		return 0;
	return err_set(err, EXIT_USAGE,
		"--producer-stream '%s': expected 1, 2, a handle, or py:EXPR", text);
}

struct value *dlpack_options_parse(
	struct arena *arena, const struct dlpack_settings *settings, struct err *err)
{
	enum job_copy copy = job_copy_from_word(settings->copy);
	struct value *keywords = value_map(arena);
	struct job_stream stream;

	if (stream_option_parse(settings->stream, &stream, err))
		return NULL;
	if (stream.kind != JOB_STREAM_UNSET)
		value_set(arena, keywords, "stream", job_stream_to_value(arena, &stream));
	if (settings->max_version && add_max_version(arena, keywords, settings->max_version, err))
		return NULL;
	if (settings->dl_device && add_device(arena, keywords, settings->dl_device, err))
		return NULL;
	if (settings->copy)
		value_set(arena, keywords, "copy",
			copy == JOB_COPY_AUTO ? value_null(arena)
					      : value_bool(arena, copy == JOB_COPY_ALWAYS));
	return keywords;
}
