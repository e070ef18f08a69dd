// SPDX-License-Identifier: MIT
/* One target and its interfaces, as declared and as decoded. */
#include "formats/text/text_parts.h"

#include "base/array_size.h"
#include "base/plural.h"
#include "base/utf8.h"
#include "base/words.h"
#include "formats/text/text_python.h"
#include "formats/verdict.h"
#include "model/escape.h"
#include "model/runtimes.h"
#include "protocols/protocol.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

bool text_is_dictionary(const struct fact_interface *interface)
{
	const struct protocol *protocol = protocol_of_interface(interface);

	return protocol && protocol->is_dictionary;
}

static void print_python_field(
	struct page *page, const char *label, const struct value *facts, bool bare_addresses)
{
	struct python_text python = { .packed = true, .bare_addresses = bare_addresses };

	text_python_write(&python, facts, PAGE_VALUE_COLUMN, (size_t)page->terminal.columns);
	page_field(page, label, "%s", python.text.bytes);
	text_python_free(&python);
}

/* Addresses of a struct that only debuggers of its exporter need; NULL is shown. */
static bool is_internal_address(const char *key, const struct value *facts)
{
	static const char *const keys[] = { "destructor", "context", "manager_ctx", "deleter" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(key, keys[i]))
			return value_is(facts, VALUE_TEXT) && !strncmp(facts->bytes, "0x", 2);
	return false;
}

/* The map, and maps in it, without those addresses. */
static struct value *without_internals(struct arena *arena, const struct value *facts)
{
	struct value *shown = value_map(arena);

	for (size_t i = 0; i < facts->n_items; i++) {
		struct value *item = facts->items[i];

		if (!is_internal_address(facts->keys[i], item))
			value_add(arena, shown, facts->keys[i],
				value_is(item, VALUE_MAP) ? without_internals(arena, item) : item);
	}
	return shown;
}

static void print_python_declared(struct page *page, const struct fact_interface *interface)
{
	const struct value *facts =
		text_python_declared(&page->arena, interface->declared, "object");
	bool is_dictionary = text_is_dictionary(interface);

	if (!is_dictionary && page->verbosity <= 0 && value_is(facts, VALUE_MAP))
		facts = without_internals(&page->arena, facts);
	print_python_field(page, "declared", facts, !is_dictionary);
}

/* A refusal is allowed by the protocol, an exception is not. */
static void print_error(struct page *page, const struct fact_interface *interface)
{
	const struct fact_error *error = &interface->error;
	enum page_style style =
		interface->status == INTERFACE_REFUSED ? STYLE_DIFFERS : STYLE_ERROR;

	page_label_styled(page, style, interface_status_name(interface->status));
	page_exception(page, style, error->type, error->message, PAGE_VALUE_COLUMN);
	page_end_field(page);
	if (page->verbosity > 0 && error->traceback) {
		page_label(page, "traceback");
		page_verbatim(page, error->traceback, PAGE_VALUE_COLUMN);
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
	const char *filter = value_text_or(value_at(syclobj, "device.filter"), NULL);
	struct text line = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		const struct value *answer = value_get(syclobj, answers[i].key);
		const char *words = value_bool_or(answer, true) ? answers[i].yes : answers[i].no;

		if (value_is(answer, VALUE_BOOL) && words)
			text_printf(&line, "%s%s", line.n_bytes ? ", " : "", words);
	}
	if (line.n_bytes) {
		page_label(page, "context");
		text_add(&page->text, line.bytes);
		text_add(&page->text, filter ? ", " : "");
		page_foreign(page, STYLE_PLAIN, filter);
		page_end_field(page);
	}
	text_free(&line);
}

static void print_syclobj(struct page *page, const struct value *syclobj)
{
	const char *form = value_text_or(value_get(syclobj, "form"), NULL);
	const char *type = value_text_or(value_get(syclobj, "type"), NULL);

	if (value_is_null(syclobj))
		return;
	page_label(page, "syclobj");
	page_foreign(page, STYLE_PLAIN, form ? form : "none of the six forms");
	text_add(&page->text, type ? ", " : "");
	page_foreign(page, STYLE_PLAIN, type);
	page_end_field(page);
	print_context(page, syclobj);
}

