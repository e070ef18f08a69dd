// SPDX-License-Identifier: MIT
/* Devices for people: runtime, DLPack's number, filter string, and what there is to know. */
#include "formats/text_devices.h"

#include <inttypes.h>
#include <string.h>

/* ", fp16 fp64": words after a comma; nothing for an empty list or a null. */
static void write_words(FILE *out, const char *before, const struct value *words)
{
	for (size_t i = 0; value_is_sequence(words) && i < words->n_items; i++)
		fprintf(out, "%s%s", i ? " " : before, value_text_or(words->items[i], "?"));
}

static void write_facts(FILE *out, const struct value *entry)
{
	const struct value *driver = value_get(entry, "driver_version");
	int64_t cores;
	uint64_t memory_bytes;

	if (value_to_int64(value_get(entry, "cores"), &cores))
		fprintf(out, ", %" PRId64 " %s", cores, cores == 1 ? "core" : "cores");
	if (value_to_uint64(value_get(entry, "memory_bytes"), &memory_bytes))
		fprintf(out, ", %.1f GiB", (double)memory_bytes / (1 << 30));
	if (value_is(driver, VALUE_TEXT))
		fprintf(out, ", driver %s", driver->bytes);
	write_words(out, ", ", value_get(entry, "aspects"));
	write_words(out, ", usm ", value_get(entry, "usm_kinds"));
	fputc('\n', out);
}

static void write_entry(FILE *out, const struct value *entry)
{
	const char *runtime = value_text_or(value_get(entry, "runtime"), "?");
	const struct value *filter = value_get(entry, "filter");

	if (!value_is_text(value_get(entry, "status"), "ok")) {
		fprintf(out, "%s: unavailable (%s)\n", runtime,
			value_text_or(value_get(entry, "reason"), "no reason given"));
		return;
	}
	fprintf(out, "%-4s  %s:%" PRId64 "  ", runtime,
		value_text_or(value_at(entry, "device.type"), "?"),
		value_int_or(value_at(entry, "device.id"), -1));
	if (value_is(filter, VALUE_TEXT))
		fprintf(out, "%s  ", filter->bytes);
	fputs(value_text_or(value_get(entry, "name"), "unknown"), out);
	write_facts(out, entry);
}

void text_write_devices(FILE *out, const struct value *devices)
{
	for (size_t i = 0; value_is_sequence(devices) && i < devices->n_items; i++)
		write_entry(out, devices->items[i]);
}
