// SPDX-License-Identifier: MIT
/* What is reported to the caller when workers are lost: each module and target once, in order. */
#include "supervisor/ledger.h"

#include "base/test.h"
#include "base/text.h"

#include <string.h>

static struct text reported; /* "module 0 ok; target 0.1 crashed@step; ..." */

static int on_message(void *context, struct arena *arena, struct message *message, struct err *err)
{
	bool is_target = message->kind == MESSAGE_TARGET;
	const struct fact_module_result *module = &message->module;
	const struct fact_target *target = &message->target;
	const char *step = is_target ? target->step : module->step;

	(void)context;
	(void)arena;
	(void)err;
	text_printf(&reported, "%s%s %d", reported.n_bytes ? "; " : "",
		is_target ? "target" : "module",
		(int)(is_target ? target->module : module->module).value);
	if (is_target)
		text_printf(&reported, ".%d", (int)target->index.value);
	text_printf(&reported, " %s%s%s",
		target_status_name(is_target ? target->status : module->status), step ? "@" : "",
		step ? step : "");
	return 0;
}

static struct ledger ledger;
static const struct message_receiver receiver = { .on_message = on_message };

/* Opens the ledger for one of two modules: the first has three named targets, the second all its
 * objects. */
static void begin(size_t index)
{
	static const char *expressions[] = { "x", "x", "x" };
	static const struct job job;
	static const struct job_module modules[] = {
		{ .kind = JOB_MODULE_FILE, .label = "a.py", .expressions = { 3, expressions } },
		{ .kind = JOB_MODULE_FILE, .label = "b.py", .all_objects = true },
	};

	text_clear(&reported);
	ledger_open(&ledger, &receiver, &job, &modules[index], index);
}

static void end(void)
{
	ledger_close(&ledger);
}

static void send_module(int module, enum target_status status)
{
	struct arena arena = { 0 };
	struct message message = { .kind = MESSAGE_MODULE,
		.module = { .present = true, .module = fact_int(module), .status = status } };
	struct err err;

	for (int i = 0; module == 1 && i < 2; i++)
		*(struct fact_found_target *)FACT_LIST_ADD(&arena, &message.module.targets) =
			(struct fact_found_target){ .present = true, .name = "y" };
	ledger_take(&ledger, &arena, &message, &err);
}

static void send_target(int module, int target, enum target_status status)
{
	struct arena arena = { 0 };
	struct message message = { .kind = MESSAGE_TARGET,
		.target = { .present = true,
			.module = fact_int(module),
			.index = fact_int(target),
			.status = status } };
	struct err err;

	ledger_take(&ledger, &arena, &message, &err);
}

static void lose_worker(int target, const char *step, bool in_step)
{
	struct worker_exit worker_exit = { .status = STATUS_CRASHED,
		.message = "killed by SIGSEGV",
		.position = { .target = target, .in_step = in_step } };
	struct err err;

	snprintf(worker_exit.position.step, sizeof(worker_exit.position.step), "%s", step);
	ledger_worker_exited(&ledger, &worker_exit, &err);
}

/* "start 1 skip 1", or "all reported". */
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
	return job ? text : "all reported";
}

static void expect(const char *name, const char *expected, const char *expected_next)
{
	const char *then = next();

	CHECK(!strcmp(reported.bytes ? reported.bytes : "", expected), "%s: %s", name,
		reported.bytes);
	CHECK(!strcmp(then, expected_next), "%s: %s", name, then);
}

static void test_nothing_lost(void)
{
	struct err err;

	begin(0);
	send_module(0, STATUS_OK);
	send_target(0, 0, STATUS_OK);
	send_target(0, 1, STATUS_RAISED);
	send_target(0, 2, STATUS_OK);
	ledger_finish(&ledger, &err);
	expect("named", "module 0 ok; target 0.0 ok; target 0.1 raised; target 0.2 ok",
		"all reported");
	end();

	begin(1);
	send_module(1, STATUS_OK);
	send_target(1, 0, STATUS_OK);
	send_target(1, 1, STATUS_OK);
	ledger_finish(&ledger, &err);
	expect("found", "module 1 ok; target 1.0 ok; target 1.1 ok", "all reported");
	end();
}

