// SPDX-License-Identifier: MIT
/* One target and its interfaces, as declared and as decoded. */
#include "formats/text/text_parts.h"

#include "formats/text/text_python.h"
#include "model/escape.h"
#include "model/number.h"
#include "protocols/protocol.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

bool text_is_dictionary(const struct value *interface)
{
	const struct protocol *protocol = protocol_of_interface_value(interface);

	return protocol && protocol->is_dictionary;
}

static void print_python_field(struct page *page, const char *label, const struct value *plain,
	const struct value *types, bool bare_addresses)
{
	struct python_text python = { .packed = true, .bare_addresses = bare_addresses };

	text_python_write(&python, plain, types, PAGE_VALUE_COLUMN, PAGE_COLUMNS);
	page_field(page, label, "%s", python.text.bytes);
	text_python_free(&python);
}

static void print_error(struct page *page, const char *label, const struct value *error)
{
	const struct value *type = value_get(error, "type");
	const struct value *traceback = value_get(error, "traceback");

	page_label(page, label);
	page_foreign(page, STYLE_ERROR, type);
	if (!value_is_null(type))
		text_add(&page->text, ": ");
	page_lines(page, value_get(error, "message"), PAGE_VALUE_COLUMN);
	text_add(&page->text, "\n");
	if (page->verbosity > 0 && value_is(traceback, VALUE_TEXT)) {
		page_label(page, "traceback");
		page_lines(page, traceback, PAGE_VALUE_COLUMN);
		text_add(&page->text, "\n");
	}
}

/* "default context, root device, in order, opencl:cpu:0": what dpctl reports about a syclobj. */
static void print_context(struct page *page, const struct value *syclobj)
{
	static const struct {
		const char *key, *yes, *no;
	} answers[] = {
		{ "resolved", NULL, "none: dpctl cannot resolve syclobj" },
		{ "default_context", "the device's default", "not the device's default" },
		{ "root_device", "root device", "sub-device" },
		{ "in_order", "in order", "out of order" },
	};
	const struct value *filter = value_at(syclobj, "device.filter");
	struct text line = { 0 };

	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
		const struct value *answer = value_get(syclobj, answers[i].key);
		const char *words = value_bool_or(answer, true) ? answers[i].yes : answers[i].no;

		if (value_is(answer, VALUE_BOOL) && words)
			text_printf(&line, "%s%s", line.n_bytes ? ", " : "", words);
	}
	if (line.n_bytes) {
		page_label(page, "context");
		text_add(&page->text, line.bytes);
		text_add(&page->text, value_is_null(filter) ? "" : ", ");
		page_foreign(page, STYLE_PLAIN, filter);
		text_add(&page->text, "\n");
	}
	text_free(&line);
}

static void print_syclobj(struct page *page, const struct value *syclobj)
{
	const struct value *form = value_get(syclobj, "form");
	const struct value *type = value_get(syclobj, "type");

	if (value_is_null(syclobj))
		return;
	page_label(page, "syclobj");
	page_foreign(page, STYLE_PLAIN, form);
	text_add(&page->text, value_is_null(form) ? "none of the six forms" : "");
	text_add(&page->text, value_is_null(type) ? "" : ", ");
	page_foreign(page, STYLE_PLAIN, type);
	text_add(&page->text, "\n");
	print_context(page, syclobj);
}

static void print_details(struct page *page, const struct value *interface)
{
	const struct value *details = value_get(interface, "details");

	if (page->verbosity <= 0)
		print_syclobj(page, value_get(details, "syclobj"));
	else if (!value_is_null(details))
		print_python_field(page, "details", details, NULL, true);
}

static void print_heading(struct page *page, const struct value *interface)
{
	const struct value *version = value_get(interface, "version");

	text_add(&page->text, "  ");
	page_foreign(page, STYLE_STRONG, value_get(interface, "protocol"));
	if (value_is(version, VALUE_TEXT)) {
		text_add(&page->text, value_is_text(version, "legacy") ? ", " : ", version ");
		page_foreign(page, STYLE_PLAIN, version);
	} else if (value_is(version, VALUE_INT)) {
		text_printf(&page->text, ", version %" PRId64, version->integer);
	}
	text_add(&page->text, "\n");
}