static void print_details(struct page *page, const struct fact_interface *interface)
{
	if (page->verbosity <= 0)
		print_syclobj(page, value_get(interface->details, "syclobj"));
	else if (!value_is_null(interface->details))
		print_python_field(page, "details", interface->details, true);
}

static void print_heading(struct page *page, const struct fact_interface *interface)
{
	const struct value *version = interface->version;

	text_add(&page->text, "  ");
	page_foreign(page, STYLE_STRONG, interface->protocol);
	if (value_is(version, VALUE_TEXT)) {
		text_add(&page->text, value_is_text(version, "legacy") ? ", " : ", version ");
		page_foreign(page, STYLE_PLAIN, version->bytes);
	} else if (value_is(version, VALUE_INT)) {
		text_printf(&page->text, ", version %" PRId64, version->integer);
	}
	page_end_line(page, PAGE_LABEL_COLUMN);
}

/* -q: "dlpack      float32 (3, 4) 0x…". */
static void print_brief_interface(struct page *page, const struct fact_interface *interface)
{
	const struct fact_array *array = &interface->array;

	page_label(page, interface->protocol);
	if (interface->status != INTERFACE_OK) {
		page_foreign(page,
			interface->status == INTERFACE_REFUSED ? STYLE_DIFFERS : STYLE_ERROR,
			interface_status_name(interface->status));
	} else if (!array->present) {
		page_styled(page, STYLE_ERROR, "cannot be decoded");
	} else {
		page_foreign(page, array->dtype ? STYLE_PLAIN : STYLE_ERROR,
			array->dtype ? array->dtype : "unknown type");
		text_add(&page->text, " ");
		text_add_tuple(&page->text, &array->shape);
		if (array->pointer.known)
			text_printf(&page->text, " 0x%" PRIx64, array->pointer.value);
	}
	text_add(&page->text, "\n");
}

static void print_undecoded(struct page *page)
{
	page_label(page, "array");
	page_styled(page, STYLE_ERROR, "cannot be decoded");
	text_add(&page->text, "; 'suai validate' reports why");
	page_end_field(page);
}

static void print_interface(struct page *page, const struct fact_interface *interface,
	const struct fact_interface *like)
{
	bool is_ok = interface->status == INTERFACE_OK;

	print_heading(page, interface);
	if (!is_ok)
		print_error(page, interface);
	else if (!interface->array.present)
		print_undecoded(page);
	else
		text_array(page, interface, page->verbosity > 0 ? NULL : like);
	print_details(page, interface);
	if (is_ok || (page->verbosity > 0 && !value_is_null(interface->declared)))
		print_python_declared(page, interface);
}

void text_interfaces(struct page *page, const struct fact_interface_list *interfaces)
{
	const struct fact_interface *like = NULL;

	for (size_t i = 0; i < interfaces->n_items; i++) {
		const struct fact_interface *interface = &interfaces->items[i];

		if (page->verbosity < 0) {
			print_brief_interface(page, interface);
			continue;
		}
		text_add(&page->text, "\n");
		print_interface(page, interface, like);
		if (!like && interface->array.present)
			like = interface;
	}
}

/* What a line of a traceback begins. */
enum frame_kind { NO_FRAME, LIBRARY_FRAME, OTHER_FRAME };

static enum frame_kind frame_kind_of(const char *line, size_t n_bytes)
{
	static const char frame[] = "  File \"", frozen[] = "  File \"<frozen ";
	static const char library[] = "/lib/python3", packages[] = "-packages/";

	if (strncmp(line, frame, strlen(frame)) != 0)
		return NO_FRAME;
	if (!strncmp(line, frozen, strlen(frozen)))
		return LIBRARY_FRAME;
	return memmem(line, n_bytes, library, strlen(library)) &&
			       !memmem(line, n_bytes, packages, strlen(packages))
		       ? LIBRARY_FRAME
		       : OTHER_FRAME;
}

/* The traceback without the frames of the standard library that follow the last other frame of each
 * chained exception, which -v shows. It is in shown, or the traceback itself. */
