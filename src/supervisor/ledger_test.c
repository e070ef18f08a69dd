// SPDX-License-Identifier: MIT
/* What the caller is told when workers are lost: each module and target once, in order. */
#include "supervisor/ledger.h"

#include "base/test.h"
#include "base/text.h"

#include <string.h>

static struct text told; /* "module 0 ok; target 0.1 crashed@step; ..." */

static int on_message(void *context, const struct value *message, struct err *err)
{
	const char *kind = value_text_or(value_get(message, "kind"), "?");
	const char *step = value_text_or(value_get(message, "step"), "");

	(void)context;
	(void)err;
	text_printf(&told, "%s%s %d", told.n_bytes ? "; " : "", kind,
		(int)value_int_or(value_get(message, "module"), -1));
	if (!strcmp(kind, "target"))
		text_printf(&told, ".%d", (int)value_int_or(value_get(message, "target"), -1));
	text_printf(&told, " %s%s%s", value_text_or(value_get(message, "status"), "?"),
		*step ? "@" : "", step);
	return 0;
}

static struct ledger ledger;
static struct arena job_arena;
static const struct session session = { .on_message = on_message };

/* Of two modules the first names three targets, the second asks for what is there. */
static void begin(size_t index)
{
	struct value *job = value_map(&job_arena), *modules = value_list(&job_arena);
	struct value *module, *targets = value_list(&job_arena);

	value_set(&job_arena, job, "modules", modules);
	module = value_append(&job_arena, modules, value_map(&job_arena));
	value_set(&job_arena, module, "label", value_text(&job_arena, "a.py"));
	value_set(&job_arena, module, "targets", targets);
	for (int i = 0; i < 3; i++)
		value_append(&job_arena, targets, value_text(&job_arena, "x"));
	module = value_append(&job_arena, modules, value_map(&job_arena));
	value_set(&job_arena, module, "label", value_text(&job_arena, "b.py"));
	text_clear(&told);
	ledger_open(&ledger, &session, job, index);
}

static void end(void)
{
	ledger_close(&ledger);
	arena_free(&job_arena);
}

static void say(const char *kind, int module, int target, const char *status)
{
	struct arena arena = { 0 };
	struct value *message = value_map(&arena), *found = value_list(&arena);
	struct err err;

	value_set(&arena, message, "kind", value_text(&arena, kind));
	value_set(&arena, message, "module", value_int(&arena, module));
	value_set(&arena, message, "target", value_int(&arena, target));
	value_set(&arena, message, "status", value_text(&arena, status));
	for (int i = 0; i < 2; i++)
		value_set(&arena, value_append(&arena, found, value_map(&arena)), "name",
			value_text(&arena, "y"));
	if (!strcmp(kind, "module") && module == 1)
		value_set(&arena, message, "targets", found);
	ledger_take(&ledger, &arena, message, &err);
}

static void lose(int target, const char *step, bool in_step)
{
	struct worker_exit worker_exit = { .status = "crashed",
		.message = "killed by SIGSEGV",
		.position = { .target = target, .in_step = in_step } };
	struct err err;

	snprintf(worker_exit.position.step, sizeof(worker_exit.position.step), "%s", step);
	ledger_worker_exited(&ledger, &worker_exit, &err);
}

/* "start 1 skip 1", or "all told". */
static const char *next(void)
{
	static char text[64];
	struct arena arena = { 0 };
	const struct value *job = ledger_next_job(&ledger, &arena);

	if (job)
		snprintf(text, sizeof(text), "start %d skip %zu",
			(int)value_int_or(value_get(job, "start"), -1),
			value_get(job, "skip")->n_items);
	arena_free(&arena);
	return job ? text : "all told";
}

static void expect(const char *name, const char *expected, const char *expected_next)
{
	const char *then = next();

	CHECK(!strcmp(told.bytes ? told.bytes : "", expected), "%s: %s", name, told.bytes);
	CHECK(!strcmp(then, expected_next), "%s: %s", name, then);
}

