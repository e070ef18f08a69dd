// SPDX-License-Identifier: MIT
/* The job of `suai devices`: asks each runtime for its devices, each as a step of its own. */
#include "model/runtimes.h"
#include "worker/worker.h"

struct lister {
	const char *runtime, *step;
	struct value *(*list)(struct arena *arena, struct err *err);
};

#define ROW(NAME, TYPE) { #NAME, "devices of " #NAME, NAME##_list_devices },
static const struct lister listers[] = { DEVICE_RUNTIME_LIST(ROW) };

static struct value *ask(struct arena *arena, const struct lister *lister)
{
	struct value *message = value_map(arena), *devices = NULL;
	struct err err = { .message = "asking for them killed an earlier worker" };

	if (worker_step(lister->step))
		devices = lister->list(arena, &err);
	worker_step_done();
	value_set(arena, message, "kind", value_text(arena, "devices"));
	value_set(arena, message, "runtime", value_text(arena, lister->runtime));
	value_set(arena, message, "reason", value_text(arena, devices ? NULL : err.message));
	value_set(arena, message, "devices", devices ? devices : value_list(arena));
	return message;
}

void worker_list_devices(void)
{
	struct arena arena = { 0 };

	worker_at(-1);
	for (size_t i = 0; i < sizeof(listers) / sizeof(*listers); i++) {
		worker_send(ask(&arena, &listers[i]));
		arena_free(&arena);
	}
}
