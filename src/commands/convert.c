// SPDX-License-Identifier: MIT
/* `suai convert`: an object through another protocol, or its elements into a file. */
#include "cli/command.h"
#include "commands/convert_settings.h"
#include "documents/document.h"
#include "output/data_file.h"
#include "run/query.h"
#include "run/run.h"
#include "targets/npy_file.h"

#include <stdio.h>
#include <string.h>

/* One run: what on_target needs. */
struct converting {
	const struct convert_settings *settings;
	struct data_file data;
	bool is_npy;
	bool whole; /* the file holds what was asked for */
};

static int convert_print_query(struct run *run, FILE *out, const struct fact_target *target,
	enum exit_code *code, struct err *err)
{
	const struct converting *converting = run->context;
	/* -p is of the source. */
	const struct query_choice choice = { .keys = converting->settings->query,
		.protocol = converting->settings->to };
	enum exit_code missing = *code; /* what has no value fails no conversion */

	return query_print_target(run, out, target, &choice, &missing, err);
}

/* What was written, read back by the judge: the file's own header. */
static int show_file(const struct converting *converting, struct arena *arena,
	struct fact_target *target, struct err *err)
{
	struct fact_target file;
	struct memory *memory;

	if (npy_file_read(arena, converting->data.file.open_path, &file, err))
		return -1;
	memory = &file.interfaces.items[0].memory;
	if (memory->present)
		snprintf(
			memory->mapping, sizeof(memory->mapping), "%s", converting->data.file.path);
	document_derive(arena, &file);
	target->interfaces = file.interfaces;
	return 0;
}

static int convert_on_target(struct run *run, struct arena *arena, struct fact_target *target,
	enum exit_code *code, struct err *err)
{
	struct converting *converting = run->context;

	if (*code == EXIT_DONE && !target->copy.present) {
		/* A module without any object to convert. */
		target->status = STATUS_RAISED;
		target->step = "convert";
		target->error = (struct fact_error){ .present = true,
			.message = "no object there exposes an interface to convert from" };
		*code = EXIT_TARGET;
	}
	if (*code == EXIT_DONE && target->copy.verified == ANSWER_NO)
		*code = EXIT_FINDINGS;
	converting->whole = *code == EXIT_DONE;
	if (converting->whole && converting->is_npy && !converting->settings->dry_run)
		return show_file(converting, arena, target, err);
	return 0;
}

static int run_convert(struct run *run, struct converting *converting,
	const struct option_list *operands, struct err *err)
{
	const struct convert_settings *settings = converting->settings;
	bool writes = settings->data_path && !settings->dry_run;
	struct job_convert convert;
	int code;

	if (convert_settings_parse(run->arena, settings, &convert, err))
		return -1;
	if (settings->data_path)
		run->why_one =
			"-o takes the elements of one object, and the TARGET has several; name one, "
			"as in FILE.py:NAME";
	if (settings->data_path && operands->n_items > 1)
		return err_set(err, EXIT_USAGE,
			"-o takes the elements of one object, and %zu TARGETs are named",
			operands->n_items);
	if (writes && data_file_open(&converting->data, settings->data_path, err))
		return -1;
	converting->is_npy = convert.form == JOB_FORM_NPY;
	convert.output_path = writes ? converting->data.file.open_path : NULL;
	run->job.convert = &convert;
	run->data_path = writes ? settings->data_path : NULL;
	code = run_targets(run, operands, err);
	if (code == EXIT_DONE && writes && converting->whole &&
		data_file_commit(&converting->data, err))
		return -1;
	return code;
}

static int convert_run(void *opaque, const struct option_list *operands, struct err *err)
{
	struct convert_settings *settings = opaque;
	struct converting converting = { .settings = settings,
		.data = { .file = { .fd = -1 }, .sink_fd = -1 } };
	struct arena arena = { 0 };
	struct run run = { .command = "convert",
		.settings = &settings->shared,
		.arena = &arena,
		.job = { .facts = FACT_DICT | FACT_STRUCT | FACT_MEMORY },
		.print = settings->query ? convert_print_query : NULL,
		.on_target = convert_on_target,
		.context = &converting };
	int code;

	settings->data_path = settings->shared.output_path;
	settings->shared.output_path = NULL;
	code = run_convert(&run, &converting, operands, err);
	data_file_close(&converting.data);
	arena_free(&arena);
	return code;
}

const struct command convert_command = {
	.name = "convert",
	.summary = "export an object through another protocol, or write its elements to a file",
	.usage = "TARGET...",
	.prose =
		"Reads one interface of each TARGET (-p, or the first of sycl, cuda, dlpack, numpy, numpy-struct and buffer "
		"that can be read) and makes an object that exports the protocol of --to and no other. The new object "
		"describes the same memory where that is legal; else the elements are copied, and the report says "
		"why. It is printed as `suai inspect` would print it, or handed to a consumer by --call. "
		"Elements of ml_dtypes, bfloat16 say, which NumPy's interfaces tell as raw bytes, keep their type or are "
		"refused.\n\n"
		"The new object is where its source is, if the protocol can say so, or on the device of --device. What "
		"goes from one device to another is packed on the first (by a kernel, or by the host's loops where its "
		"memory is the host's), and passes through one block of host memory. USM keeps its kind; what comes from "
		"elsewhere becomes usm-device. All is complete when convert ends: the source's stream or queue is waited "
		"for, and the result belongs to that of --stream. --verify compares every element: by the host, or, "
		"where a device holds one of the two, by a 64-bit sum of each block that is made where the block is; "
		"only a block whose sums differ is brought to the host, to name the element.\n\n"
		"With -o FILE.npy or -o FILE.raw the elements go to a file instead, which is written whole or not "
		"at all; a .raw file holds the elements alone, in the byte order of the source. With -o - they go "
		"to standard output as .npy, unless that is a terminal, and the report to standard error.\n\n"
		"A conversion that cannot be, because the protocol has no word for such elements or because "
		"--copy never forbids the copy that it needs, exits with 3 and says why; one whose options "
		"contradict what the source is, such as --stream where the result is the host's, with 2; one that this machine "
		"or build lacks the means for exits with 4. --verify exits with 1 where an element differs, and "
		"then no file is written.",
	.examples =
		"suai convert -c 'import array; a = array.array(\"d\", [1, 2, 3])' a --to dlpack\n"
		"  the same memory as a DLPack object, zero-copy\n"
		"suai convert arrays.py:a --to dlpack --call numpy:from_dlpack\n"
		"  what NumPy makes of it\n"
		"suai convert arrays.py:a --to sycl --device sycl:gpu --call dpnp.tensor:asarray\n"
		"  a copy in the memory of SYCL's first GPU, as dpnp takes it\n"
		"suai convert arrays.py:a -o a.npy --verify\n"
		"  the elements in a file, compared with the source\n"
		"suai convert arrays.py:a --to dlpack --dry-run --query copy.path\n"
		"  one word: whether it would be zero-copy\n",
	.options = convert_options,
	.loads = true,
	.shares = true,
	.settings_bytes = sizeof(struct convert_settings),
	.set_defaults = convert_settings_default,
	.run = convert_run,
};