static void test_all_well(void)
{
	struct err err;

	begin(0);
	say("module", 0, -1, "ok");
	say("target", 0, 0, "ok");
	say("target", 0, 1, "raised");
	say("target", 0, 2, "ok");
	ledger_finish(&ledger, &err);
	expect("named", "module 0 ok; target 0.0 ok; target 0.1 raised; target 0.2 ok", "all told");
	end();

	begin(1);
	say("module", 1, -1, "ok");
	say("target", 1, 0, "ok");
	say("target", 1, 1, "ok");
	ledger_finish(&ledger, &err);
	expect("found", "module 1 ok; target 1.0 ok; target 1.1 ok", "all told");
	end();
}

/* A worker has its module and no other. */
static void test_one_module(void)
{
	struct arena arena = { 0 };
	const struct value *job;

	begin(1);
	job = ledger_next_job(&ledger, &arena);
	CHECK(!value_get(job, "modules"), "the job of a worker lists no other modules");
	CHECK(value_is_text(value_at(job, "module.label"), "b.py"), "it has its own");
	CHECK(value_int_or(value_get(job, "index"), -1) == 1, "and its index");
	arena_free(&arena);
	end();
}

static void test_step_is_left_out(void)
{
	begin(0);
	say("module", 0, -1, "ok");
	say("target", 0, 0, "ok");
	lose(1, "__dlpack__()", true);
	expect("lost", "module 0 ok; target 0.0 ok", "start 1 skip 1");
	say("module", 0, -1, "ok");
	say("target", 0, 1, "ok");
	say("target", 0, 2, "ok");
	expect("merged", "module 0 ok; target 0.0 ok; target 0.1 crashed@__dlpack__()",
		"start 2 skip 1");
	end();
}

static void test_lost_between_steps(void)
{
	begin(0);
	say("module", 0, -1, "ok");
	lose(0, "shape", false);
	expect("after a step", "module 0 ok", "start 0 skip 1");
	say("target", 0, 0, "ok");
	say("target", 0, 1, "ok");
	lose(1, "buffer", false);
	expect("after its facts",
		"module 0 ok; target 0.0 crashed@shape; target 0.1 crashed@buffer",
		"start 2 skip 1");
	end();
}

static void test_lost_import(void)
{
	begin(0);
	lose(-1, "import", true);
	expect("first import", "module 0 crashed@import", "all told");
	end();

	begin(1);
	lose(-1, "y.__dlpack__", true);
	expect("discovery", "", "start 0 skip 1");
	say("module", 1, -1, "ok");
	lose(0, "evaluate", true);
	lose(-1, "import", true);
	expect("second import",
		"module 1 ok; target 1.0 crashed@evaluate; target 1.1 crashed@import", "all told");
	end();
}

static void test_second_import_raises(void)
{
	struct err err;

	begin(0);
	next();
	say("module", 0, -1, "ok");
	lose(1, "evaluate", true);
	next();
	say("module", 0, -1, "raised");
	ledger_finish(&ledger, &err);
	expect("second import raises",
		"module 0 ok; target 0.0 unavailable@report; target 0.1 crashed@evaluate; "
		"target 0.2 raised",
		"all told");
	end();
}

static void test_limits(void)
{
	char step[32];

	begin(0);
	say("module", 0, -1, "ok");
	for (int i = 0; i < LEDGER_MAX_EXITS; i++) {
		snprintf(step, sizeof(step), "step %d", i);
		lose(0, step, true);
	}
	expect("one target", "module 0 ok; target 0.0 crashed@step 0", "start 1 skip 7");
	lose(1, "again", true);
	lose(1, "again", true);
	expect("not skipped", "module 0 ok; target 0.0 crashed@step 0; target 0.1 crashed@again",
		"start 2 skip 8");
	end();
}

/* What a lost worker left of a target is told with how it was lost. */
static void draft(struct arena *arena, struct value *drafts, const char *key, const char *step)
{
	struct value *message = value_append(arena, drafts, value_map(arena));
	struct value *item = value_map(arena);

	value_set(arena, item, "step", value_text(arena, step));
	value_append(arena, value_set(arena, message, key, value_list(arena)), item);
}

