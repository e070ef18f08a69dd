// SPDX-License-Identifier: MIT
/* The options of `suai validate`. */
#include "commands/validate_settings.h"

#include "formats/format.h"
#include "rules/engine/run.h"
#include "run/query.h"

#define FIELD(NAME) offsetof(struct validate_settings, NAME)

#define RULE_OPTION(NAME, FIELD_NAME)                                                         \
	.name = (NAME), .kind = OPTION_LIST, .offset = FIELD(FIELD_NAME), .argument = "RULE", \
	.split = true, .complete = "rules", .check = rules_check_word

const struct option validate_options[] = {
	{ .letter = 'f',
		.name = "format",
		.kind = OPTION_CHOICE,
		.offset = FIELD(shared.format),
		.argument = "FORMAT",
		.choices = FORMAT_NAMES " tsv",
		.setting = "concise",
		.help = "print " FORMAT_NAMES_HELP " or, with --query, tsv",
		.more = "concise prints one line per finding. sarif (2.1.0), junit and tap (13) are for CI servers, github "
			"is for annotations in GitHub Actions. sarif, junit and github name the file and the line that "
			"define the object, if they are known." },
	{ RULE_OPTION("select", select), .setting = "[SUAI, DLP3]",
		.renews = "extend-select ignore",
		.help = "run only these rules: ids, prefixes of ids, or names",
		.more = "Examples are SUAI, SUAI3 and SUAI302, in upper or lower case. The option can be repeated, and RULEs "
			"can be separated by commas. If several of --select, --extend-select and --ignore match a rule, the "
			"longest match decides, and --ignore wins a tie. On the command line, --select discards the values of "
			"all three in suai.yaml." },
	{ RULE_OPTION("extend-select", extend_select), .setting = "[CAI401]", .adds = true,
		.help = "run these rules as well" },
	{ RULE_OPTION("ignore", ignore), .setting = "[SUAI205, NAI]", .adds = true,
		.help = "do not run these rules" },
	{ .letter = 'S',
		.name = "severity",
		.kind = OPTION_CHOICE,
		.offset = FIELD(severity),
		.argument = "LEVEL",
		.choices = "error warning note",
		.setting = "warning",
		.help = "show and fail on findings of LEVEL or above",
		.more = "By default, findings of all levels are shown, and only errors fail." },
	{ .name = "strict",
		.kind = OPTION_FLAG,
		.offset = FIELD(strict),
		.setting = "true",
		.help = "treat recommendations, and requirements of a reference consumer, as errors" },
	{ .name = "spec",
		.kind = OPTION_LIST,
		.offset = FIELD(spec),
		.argument = "KEY=EDITION",
		.split = true,
		.setting = "{dlpack: 1.1, array-api: 2023.12}",
		.adds = true,
		.check = rules_check_edition,
		.help = "check against these editions of the specifications, whatever objects declare",
		.more = "An example is dlpack=1.1,array-api=2023.12. KEY is sycl (1), cai (0 1 2 3), dlpack (0.8 1.0 1.1 "
			"1.2 1.3), array-api (2021.12 2022.12 2023.12 2024.12 2025.12), numpy (3) or pep3118 (3). "
			"By default, an object is checked against the edition that it declares, or else the newest." },
	{ .name = "static",
		.kind = OPTION_FLAG,
		.offset = FIELD(only_static),
		.setting = "true",
		.help = "check only dictionaries and structs; query no driver",
		.more = "Cannot be used with --calls, --lifetime, --live or --all." },
	{ .name = "calls",
		.kind = OPTION_FLAG,
		.offset = FIELD(calls),
		.setting = "true",
		.help = "make the calls of __dlpack__, the exchange API and the buffer protocol",
		.more = "__dlpack__ is called with more than 200 combinations of keywords, some of them invalid. A call that would copy more than 1 MiB is skipped, "
			"with the reason, unless --live is given. For objects without interfaces, expressions such as "
			"numpy.asarray(x) are evaluated in a child process, for 2 seconds at most, and suggested only if they return an array." },
	{ .name = "lifetime",
		.kind = OPTION_FLAG,
		.offset = FIELD(lifetime),
		.setting = "true",
		.help = "check deleters, owners and leaks, in separate processes",
		.more = "Each trial can damage the process that runs it. A worker imports the module again and is forked for each "
			"trial; if that is not safe, as with threads, a device runtime or handlers that the module registers by os.register_at_fork, "
			"the trials run one after another in it. suai does not detect objects that behave differently in a fork for "
			"other reasons, such as a comparison of os.getpid() with that of the import. "
			"Findings are confirmed in another process, which imports the module again. Name targets by "
			"expressions that create the object ('make(3)'): if a module keeps the object in a variable, the release of "
			"its memory cannot be tested." },
	{ .name = "live",
		.kind = OPTION_FLAG,
		.offset = FIELD(live),
		.setting = "true",
		.help = "run kernels and copies on devices to test stream order",
		.more = "In a worker that imports the module again, suai blocks the queue or stream of the object's work with a "
			"kernel that waits for the host, requests an interface, and observes which side waits. The elements of "
			"a writable CUDA array are changed temporarily and restored. On CUDA the stream is that of "
			"--producer-stream, or else the framework's current stream as DLPack's C exchange API returns it, or "
			"else the one in __cuda_array_interface__; if there is none, the rules of stream order are skipped. "
			"Make a non-blocking stream current: CUDA synchronizes other streams with the legacy default stream, "
			"which would hide a missing wait." },
	{ .name = "producer-stream",
		.kind = OPTION_TEXT,
		.offset = FIELD(producer_stream),
		.argument = "STREAM",
		.help = "name the CUDA stream of the object's work, for --live: 1, 2, a handle, or py:EXPR",
		.more = "py:EXPR is evaluated in the target's module; examples are py:stream.ptr for CuPy and "
			"py:torch.cuda.current_stream().cuda_stream." },
	{ .name = "all",
		.kind = OPTION_FLAG,
		.offset = FIELD(all),
		.setting = "true",
		.help = "enable --calls, --lifetime and --live" },
	{ .name = "only-step",
		.kind = OPTION_TEXT,
		.offset = FIELD(only_step),
		.argument = "STEP",
		.complete = "steps",
		.help = "run only this call or trial of --calls, --lifetime and --live",
		.more = "STEP is a step as -f yaml prints it, such as '__dlpack__(copy=True)', or 'trial NAME of PROTOCOL', "
			"such as 'trial deleter of dlpack'. Rules that require other steps are skipped. A STEP that no target "
			"has is an error, since a misspelled one would always pass." },
	{ .name = "pieces",
		.kind = OPTION_FLAG,
		.offset = FIELD(pieces),
		.help = "check dumps as the pieces of distributed arrays, also together",
		.more = "Each TARGET is a file of captures that suai.capture(object, piece=...) returned, or a YAML file that lists "
			"dumps with the place of each: the keys of/shape/dtype/order/device/readonly and chunks describe the "
			"array, and pieces is a list of {dump: FILE, index: [...]} or {dump: FILE, offset: [...]}. Each array "
			"is one more target, with the gaps between its pieces and their overlaps." },
	{ .name = "consumer",
		.kind = OPTION_TEXT,
		.offset = FIELD(consumer),
		.argument = "EXPR",
		.once = true,
		.help = "check a consumer of arrays: module:function, FILE.py:function, or an expression with _",
		.more = "suai passes tensors of its own to the consumer, legal and invalid ones, through DLPack, or through "
			"the protocol of -p: numpy, numpy-struct, buffer, cuda or sycl. It checks the elements of the result, exceptions, the name of the capsule, the calls of the deleter, and accesses outside of the tensor's "
			"memory. Each tensor is a target EXPR[CASE], in a process of its own if a fork is safe. There are no "
			"TARGETs; an expression can use the names of -c CODE, and undefined names are imported, np as numpy." },
	{ .name = "case",
		.kind = OPTION_LIST,
		.offset = FIELD(cases),
		.argument = "CASE",
		.split = true,
		.complete = "cases",
		.help = "pass only this tensor to the consumer; 'suai complete cases' lists them; repeatable" },
	{ .name = "reproduce",
		.kind = OPTION_TEXT,
		.offset = FIELD(reproduce),
		.argument = "CASE",
		.once = true,
		.complete = "cases",
		.help = "print Python that passes this tensor to the consumer without suai, and exit",
		.more = "The script requires NumPy and the consumer. It exits with 0 if the consumer returns an array of the "
			"tensor's elements. It does not count the calls of the deleter. For an expression, the interpreter imports what it names, to find out which names are modules." },
	{ .name = "fuzz",
		.kind = OPTION_NUMBER,
		.offset = FIELD(fuzz),
		.argument = "N",
		.least = 1,
		.help = "pass N random valid tensors to the consumer instead, and simplify those that fail",
		.more = "The tensors differ in element type, shape, strides, byte_offset, alignment and version. For each rule "
			"that fails, dimensions and other properties are removed as long as it fails, and only the simplest tensor "
			"is reported. --case and --reproduce accept its id. N is at most 10000; --seed draws others." },
	{ .name = "seed",
		.kind = OPTION_NUMBER,
		.offset = FIELD(seed),
		.argument = "S",
		.help = "draw other tensors for --fuzz (default: 0)" },
	{ .name = "no-hints",
		.kind = OPTION_FLAG,
		.offset = FIELD(no_hints),
		.setting = "true",
		.help = "omit hints such as '(-v shows them)' from text output" },
	{ .name = "no-skips",
		.kind = OPTION_FLAG,
		.offset = FIELD(no_skips),
		.setting = "true",
		.help = "fail if a rule was skipped, and report which and why",
		.more = "A rule is skipped if it could not be checked, such as one that requires a rule that failed, or a driver, a "
			"device or a package that this machine lacks." },
	{ .name = "no-summary",
		.kind = OPTION_FLAG,
		.offset = FIELD(no_summary),
		.setting = "true",
		.help = "omit the summary line from text and concise output" },
	QUERY_OPTION(FIELD(query),
		"print only these keys of each finding, such as target,rule, one per line",
		"Keys are target, type, rule, name, severity, protocol, field, message, why, hint, clause, actionable and excused_by. The exit status is the same as without --query.",
		"."),
	{ .name = "baseline",
		.writes_file = true,
		.kind = OPTION_TEXT,
		.offset = FIELD(baseline),
		.argument = "FILE",
		.complete = "file",
		.setting = "suai-baseline.yaml",
		.help = "ignore the findings listed in FILE, and report those that no longer occur",
		.more = "FILE is YAML with one entry per target, rule and field, with a count and without the message, since "
			"addresses vary. Paths of targets are relative to FILE's directory, so the working directory does not "
			"matter. In a discovered suai.yaml, FILE is below its directory. Findings listed in FILE are shown only with -v and do not fail; any other finding is new, "
			"including that of a renamed variable. Findings that no longer occur are reported on standard error and "
			"do not change the exit status. FILE lists errors and warnings, and notes only with --severity note." },
	{ .name = "update-baseline",
		.kind = OPTION_FLAG,
		.offset = FIELD(update_baseline),
		.help = "write the findings of this run to the FILE of --baseline",
		.more = "FILE is written completely or not at all. Its entries are sorted, and each keeps its `reason`, which "
			"you can edit. Entries that this run did not check are kept: those of other targets, of targets that "
			"failed (no findings of these are added, and the exit status reports the failure), and of rules that "
			"were not selected or were skipped. For a module named without EXPR, entries of variables that it no "
			"longer defines are removed." },
	{ .name = "exit-zero",
		.kind = OPTION_FLAG,
		.offset = FIELD(exit_zero),
		.help = "exit with 0 even if there are findings" },
	{ .name = "statistics",
		.kind = OPTION_FLAG,
		.offset = FIELD(statistics),
		.help = "print the number of findings per rule instead of the findings" },
	{ 0 },
};