static const char *cut_library_frames(struct text *shown, const char *traceback)
{
	const char *cut = NULL, *end;
	int n_frames = 0;
	bool has_other = false;

	for (const char *line = traceback; *line; line = end) {
		enum frame_kind kind;

		end = line + strcspn(line, "\n");
		end += *end == '\n';
		kind = frame_kind_of(line, (size_t)(end - line));
		has_other |= kind == OTHER_FRAME;
		if (kind == LIBRARY_FRAME) {
			cut = cut ? cut : line;
			n_frames++;
		}
		if (cut && kind == OTHER_FRAME)
			text_add_bytes(shown, cut, (size_t)(line - cut));
		else if (cut && *line != ' ')
			text_printf(shown, "  %d frame%s of the standard library (-v shows %s)\n",
				n_frames, plural(n_frames), n_frames == 1 ? "it" : "them");
		if (kind == OTHER_FRAME || *line != ' ') {
			cut = NULL;
			n_frames = 0;
		}
		if (!cut)
			text_add_bytes(shown, line, (size_t)(end - line));
	}
	return has_other && !cut ? shown->bytes : traceback;
}

/* The traceback up to the point of the exception's message, at its end, at which page_message()
 * truncates it. */
static const char *cut_message(struct arena *arena, const struct fact_error *error)
{
	const char *traceback = error->traceback, *message = error->message, *at;
	size_t n_bytes = strlen(traceback);
	struct text shown = { 0 };

	if (!message || strlen(message) <= PAGE_MESSAGE_BYTES)
		return traceback;
	at = strstr(
		traceback, arena_copy(arena, message,
				   utf8_truncated(message, strlen(message), PAGE_MESSAGE_BYTES)));
	if (!at)
		return traceback;
	text_add_truncated(
		&shown, traceback, n_bytes, (size_t)(at - traceback) + PAGE_MESSAGE_BYTES);
	traceback = arena_copy(arena, shown.bytes, shown.n_bytes);
	text_free(&shown);
	return traceback;
}

void text_failure_reason(struct page *page, const struct fact_target *target)
{
	const struct fact_error *error = &target->error;
	struct text shown = { 0 };

	if (verdict_is_unreadable(target)) {
		page_foreign(page, STYLE_ERROR, "unreadable");
	} else {
		page_foreign(page, STYLE_ERROR, target_status_name(target->status));
		text_add(&page->text, target->step ? " at " : "");
		page_foreign(page, STYLE_PLAIN, target->step);
	}
	text_add(&page->text, error->type || error->message ? ": " : "");
	page_exception(page, STYLE_PLAIN, error->type, error->message, 2);
	page_end_line(page, PAGE_LABEL_COLUMN);
	if (page->verbosity >= 0 && error->traceback) {
		page_spaces(page, 2);
		page_verbatim(page,
			page->verbosity
				? error->traceback
				: cut_library_frames(&shown, cut_message(&page->arena, error)),
			2);
		text_add(&page->text, "\n");
		text_free(&shown);
	}
}

void text_failure(struct page *page, const struct fact_target *target)
{
	page_foreign(page, STYLE_STRONG, target->target);
	text_add(&page->text, ": ");
	text_failure_reason(page, target);
}

static void print_name(struct page *page, const struct fact_target *target)
{
	page_foreign(page, STYLE_STRONG, target->target);
	text_add(&page->text, target->type ? "  " : "");
	page_foreign(page, STYLE_PLAIN, target->type);
	for (size_t i = 0; i < target->aliases.n_items; i++) {
		text_add(&page->text, i ? ", " : "  also ");
		page_foreign(page, STYLE_PLAIN, target->aliases.items[i]);
	}
	page_end_line(page, PAGE_LABEL_COLUMN);
}

static void print_calls(struct page *page, const struct fact_call_list *calls)
{
	for (size_t i = 0; i < calls->n_items; i++) {
		const struct fact_call *call = &calls->items[i];

		page_label(page, "call");
		page_foreign(page, STYLE_PLAIN, call->step);
		text_add(&page->text, " ");
		page_foreign(
			page, text_call_style(call->outcome), call_outcome_name(call->outcome));
		text_add(&page->text, " ");
		page_foreign(page, STYLE_PLAIN, call->capsule);
		page_foreign(page, STYLE_PLAIN, call->error.type);
		page_end_field(page);
	}
}