static int take_drafted(void *context, const struct value *message, struct err *err)
{
	const struct value *calls = value_get(message, "calls");
	const struct value *interfaces = value_get(message, "interfaces");

	(void)context;
	(void)err;
	if (!value_is_sequence(calls))
		return 0;
	text_printf(&told, "%s %s: %zu interfaces, %d ms;",
		value_text_or(value_get(message, "status"), "?"),
		value_text_or(value_at(message, "error.message"), "?"), interfaces->n_items,
		(int)value_int_or(value_get(message, "spent_ms"), -1));
	for (size_t i = 0; i < calls->n_items; i++)
		text_printf(&told, " %s (%s)",
			value_text_or(value_get(calls->items[i], "step"), "?"),
			value_text_or(value_at(calls->items[i], "error.message"), "made"));
	return 0;
}

static void lose_with(struct worker_exit worker_exit, const char *const drafts[][2])
{
	struct arena arena = { 0 };
	struct value *list = value_list(&arena);
	struct err err;

	for (size_t i = 0; drafts[i][0]; i++)
		draft(&arena, list, drafts[i][0], drafts[i][1]);
	worker_exit.drafts = list;
	ledger_worker_exited(&ledger, &worker_exit, &err);
	arena_free(&arena);
}

static void test_drafts(void)
{
	static const char *const two[][2] = { { "interfaces", "" }, { "interfaces", "" },
		{ NULL } };
	static const char *const one[][2] = { { "interfaces", "" }, { NULL } };
	static const char *const last[][2] = { { "interfaces", "" }, { "interfaces", "" },
		{ "planned", "a" }, { "planned", "b" }, { "planned", "d" }, { "calls", "a" },
		{ NULL } };
	const struct session receiver = { .on_message = take_drafted };
	struct worker_exit worker_exit = { .status = "crashed",
		.message = "killed by SIGSEGV",
		.position = { .target = 0, .in_step = true, .step = "x" } };

	begin(0);
	ledger.session = &receiver;
	say("module", 0, -1, "ok");
	lose_with(worker_exit, two);
	worker_exit.position.step[0] = 'y';
	lose_with(worker_exit, one); /* the later worker came less far */
	worker_exit.spent_ms = 2000;
	worker_exit.no_time = true;
	lose_with(worker_exit, last);
	expect("drafted",
		"crashed killed by SIGSEGV; the time limit of the target is used up: 2 interfaces, "
		"2000 ms; a (made) b (the time limit of the target is used up) "
		"d (the time limit of the target is used up)",
		"start 1 skip 2");
	end();

	begin(0);
	ledger.session = &receiver;
	say("module", 0, -1, "ok");
	lose_with(worker_exit, two);
	text_clear(&told);
	worker_exit.position.target = 1;
	lose_with(worker_exit, one);
	expect("each target has its own", "crashed killed by SIGSEGV: 1 interfaces, 2000 ms;",
		"start 2 skip 0");
	end();
}

/* Places and numbers that make no sense are not believed. */
static void test_nonsense(void)
{
	begin(0);
	say("target", 0, 0, "ok");
	say("target", 9, 0, "ok");
	say("module", 1, -1, "ok");
	say("module", 2, -1, "ok");
	say("module", -1, -1, "ok");
	say("module", 0, -1, "ok");
	say("target", 0, 3, "ok");
	say("target", 0, -1, "ok");
	expect("messages", "module 0 ok", "start 0 skip 0");
	lose(5, "x", true);
	expect("place", "module 0 ok; target 0.0 crashed", "start 1 skip 0");
	end();
}

int main(void)
{
	test_all_well();
	test_one_module();
	test_step_is_left_out();
	test_lost_between_steps();
	test_lost_import();
	test_second_import_raises();
	test_limits();
	test_drafts();
	test_nonsense();
	text_free(&told);
	return test_end();
}
