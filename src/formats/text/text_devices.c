// SPDX-License-Identifier: MIT
/* `suai devices`: one block per device, one line per missing runtime. */
#include "formats/text/text_parts.h"

#include <inttypes.h>

static void print_text_field(struct page *page, const char *label, const char *text)
{
	if (!text)
		return;
	page_label(page, label);
	page_foreign(page, STYLE_PLAIN, text);
	page_end_field(page);
}

static void print_numbers(struct page *page, const struct fact_listed_device *device)
{
	if (device->cores.known)
		page_field(page, "cores", "%" PRId64, device->cores.value);
	if (device->memory_bytes.known) {
		page_label(page, "memory");
		page_add_bytes(&page->text, device->memory_bytes.value);
		page_end_field(page);
	}
}

/* "unavailable (no driver)", or only the reason if the status adds nothing. */
static void print_why_none(struct page *page, const struct fact_listed_device *device)
{
	bool says_all = device->status == DEVICE_STATUS_DESCRIBED;

	text_add(&page->text, ": ");
	if (!says_all) {
		page_styled(page, STYLE_DIFFERS, "%s", device_status_name(device->status));
		text_add(&page->text, " (");
	}
	page_lines(page, device->reason, PAGE_LABEL_COLUMN);
	text_add(&page->text, says_all ? "" : ")");
	page_end_line(page, PAGE_LABEL_COLUMN);
}

static void print_device(struct page *page, const struct fact_listed_device *device)
{
	const char *type = device->device.type;

	page_foreign(page, STYLE_STRONG, device->runtime);
	if (device->status != DEVICE_STATUS_OK) {
		print_why_none(page, device);
		return;
	}
	text_add(&page->text, "  ");
	if (!device->device.id.known && device->filter && page->verbosity < 0)
		type = device->filter; /* -q: instead of the number */
	page_foreign(page, STYLE_PLAIN, type);
	if (device->device.id.known)
		text_printf(&page->text, ":%" PRId64, device->device.id.value);
	text_add(&page->text, "  ");
	page_foreign(page, STYLE_PLAIN, device->name);
	page_end_line(page, PAGE_LABEL_COLUMN);
	if (page->verbosity < 0)
		return;
	print_text_field(page, "filter", device->filter);
	print_text_field(page, "backend", device->backend);
	print_text_field(page, "driver", device->driver_version);
	print_numbers(page, device);
	page_list(page, "USM", &device->usm_kinds);
	page_list(page, "aspects", &device->aspects);
}

void text_devices(struct page *page, const struct fact_listed_device_list *devices)
{
	for (size_t i = 0; i < devices->n_items; i++)
		print_device(page, &devices->items[i]);
}
