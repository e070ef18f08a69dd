// SPDX-License-Identifier: MIT
#include "documents/call_site.h"

/* "load: numpy > jax, dlpack" */
static const char *describe_exchange(struct arena *arena, const struct fact_call_site *site)
{
	return arena_printf(arena, "%s%s%s > %s, %s", fact_text_or(site->function, ""),
		site->function ? ": " : "", fact_text_or(site->producer, "unknown"),
		fact_text_or(site->consumer, "none"), fact_text_or(site->protocol, "?"));
}

const char *call_site_key(struct arena *arena, const struct fact_call_site *site)
{
	return arena_printf(arena, "%s:%s%s", fact_text_or(site->file, "(no Python frame)"),
		site->function ? "" : " ", describe_exchange(arena, site));
}

struct fact_target call_site_target(struct arena *arena, const struct fact_call_site *site)
{
	struct fact_target target = { .present = true,
		.status = STATUS_OK,
		.source = { .present = site->file != NULL, .file = site->file, .line = site->line },
		.call_site = *site };

	target.target = call_site_key(arena, site);
	if (site->file && site->line.known)
		target.target = arena_printf(arena, "%s:%lld: %s", site->file,
			(long long)site->line.value, describe_exchange(arena, site));
	return target;
}

/* Numbers of a call site are counts, sizes, lines and times. */
static int check_numbers(const struct fact_call_site *site, struct err *err)
{
	for (size_t i = 0; i < fact_call_site_record.n_fields; i++) {
		const struct fact_field *field = &fact_call_site_record.fields[i];
		const void *at = (const char *)site + field->offset;

		if (field->type == FACT_INT && fact_int_or(*(const struct fact_int *)at, 0) < 0)
			return err_set(err, EXIT_USAGE, "'%s': expected 0 or more, got %lld",
				field->name, (long long)((const struct fact_int *)at)->value);
		if (field->type == FACT_REAL && ((const struct fact_real *)at)->known &&
			!(((const struct fact_real *)at)->value >= 0))
			return err_set(err, EXIT_USAGE, "'%s': expected 0 or more, got %g",
				field->name, ((const struct fact_real *)at)->value);
	}
	return 0;
}

int call_site_targets_read(
	struct arena *arena, const struct value *list, struct fact_target *targets, struct err *err)
{
	for (size_t i = 0; i < list->n_items; i++) {
		struct fact_call_site site;

		if (fact_read(&fact_call_site_record, arena, list->items[i], FACT_DOCUMENT, NULL,
			    &site, err))
			return err_wrap(err, "call_sites[%zu]", i);
		if (!site.present)
			return err_set(
				err, EXIT_USAGE, "call_sites[%zu]: expected a map, got null", i);
		if (check_numbers(&site, err))
			return err_wrap(err, "call_sites[%zu]", i);
		site.findings = site.ignored = site.known = (struct fact_finding_list){ 0 };
		site.skipped = (struct fact_skip_list){ 0 };
		targets[i] = call_site_target(arena, &site);
	}
	return 0;
}
