// SPDX-License-Identifier: MIT
/* `convert`: how the data was copied, and the new object. */
#include "formats/text/text_parts.h"

#include "base/array_size.h"
#include "base/words.h"
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

	while (unit + 1 < ARRAY_SIZE(units) && seconds * units[unit].scale < 1)
		unit++;
	text_printf(out, "%.3g %s", seconds * units[unit].scale, units[unit].unit);
}

static void print_steady(struct page *page, const struct fact_conversion *copy)
{
	if (!copy->steady_seconds.known)
		return;
	page_label(page, "repeated");
	add_seconds(&page->text, copy->steady_seconds.value);
	if (copy->steady_gb_per_s.known)
		text_printf(&page->text, ", %.3g GB/s", copy->steady_gb_per_s.value);
	if (copy->share_of_memcpy.known)
		text_printf(&page->text, ", %.*f %% of memcpy's rate",
			copy->share_of_memcpy.value < 0.1, copy->share_of_memcpy.value * 100);
	page_end_field(page);
}

/* The duration of each part: "of which     reading 80 us, copying 3.1 ms (4.1 GB/s)" */
static void print_parts(struct page *page, const struct fact_conversion *copy)
{
	const struct {
		struct fact_real seconds;
		const char *doing;
	} parts[] = {
		{ copy->read_seconds, "reading" },
		{ copy->allocate_seconds, "allocating" },
		{ copy->copy_seconds, "copying" },
		{ copy->describe_seconds, "describing" },
	};
	const char *separator = "";

	if (!copy->seconds.known)
		return;
	page_label(page, "of which");
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i].seconds.known)
			continue;
		text_printf(&page->text, "%s%s ", separator, parts[i].doing);
		add_seconds(&page->text, parts[i].seconds.value);
		if (!strcmp(parts[i].doing, "copying") && copy->gb_per_s.known)
			text_printf(&page->text, " (%.3g GB/s)", copy->gb_per_s.value);
		separator = ", ";
	}
	page_end_field(page);
}

static void print_speed(struct page *page, const struct fact_conversion *copy)
{
	if (!copy->bytes.known)
		return;
	page_label(page, "elements");
	page_add_bytes(&page->text, (uint64_t)copy->bytes.value);
	if (copy->seconds.known) {
		text_add(&page->text, " in ");
		add_seconds(&page->text, copy->seconds.value);
	}
	page_end_field(page);
	print_parts(page, copy);
	print_steady(page, copy);
}

static void print_path(struct page *page, const struct fact_conversion *copy)
{
	const char *path = copy_path_name(copy->path);

	page_label(page, "path");
	page_foreign(page, copy->path == PATH_ZERO_COPY ? STYLE_GOOD : STYLE_PLAIN, path);
	if (copy->engine && !fact_text_is(path, copy->engine)) {
		text_add(&page->text, ", engine ");
		page_foreign(page, STYLE_PLAIN, copy->engine);
	}
	if (copy->kernel) {
		text_add(&page->text, ", kernel ");
		page_foreign(page, STYLE_PLAIN, copy->kernel);
	}
	page_end_field(page);
	if (copy->fallback) {
		page_label(page, "fallback");
		page_lines(page, copy->fallback, PAGE_VALUE_COLUMN);
		page_end_field(page);
	}
	if (copy->reason) {
		page_label(page, "reason");
		page_lines(page, copy->reason, PAGE_VALUE_COLUMN);
		page_end_field(page);
	}
}

static void print_verified(struct page *page, const struct fact_conversion *copy)
{
	if (!copy->verified)
		return;
	page_label(page, "verified");
	if (copy->verified == ANSWER_YES)
		page_styled(page, STYLE_GOOD, "all elements are equal");
	else
		page_styled(page, STYLE_ERROR, "elements differ");
	text_add(&page->text, copy->difference ? ": " : "");
	page_foreign(page, STYLE_PLAIN, copy->difference);
	page_end_field(page);
}

static void print_result(struct page *page, const struct fact_conversion *copy)
{
	if (!copy->result.present)
		return;
	text_add(&page->text, "\n  the consumer's result: ");
	page_foreign(page, STYLE_STRONG, copy->result.type);
	if (copy->same_memory)
		text_add(&page->text, copy->same_memory == ANSWER_YES
					      ? ", same memory"
					      : ", a copy made by the consumer");
	page_end_line(page, PAGE_LABEL_COLUMN);
	text_interfaces(page, &copy->result.interfaces);
}

/* -q: only the path and errors. */
static void print_brief_conversion(struct page *page, const struct fact_conversion *copy)
{
	if (copy->present) {
		text_add(&page->text, "  from ");
		page_foreign(page, STYLE_PLAIN, copy->from);
		text_add(&page->text, ", ");
		page_foreign(page, STYLE_PLAIN, copy_path_name(copy->path));
	}
	text_add(&page->text, "\n");
	if (copy->verified == ANSWER_NO)
		print_verified(page, copy);
}

/* Rejected by suai, without an exception. */
static bool is_refused(const struct fact_target *target)
{
	static const char *const steps[] = { "convert", "device", "options", "copy", "write" };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (fact_text_is(target->step, steps[i]))
			return target->status == STATUS_RAISED && !target->error.type;
	return false;
}

/* The first expression from which an array can be obtained, for an object without interfaces; NULL:
 * none. */
static const char *find_alternative(const struct fact_target *target)
{
	const struct fact_alternative_list *list = &target->instead.alternatives;

	for (size_t i = 0; i < list->n_items; i++)
		if (list->items[i].target)
			return list->items[i].target;
	return NULL;
}

static void print_refusal(struct page *page, const struct fact_target *target)
{
	const char *alternative = find_alternative(target);

	page_foreign(page, STYLE_STRONG, target->target);
	text_add(&page->text, ": ");
	page_styled(page, STYLE_ERROR, "cannot be converted");
	text_add(&page->text, ": ");
	page_message(page, target->error.message, 2);
	if (alternative) {
		text_add(&page->text, "; try ");
		page_foreign(page, STYLE_PLAIN, words_quote(&page->arena, alternative));
	}
	page_end_line(page, PAGE_LABEL_COLUMN);
}

void text_convert(struct page *page, const struct fact_target *target)
{
	const struct fact_conversion *copy = &target->copy;

	if (is_refused(target)) {
		print_refusal(page, target);
		return;
	}
	if (target->status != STATUS_OK) {
		text_failure(page, target);
		return;
	}
	page_foreign(page, STYLE_STRONG, target->target);
	if (page->verbosity < 0) {
		print_brief_conversion(page, copy);
	} else if (copy->present) {
		text_add(&page->text, "  from ");
		page_foreign(page, STYLE_PLAIN, copy->from);
		page_end_line(page, PAGE_LABEL_COLUMN);
		print_path(page, copy);
		print_speed(page, copy);
		print_verified(page, copy);
	} else {
		text_add(&page->text, "\n");
	}
	text_interfaces(page, &target->interfaces);
	print_result(page, copy);
}
