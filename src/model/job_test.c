// SPDX-License-Identifier: MIT
/* A job crosses the wire unchanged. */
#include "model/job.h"

#include "base/test.h"

#include <string.h>

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void check_stream(struct arena *arena, struct job_stream stream)
{
	struct value *value = job_stream_to_value(arena, &stream);
	struct job_stream back = job_stream_from_value(value);

	CHECK(back.kind == stream.kind && back.handle == stream.handle &&
			is_same(back.expression, stream.expression),
		"stream of kind %d", (int)stream.kind);
}

static void check_convert(const struct job_convert *a, const struct job_convert *b)
{
	CHECK(is_same(a->to, b->to) && is_same(a->from, b->from), "protocols");
	CHECK(a->interface_version == b->interface_version, "interface_version");
	CHECK(is_same(a->device.runtime, b->device.runtime) &&
			is_same(a->device.filter, b->device.filter) &&
			is_same(a->device.spelled, b->device.spelled) &&
			a->device.type == b->device.type && a->device.id == b->device.id &&
			a->device.platform == b->device.platform,
		"device");
	CHECK(a->order == b->order && a->copy == b->copy && a->engine == b->engine, "choices");
	CHECK(is_same(a->call.module, b->call.module) &&
			is_same(a->call.function, b->call.function) &&
			is_same(a->call.expression, b->call.expression),
		"call");
	CHECK(a->verify == b->verify && a->dry_run == b->dry_run && a->timing == b->timing,
		"flags");
	CHECK(a->form == b->form && is_same(a->output_path, b->output_path), "output");
	CHECK(a->fault == b->fault, "fault");
}

int main(void)
{
	struct arena arena = { 0 };
	const struct job_convert convert = { .to = "dlpack",
		.from = "numpy",
		.interface_version = 1,
		.device = { "opencl", "cpu\xff", 4, 1, 2, "opencl:2.1" },
		.order = 'F',
		.copy = JOB_COPY_NEVER,
		.engine = JOB_ENGINE_HOST,
		.call = { .module = "numpy", .function = "from_dlpack" },
		.dry_run = true,
		.form = JOB_FORM_RAW,
		.output_path = "/proc/1/fd/3\xff",
		.fault = JOB_FAULT_COPY_SWAP };
	const char *expressions[] = { "a", "b[0]" };
	struct job_trial trials[] = { { .name = "rounds", .protocol = "cuda" },
		{ .name = "exit", .protocol = "dlpack", .producer = "p(_)", .consumer = "c(_)" } };
	const struct job_skip skip = { -1, "import", "crashed" };
	const struct job job = { .module = { .kind = JOB_MODULE_DOTTED,
					 .name = "package.module",
					 .label = "package.module",
					 .all_objects = true,
					 .expressions = { 2, expressions },
					 .trials = trials },
		.arguments = { 2, expressions },
		.as_main = true,
		.index = 3,
		.start = 4,
		.n_skip = 1,
		.skip = &skip,
		.protocols_named = true,
		.facts = FACT_DICT | FACT_LIVE,
		.read = { 8, true, false },
		.dlpack = { .stream = { JOB_STREAM_HANDLE, 7, NULL },
			.max_version = { JOB_PAIR_GIVEN, 1, 3 },
			.dl_device = { .kind = JOB_PAIR_NONE },
			.has_copy = true,
			.copy = JOB_COPY_NEVER },
		.convert = &convert,
		.only_step = "__dlpack__()",
		.producer_stream = { JOB_STREAM_PYTHON, 0, "queue" } };
	const struct job back = job_from_value(&arena, job_to_value(&arena, &job));
	const struct job nothing = job_from_value(&arena, NULL);
	const struct job_convert usual = job_convert_from_value(&arena, value_map(&arena));

	CHECK(back.index == 3 && back.start == 4 && back.protocols_named, "position");
	CHECK(back.facts == job.facts, "facts");
	CHECK(back.read.values == 8 && back.read.stats && !back.read.checksum, "read");
	CHECK(back.dlpack.stream.handle == 7 && back.dlpack.max_version.second == 3 &&
			back.dlpack.dl_device.kind == JOB_PAIR_NONE && back.dlpack.has_copy &&
			back.dlpack.copy == JOB_COPY_NEVER,
		"dlpack");
	CHECK(!nothing.dlpack.has_copy && nothing.dlpack.stream.kind == JOB_STREAM_UNSET &&
			nothing.dlpack.max_version.kind == JOB_PAIR_UNSET &&
			!job_dlpack_to_value(&arena, &nothing.dlpack)->n_items,
		"no keywords");
	CHECK(is_same(back.only_step, job.only_step), "only_step");
	CHECK(back.module.kind == JOB_MODULE_DOTTED && back.module.all_objects &&
			is_same(back.module.name, "package.module") &&
			is_same(back.module.label, "package.module"),
		"module");
	CHECK(back.module.expressions.n_items == 2 &&
			is_same(back.module.expressions.items[1], "b[0]"),
		"expressions");
	CHECK(back.module.trials && is_same(back.module.trials[0].name, "rounds") &&
			is_same(back.module.trials[1].protocol, "dlpack") &&
			is_same(back.module.trials[1].consumer, "c(_)") &&
			!back.module.trials[0].producer,
		"trials");
	CHECK(back.arguments.n_items == 2 && is_same(back.arguments.items[0], "a"), "arguments");
	CHECK(back.as_main, "as_main");
	CHECK(back.n_skip == 1 && back.skip[0].target == -1 && is_same(back.skip[0].step, "import"),
		"skip");
	CHECK(is_same(back.producer_stream.expression, "queue"), "producer_stream");
	CHECK(back.convert != NULL, "convert");
	if (back.convert)
		check_convert(back.convert, &convert);
	check_stream(&arena, (struct job_stream){ JOB_STREAM_NONE, 0, NULL });
	check_stream(&arena, (struct job_stream){ JOB_STREAM_HANDLE, 140000000000, NULL });
	check_stream(&arena, (struct job_stream){ JOB_STREAM_NEW, 0, NULL });
	CHECK(!nothing.convert && !nothing.module.kind && !nothing.lists_devices, "no job");
	check_convert(&usual, &(struct job_convert){ .interface_version = -1,
				      .device = { .type = -1, .platform = -1 },
				      .order = 'K' });
	arena_free(&arena);
	return test_end();
}