/* -q: "dlpack      float32 (3, 4) 0x…". */
static void print_brief_interface(struct page *page, const struct value *interface)
{
	const struct value *array = value_get(interface, "array");
	struct python_text shape = { 0 };

	page_label(page, value_text_or(value_get(interface, "protocol"), "?"));
	if (!value_is_text(value_get(interface, "status"), "ok")) {
		page_foreign(page, STYLE_ERROR, value_get(interface, "status"));
	} else if (value_is_null(array)) {
		page_styled(page, STYLE_ERROR, "cannot be decoded");
	} else {
		text_python_write(&shape, value_get(array, "shape"), NULL, 0, SIZE_MAX);
		if (value_is_null(value_get(array, "dtype")))
			page_styled(page, STYLE_ERROR, "unknown type");
		else
			page_foreign(page, STYLE_PLAIN, value_get(array, "dtype"));
		text_printf(&page->text, " %s", shape.text.bytes);
		text_add(&page->text, value_is_null(value_get(array, "pointer")) ? "" : " ");
		page_foreign(page, STYLE_PLAIN, value_get(array, "pointer"));
	}
	text_add(&page->text, "\n");
	text_python_free(&shape);
}

static void print_interface(struct page *page, const struct value *interface,
	const struct value *like, const char *name)
{
	const char *status = value_text_or(value_get(interface, "status"), "?");
	const struct value *declared = value_get(interface, "declared");
	bool is_ok = !strcmp(status, "ok");

	print_heading(page, interface);
	if (!is_ok)
		print_error(page, status, value_get(interface, "error"));
	else if (value_is_null(value_get(interface, "array")))
		page_field(page, "array", "cannot be decoded; 'suai validate' reports why");
	else
		text_array(page, interface, page->verbosity > 0 ? NULL : like, name);
	print_details(page, interface);
	if (is_ok || (page->verbosity > 0 && !value_is_null(declared)))
		print_python_field(page, "declared", declared, value_get(interface, "types"),
			!text_is_dictionary(interface));
}

void text_interfaces(struct page *page, const struct value *interfaces)
{
	const struct value *like = NULL;
	const char *name = NULL;

	for (size_t i = 0; value_is_sequence(interfaces) && i < interfaces->n_items; i++) {
		const struct value *interface = interfaces->items[i];

		if (page->verbosity < 0) {
			print_brief_interface(page, interface);
			continue;
		}
		text_add(&page->text, "\n");
		print_interface(page, interface, like, name);
		if (!like && !value_is_null(value_get(interface, "array"))) {
			like = value_get(interface, "array");
			name = value_text_or(value_get(interface, "protocol"), "the first");
		}
	}
}

void text_failure(struct page *page, const struct value *target)
{
	const struct value *error = value_get(target, "error"), *step = value_get(target, "step");
	const struct value *type = value_get(error, "type");
	const struct value *traceback = value_get(error, "traceback");

	page_foreign(page, STYLE_STRONG, value_get(target, "target"));
	text_add(&page->text, ": ");
	page_foreign(page, STYLE_ERROR, value_get(target, "status"));
	if (!value_is_null(step)) {
		text_add(&page->text, " at ");
		page_foreign(page, STYLE_PLAIN, step);
	}
	if (!value_is_null(type) || !value_is_null(value_get(error, "message")))
		text_add(&page->text, ": ");
	page_foreign(page, STYLE_PLAIN, type);
	if (!value_is_null(type))
		text_add(&page->text, ": ");
	page_lines(page, value_get(error, "message"), 2);
	text_add(&page->text, "\n");
	if (page->verbosity >= 0 && value_is(traceback, VALUE_TEXT)) {
		page_spaces(page, 2);
		page_lines(page, traceback, 2);
		text_add(&page->text, "\n");
	}
}

static void print_name(struct page *page, const struct value *target)
{
	const struct value *aliases = value_get(target, "aliases");

	page_foreign(page, STYLE_STRONG, value_get(target, "target"));
	if (!value_is_null(value_get(target, "type")))
		text_add(&page->text, "  ");
	page_foreign(page, STYLE_PLAIN, value_get(target, "type"));
	for (size_t i = 0; value_is_sequence(aliases) && i < aliases->n_items; i++) {
		text_add(&page->text, i ? ", " : "  also ");
		page_foreign(page, STYLE_PLAIN, aliases->items[i]);
	}
	text_add(&page->text, "\n");
}

