// SPDX-License-Identifier: MIT
/* `suai convert`: an object through another protocol, or its elements into a file. */
#include "cli/command.h"
#include "commands/convert_settings.h"
#include "documents/document.h"
#include "output/data_file.h"
#include "run/query.h"
#include "run/run_targets.h"
#include "targets/npy_file.h"

#include <stdio.h>
#include <string.h>

/* The state of one run. */
struct conversion_state {
	const struct convert_settings *settings;
	struct data_file data;
	bool is_npy;
	bool whole; /* the file has all requested elements */
};

static int convert_print_query(struct run *run, FILE *out, const struct fact_target *target,
	enum exit_code *code, struct err *err)
{
	const struct conversion_state *state = run->context;
	/* -p selects the source's interface. */
	const struct query_choice choice = { .keys = state->settings->query,
		.protocol = state->settings->to };
	enum exit_code missing = *code; /* a key without a value does not make a conversion fail */

	return query_print_target(run, out, target, &choice, &missing, err);
}

/* Shows what was written: the file's header, read back by the judge. */
static int show_file(const struct conversion_state *state, struct arena *arena,
	struct fact_target *target, struct err *err)
{
	const char *path = state->data.file.name; /* NULL: a temporary file */
	struct fact_target file;
	struct memory *memory;

	if (!path)
		path = strcmp(state->settings->data_path, "-") ? state->settings->data_path
							       : "standard output";
	if (npy_file_read(arena, state->data.file.open_path, &file, err))
		return -1;
	memory = &file.interfaces.items[0].memory;
	if (memory->present)
		snprintf(memory->mapping, sizeof(memory->mapping), "%s", path);
	document_derive(arena, &file);
	target->interfaces = file.interfaces;
	return 0;
}

static int convert_on_target(struct run *run, struct arena *arena, struct fact_target *target,
	enum exit_code *code, struct err *err)
{
	struct conversion_state *state = run->context;

	if (*code == EXIT_DONE && !target->copy.present) {
		/* The import succeeded, but the module has no object to convert. */
		target->status = STATUS_RAISED;
		target->step = "convert";
		target->error = (struct fact_error){ .present = true,
			.message = "no object of the module exposes an interface to convert from" };
		*code = EXIT_TARGET;
	}
	if (*code == EXIT_DONE && target->copy.verified == ANSWER_NO)
		*code = EXIT_FINDINGS;
	state->whole = *code == EXIT_DONE;
	if (state->whole && state->is_npy && !state->settings->dry_run)
		return show_file(state, arena, target, err);
	return 0;
}

static int run_convert(struct run *run, struct conversion_state *state,
	const struct option_list *operands, struct err *err)
{
	const struct convert_settings *settings = state->settings;
	bool writes = settings->data_path && !settings->dry_run;
	struct job_convert convert;
	int code;

	if (convert_settings_parse(run->arena, settings, &convert, err))
		return -1;
	if (settings->data_path)
		run->why_one =
			"-o requires a single object, but there are several; name one, as in "
			"FILE.py:NAME";
	if (settings->data_path && operands->n_items > 1)
		return err_set(
			err, EXIT_USAGE, "-o: expected one TARGET, got %zu", operands->n_items);
	if (writes && data_file_open(&state->data, settings->data_path, err))
		return -1;
	state->is_npy = convert.form == JOB_FORM_NPY;
	convert.output_path = writes ? state->data.file.open_path : NULL;
	run->job.convert = &convert;
	run->data_path = writes ? settings->data_path : NULL;
	code = run_targets(run, operands, err);
	if (code == EXIT_DONE && writes && state->whole && data_file_commit(&state->data, err))
		return -1;
	return code;
}

static int convert_run(void *opaque, const struct option_list *operands, struct err *err)
{
	struct convert_settings *settings = opaque;
	struct conversion_state state = { .settings = settings,
		.data = { .file = { .fd = -1 }, .sink_fd = -1 } };
	struct arena arena = { 0 };
	struct run run = { .command = "convert",
		.settings = &settings->shared,
		.arena = &arena,
		.job = { .facts = FACT_DICT | FACT_STRUCT | FACT_MEMORY },
		.print = settings->query ? convert_print_query : NULL,
		.on_target = convert_on_target,
		.context = &state };
	int code;

	settings->data_path = settings->shared.output_path;
	settings->shared.output_path = NULL;
	code = run_convert(&run, &state, operands, err);
	data_file_close(&state.data);
	arena_free(&arena);
	return code;
}

const struct command convert_command = {
	.name = "convert",
	.summary = "export an object through another protocol, or write its elements to a file",
	.usage = "TARGET... [-- ARGUMENT...]",
	.prose =
		"Reads one interface of each TARGET (that of -p, or the first readable one in the order of suai inspect) and creates an object that exports only the protocol of --to. The new object describes the same memory if that is allowed; otherwise the elements are copied, and the report states why. The new object is printed as `suai inspect` would print it, or passed to a consumer by --call. Elements of ml_dtypes, such as bfloat16, which NumPy's interfaces declare as raw bytes, keep their type or cannot be converted.\n\nThe new object is on the source's device if the protocol supports it, or on the device of --device. Data copied between devices is packed on the first one (by a kernel, or by host loops if its memory is host memory) and staged in one block of host memory. USM keeps its kind; copies of other memory become usm-device. All work is complete when convert ends: the source's stream or queue has been synchronized, and the result is ordered on the stream of --stream. --verify compares every element: on the host or, if either side is in device memory, by a 64-bit checksum of each block computed on its device; only a block whose checksums differ is copied to the host, to report the element.\n\nWith -o FILE.npy or -o FILE.raw the elements are written to a file instead, completely or not at all; a .raw file contains only the elements, in the byte order of the source. With -o - they are written to standard output as .npy, unless it is a terminal, and the report to standard error.\n\nThe exit status is 3, with the reason, if the protocol cannot describe the elements or if --copy never forbids a required copy; 2 if the options contradict the source, such as --stream with a result in host memory; 4 if the conversion requires something that this machine or build lacks. --verify exits with 1 if an element differs, and then no file is written.",
	.examples =
		"suai convert -c 'import array; a = array.array(\"d\", [1, 2, 3])' a --to dlpack\n"
		"  the same memory as a DLPack object, zero-copy\n"
		"suai convert arrays.py:a --to dlpack --call numpy:from_dlpack\n"
		"  the array that NumPy creates from it\n"
		"suai convert arrays.py:a --to sycl --device sycl:gpu --call dpnp.tensor:asarray\n"
		"  a copy in the memory of SYCL's first GPU, passed to dpnp\n"
		"suai convert arrays.py:a -o a.npy --verify\n"
		"  write the elements to a file and compare them with the source\n"
		"suai convert arrays.py:a --to dlpack --dry-run --query copy.path\n"
		"  whether the conversion would be zero-copy\n",
	.options = convert_options,
	.loads = true,
	.shares = true,
	.query = &query_conversions,
	.settings_bytes = sizeof(struct convert_settings),
	.set_defaults = convert_settings_default,
	.run = convert_run,
};