/* A target is reported when the worker is at a later one. */
static void test_arrival(void)
{
	struct err err;

	begin(0);
	send_module(0, STATUS_OK);
	send_target(0, 0, STATUS_OK);
	ledger_arrive(&ledger, 0, &err);
	expect("released later", "module 0 ok", "start 0 skip 0");
	ledger_arrive(&ledger, 1, &err);
	ledger_arrive(&ledger, 2, &err);
	expect("left", "module 0 ok; target 0.0 ok", "start 1 skip 0");
	lose_worker(1, "x", true);
	expect("lost", "module 0 ok; target 0.0 ok", "start 1 skip 1");
	end();
}

/* A worker has its module and no other. */
static void test_one_module(void)
{
	struct arena arena = { 0 };
	const struct value *job;

	begin(1);
	job = ledger_next_job(&ledger, &arena);
	CHECK(value_is_text(value_at(job, "module.label"), "b.py"), "it has its own");
	CHECK(value_int_or(value_get(job, "index"), -1) == 1, "and its index");
	arena_free(&arena);
	end();
}

static void test_step_is_skipped(void)
{
	begin(0);
	send_module(0, STATUS_OK);
	send_target(0, 0, STATUS_OK);
	lose_worker(1, "__dlpack__()", true);
	expect("repeated", "module 0 ok; target 0.0 ok", "start 1 skip 0");
	lose_worker(1, "__dlpack__()", true);
	expect("lost", "module 0 ok; target 0.0 ok", "start 1 skip 1");
	send_module(0, STATUS_OK);
	send_target(0, 1, STATUS_OK);
	send_target(0, 2, STATUS_OK);
	expect("merged", "module 0 ok; target 0.0 ok; target 0.1 crashed@__dlpack__()",
		"start 2 skip 1");
	end();
}

static void test_lost_because_of_others(void)
{
	begin(0);
	send_module(0, STATUS_OK);
	send_target(0, 0, STATUS_OK);
	lose_worker(1, "__dlpack__()", true);
	send_module(0, STATUS_OK);
	send_target(0, 1, STATUS_OK);
	send_target(0, 2, STATUS_OK);
	expect("not again", "module 0 ok; target 0.0 ok; target 0.1 crashed@__dlpack__()",
		"start 2 skip 0");
	end();
}

static void test_lost_between_steps(void)
{
	begin(0);
	send_module(0, STATUS_OK);
	lose_worker(0, "shape", false);
	expect("after a step", "module 0 ok", "start 0 skip 1");
	send_target(0, 0, STATUS_OK);
	send_target(0, 1, STATUS_OK);
	lose_worker(1, "buffer", false);
	expect("after its facts",
		"module 0 ok; target 0.0 crashed@shape; target 0.1 crashed@buffer",
		"start 2 skip 1");
	end();
}

static void test_lost_import(void)
{
	begin(0);
	lose_worker(-1, "import", true);
	expect("first import", "module 0 crashed@import", "all reported");
	end();

	begin(1);
	lose_worker(-1, "y.__dlpack__", true);
	expect("discovery", "", "start 0 skip 1");
	send_module(1, STATUS_OK);
	lose_worker(0, "evaluate", true);
	lose_worker(-1, "import", true);
	expect("second import",
		"module 1 ok; target 1.0 crashed@evaluate; target 1.1 crashed@import",
		"all reported");
	end();
}

static void test_second_import_raises(void)
{
	struct err err;

	begin(0);
	next();
	send_module(0, STATUS_OK);
	lose_worker(1, "evaluate", true);
	next();
	send_module(0, STATUS_RAISED);
	ledger_finish(&ledger, &err);
	expect("second import raises",
		"module 0 ok; target 0.0 unavailable@report; target 0.1 crashed@evaluate; "
		"target 0.2 raised",
		"all reported");
	end();
}

static void test_limits(void)
{
	char step[32];

	begin(0);
	send_module(0, STATUS_OK);
	for (int i = 0; i < LEDGER_MAX_EXITS; i++) {
		snprintf(step, sizeof(step), "step %d", i);
		lose_worker(0, step, true);
	}
	expect("one target", "module 0 ok; target 0.0 crashed@step 0", "start 1 skip 7");
	lose_worker(1, "again", true);
	lose_worker(1, "again", true);
	expect("not skipped", "module 0 ok; target 0.0 crashed@step 0; target 0.1 crashed@again",
		"start 2 skip 8");
	end();
}

