// SPDX-License-Identifier: MIT
/* The options of `suai validate`. */
#include "commands/validate_settings.h"

#include "rules/engine/run.h"
#include "run/query.h"

#define FIELD(NAME) offsetof(struct validate_settings, NAME)

#define RULE_OPTION(NAME, FIELD_NAME)                                                         \
	.name = (NAME), .kind = OPTION_LIST, .offset = FIELD(FIELD_NAME), .argument = "RULE", \
	.split = true, .complete = "rule", .check = rules_check_word

const struct option validate_options[] = {
	{ .letter = 'f',
		.name = "format",
		.kind = OPTION_CHOICE,
		.offset = FIELD(shared.format),
		.argument = "FORMAT",
		.choices = "text concise yaml json sarif junit tap github",
		.setting = "concise",
		.help = "text (default), concise, yaml, json, sarif, junit, tap or github",
		.more = "concise is one line a finding. sarif (2.1.0), junit and tap (13) are what CI servers read, "
			"github what GitHub shows as annotations of a change. They name the file of a FILE.py target, "
			"and the line that defines the object where it can be found." },
	{ RULE_OPTION("select", select), .setting = "[SUAI, DLP3]",
		.renews = "extend-select ignore",
		.help = "judge by these rules alone: ids, their beginnings, or names",
		.more = "RULE is such as SUAI, SUAI3 or SUAI302, in upper or lower case; repeatable, or with commas. Where "
			"several of --select, --extend-select and --ignore fit a rule the longest decides, and --ignore "
			"before the others. On the command line it begins anew: what suai.yaml says of the three does not "
			"count." },
	{ RULE_OPTION("extend-select", extend_select), .setting = "[CAI401]", .adds = true,
		.help = "judge by these rules as well" },
	{ RULE_OPTION("ignore", ignore), .setting = "[SUAI205, NAI]", .adds = true,
		.help = "do not judge by these rules" },
	{ .letter = 'S',
		.name = "severity",
		.kind = OPTION_CHOICE,
		.offset = FIELD(severity),
		.argument = "LEVEL",
		.choices = "error warning note",
		.setting = "warning",
		.help = "show findings from LEVEL on, and fail on them",
		.more = "Without it all findings are shown, and errors fail." },
	{ .name = "strict",
		.kind = OPTION_FLAG,
		.offset = FIELD(strict),
		.setting = "true",
		.help = "take recommendations, and what a reference consumer demands, for errors" },
	{ .name = "spec",
		.kind = OPTION_LIST,
		.offset = FIELD(spec),
		.argument = "KEY=EDITION",
		.split = true,
		.setting = "{dlpack: 1.1, array-api: 2023.12}",
		.adds = true,
		.check = rules_check_edition,
		.help = "judge by these editions of the documents, whatever objects declare",
		.more = "One is dlpack=1.1, two are dlpack=1.1,array-api=2023.12. KEY is sycl (1), cai (0 1 2 3), dlpack (0.8 1.0 1.1 "
			"1.2 1.3), array-api (2021.12 2022.12 2023.12 2024.12 2025.12), numpy (3) or pep3118 (3). "
			"Without it an object is judged by the edition that it declares, and else by the newest." },
	{ .name = "static",
		.kind = OPTION_FLAG,
		.offset = FIELD(only_static),
		.setting = "true",
		.help = "judge dictionaries and structs alone; ask no driver",
		.more = "With --calls, --lifetime, --live or --all it is refused." },
	{ .name = "calls",
		.kind = OPTION_FLAG,
		.offset = FIELD(calls),
		.setting = "true",
		.help = "ask each object in every way that its protocols have",
		.more = "The keyword grid of __dlpack__, over 200 calls. What would copy more than 1 MiB is skipped, with "
			"the reason, unless --live is given." },
	{ .name = "lifetime",
		.kind = OPTION_FLAG,
		.offset = FIELD(lifetime),
		.setting = "true",
		.help = "judge deleters, owners and leaks, in workers of their own",
		.more = "Each trial is a question that may harm who asks it, so a new worker imports the module and makes "
			"the object anew: the seven trials of a NumPy array take seven imports. Name few targets, by expressions that "
			"make the object ('make(3)'): where a module keeps the object by a name, what becomes of its memory "
			"cannot be tried." },
	{ .name = "live",
		.kind = OPTION_FLAG,
		.offset = FIELD(live),
		.setting = "true",
		.help = "let devices work and data be copied for a proof",
		.more = "Proofs of order, each in a worker of its own: suai holds the queue or stream that the object's "
			"work is on with a kernel that waits for the host, asks for an interface, and sees who waits for "
			"whom. The elements of a writable array of CUDA's are changed for a moment and set back. On CUDA "
			"that stream is the one of --producer-stream, else the framework's current one, as DLPack's C "
			"exchange API has it, else the one that __cuda_array_interface__ names; where nobody names one "
			"the rules of order are skipped. Make a stream current that does not block: of work on the legacy default "
			"stream CUDA itself orders too much for a proof." },
	{ .name = "producer-stream",
		.kind = OPTION_TEXT,
		.offset = FIELD(producer_stream),
		.argument = "STREAM",
		.help = "for --live, the stream of CUDA that the object's work is on: 1, 2, a handle, or py:EXPR",
		.more = "py:EXPR is evaluated in the target's module, such as py:stream.ptr for CuPy, or "
			"py:torch.cuda.current_stream().cuda_stream." },
	{ .name = "all",
		.kind = OPTION_FLAG,
		.offset = FIELD(all),
		.setting = "true",
		.help = "--calls, --lifetime and --live" },
	{ .name = "only-step",
		.kind = OPTION_TEXT,
		.offset = FIELD(only_step),
		.argument = "STEP",
		.help = "of --calls, --lifetime and --live make the one call, or hold the one trial, that is so called",
		.more = "STEP is as -f yaml tells it, such as '__dlpack__(copy=True)', or 'trial NAME of PROTOCOL', such as 'trial deleter of dlpack'. Rules that "
			"need the others are skipped. A STEP that no target has is an error: a misspelt one would "
			"pass whatever is wrong." },
	{ .name = "no-skips",
		.kind = OPTION_FLAG,
		.offset = FIELD(no_skips),
		.setting = "true",
		.help = "fail where a rule had to be skipped, and say which and why",
		.more = "A rule is skipped where one that it needs failed, and where this machine lacks what could "
			"tell: a driver, dpctl." },
	{ .name = "no-summary",
		.kind = OPTION_FLAG,
		.offset = FIELD(no_summary),
		.setting = "true",
		.help = "end text and concise after the last finding, without the line of counts" },
	QUERY_OPTION(FIELD(query),
		"print these keys of each finding alone, such as target,rule, one line each",
		"Keys are target, type, rule, name, severity, protocol, field, message, why, hint and clause. The exit status "
		"is the same as without it.",
		"."),
	{ .name = "baseline",
		.kind = OPTION_TEXT,
		.offset = FIELD(baseline),
		.argument = "FILE",
		.complete = "file",
		.setting = "suai-baseline.yaml",
		.help = "let pass the findings that FILE holds, and say which are gone",
		.more = "FILE is YAML, one entry a target, rule and field, with a count; never the message, since addresses "
			"move. Files of targets are named from FILE's own folder, so that it does not matter where suai is "
			"run. What it holds is not shown (-v does) and does not fail; another finding is new, and so is that "
			"of a variable with another name. What is no longer found is named on standard error, and changes no "
			"exit status. FILE takes in errors and warnings, and notes only with --severity note." },
	{ .name = "update-baseline",
		.kind = OPTION_FLAG,
		.offset = FIELD(update_baseline),
		.help = "write the findings of this run to the FILE of --baseline",
		.more = "FILE is written whole or not at all, sorted, and each entry keeps its `reason`, which is yours to write. "
			"What this run could not judge stays as it was: targets that it did not look at, those that "
			"failed (they are never taken in, and the exit status says so), and rules that were not selected or "
			"were skipped. Of a module named without EXPR the entries of variables that it no longer "
			"defines are taken out." },
	{ .name = "exit-zero",
		.kind = OPTION_FLAG,
		.offset = FIELD(exit_zero),
		.help = "exit with 0 whatever is found" },
	{ .name = "statistics",
		.kind = OPTION_FLAG,
		.offset = FIELD(statistics),
		.help = "print how often each rule was broken instead of the findings" },
	{ 0 },
};