/* "min 0.0, max 11.0, 0 NaN" */
static void print_stats(struct page *page, const struct fact_stats *stats)
{
	struct python_text python = { 0 };

	text_add(&python.text, "min ");
	text_python_write(&python, stats->min, 0, SIZE_MAX);
	text_add(&python.text, ", max ");
	text_python_write(&python, stats->max, 0, SIZE_MAX);
	if (stats->nan.known)
		text_printf(&python.text, ", %" PRId64 " NaN", stats->nan.value);
	page_field(page, "stats", "%s", python.text.bytes);
	text_python_free(&python);
}

/* "cuda" or "cuda, and by the host: REASON"; nothing if the memory is on the host. */
static void print_reader(struct page *page, const struct fact_data *data)
{
	if (!data->engine || !strcmp(data->engine, RUNTIME_HOST))
		return;
	page_label(page, "read by");
	page_foreign(page, STYLE_PLAIN, data->engine);
	text_add(&page->text, data->fallback ? ", and by the host: " : "");
	page_foreign(page, STYLE_PLAIN, data->fallback);
	page_end_field(page);
}

static void print_data(struct page *page, const struct fact_data *data)
{
	struct python_text python = { .packed = true, .whole = true };

	if (!value_is_null(data->values)) {
		text_python_write(
			&python, data->values, PAGE_VALUE_COLUMN, (size_t)page->terminal.columns);
		page_field(page, "values", "%s", python.text.bytes);
	}
	text_python_free(&python);
	if (data->stats.present)
		print_stats(page, &data->stats);
	if (data->checksum) {
		page_label(page, "checksum");
		text_add(&page->text, "CRC-32 ");
		page_foreign(page, STYLE_PLAIN, data->checksum);
		page_end_field(page);
	}
	print_reader(page, data);
	if (data->resolved_by) {
		page_label(page, "read from");
		text_add(&page->text, "the result of ");
		page_foreign(page, STYLE_PLAIN, data->resolved_by);
		text_add(&page->text, ": the object's memory does not contain its values");
		page_end_field(page);
	}
	if (data->reason) {
		page_label(page, "not read");
		page_lines(page, data->reason, PAGE_VALUE_COLUMN);
		page_end_field(page);
	}
}

/* A type that the object reports but the interfaces export as raw bytes: NumPy does this with the
 * types of ml_dtypes. */
static void print_lost_type(struct page *page, const struct fact_target *target)
{
	const char *type = target->own.dtype;

	if (!type || !isalpha((unsigned char)*type) || !strncmp(type, "void", 4))
		return;
	for (size_t i = 0; i < target->interfaces.n_items; i++) {
		const struct fact_array *array = &target->interfaces.items[i].array;
		const char *exported = array->dtype;

		if (!array->present || (exported && strncmp(exported, "void", 4) != 0))
			continue;
		page_label(page, "own dtype");
		page_foreign(page, STYLE_STRONG, type);
		if (exported)
			text_printf(&page->text,
				", exported as %s: consumers treat the elements as raw bytes",
				exported);
		else
			text_add(&page->text, ", which no interface reports");
		page_end_field(page);
		return;
	}
}

/* Operations that are not applied to the elements in memory, which no interface reports. */
static void print_pending(struct page *page, const struct fact_target *target)
{
	const struct fact_texts *pending = &target->own.pending;
	bool is_masked = target->own.masked == ANSWER_YES, is_exported = false;
	struct text line = { 0 };

	for (size_t i = 0; i < target->interfaces.n_items; i++) {
		const struct fact_interface *interface = &target->interfaces.items[i];

		if (!value_is_null(value_get(interface->declared, "mask")))
			return;
		is_exported |= interface->status == INTERFACE_OK;
	}
	for (size_t i = 0; i < pending->n_items; i++) {
		const char *word = pending->items[i];

		if (is_masked && !strcmp(word, "mask"))
			continue;
		text_add(&line, line.n_bytes ? ", " : "");
		escape_text(&line, word, strlen(word), ESCAPE_TERMINAL);
	}
	if (is_masked)
		page_field(page, "masked",
			"by a mask that no interface reports; consumers treat all elements as valid");
	if (line.n_bytes)
		page_field(page, "pending", "%s, not applied to the elements in memory%s",
			line.bytes, is_exported ? "; consumers read the unmodified elements" : "");
	text_free(&line);
}

/*
 * One line: whether the object itself and each decoded interface report it as read-only; nothing if
 * none of them does, or all do.
 */