/* What a lost worker left of a target is reported with how it was lost. */
static int take_drafted(
	void *context, struct arena *arena, struct message *message, struct err *err)
{
	const struct fact_target *target = &message->target;

	(void)context;
	(void)arena;
	(void)err;
	if (message->kind != MESSAGE_TARGET)
		return 0;
	text_printf(&reported, "%s %s: %zu interfaces, %d ms;", target_status_name(target->status),
		target->error.message, target->interfaces.n_items, (int)target->spent_ms.value);
	for (size_t i = 0; i < target->calls.n_items; i++)
		text_printf(&reported, " %s (%s)", target->calls.items[i].step,
			target->calls.items[i].error.present ? target->calls.items[i].error.message
							     : "made");
	return 0;
}

static void add_calls(struct arena *arena, struct fact_call_list *calls, const char *steps)
{
	for (; *steps; steps++) {
		struct fact_call *call = fact_list_add(arena, calls, sizeof(*call));

		call->step = arena_copy(arena, steps, 1);
	}
}

static void lose_worker_with(
	struct worker_exit worker_exit, int n_interfaces, const char *planned, const char *calls)
{
	struct fact_draft *draft = &worker_exit.draft;
	struct arena *arena = &worker_exit.draft_arena;
	struct err err;

	draft->present = true;
	for (int i = 0; i < n_interfaces; i++)
		FACT_LIST_ADD(arena, &draft->interfaces);
	add_calls(arena, &draft->planned, planned);
	add_calls(arena, &draft->calls, calls);
	ledger_worker_exited(&ledger, &worker_exit, &err);
	arena_free(&worker_exit.draft_arena);
}

static void test_drafts(void)
{
	const struct message_receiver drafted = { .on_message = take_drafted };
	struct worker_exit worker_exit = { .status = STATUS_CRASHED,
		.message = "killed by SIGSEGV",
		.position = { .target = 0, .in_step = true, .step = "x" } };

	begin(0);
	ledger.receiver = &drafted;
	send_module(0, STATUS_OK);
	lose_worker_with(worker_exit, 2, "", "");
	worker_exit.position.step[0] = 'y';
	lose_worker_with(worker_exit, 1, "", ""); /* the later worker got less far */
	worker_exit.spent_ms = 2000;
	worker_exit.no_time = true;
	lose_worker_with(worker_exit, 2, "abd", "a");
	expect("drafted",
		"crashed killed by SIGSEGV; the time limit of the target was reached: 2 interfaces, "
		"2000 ms; a (made) b (the time limit of the target was reached) "
		"d (the time limit of the target was reached)",
		"start 1 skip 2");
	end();

	begin(0);
	ledger.receiver = &drafted;
	send_module(0, STATUS_OK);
	lose_worker_with(worker_exit, 2, "", "");
	text_clear(&reported);
	worker_exit.position.target = 1;
	lose_worker_with(worker_exit, 1, "", "");
	expect("each target has its own", "crashed killed by SIGSEGV: 1 interfaces, 2000 ms;",
		"start 2 skip 0");
	end();
}

/* Messages and positions with invalid indices are ignored. */
static void test_invalid_indices(void)
{
	begin(0);
	send_target(0, 0, STATUS_OK);
	send_target(9, 0, STATUS_OK);
	send_module(1, STATUS_OK);
	send_module(2, STATUS_OK);
	send_module(-1, STATUS_OK);
	send_module(0, STATUS_OK);
	send_target(0, 3, STATUS_OK);
	send_target(0, -1, STATUS_OK);
	expect("messages", "module 0 ok", "start 0 skip 0");
	lose_worker(5, "x", true);
	expect("position", "module 0 ok; target 0.0 crashed", "start 1 skip 0");
	end();
}

int main(void)
{
	test_nothing_lost();
	test_arrival();
	test_one_module();
	test_step_is_skipped();
	test_lost_because_of_others();
	test_lost_between_steps();
	test_lost_import();
	test_second_import_raises();
	test_limits();
	test_drafts();
	test_invalid_indices();
	text_free(&reported);
	return test_end();
}
