// SPDX-License-Identifier: MIT
/* Reads a dump: YAML to document, document to targets; or captures, messages of which are targets.
 */
#include "targets/dump.h"

#include "base/read_file.h"
#include "base/text.h"
#include "documents/document.h"
#include "facts/capture_stream.h"
#include "formats/yaml/yaml_read.h"

#include <unistd.h>

static int read_dumped_targets(struct arena *arena, const struct value *document,
	struct fact_target **targets, size_t *n_targets, struct err *err)
{
	const struct value *list = value_get(document, "targets");
	const struct value *format = value_get(document, "suai");

	if (!value_is_sequence(list))
		return err_set(err, EXIT_USAGE,
			"the document has no list 'targets'; expected the output of 'suai inspect -f yaml'");
	if (format && value_int_or(format, 0) != DOCUMENT_FORMAT)
		return err_set(err, EXIT_USAGE, "expected 'suai: %d', the format version",
			DOCUMENT_FORMAT);
	if (!list->n_items)
		return err_set(err, EXIT_USAGE, "the document has no targets");
	*targets = arena_alloc(arena, list->n_items * sizeof(**targets));
	for (size_t i = 0; i < list->n_items; i++)
		if (document_read(arena, list->items[i], &(*targets)[i], err))
			return err_wrap(err, "targets[%zu]", i);
	*n_targets = list->n_items;
	return 0;
}

/* Facts are exchanged in this version's form, for which suai guarantees nothing. */
static int check_capture_version(const struct fact_hello *hello, struct err *err)
{
	if (fact_text_is(hello->suai, SUAI_VERSION))
		return 0;
	return err_set(err, EXIT_USAGE, "the capture was made by suai %s, but this is suai %s",
		hello->suai ? hello->suai : "?", SUAI_VERSION);
}

static int read_captured_targets(struct arena *arena, const struct text *text,
	struct fact_target **targets, size_t *n_targets, struct err *err)
{
	struct capture_stream stream = { .bytes = (const unsigned char *)text->bytes,
		.n_bytes = text->n_bytes };
	struct message message;
	int status;

	*targets = NULL;
	*n_targets = 0;
	while ((status = capture_stream_next(&stream, arena, &message, err)) > 0) {
		if (message.kind == MESSAGE_HELLO && check_capture_version(&message.hello, err))
			return -1;
		if (message.kind != MESSAGE_TARGET)
			continue;
		*targets = arena_grow(arena, *targets, *n_targets, sizeof(**targets));
		(*targets)[(*n_targets)++] = message.target;
	}
	if (!status && !*n_targets)
		return err_set(err, EXIT_USAGE, "the capture has no targets");
	return status;
}

static int read_yaml_targets(struct arena *arena, const struct text *text,
	struct fact_target **targets, size_t *n_targets, struct err *err)
{
	const struct value *document =
		yaml_read(arena, text->bytes ? text->bytes : "", text->n_bytes, err);

	return document ? read_dumped_targets(arena, document, targets, n_targets, err) : -1;
}

int dump_read(struct arena *arena, const char *path, struct fact_target **targets,
	size_t *n_targets, struct err *err)
{
	struct text text = { 0 };
	int status = read_file(path, &text, err);

	if (!status) {
		status = capture_stream_is(text.bytes, text.n_bytes)
				 ? read_captured_targets(arena, &text, targets, n_targets, err)
				 : read_yaml_targets(arena, &text, targets, n_targets, err);
		if (status)
			err_wrap(err, "'%s'", path);
	}
	text_free(&text);
	return status;
}

bool dump_is_capture(const char *path)
{
	char line[CAPTURE_STREAM_LINE_BYTES];
	struct stat info;
	struct err ignored;
	ssize_t n = 0;
	int fd = open_regular_file(path, &info, &ignored);

	if (fd < 0)
		return false;
	n = read(fd, line, sizeof(line));
	close(fd);
	return n > 0 && capture_stream_is(line, (size_t)n);
}
