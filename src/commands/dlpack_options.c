// SPDX-License-Identifier: MIT
/* Converts options to keywords of __dlpack__ (array API 2025.12, __dlpack__). */
#include "commands/dlpack_options.h"

#include "model/device_name.h"

#include <errno.h>
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

static int parse_dl_device(const char *text, struct job_pair *pair, struct err *err)
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
	*pair = (struct job_pair){ JOB_PAIR_GIVEN, device.type, device.id };
	return 0;
}

static int parse_max_version(const char *text, struct job_pair *pair, struct err *err)
{
	int64_t major, minor;

	if (!strcmp(text, "none")) {
		pair->kind = JOB_PAIR_NONE;
		return 0;
	}
	if (strspn(text, "0123456789.") != strlen(text) || !parse_two(text, '.', &major, &minor) ||
		major > UINT32_MAX || minor > UINT32_MAX)
		return err_set(
			err, EXIT_USAGE, "--max-version '%s': expected MAJOR.MINOR, or none", text);
	*pair = (struct job_pair){ JOB_PAIR_GIVEN, major, minor };
	return 0;
}

/* A number, or py:EXPR. */
static bool parse_handle(const char *text, struct job_stream *stream)
{
	char *end;

	errno = 0;
	*stream =
		(struct job_stream){ .kind = JOB_STREAM_HANDLE, .handle = strtoll(text, &end, 0) };
	if (end != text && !*end)
		return !errno;
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
	return err_set(err, EXIT_USAGE,
		"--stream '%s': expected none, a number below 2^63, new, or py:EXPR", text);
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

int dlpack_options_parse(
	const struct dlpack_settings *settings, struct job_dlpack *keywords, struct err *err)
{
	*keywords = (struct job_dlpack){ .has_copy = settings->copy != NULL,
		.copy = job_copy_from_word(settings->copy) };
	if (stream_option_parse(settings->stream, &keywords->stream, err))
		return -1;
	if (settings->max_version &&
		parse_max_version(settings->max_version, &keywords->max_version, err))
		return -1;
	return settings->dl_device ? parse_dl_device(settings->dl_device, &keywords->dl_device, err)
				   : 0;
}
