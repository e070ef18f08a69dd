// SPDX-License-Identifier: MIT
/* `suai devices`: one block per device, one line per missing runtime. */
#include "formats/text/text_parts.h"

#include <inttypes.h>

static void print_text_field(struct page *page, const char *label, const struct value *text)
{
	if (value_is_null(text))
		return;
	page_label(page, label);
	page_foreign(page, STYLE_PLAIN, text);
	text_add(&page->text, "\n");
}

static void print_numbers(struct page *page, const struct value *device)
{
	const struct value *cores = value_get(device, "cores");
	uint64_t memory_bytes;

	if (value_is(cores, VALUE_INT))
		page_field(page, "cores", "%" PRId64, cores->integer);
	if (value_to_uint64(value_get(device, "memory_bytes"), &memory_bytes)) {
		page_label(page, "memory");
		page_add_bytes(&page->text, memory_bytes);
		text_add(&page->text, "\n");
	}
}

/* "unavailable (no driver)", or only the reason where the status adds nothing. */
static void print_why_none(struct page *page, const struct value *device)
{
	const struct value *status = value_get(device, "status");
	bool says_all = value_is_text(status, "described");

	text_add(&page->text, ": ");
	if (!says_all) {
		page_foreign(page, STYLE_PLAIN, status);
		text_add(&page->text, " (");
	}
	page_lines(page, value_get(device, "reason"), PAGE_LABEL_COLUMN);
	text_add(&page->text, says_all ? "\n" : ")\n");
}

static void print_device(struct page *page, const struct value *device)
{
	const struct value *type = value_at(device, "device.type");
	const struct value *id = value_at(device, "device.id");
	const struct value *filter = value_get(device, "filter"); /* -q: in the number's place */

	page_foreign(page, STYLE_STRONG, value_get(device, "runtime"));
	if (!value_is_text(value_get(device, "status"), "ok")) {
		print_why_none(page, device);
		return;
	}
	text_add(&page->text, "  ");
	if (value_is(id, VALUE_INT)) {
		page_foreign(page, STYLE_PLAIN, type);
		text_printf(&page->text, ":%" PRId64, id->integer);
	} else {
		page_foreign(page, STYLE_PLAIN,
			value_is_null(filter) || page->verbosity >= 0 ? type : filter);
	}
	text_add(&page->text, "  ");
	page_foreign(page, STYLE_PLAIN, value_get(device, "name"));
	text_add(&page->text, "\n");
	if (page->verbosity < 0)
		return;
	print_text_field(page, "filter", value_get(device, "filter"));
	print_text_field(page, "backend", value_get(device, "backend"));
	print_text_field(page, "driver", value_get(device, "driver_version"));
	print_numbers(page, device);
	page_list(page, "USM", value_get(device, "usm_kinds"));
	page_list(page, "aspects", value_get(device, "aspects"));
}

void text_devices(struct page *page, const struct value *devices)
{
	for (size_t i = 0; value_is_sequence(devices) && i < devices->n_items; i++)
		print_device(page, devices->items[i]);
}
