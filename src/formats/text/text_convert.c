// SPDX-License-Identifier: MIT
/* What convert did: the path of the data, and the new object. */
#include "formats/text/text_parts.h"

#include "model/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* "3.10 us" */
static void add_seconds(struct text *out, double seconds)
{
	static const struct {
		double scale;
		const char *unit;
	} units[] = { { 1, "s" }, { 1e3, "ms" }, { 1e6, "us" }, { 1e9, "ns" } };
	size_t unit = 0;

	while (unit + 1 < sizeof(units) / sizeof(*units) && seconds * units[unit].scale < 1)
		unit++;
	text_printf(out, "%.3g %s", seconds * units[unit].scale, units[unit].unit);
}

static void print_steady(struct page *page, const struct value *copy)
{
	const struct value *seconds = value_get(copy, "steady_seconds");
	const struct value *rate = value_get(copy, "steady_gb_per_s");
	const struct value *share = value_get(copy, "share_of_memcpy");

	if (!value_is(seconds, VALUE_REAL))
		return;
	page_label(page, "repeated");
	add_seconds(&page->text, seconds->real);
	if (value_is(rate, VALUE_REAL))
		text_printf(&page->text, ", %.3g GB/s", rate->real);
	if (value_is(share, VALUE_REAL))
		text_printf(&page->text, ", %.*f %% of memcpy's rate", share->real < 0.1,
			share->real * 100);
	text_add(&page->text, "\n");
}

/* What the seconds were for: "of that      reading 80 us, copying 3.1 ms (4.1 GB/s)" */
static void print_parts(struct page *page, const struct value *copy)
{
	static const struct {
		const char *key, *doing;
	} parts[] = { { "read_seconds", "reading" }, { "allocate_seconds", "allocating" },
		{ "copy_seconds", "copying" }, { "describe_seconds", "describing" } };
	const struct value *rate = value_get(copy, "gb_per_s");
	const char *separator = "";

	if (!value_is(value_get(copy, "seconds"), VALUE_REAL))
		return;
	page_label(page, "of that");
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const struct value *seconds = value_get(copy, parts[i].key);

		if (!value_is(seconds, VALUE_REAL))
			continue;
		text_printf(&page->text, "%s%s ", separator, parts[i].doing);
		add_seconds(&page->text, seconds->real);
		if (!strcmp(parts[i].doing, "copying") && value_is(rate, VALUE_REAL))
			text_printf(&page->text, " (%.3g GB/s)", rate->real);
		separator = ", ";
	}
	text_add(&page->text, "\n");
}

static void print_speed(struct page *page, const struct value *copy)
{
	const struct value *seconds = value_get(copy, "seconds");
	uint64_t n_bytes;

	if (!value_to_uint64(value_get(copy, "bytes"), &n_bytes))
		return;
	page_label(page, "elements");
	page_add_bytes(&page->text, n_bytes);
	if (value_is(seconds, VALUE_REAL)) {
		text_add(&page->text, " in ");
		add_seconds(&page->text, seconds->real);
	}
	text_add(&page->text, "\n");
	print_parts(page, copy);
	print_steady(page, copy);
}

static void print_path(struct page *page, const struct value *copy)
{
	page_label(page, "path");
	page_foreign(page, STYLE_PLAIN, value_get(copy, "path"));
	if (!value_is_null(value_get(copy, "engine")) &&
		!value_equal(value_get(copy, "engine"), value_get(copy, "path"))) {
		text_add(&page->text, ", engine ");
		page_foreign(page, STYLE_PLAIN, value_get(copy, "engine"));
	}
	if (!value_is_null(value_get(copy, "kernel"))) {
		text_add(&page->text, ", kernel ");
		page_foreign(page, STYLE_PLAIN, value_get(copy, "kernel"));
	}
	text_add(&page->text, "\n");
	if (!value_is_null(value_get(copy, "fallback"))) {
		page_label(page, "fallback");
		page_lines(page, value_get(copy, "fallback"), PAGE_VALUE_COLUMN);
		text_add(&page->text, "\n");
	}
	if (!value_is_null(value_get(copy, "reason"))) {
		page_label(page, "because");
		page_lines(page, value_get(copy, "reason"), PAGE_VALUE_COLUMN);
		text_add(&page->text, "\n");
	}
}

static void print_verified(struct page *page, const struct value *copy)
{
	const struct value *verified = value_get(copy, "verified");
	const struct value *difference = value_get(copy, "difference");

	if (!value_is(verified, VALUE_BOOL))
		return;
	page_label(page, "verified");
	if (verified->boolean)
		page_styled(page, STYLE_GOOD, "every element is equal");
	else
		page_styled(page, STYLE_ERROR, "elements differ");
	if (!value_is_null(difference)) {
		text_add(&page->text, ": ");
		page_foreign(page, STYLE_PLAIN, difference);
	}
	text_add(&page->text, "\n");
}

static void print_result(struct page *page, const struct value *copy)
{
	const struct value *result = value_get(copy, "result");
	const struct value *same_memory = value_get(copy, "same_memory");

	if (value_is_null(result))
		return;
	text_add(&page->text, "\n  the consumer's result: ");
	page_foreign(page, STYLE_STRONG, value_get(result, "type"));
	if (value_is(same_memory, VALUE_BOOL))
		text_add(&page->text,
			same_memory->boolean ? ", same memory" : ", a copy made by the consumer");
	text_add(&page->text, "\n");
	text_interfaces(page, value_get(result, "interfaces"));
}

/* -q: only the path, and what went wrong. */
static void print_brief_conversion(struct page *page, const struct value *copy)
{
	if (!value_is_null(copy)) {
		text_add(&page->text, "  from ");
		page_foreign(page, STYLE_PLAIN, value_get(copy, "from"));
		text_add(&page->text, ", ");
		page_foreign(page, STYLE_PLAIN, value_get(copy, "path"));
	}
	text_add(&page->text, "\n");
	if (!value_bool_or(value_get(copy, "verified"), true))
		print_verified(page, copy);
}

/* Refused by suai, without an exception. */
static bool is_refused(const struct value *target)
{
	static const char *const steps[] = { "convert", "device", "options", "copy", "write" };
	const struct value *step = value_get(target, "step");

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (value_is_text(step, steps[i]))
			return value_is_text(value_get(target, "status"), "raised") &&
			       value_is_null(value_at(target, "error.type"));
	return false;
}

static void print_refusal(struct page *page, const struct value *target)
{
	page_foreign(page, STYLE_STRONG, value_get(target, "target"));
	text_add(&page->text, ": ");
	page_styled(page, STYLE_ERROR, "cannot be converted");
	text_add(&page->text, ": ");
	page_lines(page, value_at(target, "error.message"), 2);
	text_add(&page->text, "\n");
}

void text_convert(struct page *page, const struct value *target)
{
	const struct value *copy = value_get(target, "copy");

	if (is_refused(target)) {
		print_refusal(page, target);
		return;
	}
	if (!value_is_text(value_get(target, "status"), "ok")) {
		text_failure(page, target);
		return;
	}
	page_foreign(page, STYLE_STRONG, value_get(target, "target"));
	if (page->verbosity < 0) {
		print_brief_conversion(page, copy);
	} else if (!value_is_null(copy)) {
		text_add(&page->text, "  from ");
		page_foreign(page, STYLE_PLAIN, value_get(copy, "from"));
		text_add(&page->text, "\n");
		print_path(page, copy);
		print_speed(page, copy);
		print_verified(page, copy);
	} else {
		text_add(&page->text, "\n");
	}
	text_interfaces(page, value_get(target, "interfaces"));
	print_result(page, copy);
}
