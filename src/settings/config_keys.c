// SPDX-License-Identifier: MIT
/* The keys of suai.yaml that are no options: targets, ignores, severities, producers. */
#include "base/memory.h"
#include "settings/config.h"
#include "targets/targets.h"

#include <string.h>

static int unknown_config_key(const struct config_reader *reader, const struct value *map, size_t i,
	const char *const *names, size_t n_names)
{
	const char *near = option_suggest(map->keys[i], names, n_names);

	return config_fail_key(reader, map->items[i], "no key '%s'%s%s%s", map->keys[i],
		near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

/* A map of texts with no other keys than those named; the first n_required must be there. */
static int check_map(const struct config_reader *reader, const struct value *map, const char *what,
	const char *const *names, size_t n_names, size_t n_required)
{
	if (!value_is(map, VALUE_MAP))
		return config_fail_value(reader, map,
			"%s: a map with '%s' and '%s' is wanted, not %s", what, names[0], names[1],
			config_kind(map));
	for (size_t i = 0; i < map->n_items; i++) {
		bool is_known = false;

		for (size_t k = 0; k < n_names; k++)
			is_known |= !strcmp(names[k], map->keys[i]);
		if (!is_known)
			return unknown_config_key(reader, map, i, names, n_names);
	}
	for (size_t k = 0; k < n_required; k++) {
		const struct value *value = value_get(map, names[k]);

		if (value_is_null(value))
			return config_fail_value(reader, map, "%s: no '%s'", what, names[k]);
	}
	return 0;
}

/* The text of a key of a map, NULL where it is absent. */
static int read_config_text(const struct config_reader *reader, const struct value *map,
	const char *name, int (*check)(const char *word, struct err *err), const char **out)
{
	const struct value *value = value_get(map, name);
	struct option_list words = { 0 };
	int status = 0;

	*out = NULL;
	if (value_is_null(value))
		return 0;
	if (value_is_sequence(value))
		return config_fail_value(reader, value, "%s: text is wanted, not a list", name);
	status = config_read_words(reader, value, name, check, &words);
	if (!status)
		*out = words.items[0];
	option_list_free(&words);
	return status;
}

static int check_list(
	const struct config_reader *reader, const struct value *list, const char *what)
{
	if (value_is_sequence(list))
		return 0;
	return config_fail_value(
		reader, list, "%s: a list is wanted, not %s", what, config_kind(list));
}

static int read_targets(const struct config_reader *reader, const struct value *value)
{
	struct option_list *targets = &reader->config->targets;

	option_list_free(targets);
	if (config_read_words(reader, value, "targets", NULL, targets))
		return -1;
	for (size_t i = 0; i < targets->n_items; i++)
		if (target_is_file(targets->items[i]))
			targets->items[i] = config_path(reader, targets->items[i]);
	return 0;
}

static int read_ignore(const struct config_reader *reader, const struct value *map)
{
	static const char *const names[] = { "target", "rules", "reason" };
	struct config *config = reader->config;
	struct target_ignore ignore = { .file = reader->file };

	if (check_map(reader, map, "per-target-ignores", names, 3, 2))
		return -1;
	if (value_is_null(value_get(map, "reason")))
		return config_fail_value(reader, map,
			"per-target-ignores: no 'reason': say why, for those who read it later");
	if (read_config_text(reader, map, "target", NULL, &ignore.pattern) ||
		read_config_text(reader, map, "reason", NULL, &ignore.reason))
		return -1;
	ignore.line = yaml_mark_of(&reader->file->marks, map)->line;
	config->ignores =
		mem_resize(config->ignores, (config->n_ignores + 1) * sizeof(*config->ignores));
	config->ignores[config->n_ignores++] = ignore;
	if (config_read_words(reader, value_get(map, "rules"), "rules", rules_check_word,
		    &config->ignores[config->n_ignores - 1].rules))
		return -1;
	config->ignores[config->n_ignores - 1].used = arena_alloc(&config->arena,
		config->ignores[config->n_ignores - 1].rules.n_items * sizeof(bool) + 1);
	return 0;
}

static int read_ignores(const struct config_reader *reader, const struct value *value)
{
	if (check_list(reader, value, "per-target-ignores"))
		return -1;
	for (size_t i = 0; i < value->n_items; i++)
		if (read_ignore(reader, value->items[i]))
			return -1;
	return 0;
}

static int read_severity(
	const struct config_reader *reader, const struct value *value, enum severity *out)
{
	static const char *const names[] = { "error", "warning", "note" };
	const char *word = value_text_or(value, "");
	const char *near = option_suggest(word, names, 3);

	if (severity_from_name(word, out))
		return 0;
	return config_fail_value(reader, value,
		"severities: error, warning or note is wanted%s%s%s",
		near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

static int read_severities(const struct config_reader *reader, const struct value *value)
{
	struct config *config = reader->config;

	if (!value_is(value, VALUE_MAP))
		return config_fail_value(reader, value,
			"severities: a map from rules to severities is wanted, not %s",
			config_kind(value));
	for (size_t i = 0; i < value->n_items; i++) {
		struct rule_severity_choice choice = { .rule = value->keys[i] };
		struct err err;

		if (rules_check_word(choice.rule, &err))
			return config_fail_key(
				reader, value->items[i], "severities: %s", err.message);
		if (read_severity(reader, value->items[i], &choice.severity))
			return -1;
		config->severities = mem_resize(config->severities,
			(config->n_severities + 1) * sizeof(*config->severities));
		config->severities[config->n_severities++] = choice;
	}
	return 0;
}

static int check_effect(const char *word, struct err *err)
{
	static const char *const names[] = { "excused", "breaks", "keeps" };
	const char *near = option_suggest(word, names, 3);

	for (int i = 0; i < 3; i++)
		if (!strcmp(names[i], word))
			return 0;
	return err_set(err, EXIT_USAGE, "'%s' is none of excused, breaks and keeps%s%s%s", word,
		near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

/* A whole id: what is known of a producer is known of one rule. */
static int check_rule(const char *word, struct err *err)
{
	if (rule_find(word))
		return 0;
	if (!rules_check_word(word, err))
		err_set(err, EXIT_USAGE, "'%s' begins ids; one rule is wanted", word);
	return -1;
}

static int read_producer(const struct config_reader *reader, const struct value *map)
{
	static const char *const names[] = { "type", "rule", "effect", "evidence", "versions",
		"field", "message" };
	struct config *config = reader->config;
	struct rule_producer known = { 0 };
	const char *rule, *effect;

	if (check_map(reader, map, "producers", names, 7, 4) ||
		read_config_text(reader, map, "type", NULL, &known.type) ||
		read_config_text(reader, map, "rule", check_rule, &rule) ||
		read_config_text(reader, map, "effect", check_effect, &effect) ||
		read_config_text(reader, map, "evidence", NULL, &known.evidence) ||
		read_config_text(reader, map, "versions", NULL, &known.versions) ||
		read_config_text(reader, map, "field", NULL, &known.field) ||
		read_config_text(reader, map, "message", NULL, &known.message))
		return -1;
	known.rule = rule_find(rule)->id;
	while (effect && strcmp(effect, rule_producer_effect_name(known.effect)) != 0)
		known.effect++;
	if (known.effect == PRODUCER_BREAKS && !known.message)
		return config_fail_value(reader, map,
			"producers: no 'message', which 'effect: breaks' needs for the finding");
	config->producers = mem_resize(
		config->producers, (config->n_producers + 2) * sizeof(*config->producers));
	config->producers[config->n_producers++] = known;
	config->producers[config->n_producers] = (struct rule_producer){ 0 };
	return 0;
}

static int read_producers(const struct config_reader *reader, const struct value *value)
{
	if (check_list(reader, value, "producers"))
		return -1;
	for (size_t i = 0; i < value->n_items; i++)
		if (read_producer(reader, value->items[i]))
			return -1;
	return 0;
}

const struct config_key config_keys[] = {
	{ .name = "targets",
		.form = "list of TARGET",
		.help = "what is validated where the command line names no target",
		.more = "Files are looked for from the folder of suai.yaml. A TARGET is written as on the command line; "
			"dotted names of modules are imported.",
		.example = "targets:\n"
			   "- tests/arrays.py\n"
			   "- 'tests/views.py:make(3)'\n"
			   "- mylib.examples\n",
		.read = read_targets },
	{ .name = "per-target-ignores",
		.form = "list of {target, rules, reason}",
		.help = "findings of some targets that are known and left out",
		.more = "target is a shell pattern (fnmatch(3), where * matches slashes, too) of the target's name or of what "
			"stands before its first colon, with files from the folder of suai.yaml. rules is one or a list of "
			"ids or their beginnings. reason says why, and is required. Where nothing is left to ignore, a "
			"line on standard error says so.",
		.example = "per-target-ignores:\n"
			   "- target: 'tests/legacy_*.py'\n"
			   "  rules: [CAI401, SUAI2]\n"
			   "  reason: the old exporter goes with version 3\n",
		.read = read_ignores,
		.merges = true },
	{ .name = "severities",
		.form = "map from RULE to error, warning or note",
		.help = "how severe the findings of a rule are",
		.more = "RULE is an id or the beginning of ids; the longest that fits decides. This comes before strict; what "
			"is known of a producer comes before this.",
		.example = "severities:\n"
			   "  SUAI205: error\n"
			   "  NAI: note\n",
		.read = read_severities,
		.merges = true },
	{ .name = "producers",
		.form = "list of {type, versions, rule, effect, evidence, field, message}",
		.help = "what is known of types of objects, beside what suai knows itself",
		.more = "type is a shell pattern of the object's type, as inspect prints it, or of a type that it derives from, "
			"where it inherits the interface. effect is excused (its findings of the "
			"rule are notes), breaks (where the rule cannot tell, this type is known to break it: a note with "
			"message, at field) or keeps (it keeps the rule by other means: no finding). evidence says how that is "
			"known, and stands in the finding; versions says of which versions, for readers. versions, field and, "
			"but for breaks, message may be left out.",
		.example = "producers:\n"
			   "- type: 'mylib.buffers.Pinned*'\n"
			   "  versions: all, to 2.1\n"
			   "  rule: CAI601\n"
			   "  effect: keeps\n"
			   "  evidence: its property waits for the stream, see mylib/buffers.py\n",
		.read = read_producers,
		.merges = true },
	{ .name = NULL },
};
