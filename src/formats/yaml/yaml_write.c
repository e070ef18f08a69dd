// SPDX-License-Identifier: MIT
/*
 * Values by libyaml's emitter. libyaml would write the text "1" or "yes" plain, so the style of
 * every scalar is chosen here: what YAML 1.1 or 1.2 could treat as another type is quoted.
 */
#include "formats/yaml/yaml_write.h"

#include "base/array_size.h"
#include "base/memory.h"
#include "model/escape.h"
#include "model/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A collection of scalars at most this wide is written in one line. */
enum { MAX_FLOW_CHARS = 90, MAX_FLOW_TEXT_CHARS = 40 };

int yaml_write_event(struct yaml_writer *writer, int made, yaml_event_t *event, struct err *err)
{
	const yaml_emitter_t *emitter = &writer->emitter;

	if (made && !writer->failed && yaml_emitter_emit(&writer->emitter, event))
		return 0;
	writer->failed = true;
	if (emitter->error == YAML_WRITER_ERROR)
		return err_set(err, EXIT_USAGE, "%s", strerror(errno));
	return err_set(err, EXIT_BUG, "libyaml cannot write the document: %s",
		emitter->problem ? emitter->problem : "cannot create an event");
}

static int emit_scalar(struct yaml_writer *writer, const char *bytes, size_t n_bytes,
	yaml_scalar_style_t style, struct err *err)
{
	yaml_event_t event;
	int made = yaml_scalar_event_initialize(
		&event, NULL, NULL, (const yaml_char_t *)bytes, (int)n_bytes, 1, 1, style);

	return yaml_write_event(writer, made, &event, err);
}

static int emit_plain(struct yaml_writer *writer, const char *text, struct err *err)
{
	return emit_scalar(writer, text, strlen(text), YAML_PLAIN_SCALAR_STYLE, err);
}

/* Words that some YAML reader treats as a boolean, a null or a number. */
static bool is_reserved(const char *text)
{
	static const char *const words[] = { "null", "true", "false", "yes", "no", "on", "off", "y",
		"n", "nan", "inf" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcasecmp(text, words[i]))
			return true;
	return false;
}

/* If libyaml cannot use the style (such as for a line break in flow text), it quotes the text. */
static yaml_scalar_style_t text_style(const char *bytes, size_t n_bytes)
{
	char first = n_bytes ? bytes[0] : '\0';

	for (size_t i = 0; i < n_bytes; i++)
		if ((unsigned char)bytes[i] >= 0x80 || (bytes[i] < 0x20 && bytes[i] != '\n'))
			return YAML_DOUBLE_QUOTED_SCALAR_STYLE;
	if (memchr(bytes, '\n', n_bytes))
		return bytes[0] == '\n' || bytes[0] == ' ' ? YAML_DOUBLE_QUOTED_SCALAR_STYLE
							   : YAML_LITERAL_SCALAR_STYLE;
	if ((first | 0x20) >= 'a' && (first | 0x20) <= 'z' && !is_reserved(bytes))
		return YAML_PLAIN_SCALAR_STYLE;
	if (first == '_' || first == '/' || first == '<' || first == '(')
		return strcmp(bytes, "<<") ? YAML_PLAIN_SCALAR_STYLE
					   : YAML_SINGLE_QUOTED_SCALAR_STYLE;
	return YAML_SINGLE_QUOTED_SCALAR_STYLE;
}

int yaml_write_text(struct yaml_writer *writer, const char *bytes, size_t n_bytes, struct err *err)
{
	struct text *scratch = &writer->scratch;

	if (escape_is_utf8(bytes, n_bytes))
		return emit_scalar(writer, bytes, n_bytes, text_style(bytes, n_bytes), err);
	text_clear(scratch);
	escape_text(scratch, bytes, n_bytes, ESCAPE_INVALID);
	return emit_scalar(writer, scratch->bytes, scratch->n_bytes,
		text_style(scratch->bytes, scratch->n_bytes), err);
}

/* The approximate width of a value in one line; more than MAX_FLOW_CHARS if it must not be in one
 * line, such as a map in a map. */
static size_t flow_chars(const struct value *value)
{
	size_t n_chars = 2;

	if (!value_is_sequence(value) && !value_is(value, VALUE_MAP)) {
		if (value_is(value, VALUE_INT))
			return (size_t)snprintf(NULL, 0, "%" PRId64, value->integer);
		if (!value_is(value, VALUE_TEXT))
			return 5;
		return value->n_bytes > MAX_FLOW_TEXT_CHARS ||
				       memchr(value->bytes, '\n', value->n_bytes)
			       ? MAX_FLOW_CHARS + 1
			       : value->n_bytes + 2;
	}
	for (size_t i = 0; i < value->n_items && n_chars <= MAX_FLOW_CHARS; i++) {
		if (value_is(value->items[i], VALUE_MAP) ||
			(value->kind == VALUE_MAP && value_is_sequence(value->items[i])))
			return MAX_FLOW_CHARS + 1;
		n_chars += flow_chars(value->items[i]) + 2;
		n_chars += value->kind == VALUE_MAP ? strlen(value->keys[i]) : 0;
	}
	return n_chars;
}