static void print_readonly(struct page *page, const struct fact_target *target)
{
	const struct fact_interface_list *interfaces = &target->interfaces;
	enum answer own = target->own.readonly;
	int n_answers = own != ANSWER_UNKNOWN, n_yes = own == ANSWER_YES;
	bool any = own != ANSWER_UNKNOWN;

	for (size_t i = 0; i < interfaces->n_items; i++) {
		n_answers += interfaces->items[i].array.present;
		n_yes += interfaces->items[i].array.readonly == ANSWER_YES;
	}
	if (!n_yes || n_yes == n_answers)
		return;
	text_add(&page->text, "\n");
	page_label(page, "read-only");
	if (own)
		page_styled(page, own == ANSWER_YES ? STYLE_DIFFERS : STYLE_PLAIN, "%s",
			own == ANSWER_YES ? "self-reported yes" : "self-reported no");
	for (size_t i = 0; i < interfaces->n_items; i++) {
		const struct fact_interface *interface = &interfaces->items[i];
		enum answer readonly = interface->array.readonly;

		if (!interface->array.present)
			continue;
		text_add(&page->text, any ? ", " : "");
		any = true;
		page_foreign(page, STYLE_PLAIN, interface->protocol);
		page_styled(page, readonly == ANSWER_YES ? STYLE_DIFFERS : STYLE_PLAIN, "%s",
			readonly == ANSWER_YES  ? " yes"
			: readonly == ANSWER_NO ? " no"
						: " not reported");
	}
	page_end_field(page);
}

enum { MAX_TARGETS = 3 };

/* Whether all protocols but the buffer's were looked for, as without -p. */
static bool omits_only_buffers(const struct fact_texts *looked_for)
{
	for (size_t i = 0; protocols[i]; i++)
		if (!protocols[i]->is_of_files && fact_texts_have(looked_for, protocols[i]->name) ==
							  (protocols[i] == &buffer_protocol))
			return false;
	return true;
}

/* Prints what an object without interfaces has instead: what was looked for, what the object has,
 * and the targets that suai can inspect, for an object only the first. */
static void print_instead(struct page *page, const struct fact_target *target)
{
	const struct fact_instead *instead = &target->instead;
	const struct fact_alternative_list *has = &instead->alternatives;
	size_t n_left = target->type ? 1 : MAX_TARGETS;

	page_field(page, "exposes",
		target->type ? "none of the interfaces"
		: omits_only_buffers(&instead->looked_for)
			? "nothing: no object of the module has one of the interfaces; -p buffer adds objects with only a buffer"
			: "nothing: no object of the module has one of the interfaces");
	for (size_t i = 0; i < instead->looked_for.n_items && page->verbosity >= 0; i++) {
		if (!i)
			page_label(page, "looked for");
		text_add(&page->text, i ? ", " : "");
		page_foreign(page, STYLE_PLAIN, instead->looked_for.items[i]);
		if (i + 1 == instead->looked_for.n_items)
			page_end_field(page);
	}
	for (size_t i = 0; target->type && i < has->n_items; i++) {
		if (!i)
			page_label(page, "has");
		text_add(&page->text, i ? ", " : "");
		page_foreign(page, STYLE_PLAIN, has->items[i].has);
		if (i + 1 == has->n_items)
			page_end_field(page);
	}
	for (size_t i = 0; i < has->n_items && n_left; i++) {
		if (!has->items[i].target)
			continue;
		n_left--;
		page_label(page, "try");
		page_foreign(page, STYLE_PLAIN, words_quote(&page->arena, has->items[i].target));
		page_end_field(page);
	}
}

void text_inspect(struct page *page, const struct fact_target *target)
{
	bool is_ok = target->status == STATUS_OK;

	if (is_ok)
		print_name(page, target);
	else
		text_failure(page, target);
	if (page->verbosity > 0 && target->own.present)
		print_python_field(page, "attributes",
			fact_write(&fact_self_reported_record, &page->arena, &target->own,
				FACT_DOCUMENT, NULL),
			false);
	if (target->interfaces.n_items)
		text_interfaces(page, &target->interfaces);
	else if (is_ok)
		print_instead(page, target);
	if (page->verbosity >= 0)
		print_readonly(page, target);
	print_pending(page, target);
	print_lost_type(page, target);
	if (page->verbosity > 0)
		print_calls(page, &target->calls);
	print_data(page, &target->data);
}
