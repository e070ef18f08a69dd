// SPDX-License-Identifier: MIT
/*
 * The json format, by jansson: one line a target, so that long runs stream and lines can be cut
 * out; the frame around them is written here. jansson writes UINT64_MAX as -1 and refuses NaN;
 * documents hold neither as numbers.
 */
#include "base/memory.h"
#include "formats/escape.h"
#include "formats/format.h"
#include "formats/number.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct writer {
	struct text scratch;
	size_t digits; /* that the reals of one value need */
	bool any;      /* target was written */
};

static json_t *make(struct writer *writer, const struct value *value);

/* Valid UTF-8 for text; the pointer lives until the next call. */
static const char *clean(
	struct writer *writer, const char *bytes, size_t n_bytes, size_t *n_clean_bytes)
{
	*n_clean_bytes = n_bytes;
	if (escape_is_utf8(bytes, n_bytes))
		return bytes;
	text_clear(&writer->scratch);
	escape_text(&writer->scratch, bytes, n_bytes, ESCAPE_INVALID);
	*n_clean_bytes = writer->scratch.n_bytes;
	return writer->scratch.bytes;
}

static json_t *make_text(struct writer *writer, const char *bytes, size_t n_bytes)
{
	size_t n_clean_bytes;
	const char *text = clean(writer, bytes, n_bytes, &n_clean_bytes);

	return json_stringn(text, n_clean_bytes);
}

static json_t *make_real(struct writer *writer, double real)
{
	size_t digits = (size_t)number_digits(real);
	char number[40];

	writer->digits = digits > writer->digits ? digits : writer->digits;
	return isfinite(real) ? json_real(real) : json_string(number_text(real, number));
}

/* Takes array or object, which is NULL again where an item could not be made. */
static json_t *make_items(struct writer *writer, json_t *items, const struct value *value)
{
	bool is_map = value->kind == VALUE_MAP;
	size_t n_key_bytes;

	for (size_t i = 0; items && i < value->n_items; i++) {
		json_t *item = make(writer, value->items[i]);
		int status;

		if (is_map)
			status = json_object_set_new(items,
				clean(writer, value->keys[i], strlen(value->keys[i]), &n_key_bytes),
				item);
		else
			status = json_array_append_new(items, item);
		if (status) {
			json_decref(items);
			return NULL;
		}
	}
	return items;
}

static json_t *make(struct writer *writer, const struct value *value)
{
	switch (value->kind) {
	case VALUE_NULL:
		return json_null();
	case VALUE_BOOL:
		return json_boolean(value->boolean);
	case VALUE_INT:
		return json_integer(value->integer);
	case VALUE_REAL:
		return make_real(writer, value->real);
	case VALUE_WIDE_INT:
	case VALUE_TEXT:
		return make_text(writer, value->bytes, value->n_bytes);
	case VALUE_LIST:
	case VALUE_TUPLE:
		return make_items(writer, json_array(), value);
	case VALUE_MAP:
		return make_items(writer, json_object(), value);
	default:
		return NULL;
	}
}

static int write_text(struct output *output, const char *text, struct err *err)
{
	if (fputs(text, output->stream) < 0)
		return err_set(err, EXIT_USAGE, "cannot write json: %s", strerror(errno));
	return 0;
}

static int write_value(struct output *output, const struct value *value, struct err *err)
{
	struct writer *writer = output->state;
	json_t *json;
	char *text;
	int status;

	writer->digits = 1;
	json = make(writer, value);
	text = json ? json_dumps(json, JSON_ENCODE_ANY | JSON_REAL_PRECISION(writer->digits))
		    : NULL;
	if (text)
		status = write_text(output, text, err);
	else
		status = err_set(err, EXIT_BUG, "jansson cannot write the document");
	free(text);
	json_decref(json);
	return status;
}

static int write_pair(
	struct output *output, const char *key, const struct value *value, struct err *err)
{
	if (write_text(output, "\"", err) || write_text(output, key, err) ||
		write_text(output, "\": ", err))
		return -1;
	return write_value(output, value, err);
}

static int json_begin(struct output *output, const struct value *head, struct err *err)
{
	output->state = mem_alloc(sizeof(struct writer));
	if (write_text(output, "{", err))
		return -1;
	for (size_t i = 0; i < head->n_items; i++)
		if (write_pair(output, head->keys[i], head->items[i], err) ||
			write_text(output, ", ", err))
			return -1;
	return write_text(output, "\"targets\": [", err);
}

static int json_target(struct output *output, const struct value *document, struct err *err)
{
	struct writer *writer = output->state;

	if (write_text(output, writer->any ? ",\n" : "\n", err))
		return -1;
	writer->any = true;
	return write_value(output, document, err);
}

static int write_end(struct output *output, const struct value *summary, struct err *err)
{
	struct writer *writer = output->state;

	if (write_text(output, writer->any ? "\n], " : "], ", err) ||
		write_pair(output, "summary", summary, err))
		return -1;
	return write_text(output, "}\n", err);
}

static int json_end(struct output *output, const struct value *summary, struct err *err)
{
	struct writer *writer = output->state;
	int status = summary ? write_end(output, summary, err) : 0;

	text_free(&writer->scratch);
	free(writer);
	output->state = NULL;
	return status;
}

const struct format json_format = {
	.name = "json",
	.commands = "inspect validate convert devices rule",
	.begin = json_begin,
	.target = json_target,
	.end = json_end,
};
