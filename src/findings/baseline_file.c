// SPDX-License-Identifier: MIT
/*
 * The baseline's file:
 *
 *	baseline: 1
 *	findings:
 *	- target: arrays.py:a
 *	  rule: SUAI103
 *	  field: shape[1]
 *	  count: 1
 *	  reason: null
 */
#include "base/read_file.h"
#include "findings/baseline.h"
#include "formats/yaml/yaml_read.h"
#include "formats/yaml/yaml_write.h"
#include "output/result_file.h"
#include "settings/config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const head_keys[] = { "baseline", "findings" };
static const char *const entry_keys[] = { "target", "rule", "field", "count", "reason" };

enum { N_HEAD_KEYS = 2, N_ENTRY_KEYS = 5 };

/* --- reading --- */

/* A text; "" if it is null or absent, which is an error if it is required. */
static int read_entry_text(const struct config_reader *reader, const struct value *map,
	const char *key, bool is_required, const char **out)
{
	const struct value *value = value_get(map, key);

	*out = "";
	if (value_is_null(value))
		return is_required
			       ? config_fail_value(reader, value ? value : map, "missing '%s'", key)
			       : 0;
	if (!value_is(value, VALUE_TEXT))
		return config_fail_value(
			reader, value, "%s: expected a string, got %s", key, config_kind(value));
	*out = value->bytes;
	return 0;
}

static int read_rule(const struct config_reader *reader, const struct value *map, const char **out)
{
	const struct value *value = value_get(map, "rule");
	const struct rule *rule;

	if (read_entry_text(reader, map, "rule", true, out))
		return -1;
	rule = rule_find(*out);
	if (!rule && rules_check_word(*out, reader->err))
		return config_wrap_value(reader, value, "rule", reader->err);
	if (!rule)
		return config_fail_value(
			reader, value, "rule: '%s' is a prefix of rule ids; expected one id", *out);
	*out = rule->id;
	return 0;
}

static int read_count(const struct config_reader *reader, const struct value *map, int64_t *out)
{
	const struct value *value = value_get(map, "count");

	*out = value_int_or(value, 1);
	if (value && (!value_is(value, VALUE_INT) || *out < 1))
		return config_fail_value(reader, value, "count: expected a positive integer");
	return 0;
}

static int read_baseline_entry(
	const struct config_reader *reader, struct baseline *baseline, const struct value *map)
{
	struct baseline_entry entry = { 0 };

	if (!value_is(map, VALUE_MAP))
		return config_fail_value(reader, map,
			"expected a map with 'target' and 'rule', got %s", config_kind(map));
	if (config_check_keys(reader, map, entry_keys, N_ENTRY_KEYS) ||
		read_entry_text(reader, map, "target", true, &entry.target) ||
		read_rule(reader, map, &entry.rule) ||
		read_entry_text(reader, map, "field", false, &entry.field) ||
		read_count(reader, map, &entry.count) ||
		read_entry_text(reader, map, "reason", false, &entry.reason))
		return -1;
	entry.reason = *entry.reason ? entry.reason : NULL;
	baseline_add(baseline, &entry);
	return 0;
}

static int read_baseline_map(
	const struct config_reader *reader, struct baseline *baseline, const struct value *whole)
{
	const struct value *version = value_get(whole, "baseline");
	const struct value *findings = value_get(whole, "findings");

	if (value_is_null(whole)) /* an empty file */
		return 0;
	if (!value_is(whole, VALUE_MAP))
		return config_fail_value(reader, whole,
			"expected a baseline written by --update-baseline, got %s",
			config_kind(whole));
	if (config_check_keys(reader, whole, head_keys, N_HEAD_KEYS))
		return -1;
	if (value_int_or(version, 0) != 1)
		return config_fail_value(reader, version ? version : whole,
			"expected 'baseline: 1', the format version");
	if (!value_is_null(findings) && !value_is_sequence(findings))
		return config_fail_value(reader, findings, "findings: expected a list, got %s",
			config_kind(findings));
	for (size_t i = 0; !value_is_null(findings) && i < findings->n_items; i++)
		if (read_baseline_entry(reader, baseline, findings->items[i]))
			return -1;
	return 0;
}

static int baseline_read(struct baseline *baseline, struct err *err)
{
	struct config_file file = { .path = baseline->path, .marks = { .file = baseline->path } };
	const struct config_reader reader = { .file = &file, .err = err };
	struct text text = { 0 };
	const struct value *whole;
	int status = read_file(baseline->path, &text, err);

	if (!status) {
		whole = yaml_read_marked(&baseline->arena, text.bytes ? text.bytes : "",
			text.n_bytes, &file.marks, err);
		status = whole ? read_baseline_map(&reader, baseline, whole) : -1;
	}
	yaml_marks_free(&file.marks);
	text_free(&text);
	return status;
}

int baseline_open(struct baseline *baseline, const char *path, bool updates,
	const struct rule_selection *selection, struct err *err)
{
	const char *slash = strrchr(path, '/');

	*baseline = (struct baseline){ .path = path, .updates = updates, .selection = selection };
	baseline->from =
		rules_fail_from(selection) < SEVERITY_WARNING ? SEVERITY_NOTE : SEVERITY_WARNING;
	baseline->directory =
		arena_copy(&baseline->arena, path, slash ? (size_t)(slash + 1 - path) : 0);
	if (updates && new_file_is_special(path))
		return err_set(err, EXIT_USAGE,
			"cannot write the baseline '%s': not a regular file", path);
	if (access(path, F_OK) && errno == ENOENT) {
		if (updates)
			return 0;
		return err_set(err, EXIT_USAGE,
			"cannot read the baseline '%s': %s; --update-baseline creates it", path,
			strerror(errno));
	}
	if (baseline_read(baseline, err))
		return -1;
	baseline_sort(baseline);
	return 0;
}

/* --- writing --- */

static struct value *text_or_null(struct arena *arena, const char *text)
{
	return value_text(arena, text && *text ? text : NULL);
}

static struct value *make_file(struct arena *arena, const struct baseline *baseline)
{
	struct value *whole = value_map(arena), *findings = value_list(arena);

	for (size_t i = 0; i < baseline->n_items; i++) {
		const struct baseline_entry *entry = &baseline->items[i];
		struct value *map;

		if (!baseline_kept(entry))
			continue;
		map = value_append(arena, findings, value_map(arena));
		value_add(arena, map, "target", value_text(arena, entry->target));
		value_add(arena, map, "rule", value_text(arena, entry->rule));
		value_add(arena, map, "field", text_or_null(arena, entry->field));
		value_add(arena, map, "count", value_int(arena, baseline_kept(entry)));
		value_add(arena, map, "reason", text_or_null(arena, entry->reason));
	}
	value_add(arena, whole, "baseline", value_int(arena, 1));
	value_add(arena, whole, "findings", findings);
	return whole;
}

int baseline_write(struct baseline *baseline, struct err *err)
{
	struct arena arena = { 0 };
	struct result_file file;
	int status = result_file_open(&file, baseline->path, err);

	if (status)
		return -1;
	baseline_sort(baseline);
	fputs("# Findings that --baseline ignores. --update-baseline rewrites this file and keeps the reasons.\n",
		file.stream);
	status = yaml_write_document(file.stream, make_file(&arena, baseline), err);
	if (!status)
		status = result_file_commit(&file, err);
	result_file_close(&file);
	arena_free(&arena);
	return status;
}
