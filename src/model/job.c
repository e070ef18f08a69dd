// SPDX-License-Identifier: MIT
/* The wire form of a job: one key for each field. */
#include "model/job.h"

#include "base/array_size.h"
#include "base/text.h"

#include <string.h>
#include <unistd.h>

enum { MAX_WORDS = 8 };

/* Enumerations as words; NULL: null. */
static const char *const fact_words[MAX_WORDS + 1] = { "dict", "struct", "memory", "calls",
	"lifetime", "live", "consumer", "exchange" };
static const char *const copy_words[MAX_WORDS + 1] = { "auto", "always", "never" };
static const char *const engine_words[MAX_WORDS + 1] = { "auto", "kernel", "host" };
static const char *const module_words[MAX_WORDS + 1] = { "none", "file", "module", "code", "npy",
	"notebook" };
static const char *const form_words[MAX_WORDS + 1] = { "object", "npy", "raw" };
static const char *const fault_words[MAX_WORDS + 1] = { "none", "copy-flip", "copy-flip-last",
	"copy-swap" };

/* 0 if words does not list it. */
static int find_word(const char *const *words, const char *word)
{
	for (int i = 0; word && words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	return 0;
}

static const char *job_text_at(const struct value *map, const char *key)
{
	return value_text_or(value_get(map, key), NULL);
}

static void set_text(struct arena *arena, struct value *map, const char *key, const char *text)
{
	value_set(arena, map, key, value_text_escaped(arena, text));
}

static void set_int(struct arena *arena, struct value *map, const char *key, int64_t integer)
{
	value_set(arena, map, key, value_int(arena, integer));
}

static void set_bool(struct arena *arena, struct value *map, const char *key, bool boolean)
{
	value_set(arena, map, key, value_bool(arena, boolean));
}

/* A borrowed value, which must not be changed. */
static void set_value(
	struct arena *arena, struct value *map, const char *key, const struct value *value)
{
	value_set(arena, map, key, value ? (struct value *)value : value_null(arena));
}

enum job_copy job_copy_from_word(const char *word)
{
	return (enum job_copy)find_word(copy_words, word);
}

enum job_engine job_engine_from_word(const char *word)
{
	return (enum job_engine)find_word(engine_words, word);
}

enum job_fault job_fault_from_word(const char *word)
{
	return (enum job_fault)find_word(fault_words, word);
}

struct value *job_facts_to_value(struct arena *arena, int facts)
{
	struct value *list = value_list(arena);

	for (int i = 0; fact_words[i]; i++)
		if (facts & (1 << i))
			value_append(arena, list, value_text(arena, fact_words[i]));
	return list;
}

static int facts_from_value(const struct value *list)
{
	int facts = 0;

	for (int i = 0; fact_words[i]; i++)
		if (value_lists_text(list, fact_words[i]))
			facts |= 1 << i;
	return facts;
}

struct value *job_stream_to_value(struct arena *arena, const struct job_stream *stream)
{
	struct value *map;

	if (stream->kind == JOB_STREAM_UNSET || stream->kind == JOB_STREAM_NONE)
		return value_null(arena);
	if (stream->kind == JOB_STREAM_HANDLE)
		return value_int(arena, stream->handle);
	map = value_map(arena);
	if (stream->kind == JOB_STREAM_NEW)
		set_bool(arena, map, "new", true);
	else
		set_text(arena, map, "py", stream->expression);
	return map;
}

struct job_stream job_stream_from_value(const struct value *value)
{
	struct job_stream stream = { .expression = job_text_at(value, "py") };

	if (!value)
		return stream;
	if (value_to_int64(value, &stream.handle))
		stream.kind = JOB_STREAM_HANDLE;
	else if (stream.expression)
		stream.kind = JOB_STREAM_PYTHON;
	else
		stream.kind = value_is(value, VALUE_MAP) ? JOB_STREAM_NEW : JOB_STREAM_NONE;
	return stream;
}

static void set_pair(
	struct arena *arena, struct value *map, const char *key, const struct job_pair *pair)
{
	struct value *tuple;

	if (pair->kind == JOB_PAIR_NONE)
		value_set(arena, map, key, value_null(arena));
	if (pair->kind != JOB_PAIR_GIVEN)
		return;
	tuple = value_set(arena, map, key, value_tuple(arena));
	value_append(arena, tuple, value_int(arena, pair->first));
	value_append(arena, tuple, value_int(arena, pair->second));
}

static struct job_pair pair_from_value(const struct value *value)
{
	struct job_pair pair = { .kind = value ? JOB_PAIR_NONE : JOB_PAIR_UNSET };

	if (value_to_int64(value_item(value, 0), &pair.first) &&
		value_to_int64(value_item(value, 1), &pair.second))
		pair.kind = JOB_PAIR_GIVEN;
	return pair;
}

struct value *job_dlpack_to_value(struct arena *arena, const struct job_dlpack *dlpack)
{
	struct value *map = value_map(arena);

	if (dlpack->stream.kind != JOB_STREAM_UNSET)
		value_set(arena, map, "stream", job_stream_to_value(arena, &dlpack->stream));
	set_pair(arena, map, "max_version", &dlpack->max_version);
	set_pair(arena, map, "dl_device", &dlpack->dl_device);
	if (dlpack->has_copy)
		value_set(arena, map, "copy",
			dlpack->copy == JOB_COPY_AUTO
				? value_null(arena)
				: value_bool(arena, dlpack->copy == JOB_COPY_ALWAYS));
	return map;
}

struct job_dlpack job_dlpack_from_value(const struct value *keywords)
{
	const struct value *copy = value_get(keywords, "copy");

	return (struct job_dlpack){
		.stream = job_stream_from_value(value_get(keywords, "stream")),
		.max_version = pair_from_value(value_get(keywords, "max_version")),
		.dl_device = pair_from_value(value_get(keywords, "dl_device")),
		.has_copy = copy != NULL,
		.copy = value_is_null(copy)          ? JOB_COPY_AUTO
			: value_bool_or(copy, false) ? JOB_COPY_ALWAYS
						     : JOB_COPY_NEVER,
	};
}

struct value *job_device_to_value(struct arena *arena, const struct job_device *device)
{
	struct value *map = value_map(arena);

	if (!device->runtime)
		return value_null(arena);
	set_text(arena, map, "runtime", device->runtime);
	set_text(arena, map, "filter", device->filter);
	set_int(arena, map, "type", device->type);
	set_int(arena, map, "id", device->id);
	set_int(arena, map, "platform", device->platform);
	set_text(arena, map, "spelled", device->spelled);
	return map;
}

static struct job_device device_from_value(struct arena *arena, const struct value *value)
{
	return (struct job_device){
		.runtime = job_text_at(value, "runtime"),
		.filter = value_text_unescape(arena, job_text_at(value, "filter")),
		.type = value_int_or(value_get(value, "type"), -1),
		.id = value_int_or(value_get(value, "id"), 0),
		.platform = value_int_or(value_get(value, "platform"), -1),
		.spelled = value_text_unescape(arena, job_text_at(value, "spelled")),
	};
}

static struct value *call_to_value(struct arena *arena, const struct job_call *call)
{
	struct value *map = value_map(arena);

	if (!call->function && !call->expression)
		return value_null(arena);
	set_text(arena, map, "module", call->module);
	set_text(arena, map, "function", call->function);
	set_text(arena, map, "file", call->file);
	set_text(arena, map, "expression", call->expression);
	set_text(arena, map, "spelled", call->spelled);
	return map;
}

static struct value *convert_to_value(struct arena *arena, const struct job_convert *convert)
{
	struct value *map = value_map(arena);
	const char order[] = { convert->order, '\0' };

	set_text(arena, map, "to", convert->to);
	set_text(arena, map, "from", convert->from);
	set_int(arena, map, "interface_version", convert->interface_version);
	value_set(arena, map, "device", job_device_to_value(arena, &convert->device));
	set_text(arena, map, "order", order);
	set_text(arena, map, "copy", copy_words[convert->copy]);
	value_set(arena, map, "stream", job_stream_to_value(arena, &convert->stream));
	set_text(arena, map, "engine", engine_words[convert->engine]);
	value_set(arena, map, "call", call_to_value(arena, &convert->call));
	set_bool(arena, map, "verify", convert->verify);
	set_bool(arena, map, "dry_run", convert->dry_run);
	set_bool(arena, map, "timing", convert->timing);
	set_text(arena, map, "form", form_words[convert->form]);
	set_text(arena, map, "output_path", convert->output_path);
	set_text(arena, map, "fault", fault_words[convert->fault]);
	return map;
}

static struct job_call call_from_value(struct arena *arena, const struct value *call)
{
	return (struct job_call){ .module = job_text_at(call, "module"),
		.function = job_text_at(call, "function"),
		.file = value_text_unescape(arena, job_text_at(call, "file")),
		.expression = job_text_at(call, "expression"),
		.spelled = job_text_at(call, "spelled") };
}

struct job_convert job_convert_from_value(struct arena *arena, const struct value *value)
{
	return (struct job_convert){
		.to = job_text_at(value, "to"),
		.from = job_text_at(value, "from"),
		.interface_version = value_int_or(value_get(value, "interface_version"), -1),
		.device = device_from_value(arena, value_get(value, "device")),
		.order = value_text_or(value_get(value, "order"), "K")[0],
		.copy = job_copy_from_word(job_text_at(value, "copy")),
		.stream = job_stream_from_value(value_get(value, "stream")),
		.engine = job_engine_from_word(job_text_at(value, "engine")),
		.call = call_from_value(arena, value_get(value, "call")),
		.verify = value_bool_or(value_get(value, "verify"), false),
		.dry_run = value_bool_or(value_get(value, "dry_run"), false),
		.timing = value_bool_or(value_get(value, "timing"), false),
		.form = (enum job_form)find_word(form_words, job_text_at(value, "form")),
		.output_path = value_text_unescape(arena, job_text_at(value, "output_path")),
		.fault = job_fault_from_word(job_text_at(value, "fault")),
	};
}

static struct value *read_to_value(struct arena *arena, const struct job_read *read)
{
	struct value *map = value_map(arena);

	set_int(arena, map, "values", read->values);
	set_bool(arena, map, "stats", read->stats);
	set_bool(arena, map, "checksum", read->checksum);
	return map;
}

static struct value *trials_to_value(struct arena *arena, const struct job_module *module)
{
	struct value *list = value_list(arena);

	if (!module->trials)
		return value_null(arena);
	for (size_t i = 0; i < module->expressions.n_items; i++) {
		struct value *map = value_append(arena, list, value_map(arena));

		set_text(arena, map, "trial", module->trials[i].name);
		set_text(arena, map, "protocol", module->trials[i].protocol);
		set_int(arena, map, "limit_ms", module->trials[i].limit_ms);
		set_int(arena, map, "first", module->trials[i].first);
		if (module->trials[i].producer) {
			set_text(arena, map, "producer", module->trials[i].producer);
			set_text(arena, map, "consumer", module->trials[i].consumer);
			set_int(arena, map, "offset_bytes", module->trials[i].offset_bytes);
			set_int(arena, map, "queue", module->trials[i].queue);
		}
		if (module->trials[i].convert)
			value_set(arena, map, "convert",
				convert_to_value(arena, module->trials[i].convert));
	}
	return list;
}

static struct value *words_to_value(struct arena *arena, const struct job_words *words)
{
	struct value *list = value_list(arena);

	for (size_t i = 0; i < words->n_items; i++)
		value_append(arena, list, value_text_escaped(arena, words->items[i]));
	return list;
}

static struct job_words words_from_value(struct arena *arena, const struct value *list)
{
	struct job_words words = { 0 };

	for (size_t i = 0; value_is_sequence(list) && i < list->n_items; i++)
		job_words_add(arena, &words, value_text_or(list->items[i], ""));
	return words;
}

static struct value *module_to_value(struct arena *arena, const struct job_module *module)
{
	struct value *map = value_map(arena);

	if (!module->kind)
		return value_null(arena);
	set_text(arena, map, "kind", module_words[module->kind]);
	set_text(arena, map, "name", module->name);
	set_text(arena, map, "label", module->label);
	set_text(arena, map, "device", module->device);
	set_bool(arena, map, "all_objects", module->all_objects);
	set_bool(arena, map, "one_process", module->one_process);
	value_set(arena, map, "expressions", words_to_value(arena, &module->expressions));
	value_set(arena, map, "distributions", words_to_value(arena, &module->distributions));
	value_set(arena, map, "trials", trials_to_value(arena, module));
	return map;
}

static struct value *skip_to_value(struct arena *arena, const struct job *job)
{
	struct value *list = value_list(arena);

	for (size_t i = 0; i < job->n_skip; i++) {
		struct value *map = value_append(arena, list, value_map(arena));

		set_int(arena, map, "target", job->skip[i].target);
		set_text(arena, map, "step", job->skip[i].step);
		set_text(arena, map, "reason", job->skip[i].reason);
	}
	return list;
}

struct value *job_to_value(struct arena *arena, const struct job *job)
{
	struct value *map = value_map(arena);

	set_bool(arena, map, "lists_devices", job->lists_devices);
	value_set(arena, map, "module", module_to_value(arena, &job->module));
	value_set(arena, map, "arguments", words_to_value(arena, &job->arguments));
	set_bool(arena, map, "as_main", job->as_main);
	set_int(arena, map, "index", job->index);
	set_int(arena, map, "start", job->start);
	value_set(arena, map, "skip", skip_to_value(arena, job));
	set_value(arena, map, "protocols", job->protocols);
	set_bool(arena, map, "protocols_named", job->protocols_named);
	value_set(arena, map, "facts", job_facts_to_value(arena, job->facts));
	value_set(arena, map, "dlpack", job_dlpack_to_value(arena, &job->dlpack));
	value_set(arena, map, "read", read_to_value(arena, &job->read));
	value_set(arena, map, "convert",
		job->convert ? convert_to_value(arena, job->convert) : value_null(arena));
	set_text(arena, map, "only_step", job->only_step);
	value_set(arena, map, "producer_stream", job_stream_to_value(arena, &job->producer_stream));
	value_set(arena, map, "consumer", call_to_value(arena, &job->consumer));
	set_bool(arena, map, "passes_objects", job->passes_objects);
	return map;
}

static const struct job_convert *convert_or_none(struct arena *arena, const struct value *value)
{
	struct job_convert *convert;

	if (!value_is(value, VALUE_MAP))
		return NULL;
	convert = arena_alloc(arena, sizeof(*convert));
	*convert = job_convert_from_value(arena, value);
	return convert;
}

static int64_t first_trial_of(const struct value *trial, size_t n_trials)
{
	int64_t first = value_int_or(value_get(trial, "first"), 0);

	return first >= 0 && (size_t)first < n_trials ? first : 0;
}

/* One for each of n_items expressions; NULL: there are none. */
static struct job_trial *trials_from_value(
	struct arena *arena, const struct value *list, size_t n_items)
{
	struct job_trial *trials;

	if (!value_is_sequence(list) || list->n_items != n_items)
		return NULL;
	trials = arena_alloc(arena, (n_items + 1) * sizeof(*trials));
	for (size_t i = 0; i < n_items; i++)
		trials[i] = (struct job_trial){ .name = job_text_at(list->items[i], "trial"),
			.protocol = job_text_at(list->items[i], "protocol"),
			.limit_ms = value_int_or(value_get(list->items[i], "limit_ms"), 0),
			.first = first_trial_of(list->items[i], n_items),
			.producer = job_text_at(list->items[i], "producer"),
			.consumer = job_text_at(list->items[i], "consumer"),
			.offset_bytes = value_int_or(value_get(list->items[i], "offset_bytes"), 0),
			.queue =
				(enum job_queue)value_int_or(value_get(list->items[i], "queue"), 0),
			.convert = convert_or_none(arena, value_get(list->items[i], "convert")) };
	return trials;
}

static struct job_module module_from_value(struct arena *arena, const struct value *value)
{
	struct job_module module = {
		.kind = (enum job_module_kind)find_word(module_words, job_text_at(value, "kind")),
		.name = value_text_or(value_get(value, "name"), ""),
		.label = value_text_or(value_get(value, "label"), "?"),
		.device = value_text_or(value_get(value, "device"), NULL),
		.all_objects = value_bool_or(value_get(value, "all_objects"), false),
		.one_process = value_bool_or(value_get(value, "one_process"), false),
		.expressions = words_from_value(arena, value_get(value, "expressions")),
		.distributions = words_from_value(arena, value_get(value, "distributions")),
	};

	module.trials =
		trials_from_value(arena, value_get(value, "trials"), module.expressions.n_items);
	return module;
}

static void set_skip(struct arena *arena, struct job *job, const struct value *list)
{
	size_t n_items = value_is_sequence(list) ? list->n_items : 0;
	struct job_skip *skip = arena_alloc(arena, (n_items + 1) * sizeof(*skip));

	for (size_t i = 0; i < n_items; i++)
		skip[i] = (struct job_skip){
			.target = value_int_or(value_get(list->items[i], "target"), -2),
			.step = value_text_or(value_get(list->items[i], "step"), ""),
			.reason = value_text_or(value_get(list->items[i], "reason"), ""),
		};
	job->skip = skip;
	job->n_skip = n_items;
}

struct job job_from_value(struct arena *arena, const struct value *value)
{
	const struct value *read = value_get(value, "read");
	struct job job = {
		.lists_devices = value_bool_or(value_get(value, "lists_devices"), false),
		.module = module_from_value(arena, value_get(value, "module")),
		.arguments = words_from_value(arena, value_get(value, "arguments")),
		.as_main = value_bool_or(value_get(value, "as_main"), false),
		.index = value_int_or(value_get(value, "index"), 0),
		.start = value_int_or(value_get(value, "start"), 0),
		.protocols = value_get(value, "protocols"),
		.protocols_named = value_bool_or(value_get(value, "protocols_named"), false),
		.facts = facts_from_value(value_get(value, "facts")),
		.dlpack = job_dlpack_from_value(value_get(value, "dlpack")),
		.read = { .values = value_int_or(value_get(read, "values"), 0),
			.stats = value_bool_or(value_get(read, "stats"), false),
			.checksum = value_bool_or(value_get(read, "checksum"), false) },
		.convert = convert_or_none(arena, value_get(value, "convert")),
		.only_step = job_text_at(value, "only_step"),
		.producer_stream = job_stream_from_value(value_get(value, "producer_stream")),
		.consumer = call_from_value(arena, value_get(value, "consumer")),
		.passes_objects = value_bool_or(value_get(value, "passes_objects"), false),
	};

	set_skip(arena, &job, value_get(value, "skip"));
	return job;
}

struct job_comment job_comment_from_value(const struct value *comment)
{
	return (struct job_comment){ value_int_or(value_get(comment, "line"), 0),
		value_text_or(value_get(comment, "text"), "") };
}

struct job_notice job_notice_from_value(const struct value *options)
{
	return (struct job_notice){ value_int_or(value_get(options, "error_fd"), STDERR_FILENO),
		job_text_at(options, "test") };
}

struct job_capture job_capture_from_value(const struct value *value)
{
	const struct value *isolate = value_get(value, "isolate");
	struct job_capture capture = { .name = job_text_at(value, "name"),
		.file = job_text_at(value, "file"),
		.line = value_int_or(value_get(value, "line"), 0),
		.own_file = job_text_at(value, "own_file"),
		.makes = value_bool_or(value_get(value, "makes"), false),
		.timeout_ms = value_int_or(value_get(value, "timeout_ms"), 0),
		.n_idle_threads = value_int_or(value_get(value, "idle_threads"), 0),
		.has_idle_timer = value_bool_or(value_get(value, "idle_timer"), false),
		.notice = job_notice_from_value(value) };

	if (value_is(isolate, VALUE_BOOL))
		capture.isolation =
			value_bool_or(isolate, false) ? JOB_ISOLATION_ALWAYS : JOB_ISOLATION_NEVER;
	return capture;
}

void job_modules_add(struct arena *arena, struct job_modules *modules, struct job_module *module)
{
	modules->items =
		arena_grow(arena, modules->items, modules->n_items, sizeof(*modules->items));
	modules->items[modules->n_items++] = module;
}

void job_words_add(struct arena *arena, struct job_words *words, const char *text)
{
	words->items = arena_grow(arena, words->items, words->n_items, sizeof(*words->items));
	words->items[words->n_items++] = text;
}

bool job_is_target_file(const char *target, size_t n_chars)
{
	static const char *const suffixes[] = { ".py", ".ipynb", ".npy", ".yaml", ".yml" };

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (text_has_suffix(target, n_chars, suffixes[i]))
			return true;
	return false;
}

const char *job_target_name(
	struct arena *arena, const struct job_module *module, const char *expression)
{
	return module->kind == JOB_MODULE_CODE && !module->all_objects
		       ? arena_copy(arena, expression, strlen(expression))
		       : arena_printf(arena, "%s:%s", module->label, expression);
}

const char *job_trial_step(struct arena *arena, const char *trial, const char *protocol)
{
	return arena_printf(arena, "trial %s of %s", trial, protocol);
}

bool job_has_consumer(const struct job *job)
{
	return !job->passes_objects &&
	       (job->consumer.function || job->consumer.expression ||
		       (job->module.trials && job->module.trials[0].producer));
}

bool job_has_step(const struct job *job, const char *step)
{
	return !job->only_step || !strcmp(job->only_step, step);
}
