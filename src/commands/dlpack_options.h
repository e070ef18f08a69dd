// SPDX-License-Identifier: MIT
/* The options that reach __dlpack__ as keywords: --max-version, --dl-device, --copy, --stream. */
#ifndef COMMANDS_DLPACK_OPTIONS_H
#define COMMANDS_DLPACK_OPTIONS_H

#include "base/error.h"
#include "base/option.h"
#include "model/job.h"

/* The options as typed; NULL: not given, the keyword is not passed. */
struct dlpack_settings {
	const char *max_version, *dl_device, *copy, *stream;
};

#define DLPACK_OPTION_COPY(OFFSET)                                                               \
	{                                                                                        \
		.name = "copy", .kind = OPTION_CHOICE,                                           \
		.offset = (OFFSET) + offsetof(struct dlpack_settings, copy), .argument = "WHEN", \
		.choices = "auto always never",                                                  \
		.help = "pass copy=None, True or False to __dlpack__: auto, always or never",    \
	}

#define DLPACK_OPTION_STREAM(OFFSET)                                                                                   \
	{                                                                                                              \
		.name = "stream", .kind = OPTION_TEXT,                                                                 \
		.offset = (OFFSET) + offsetof(struct dlpack_settings, stream),                                         \
		.argument = "STREAM",                                                                                  \
		.help = "pass stream= to __dlpack__: none, a number, new, or py:EXPR",                                 \
		.more = "new creates a stream on the producer's device; py:EXPR is evaluated in the target's module, " \
			"such as py:queue for a dpctl.SyclQueue.",                                                     \
	}

#define DLPACK_OPTIONS(OFFSET)                                                                      \
	{ .name = "max-version",                                                                    \
		.kind = OPTION_TEXT,                                                                \
		.offset = (OFFSET) + offsetof(struct dlpack_settings, max_version),                 \
		.argument = "V",                                                                    \
		.help = "pass max_version= to __dlpack__: 1.3, or none" },                          \
		{ .name = "dl-device",                                                              \
			.kind = OPTION_TEXT,                                                        \
			.offset = (OFFSET) + offsetof(struct dlpack_settings, dl_device),           \
			.argument = "DEVICE",                                                       \
			.help = "pass dl_device= to __dlpack__: cpu, cuda:0, oneapi:0, or TYPE,ID", \
			.more = "DEVICE has the same form as for convert --device." },              \
		DLPACK_OPTION_COPY(OFFSET), DLPACK_OPTION_STREAM(OFFSET)

/* Keeps the texts of settings. EXIT_USAGE if one is invalid. */
int dlpack_options_parse(
	const struct dlpack_settings *settings, struct job_dlpack *keywords, struct err *err);

/* --stream and --producer-stream; text NULL: not given. Keep text. EXIT_USAGE if it is not a
 * stream. */
int stream_option_parse(const char *text, struct job_stream *stream, struct err *err);
int producer_option_parse(const char *text, struct job_stream *stream, struct err *err);

#endif
