// SPDX-License-Identifier: MIT
/* Reads a dump: YAML to document, document to targets; or captures, messages of which are targets.
 */
#include "targets/dump.h"

#include "base/read_file.h"
#include "base/text.h"
#include "documents/call_site.h"
#include "documents/document.h"
#include "facts/capture_stream.h"
#include "formats/yaml/yaml_read.h"

#include <string.h>
#include <unistd.h>

static int read_dumped_targets(
	struct arena *arena, const struct value *document, struct dump *out, struct err *err)
{
	const struct value *list = value_get(document, "targets");
	const struct value *sites = value_get(document, "call_sites");
	const struct value *format = value_get(document, "suai");
	bool is_trace = !list && value_is_sequence(sites);

	if (is_trace)
		list = sites;
	if (!list || !value_is_sequence(list))
		return err_set(err, EXIT_USAGE,
			"the document has no list 'targets'; expected the output of 'suai inspect -f yaml', or of 'suai trace -f yaml'");
	if (format && value_int_or(format, 0) != DOCUMENT_FORMAT)
		return err_set(err, EXIT_USAGE, "expected 'suai: %d', the format version",
			DOCUMENT_FORMAT);
	if (!list->n_items)
		return err_set(err, EXIT_USAGE, "the document has no %s",
			is_trace ? "call sites" : "targets");
	out->targets = arena_alloc(arena, list->n_items * sizeof(*out->targets));
	out->n_targets = list->n_items;
	if (is_trace)
		return call_site_targets_read(arena, list, out->targets, err);
	for (size_t i = 0; i < list->n_items; i++)
		if (document_read(arena, list->items[i], &out->targets[i], err))
			return err_wrap(err, "targets[%zu]", i);
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

/* Reads up to the next target; 1, 0 at the end, or -1 with err set. */
static int next_captured_target(
	struct dump *dump, struct arena *arena, struct fact_target *target, struct err *err)
{
	struct message message;
	int status;

	while ((status = capture_stream_next(&dump->stream, arena, &message, err)) > 0) {
		if (message.kind == MESSAGE_HELLO && check_capture_version(&message.hello, err))
			return -1;
		if (message.kind != MESSAGE_TARGET)
			continue;
		*target = message.target;
		return 1;
	}
	return status;
}

static void rewind_captures(struct dump *dump)
{
	dump->stream =
		(struct capture_stream){ .bytes = (const unsigned char *)dump->captures.bytes,
			.n_bytes = dump->captures.n_bytes };
}

/* Counts the targets. */
static int check_captures(struct dump *dump, struct err *err)
{
	struct arena arena = { 0 };
	struct fact_target target;
	int status;

	rewind_captures(dump);
	while ((status = next_captured_target(dump, &arena, &target, err)) > 0) {
		dump->n_targets++;
		arena_free(&arena);
	}
	arena_free(&arena);
	rewind_captures(dump);
	if (!status && !dump->n_targets)
		return err_set(err, EXIT_USAGE, "the capture has no targets");
	return status;
}

static int read_yaml(struct arena *arena, const char *path, const struct text *text,
	struct dump *out, struct err *err)
{
	const struct value *document =
		yaml_read(arena, text->bytes ? text->bytes : "", text->n_bytes, err);

	if (!document && !strcmp(path, "-")) {
		const struct err syntax = *err;

		return err_set(err, EXIT_USAGE,
			"%s; standard input is expected to be the output of 'suai inspect -f yaml', not Python",
			syntax.message);
	}
	if (!document)
		return -1;
	if (value_get(document, "pieces") && !value_get(document, "targets"))
		return piece_list_read(arena, document, path, &out->list, err);
	return read_dumped_targets(arena, document, out, err);
}

int dump_open(struct dump *dump, struct arena *arena, const char *path, int64_t timeout_seconds,
	struct err *err)
{
	struct text text = { 0 };
	int status = read_file_within(path, timeout_seconds, &text, err);

	*dump = (struct dump){ 0 };
	if (status)
		return -1;
	if (capture_stream_is(text.bytes, text.n_bytes)) {
		dump->captures = text;
		status = check_captures(dump, err);
	} else {
		status = read_yaml(arena, path, &text, dump, err);
		text_free(&text);
	}
	return status ? err_wrap(err, "'%s'", path) : 0;
}

bool dump_next(struct dump *dump, struct arena *arena, struct fact_target *target)
{
	struct err ignored;

	if (dump->n_read == dump->n_targets)
		return false;
	if (dump->targets)
		*target = dump->targets[dump->n_read];
	else if (next_captured_target(dump, arena, target, &ignored) <= 0)
		return false;
	dump->n_read++;
	return true;
}

void dump_close(struct dump *dump)
{
	text_free(&dump->captures);
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
