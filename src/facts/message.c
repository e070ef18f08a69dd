// SPDX-License-Identifier: MIT
#include "facts/message.h"

#include "base/array_size.h"
#include "model/wire.h"

static const struct {
	const char *name;
	const struct fact_record *record; /* NULL: none */
} kinds[] = {
	[MESSAGE_HELLO] = { "hello", &fact_hello_record },
	[MESSAGE_MODULE] = { "module", &fact_module_result_record },
	[MESSAGE_TARGET] = { "target", &fact_target_record },
	[MESSAGE_TRIAL] = { "trial", &fact_trial_step_record },
	[MESSAGE_LOST] = { "lost", &fact_lost_fork_record },
	[MESSAGE_DEVICES] = { "devices", &fact_device_list_record },
	[MESSAGE_DONE] = { "done", NULL },
};

int message_read(
	struct arena *arena, const struct value *value, struct message *out, struct err *err)
{
	const struct value *name = value_get(value, "kind");
	size_t kind = 0;

	while (kind < ARRAY_SIZE(kinds) && !value_is_text(name, kinds[kind].name))
		kind++;
	if (kind == ARRAY_SIZE(kinds))
		return err_set(err, EXIT_BUG, "unknown message '%s'", value_text_or(name, ""));
	out->kind = (enum message_kind)kind;
	if (kinds[kind].record &&
		fact_read(kinds[kind].record, arena, value, FACT_WIRE, NULL, &out->hello, err))
		return err_wrap(err, "message '%s'", kinds[kind].name);
	return 0;
}

static struct value *message_to_value(struct arena *arena, const struct message *message)
{
	struct value *map = value_map(arena), *fields;

	value_add(arena, map, "kind", value_text(arena, kinds[message->kind].name));
	if (!kinds[message->kind].record)
		return map;
	fields = fact_write(kinds[message->kind].record, arena, &message->hello, FACT_WIRE, NULL);
	for (size_t i = 0; i < fields->n_items; i++)
		value_add(arena, map, fields->keys[i], fields->items[i]);
	return map;
}

/* The message that replaces one of a module or a target that is too large to be read. */
static struct message message_of_limit(
	struct arena *arena, const struct message *message, size_t n_bytes)
{
	const struct fact_error error = { .present = true,
		.message =
			arena_printf(arena, "the facts take %zu bytes, but the limit is %d bytes",
				n_bytes, VALUE_MAX_WIRE_BYTES) };
	struct message instead = { .kind = message->kind };

	if (message->kind == MESSAGE_TARGET)
		instead.target = (struct fact_target){ .present = true,
			.target = message->target.target,
			.module = message->target.module,
			.index = message->target.index,
			.status = STATUS_UNAVAILABLE,
			.step = "report",
			.error = error };
	else
		instead.module = (struct fact_module_result){ .present = true,
			.module = message->module.module,
			.status = STATUS_UNAVAILABLE,
			.step = "report",
			.error = error };
	return instead;
}

void message_write(struct text *wire, const struct message *message)
{
	size_t n_before = wire->n_bytes, n_bytes;
	struct arena arena = { 0 };

	wire_write(wire, message_to_value(&arena, message));
	n_bytes = wire->n_bytes - n_before;
	if (n_bytes > VALUE_MAX_WIRE_BYTES &&
		(message->kind == MESSAGE_TARGET || message->kind == MESSAGE_MODULE)) {
		const struct message instead = message_of_limit(&arena, message, n_bytes);

		text_truncate(wire, n_before);
		wire_write(wire, message_to_value(&arena, &instead));
	}
	arena_free(&arena);
}