/* A sequence of numbers is written in one line, whatever its length. */
static bool is_numbers(const struct value *value)
{
	for (size_t i = 0; i < value->n_items; i++)
		if (value->items[i]->kind > VALUE_REAL)
			return false;
	return value_is_sequence(value);
}

static int emit_open(struct yaml_writer *writer, const struct value *value, struct err *err)
{
	bool flow = !writer->is_block && (is_numbers(value) || flow_chars(value) <= MAX_FLOW_CHARS);
	yaml_event_t event;
	int made;

	if (value->kind == VALUE_MAP)
		made = yaml_mapping_start_event_initialize(&event, NULL, NULL, 1,
			flow ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE);
	else
		made = yaml_sequence_start_event_initialize(&event, NULL, NULL, 1,
			flow ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE);
	return yaml_write_event(writer, made, &event, err);
}

static int emit_collection(struct yaml_writer *writer, const struct value *value, struct err *err)
{
	bool is_map = value->kind == VALUE_MAP;
	yaml_event_t event;

	if (emit_open(writer, value, err))
		return -1;
	for (size_t i = 0; i < value->n_items; i++) {
		if (is_map && yaml_write_text(writer, value->keys[i], strlen(value->keys[i]), err))
			return -1;
		if (yaml_write_value(writer, value->items[i], err))
			return -1;
	}
	return yaml_write_event(writer,
		is_map ? yaml_mapping_end_event_initialize(&event)
		       : yaml_sequence_end_event_initialize(&event),
		&event, err);
}

int yaml_write_value(struct yaml_writer *writer, const struct value *value, struct err *err)
{
	char number[NUMBER_TEXT_BYTES];

	switch (value->kind) {
	case VALUE_NULL:
		return emit_plain(writer, "null", err);
	case VALUE_BOOL:
		return emit_plain(writer, value->boolean ? "true" : "false", err);
	case VALUE_INT:
		snprintf(number, sizeof(number), "%" PRId64, value->integer);
		return emit_plain(writer, number, err);
	case VALUE_REAL:
		number_text(value->real, number);
		if (strpbrk(number, "nf"))
			return yaml_write_text(writer, number, strlen(number), err);
		return emit_plain(writer, number, err);
	case VALUE_WIDE_INT:
	case VALUE_TEXT:
		return yaml_write_text(writer, value->bytes, value->n_bytes, err);
	case VALUE_LIST:
	case VALUE_TUPLE:
	case VALUE_MAP:
		return emit_collection(writer, value, err);
	default:
		return err_set(err, EXIT_BUG, "the document contains bytes or an opaque value");
	}
}

/* libyaml writes whole characters at a time, and double-quotes what is not ASCII (text_style). */
static int write_escaped(void *stream, unsigned char *bytes, size_t n_bytes)
{
	struct text text = { 0 };
	int is_written;

	escape_document(&text, (const char *)bytes, n_bytes, ESCAPE_YAML);
	is_written = fwrite(text.bytes, 1, text.n_bytes, stream) == text.n_bytes;
	text_free(&text);
	return is_written;
}

static int append_unescaped(void *text, unsigned char *bytes, size_t n_bytes)
{
	text_add_bytes(text, bytes, n_bytes);
	return 1;
}

static void open_emitter(yaml_emitter_t *emitter, yaml_write_handler_t *handler, void *data)
{
	if (!yaml_emitter_initialize(emitter))
		mem_fail();
	yaml_emitter_set_output(emitter, handler, data);
	yaml_emitter_set_unicode(emitter, 1);
	yaml_emitter_set_width(emitter, -1);
}

void yaml_writer_open(struct yaml_writer *writer, FILE *stream)
{
	open_emitter(&writer->emitter, write_escaped, stream);
}

void yaml_writer_free(struct yaml_writer *writer)
{
	yaml_emitter_delete(&writer->emitter);
	text_free(&writer->scratch);
}

static int emit_document(
	struct yaml_writer *writer, const struct value *value, bool has_markers, struct err *err)
{
	yaml_event_t event;

	if (yaml_write_event(writer, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING),
		    &event, err) ||
		yaml_write_event(writer,
			yaml_document_start_event_initialize(
				&event, NULL, NULL, NULL, !has_markers),
			&event, err) ||
		yaml_write_value(writer, value, err) ||
		yaml_write_event(writer, yaml_document_end_event_initialize(&event, !has_markers),
			&event, err))
		return -1;
	return yaml_write_event(writer, yaml_stream_end_event_initialize(&event), &event, err);
}

int yaml_write_document(FILE *stream, const struct value *value, struct err *err)
{
	struct yaml_writer writer = { .is_block = true };
	int status;

	yaml_writer_open(&writer, stream);
	status = emit_document(&writer, value, false, err);
	yaml_writer_free(&writer);
	return status;
}

int yaml_append_document(struct text *out, const struct value *value, struct err *err)
{
	struct yaml_writer writer = { .is_block = true };
	int status;

	open_emitter(&writer.emitter, append_unescaped, out);
	status = emit_document(&writer, value, true, err);
	yaml_writer_free(&writer);
	return status;
}
