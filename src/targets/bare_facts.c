// SPDX-License-Identifier: MIT
/* A target with a status, a step and an error, and no interfaces. */
#include "targets/bare_facts.h"

struct value *bare_facts(struct arena *arena, const char *name, const struct value *like)
{
	static const char *const copied[] = { "status", "step", "error", "buffers" };
	struct value *facts = value_map(arena);

	value_set(arena, facts, "kind", value_text(arena, "target"));
	value_set(arena, facts, "name", value_text_escaped(arena, name));
	for (size_t i = 0; i < sizeof(copied) / sizeof(*copied); i++) {
		const struct value *item = value_get(like, copied[i]);

		value_set(arena, facts, copied[i],
			item ? value_copy(arena, item) : value_null(arena));
	}
	value_set(arena, facts, "interfaces", value_list(arena));
	return facts;
}

struct value *bare_unreadable(struct arena *arena, const char *path, const struct err *why)
{
	struct value *like = value_map(arena);
	const char *message = value_text_escaped(arena, why->message)->bytes;

	value_set(arena, like, "status",
		value_text(arena, why->code == EXIT_UNAVAILABLE ? "unavailable" : "missing"));
	value_set(arena, like, "step", value_text(arena, "read"));
	value_set(arena, like, "error", value_error(arena, NULL, message));
	return bare_facts(arena, path, like);
}
