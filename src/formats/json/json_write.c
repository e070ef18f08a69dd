// SPDX-License-Identifier: MIT
/* Values, written by jansson, which writes UINT64_MAX as -1 and rejects NaN; documents contain
 * neither as a number. */
#include "formats/json/json_write.h"

#include "base/memory.h"
#include "model/escape.h"
#include "model/number.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *json_from_value(struct json_writer *writer, const struct value *value);

/* Text as valid UTF-8; valid until the next call. */
static const char *clean_utf8(
	struct json_writer *writer, const char *bytes, size_t n_bytes, size_t *n_clean_bytes)
{
	*n_clean_bytes = n_bytes;
	if (escape_is_utf8(bytes, n_bytes))
		return bytes;
	text_clear(&writer->scratch);
	escape_text(&writer->scratch, bytes, n_bytes, ESCAPE_INVALID);
	*n_clean_bytes = writer->scratch.n_bytes;
	return writer->scratch.bytes;
}

static json_t *json_from_real(struct json_writer *writer, double real)
{
	size_t digits = (size_t)number_digits(real);
	char number[NUMBER_TEXT_BYTES];

	writer->digits = digits > writer->digits ? digits : writer->digits;
	return isfinite(real) ? json_real(real) : json_string(number_text(real, number));
}

/* Takes array or object; NULL if an item cannot be allocated. */
static json_t *json_from_items(struct json_writer *writer, json_t *items, const struct value *value)
{
	bool is_map = value->kind == VALUE_MAP;
	size_t n_key_bytes;

	for (size_t i = 0; items && i < value->n_items; i++) {
		json_t *item = json_from_value(writer, value->items[i]);
		int status;

		if (is_map)
			status = json_object_set_new(items,
				clean_utf8(writer, value->keys[i], strlen(value->keys[i]),
					&n_key_bytes),
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

static json_t *json_from_value(struct json_writer *writer, const struct value *value)
{
	const char *text;
	size_t n_bytes;

	switch (value->kind) {
	case VALUE_NULL:
		return json_null();
	case VALUE_BOOL:
		return json_boolean(value->boolean);
	case VALUE_INT:
		return json_integer(value->integer);
	case VALUE_REAL:
		return json_from_real(writer, value->real);
	case VALUE_WIDE_INT:
	case VALUE_TEXT:
		text = clean_utf8(writer, value->bytes, value->n_bytes, &n_bytes);
		return json_stringn(text, n_bytes);
	case VALUE_LIST:
	case VALUE_TUPLE:
		return json_from_items(writer, json_array(), value);
	case VALUE_MAP:
		return json_from_items(writer, json_object(), value);
	default:
		return NULL;
	}
}

int json_write_text(FILE *stream, const char *text, struct err *err)
{
	if (fputs(text, stream) < 0)
		return err_set(err, EXIT_USAGE, "%s", strerror(errno));
	return 0;
}

int json_write_value(
	struct json_writer *writer, FILE *stream, const struct value *value, struct err *err)
{
	json_t *json;
	char *text;
	int status;

	/* jansson 2.14 omits a key for which it has no memory, and reports success. */
	json_set_alloc_funcs(mem_alloc, free);
	writer->digits = 1;
	json = json_from_value(writer, value);
	text = json ? json_dumps(json, JSON_ENCODE_ANY | JSON_REAL_PRECISION(writer->digits))
		    : NULL;
	if (text) {
		text_clear(&writer->scratch);
		escape_document(&writer->scratch, text, strlen(text), writer->syntax);
		status = json_write_text(stream, writer->scratch.bytes, err);
	} else {
		status = err_set(err, EXIT_BUG, "jansson cannot write the document");
	}
	free(text);
	json_decref(json);
	return status;
}

void json_writer_free(struct json_writer *writer)
{
	text_free(&writer->scratch);
}

int json_write_document(FILE *stream, const struct value *document, struct err *err)
{
	struct json_writer writer = { 0 };
	int status = json_write_value(&writer, stream, document, err);

	if (!status)
		status = json_write_text(stream, "\n", err);
	json_writer_free(&writer);
	return status;
}
