// SPDX-License-Identifier: MIT
/* The keys of suai.yaml that are not options: targets, ignores, severities, producers, adapters. */
#include "base/array_size.h"
#include "base/memory.h"
#include "base/python_code.h"
#include "settings/config.h"
#include "targets/targets.h"

#include <string.h>

/* Checks that map has only the named keys, and the first n_required of them; required lists those
 * for the user. */
static int check_map(const struct config_reader *reader, const struct value *map, const char *what,
	const char *required, const char *const *names, size_t n_names, size_t n_required)
{
	if (!value_is(map, VALUE_MAP))
		return config_fail_value(reader, map, "%s: expected a map with the keys %s, got %s",
			what, required, config_kind(map));
	if (config_check_keys(reader, map, names, n_names))
		return -1;
	for (size_t k = 0; k < n_required; k++) {
		const struct value *value = value_get(map, names[k]);

		if (value_is_null(value))
			return config_fail_value(reader, map, "%s: missing '%s'", what, names[k]);
	}
	return 0;
}

/* The text of a key of a map; NULL if it is absent. */
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
		return config_fail_value(reader, value, "%s: expected a string, got a list", name);
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
		reader, list, "%s: expected a list, got %s", what, config_kind(list));
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
	const struct value *rules;

	if (check_map(reader, map, "per-target-ignores", "target, rules and reason", names, 3, 2))
		return -1;
	if (value_is_null(value_get(map, "reason")))
		return config_fail_value(reader, map,
			"per-target-ignores: missing 'reason' for ignoring the findings");
	if (read_config_text(reader, map, "target", NULL, &ignore.pattern) ||
		read_config_text(reader, map, "reason", NULL, &ignore.reason))
		return -1;
	rules = value_get(map, "rules");
	if (value_is_sequence(rules) && !rules->n_items)
		return config_fail_value(reader, rules, "rules: empty list");
	ignore.line = yaml_mark_of(&reader->file->marks, map)->line;
	config->ignores =
		mem_resize(config->ignores, (config->n_ignores + 1) * sizeof(*config->ignores));
	config->ignores[config->n_ignores++] = ignore;
	if (config_read_words(reader, rules, "rules", rules_check_word,
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
	config_fail_value(reader, value, "severities: expected error, warning or note, got %s",
		value_text_or(value, config_kind(value)));
	return err_suggest(reader->err, near, NULL);
}

static int read_severities(const struct config_reader *reader, const struct value *value)
{
	struct config *config = reader->config;

	if (!value_is(value, VALUE_MAP))
		return config_fail_value(reader, value,
			"severities: expected a map from rules to severities, got %s",
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
	err_set(err, EXIT_USAGE, "unknown effect '%s', expected excused, breaks or keeps", word);
	return err_suggest(err, near, NULL);
}

/* A complete id: a known effect concerns one rule. */
static int check_rule(const char *word, struct err *err)
{
	if (rule_find(word))
		return 0;
	if (!rules_check_word(word, err))
		err_set(err, EXIT_USAGE, "'%s' is a prefix of rule ids; expected one id", word);
	return -1;
}

static int read_producer(const struct config_reader *reader, const struct value *map)
{
	static const char *const names[] = { "type", "rule", "effect", "evidence", "versions",
		"field", "message" };
	struct config *config = reader->config;
	struct rule_producer known = { 0 };
	const char *rule, *effect;

	if (check_map(reader, map, "producers", "type, rule, effect and evidence", names, 7, 4) ||
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
			"producers: missing 'message', which 'effect: breaks' requires");
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

static int read_adapter_consumers(
	const struct config_reader *reader, const struct value *map, struct adapter *adapter)
{
	if (value_is_null(map))
		return 0;
	if (!value_is(map, VALUE_MAP))
		return config_fail_value(reader, map,
			"adapters: consumers: expected a map from names to expressions, got %s",
			config_kind(map));
	if (map->n_items > ADAPTER_MAX_CONSUMERS)
		return config_fail_value(reader, map,
			"adapters: consumers: expected at most %d, got %zu", ADAPTER_MAX_CONSUMERS,
			map->n_items);
	for (size_t i = 0; i < map->n_items; i++) {
		adapter->consumers[i].name = map->keys[i];
		if (!*map->keys[i])
			return config_fail_value(reader, map,
				"adapters: consumers: expected a name, got an empty one");
		if (read_config_text(
			    reader, map, map->keys[i], NULL, &adapter->consumers[i].expression))
			return -1;
		if (!adapter->consumers[i].expression)
			return config_fail_key(reader, map->items[i],
				"adapters: consumer '%s' has no expression", map->keys[i]);
		if (!expression_count_name(adapter->consumers[i].expression, "_"))
			return config_fail_value(reader, map->items[i],
				"adapters: consumer '%s' does not use _, the array of another library; an example is '%s(_)'",
				map->keys[i], map->keys[i]);
	}
	return 0;
}

/* A missing key is false. */
static int read_adapter_flag(
	const struct config_reader *reader, const struct value *map, const char *key, bool *flag)
{
	const struct value *value = value_get(map, key);

	if (!value_is_null(value) && !value_is(value, VALUE_BOOL))
		return config_fail_value(reader, value,
			"adapters: %s: expected true or false, got %s", key, config_kind(value));
	*flag = value_bool_or(value, false);
	return 0;
}

static int read_adapter(const struct config_reader *reader, const struct value *map)
{
	static const char *const names[] = { "library", "import", "distribution", "producer",
		"consumers", "device", "has_queue", "own_process" };
	struct config *config = reader->config;
	struct adapter adapter = { 0 };

	if (check_map(reader, map, "adapters", "library, import, producer and consumers", names,
		    ARRAY_SIZE(names), 1) ||
		read_config_text(reader, map, "library", NULL, &adapter.library) ||
		read_config_text(reader, map, "import", NULL, &adapter.import) ||
		read_config_text(reader, map, "distribution", NULL, &adapter.distribution) ||
		read_config_text(reader, map, "producer", NULL, &adapter.producer) ||
		read_config_text(reader, map, "device", NULL, &adapter.device) ||
		read_adapter_consumers(reader, value_get(map, "consumers"), &adapter) ||
		read_adapter_flag(reader, map, "has_queue", &adapter.has_queue) ||
		read_adapter_flag(reader, map, "own_process", &adapter.own_process))
		return -1;
	if (adapter.library && strpbrk(adapter.library, ":>"))
		return config_fail_value(reader, value_get(map, "library"),
			"adapters: library '%s' contains : or >, which separate the names of a pair",
			adapter.library);
	if (!adapter.producer && !adapter.consumers[0].name)
		return config_fail_value(reader, map,
			"adapters: '%s' has neither a producer nor consumers", adapter.library);
	if (adapter.producer && !expression_count_name(adapter.producer, "_"))
		return config_fail_value(reader, value_get(map, "producer"),
			"adapters: producer of '%s' does not use _, the NumPy array that it makes an array of",
			adapter.library);
	if (!adapter.import)
		adapter.import = "";
	config->adapters =
		mem_resize(config->adapters, (config->n_adapters + 2) * sizeof(*config->adapters));
	config->adapters[config->n_adapters++] = adapter;
	config->adapters[config->n_adapters] = (struct adapter){ 0 };
	return 0;
}

/* The ids of cells consist of the names of libraries and consumers: those of the last adapter must
 * differ from those of the file's others, which begin at first. */
static int check_adapter_names(
	const struct config_reader *reader, const struct value *map, size_t first)
{
	const struct config *config = reader->config;
	const struct adapter *last = &config->adapters[config->n_adapters - 1];

	for (size_t i = first; i + 1 < config->n_adapters; i++) {
		const struct adapter *other = &config->adapters[i];

		if (other->library && last->library && !strcmp(other->library, last->library))
			return config_fail_value(reader, map,
				"adapters: library '%s' has two adapters; remove one, or rename it",
				last->library);
		for (size_t k = 0; k < ADAPTER_MAX_CONSUMERS && last->consumers[k].name; k++)
			if (adapter_has_consumer(other, last->consumers[k].name))
				return config_fail_value(reader, map,
					"adapters: libraries '%s' and '%s' have a consumer '%s' each; rename one",
					other->library, last->library, last->consumers[k].name);
	}
	return 0;
}

static int read_adapters(const struct config_reader *reader, const struct value *value)
{
	struct config *config = reader->config;
	size_t n_others = config->n_adapters; /* of another file */

	if (check_list(reader, value, "adapters"))
		return -1;
	for (size_t i = 0; i < value->n_items; i++) {
		if (read_adapter(reader, value->items[i]) ||
			check_adapter_names(reader, value->items[i], n_others))
			return -1;
	}
	return 0;
}

const struct config_key config_keys[] = {
	{ .name = "targets",
		.command = "validate",
		.form = "list of TARGET",
		.help = "default targets, if the command line has no TARGET",
		.more = "Files are relative to the directory of suai.yaml. A TARGET has the same form as on the command line; "
			"dotted names of modules are imported.",
		.example = "targets:\n"
			   "- tests/arrays.py\n"
			   "- 'tests/views.py:make(3)'\n"
			   "- mylib.examples\n",
		.read = read_targets },
	{ .name = "per-target-ignores",
		.command = "validate",
		.form = "list of {target, rules, reason}",
		.help = "known findings of targets to ignore",
		.more = "target is the target's name or its part before the first colon, or a shell pattern of one (fnmatch(3), with * also "
			"matching slashes and \\[ a bracket), with files relative to the directory of suai.yaml. rules is an id or a prefix "
			"of ids, or a list of them. reason explains why, and is required. If there is no finding to ignore, a "
			"line on standard error reports it; if the command line has a TARGET, a target that matches nothing is reported only by -v.",
		.example = "per-target-ignores:\n"
			   "- target: 'tests/legacy_*.py'\n"
			   "  rules: [CAI401, SUAI2]\n"
			   "  reason: the old exporter is removed in version 3\n",
		.read = read_ignores,
		.merges = true },
	{ .name = "severities",
		.command = "validate",
		.form = "map from RULE to error, warning or note",
		.help = "severity of the findings of a rule",
		.more = "RULE is an id or a prefix of ids; the longest match decides. A severity takes precedence over strict, "
			"and a known effect of a producer over both.",
		.example = "severities:\n"
			   "  SUAI205: error\n"
			   "  NAI: note\n",
		.read = read_severities,
		.merges = true },
	{ .name = "producers",
		.command = "validate",
		.form = "list of {type, versions, rule, effect, evidence, field, message}",
		.help = "known deviations of types of objects, in addition to those built into suai",
		.more = "type is a shell pattern for the object's type, as inspect prints it, or for a base type from which it "
			"inherits the interface. effect is excused (its findings of the rule are notes), breaks (the rule cannot "
			"be checked, but the type is known to violate it: a note with message, at field) or keeps (the type "
			"satisfies the rule by other means: no finding). evidence states how that is known and appears in the finding; "
			"versions documents the versions concerned. versions, field and, except for breaks, message are optional.",
		.example = "producers:\n"
			   "- type: 'mylib.buffers.Pinned*'\n"
			   "  versions: up to 2.1\n"
			   "  rule: CAI601\n"
			   "  effect: keeps\n"
			   "  evidence: the property waits for the stream, see mylib/buffers.py\n",
		.read = read_producers,
		.merges = true },
	{ .name = "adapters",
		.command = "matrix",
		.form = "list of {library, import, distribution, producer, consumers, device, has_queue, own_process}",
		.help = "libraries of `suai matrix`, in addition to those built into suai",
		.more = "import is Python statements. producer is an expression with _, a NumPy array, that makes an array of it; "
			"without it, the library is only a consumer. consumers is a map from names, which appear in the ids of cells, "
			"to expressions with _, the array of another library. An expression that can return the array itself must make "
			"a view of it, which proves that it was read. distribution is the installed package that has the version, or the "
			"imported module whose __version__ it is (default: the first module that import names). "
			"device is an expression with the name of the device that has the library's arrays, if that is not the CPU. "
			"has_queue: true is for libraries whose arrays may have pending work on the SYCL queue or CUDA stream that they declare, for --placement pending. "
			"own_process: true is for libraries that must not be forked, such as those that load the runtime of a device. "
			"A name of a library contains neither : nor >, an adapter has a producer or up to 6 consumers, and it replaces that of the same library.",
		.example = "adapters:\n"
			   "- library: mylib\n"
			   "  import: import mylib\n"
			   "  distribution: mylib\n"
			   "  producer: mylib.asarray(_)\n"
			   "  consumers:\n"
			   "    mylib.asarray: mylib.asarray(_)\n"
			   "    mylib.from_dlpack: mylib.from_dlpack(_)\n",
		.read = read_adapters,
		.merges = true },
	{ .name = NULL },
};