static void print_calls(struct page *page, const struct value *calls)
{
	for (size_t i = 0; value_is_sequence(calls) && i < calls->n_items; i++) {
		const struct value *call = calls->items[i];

		page_label(page, "call");
		page_foreign(page, STYLE_PLAIN, value_get(call, "step"));
		text_add(&page->text, " ");
		page_foreign(page, STYLE_PLAIN, value_get(call, "outcome"));
		text_add(&page->text, " ");
		page_foreign(page, STYLE_PLAIN, value_get(call, "capsule"));
		page_foreign(page, STYLE_PLAIN, value_at(call, "error.type"));
		text_add(&page->text, "\n");
	}
}

/* "min 0.0, max 11.0, 0 NaN" */
static void print_stats(struct page *page, const struct value *stats)
{
	static const char *const keys[] = { "min", "max" };
	struct python_text python = { 0 };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		text_printf(&python.text, "%s%s ", i ? ", " : "", keys[i]);
		text_python_write(&python, value_get(stats, keys[i]), NULL, 0, SIZE_MAX);
	}
	if (!value_is_null(value_get(stats, "nan")))
		text_printf(&python.text, ", %" PRId64 " NaN",
			value_int_or(value_get(stats, "nan"), 0));
	page_field(page, "stats", "%s", python.text.bytes);
	text_python_free(&python);
}

/* "cuda", or "cuda, and by the host: WHY"; silent where the host has the memory. */
static void print_reader(struct page *page, const struct value *data)
{
	const struct value *engine = value_get(data, "engine");
	const struct value *fallback = value_get(data, "fallback");

	if (value_is_null(engine) || value_is_text(engine, "host"))
		return;
	page_label(page, "read by");
	page_foreign(page, STYLE_PLAIN, engine);
	if (!value_is_null(fallback)) {
		text_add(&page->text, ", and by the host: ");
		page_foreign(page, STYLE_PLAIN, fallback);
	}
	text_add(&page->text, "\n");
}

static void print_data(struct page *page, const struct value *data)
{
	const struct value *values = value_get(data, "values");
	struct python_text python = { .packed = true, .whole = true };

	if (!value_is_null(values)) {
		text_python_write(&python, values, NULL, PAGE_VALUE_COLUMN, PAGE_COLUMNS);
		page_field(page, "values", "%s", python.text.bytes);
	}
	text_python_free(&python);
	if (!value_is_null(value_get(data, "stats")))
		print_stats(page, value_get(data, "stats"));
	if (!value_is_null(value_get(data, "checksum"))) {
		page_label(page, "checksum");
		text_add(&page->text, "CRC-32 ");
		page_foreign(page, STYLE_PLAIN, value_get(data, "checksum"));
		text_add(&page->text, "\n");
	}
	print_reader(page, data);
	if (!value_is_null(value_get(data, "resolved_by"))) {
		page_label(page, "read from");
		text_add(&page->text, "what ");
		page_foreign(page, STYLE_PLAIN, value_get(data, "resolved_by"));
		text_add(&page->text,
			" returned: the object's own memory does not hold its values\n");
	}
	if (!value_is_null(value_get(data, "reason"))) {
		page_label(page, "not read");
		page_lines(page, value_get(data, "reason"), PAGE_VALUE_COLUMN);
		text_add(&page->text, "\n");
	}
}

/* A type that the object reports and the interfaces export as raw bytes, as NumPy does for
 * ml_dtypes.
 */
static void print_lost_type(
	struct page *page, const struct value *own, const struct value *interfaces)
{
	const char *type = value_text_or(value_get(own, "dtype"), "");
	const char *told;

	if (!isalpha((unsigned char)*type) || !strncmp(type, "void", 4))
		return;
	for (size_t i = 0; value_is_sequence(interfaces) && i < interfaces->n_items; i++) {
		const struct value *array = value_get(interfaces->items[i], "array");

		told = value_text_or(value_get(array, "dtype"), "");
		if (value_is_null(array) || (*told && strncmp(told, "void", 4) != 0))
			continue;
		page_label(page, "own dtype");
		page_foreign(page, STYLE_STRONG, value_get(own, "dtype"));
		if (*told)
			text_printf(&page->text,
				", exported as %s: consumers treat the elements as raw bytes\n",
				told);
		else
			text_add(&page->text, ", which no interface reports\n");
		return;
	}
}

static bool is_reported_mask(const struct value *interfaces)
{
	for (size_t i = 0; value_is_sequence(interfaces) && i < interfaces->n_items; i++)
		if (!value_is_null(value_at(interfaces->items[i], "declared.mask")))
			return true;
	return false;
}

