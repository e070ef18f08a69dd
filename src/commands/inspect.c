// SPDX-License-Identifier: MIT
/* `suai inspect`: every interface that an object exposes, as declared and as decoded. */
#include "cli/command.h"
#include "commands/dlpack_options.h"
#include "run/query.h"
#include "run/run_targets.h"

#include <stdio.h>

struct inspect_settings {
	struct shared_settings shared;
	struct dlpack_settings dlpack;
	const char *query;
	int64_t values;
	bool stats, checksum, exit_status;
};

#define FIELD(NAME) offsetof(struct inspect_settings, NAME)

static const struct option options[] = {
	QUERY_FORMAT_OPTION(FIELD(shared.format)),
	QUERY_OPTION(FIELD(query), "print only these keys, such as shape,pointer, one per line",
		QUERY_ARRAY_KEYS
		"The values are those of the first interface that can be decoded, or of the protocol of -p.",
		", and the exit status is 1."),
	DLPACK_OPTIONS(FIELD(dlpack)),
	{ .name = "values",
		.kind = OPTION_OPTIONAL_NUMBER,
		.offset = FIELD(values),
		.argument = "N",
		.absent = 8,
		.help = "read and print the first N elements in C order (default 8)" },
	{ .name = "stats",
		.kind = OPTION_FLAG,
		.offset = FIELD(stats),
		.help = "read all elements and print minimum, maximum and the number of NaNs",
		.more = "Only booleans, integers and real numbers have them." },
	{ .name = "checksum",
		.kind = OPTION_FLAG,
		.offset = FIELD(checksum),
		.help = "read all elements and print a CRC-32 of them in C order",
		.more = "It equals zlib.crc32(numpy.asarray(a).tobytes())." },
	{ .letter = 'e',
		.name = "exit-status",
		.kind = OPTION_FLAG,
		.offset = FIELD(exit_status),
		.help = "exit with 1 if a target exposes no interface" },
	{ 0 },
};

static int inspect_on_target(struct run *run, struct arena *arena, struct fact_target *target,
	enum exit_code *code, struct err *err)
{
	const struct inspect_settings *settings = run->context;

	(void)arena;
	(void)err;
	if (settings->exit_status && *code == EXIT_DONE && !target->interfaces.n_items)
		*code = EXIT_FINDINGS;
	return 0;
}

static int inspect_print_query(struct run *run, FILE *out, const struct fact_target *target,
	enum exit_code *code, struct err *err)
{
	const struct inspect_settings *settings = run->context;
	const struct option_list *named = &settings->shared.protocols;
	const struct query_choice choice = { .keys = settings->query,
		.protocol = named->n_items ? named->items[0] : NULL };

	return query_print_target(run, out, target, &choice, code, err);
}

static int inspect_run(void *opaque, const struct option_list *operands, struct err *err)
{
	struct inspect_settings *settings = opaque;
	struct arena arena = { 0 };
	struct run run = { .command = "inspect",
		.settings = &settings->shared,
		.arena = &arena,
		.from_dumps = settings->values <= 0 && !settings->stats && !settings->checksum,
		.job = { .facts = FACT_DICT | FACT_STRUCT | FACT_MEMORY,
			.read = { .values = settings->values,
				.stats = settings->stats,
				.checksum = settings->checksum } },
		.print = settings->query ? inspect_print_query : NULL,
		.on_target = inspect_on_target,
		.context = settings };
	int code = -1;

	if (!query_check(&query_arrays, settings->query, settings->shared.format, err) &&
		!dlpack_options_parse(&settings->dlpack, &run.job.dlpack, err))
		code = run_targets(&run, operands, err);
	arena_free(&arena);
	return code;
}

const struct command inspect_command = {
	.name = "inspect",
	.summary = "show every interface that an object exposes, as declared and as decoded",
	.usage = "TARGET... [-- ARGUMENT...]",
	.prose =
		"Loads each TARGET in a separate process, reads the interfaces it exposes and prints what they declare, the array that the values decode to, and what the driver, the USM runtime or the kernel reports about the memory. If interfaces disagree on read-only, a line below them lists what each declares.\n\nsuai reads no array data unless --values, --stats or --checksum is given. Device memory is then read on the device, and only what is printed is copied to the host; 'read by' names the runtime or, if the host had to read, the reason. With these options a FILE.npy is mapped by Python, and a dump, which contains no elements, is rejected. An interface that raises an exception is shown with the exception, and does not affect the others.",
	.examples =
		"suai inspect -c 'import array; a = array.array(\"d\", [1, 2, 3])' a\n"
		"  the buffer of an array.array\n"
		"suai inspect -f json arrays.py:a | jq '.targets[0].interfaces[].array.shape'\n"
		"  the shape in each protocol\n"
		"suai inspect --query shape,pointer arrays.py:a\n"
		"  two lines for a shell script\n"
		"suai inspect --query nbytes,target -f tsv arrays.py | sort -n\n"
		"  a table of the arrays of a file, by size\n"
		"suai inspect --query target,nbytes arrays.py | while IFS= read -r target && read -r nbytes; do "
		"echo \"$nbytes $target\"; done\n"
		"  loop over the arrays of a file, with any characters in their names\n"
		"shape=$(suai inspect --query shape arrays.py:a) && set -- $shape && echo \"$# dimensions\"\n"
		"  the shape as positional parameters of the shell\n",
	.options = options,
	.loads = true,
	.shares = true,
	.query = &query_arrays,
	.settings_bytes = sizeof(struct inspect_settings),
	.run = inspect_run,
};
