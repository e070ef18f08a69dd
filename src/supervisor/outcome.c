// SPDX-License-Identifier: MIT
/* Makes the messages of targets and modules that no worker could report. */
#include "supervisor/outcome.h"

struct value *outcome_new(
	struct arena *arena, const char *status, const char *step, const char *message)
{
	struct value *outcome = value_map(arena);

	value_set(arena, outcome, "status", value_text(arena, status));
	value_set(arena, outcome, "step", value_text(arena, step && *step ? step : NULL));
	value_set(arena, outcome, "error", value_error(arena, NULL, message));
	return outcome;
}

/* Appends what the worker knows that can help to how another ended. */
static void add_hint(struct arena *arena, struct value *message)
{
	struct value *error = (struct value *)value_get(message, "error");
	const char *hint = value_text_or(value_get(message, "hint"), NULL);

	if (hint && value_is(error, VALUE_MAP))
		value_set(arena, error, "message",
			value_textf(arena, "%s (%s)",
				value_text_or(value_get(error, "message"), "?"), hint));
}

void outcome_apply(struct arena *arena, struct value *message, const struct value *outcome)
{
	static const char *const keys[] = { "status", "step", "error" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const struct value *item = value_get(outcome, keys[i]);

		value_set(arena, message, keys[i],
			item ? value_copy(arena, item) : value_null(arena));
	}
	add_hint(arena, message);
}

struct value *outcome_of_target(struct arena *arena, size_t module, size_t target,
	struct value *name, const struct value *outcome)
{
	static const char *const lists[] = { "aliases", "interfaces", "calls", "trials" };
	static const char *const nulls[] = { "type", "mro", "own", "data", "convert", "spent_ms" };
	struct value *message = value_map(arena);

	value_set(arena, message, "kind", value_text(arena, "target"));
	value_set(arena, message, "module", value_uint(arena, module));
	value_set(arena, message, "target", value_uint(arena, target));
	value_set(arena, message, "name", name);
	outcome_apply(arena, message, outcome);
	for (size_t i = 0; i < sizeof(nulls) / sizeof(*nulls); i++)
		value_set(arena, message, nulls[i], value_null(arena));
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		value_set(arena, message, lists[i], value_list(arena));
	return message;
}

struct value *outcome_of_module(struct arena *arena, size_t module, const struct value *outcome)
{
	struct value *message = value_map(arena);

	value_set(arena, message, "kind", value_text(arena, "module"));
	value_set(arena, message, "module", value_uint(arena, module));
	outcome_apply(arena, message, outcome);
	value_set(arena, message, "names", value_list(arena));
	value_set(arena, message, "targets", value_null(arena));
	return message;
}