static bool is_exported(const struct value *interfaces)
{
	for (size_t i = 0; value_is_sequence(interfaces) && i < interfaces->n_items; i++)
		if (value_is_text(value_get(interfaces->items[i], "status"), "ok"))
			return true;
	return false;
}

/* Operations that are not applied to the elements in memory, which no interface reports. */
static void print_pending(
	struct page *page, const struct value *own, const struct value *interfaces)
{
	const struct value *pending = value_get(own, "pending");
	bool is_masked = value_bool_or(value_get(own, "masked"), false);
	struct text line = { 0 };

	if (is_reported_mask(interfaces))
		return;
	for (size_t i = 0; value_is_sequence(pending) && i < pending->n_items; i++) {
		const struct value *word = pending->items[i];

		if (!value_is(word, VALUE_TEXT) || (is_masked && value_is_text(word, "mask")))
			continue;
		text_add(&line, line.n_bytes ? ", " : "");
		escape_text(&line, word->bytes, word->n_bytes, ESCAPE_TERMINAL);
	}
	if (is_masked)
		page_field(page, "masked",
			"by a mask that no interface reports: consumers treat every element as valid");
	if (line.n_bytes)
		page_field(page, "pending", "%s: not applied to the elements in memory%s",
			line.bytes,
			is_exported(interfaces) ? ", which consumers read as the values" : "");
	text_free(&line);
}

static void add_readonly_answer(
	struct page *page, const struct value *speaker, const struct value *readonly)
{
	page_foreign(page, STYLE_PLAIN, speaker);
	if (!value_is(readonly, VALUE_BOOL))
		text_add(&page->text, " not reported");
	else
		page_styled(page, readonly->boolean ? STYLE_PLAIN : STYLE_STRONG,
			readonly->boolean ? " yes" : " no");
}

/*
 * One line: what own, the attributes of the object, and each interface that could be decoded report
 * of "read-only?"; nothing where none says yes, or all do.
 */
static void print_readonly(
	struct page *page, const struct value *own, const struct value *interfaces)
{
	const struct value *own_readonly = value_get(own, "readonly");
	bool has_own = value_is(own_readonly, VALUE_BOOL);
	int n_answers = has_own, n_yes = value_bool_or(own_readonly, false);

	for (size_t i = 0; value_is_sequence(interfaces) && i < interfaces->n_items; i++)
		if (!value_is_null(value_get(interfaces->items[i], "array"))) {
			n_answers++;
			n_yes += value_bool_or(
				value_at(interfaces->items[i], "array.readonly"), false);
		}
	if (!n_yes || n_yes == n_answers)
		return;
	text_add(&page->text, "\n");
	page_label(page, "read-only");
	if (has_own)
		text_add(&page->text,
			own_readonly->boolean ? "self-reported yes" : "self-reported no");
	for (size_t i = 0, n_shown = has_own; i < interfaces->n_items; i++) {
		const struct value *interface = interfaces->items[i];

		if (value_is_null(value_get(interface, "array")))
			continue;
		text_add(&page->text, n_shown++ ? ", " : "");
		add_readonly_answer(page, value_get(interface, "protocol"),
			value_at(interface, "array.readonly"));
	}
	text_add(&page->text, "\n");
}

void text_inspect(struct page *page, const struct value *target)
{
	const struct value *interfaces = value_get(target, "interfaces");
	const struct value *own = value_get(target, "own");

	if (!value_is_text(value_get(target, "status"), "ok"))
		text_failure(page, target);
	else
		print_name(page, target);
	if (page->verbosity > 0 && !value_is_null(own))
		print_python_field(page, "attributes", own, NULL, false);
	if (value_is_sequence(interfaces) && interfaces->n_items)
		text_interfaces(page, interfaces);
	else if (value_is_text(value_get(target, "status"), "ok"))
		page_field(page, "exposes",
			value_is_null(value_get(target, "type"))
				? "nothing: no object of the module has one of the requested interfaces"
				: "none of the requested interfaces");
	if (page->verbosity >= 0)
		print_readonly(page, own, interfaces);
	print_pending(page, own, interfaces);
	print_lost_type(page, own, interfaces);
	if (page->verbosity > 0)
		print_calls(page, value_get(target, "calls"));
	print_data(page, value_get(target, "data"));
}
