// SPDX-License-Identifier: MIT
/* General sections of suai(1) and suai.yaml(5): description, targets, files, exit status,
 * standards. */
#include "docgen/text.h"

#include <stddef.h>

const char docs_date[] = "November 21, 2026";

const char docs_summary[] = "read, check and convert the array interfaces of Python objects";

const char docs_description[] =
	"suai loads Python objects that export arrays, shows and checks what they declare through each protocol, and converts them between protocols.\n\nPython runs in a separate process. If an object crashes it, hangs or exits, the result names the target and the step, and the remaining targets continue in a new process. suai gives up on a target after 8 lost processes. Targets run with the privileges of the user: suai is not a sandbox.\n\nWhen suai exits, even if because of a signal, that process and all processes that a script left behind are terminated, first by SIGTERM, then by SIGKILL. Only if suai itself is killed by SIGKILL may a process that a script started outlive it.\n\nStandard output contains only the result. What a script prints goes to standard error.\n\nIf an option is given more than once, the last one applies, on the command line as in $SUAI_OPTS; options marked as repeatable accumulate.";

const struct docs_row docs_targets[] = {
	{ "FILE.py Ns Op : Ns Ar EXPR", "A script. Its directory is on sys.path." },
	{ "package.module Ns Op : Ns Ar EXPR", "A module, imported by name." },
	{ "FILE.ipynb Ns Op : Ns Ar EXPR",
		"A Jupyter notebook: its code cells run in order, without IPython." },
	{ "EXPR", "With -c CODE: an expression over the names that CODE defines." },
	{ "FILE.npy", "A regular file in NumPy's .npy format; its header is read without Python." },
	{ "FILE.yaml",
		"A dump written by inspect -f yaml: the facts are read from it, and no code runs." },
	{ "-", "A dump on standard input." },
	{ NULL, NULL },
};

const char docs_targets_more[] =
	"A TARGET that ends in .py, .ipynb, .npy or .yaml, or contains a slash, is a file. The first colon after that starts "
	"EXPR, any Python expression evaluated in the module, such as 'a[::2].T' or 'make(3)'. Without EXPR every "
	"module-level object that exposes an interface is a target, once each, except types, modules and names that "
	"begin with an underscore. Lists, tuples, dictionaries and instances of their subclasses are searched, three levels deep and up to 100 items each: their "
	"arrays are targets such as objs[0] and d[\"key\"]; the name of such a container as EXPR selects its arrays. Objects with only a buffer, such as bytes or array.array, are included only if -p "
	"names buffer. A module is imported once for all its targets.\n\n"
	"A notebook runs in its directory, as __main__; its cells are numbered from 1, code cells only. Lines for IPython "
	"(%magic, !command, help?) and cells such as %%bash are skipped, with a message; the other lines of a %%time or "
	"%%capture cell run. Calls of get_ipython() are skipped in the same way. Top-level await is an error. If a cell raises an "
	"exception, the notebook fails, later cells do not run, and without EXPR the objects of the earlier ones are checked.\n\n"
	"sys.path begins with the directory of FILE.py, as with python FILE.py, and with the working directory only "
	"for package.module and -c. What follows a -- after a TARGET is passed to every script and module in "
	"sys.argv[1:]. A -- before the first TARGET ends the options; after --targets-from, -- -- precedes the arguments. Commands whose targets are FILE.npy or dumps, and devices, import nothing from "
	"the working directory, not even for --call; they ignore relative entries of PYTHONPATH.";

const struct docs_row docs_files[] = {
	{ "suai.yaml",
		"Settings: the nearest one from the working directory upward, and ~/.config/suai/suai.yaml. See "
		"suai.yaml(5)." },
	{ "lib/suai/_suai.abi3.so",
		"The module that observes objects inside the interpreter; next to the program or below its prefix." },
	{ "lib/suai/suai-bootstrap.py",
		"The first script that the interpreter runs; it loads the module. In the same directories." },
	{ "lib/suai/suai-devices",
		"The program that queries CUDA and OpenCL for their devices; in the same directories." },
	{ "lib/suai/libsuai_trace.so",
		"The library that trace preloads into a program; in the same directories." },
	{ NULL, NULL },
};

const struct docs_row docs_exit_status[] = {
	{ "0", "Done; no failing findings." },
	{ "1", "Failing findings, or a difference that --verify found; of inspect, a target without an "
	       "interface (-e), or a key of --query without a value; of matrix, elements that are wrong, a "
	       "lost process, or a cell that changed (--diff); of why, an object that the consumer rejects; of trace, a finding of --fail-on." },
	{ "2", "Wrong usage, an invalid configuration, no such file or name, or the output could not be written." },
	{ "3", "Loading or evaluating a target raised an exception, or the code of a target or a consumer crashed, hung "
	       "or exited the process, or the conversion cannot be carried out, such as one with --copy never that requires a copy." },
	{ "4", "A required driver, device, package or interpreter is missing or cannot be used." },
	{ "70", "A bug in suai, or out of memory." },
	{ NULL, NULL },
};

const char docs_exit_order[] =
	"If targets have different codes, the first of 70, 2, 3, 4, 1, 0 is returned. trace returns the status of its program unless that is 0. An exception from an "
	"interface's attribute or method is a finding of validate, and not a failure of inspect.";

const struct docs_row docs_standards[] = {
	{ NULL, "The SYCL USM array interface, version 1." },
	{ NULL, "The CUDA array interface, versions 0 to 3." },
	{ NULL, "DLPack 1.3 and the Python array API standard 2025.12." },
	{ NULL, "NumPy's array interface protocol, version 3." },
	{ NULL, "PEP 3118, the buffer protocol." },
	{ NULL, NULL },
};

/* --- suai.yaml(5) --- */

const char docs_config_description[] =
	"A suai.yaml contains options that a project or a user would otherwise pass on every command line of suai. It "
	"is a YAML map from the keys below to values. inspect, validate, convert, matrix, why and devices read it. Keys that are "
	"options of validate apply only to validate, but the other commands check their values, too.\n\n"
	"Two files are read: the nearest suai.yaml, from the working directory upward to the root of the file system, "
	"and the user's. --config FILE reads FILE instead of both, and --isolated reads neither.\n\n"
	"The nearest file is discovered, not named, and may come with a directory that someone else wrote. If the "
	"file, or a symbolic link in its place, is owned neither by the effective user nor by root, suai exits with "
	"status 2 and names the owner; use --config to read such a file. The key python, which chooses a program, is "
	"an error in a discovered file. It is accepted on the command line, in the environment, in the user's own "
	"file and in the file of --config. A project whose arrays require a specific interpreter activates its "
	"environment, or sets VIRTUAL_ENV=$PWD/.venv. All other keys execute nothing, except that validate without a TARGET "
	"imports the targets of the file. devices, -c, FILE.npy and dumps execute nothing from the directory; the code of -c "
	"imports from the directory only modules that the code names.\n\n"
	"If a key is set in several places, the last one in this order applies: the user's file, the nearest file, "
	"the environment variable SUAI_PYTHON (for python), SUAI_OPTS, the command line. Each key is resolved "
	"separately. ignore, extend-select, spec, per-target-ignores, severities and producers add to the values of "
	"earlier places, while select discards their select, extend-select and ignore. A key that is true is negated "
	"on the command line by the prefix no- (--no-strict), and one that begins with no- by omitting it "
	"(--summary). A null has the effect of an absent key. suai validate --show-settings prints the effective "
	"settings and their origins.\n\n"
	"Paths in a suai.yaml are relative to its directory. For unknown or duplicate keys and invalid values, suai "
	"exits with status 2 and a message that begins with file, line and column.";

const struct docs_row docs_config_environment[] = {
	{ "SUAI_OPTS",
		"Options that are inserted before those of the command line, for every command; options of other commands "
		"are ignored. Blanks and newlines separate words. Single quotes preserve every character, double quotes "
		"every one except a backslash before a double quote or a backslash, and elsewhere a backslash preserves "
		"the next character. Nothing is expanded. A TARGET is an error." },
	{ "SUAI_PYTHON",
		"The interpreter; overrides python of a file, and is overridden by --python." },
	{ "VIRTUAL_ENV",
		"The environment whose interpreter is used if none is named; set it for a project's own environment." },
	{ "XDG_CONFIG_HOME", "The directory of the user's file; .config in HOME if unset." },
	{ NULL, NULL },
};

const struct docs_row docs_config_files[] = {
	{ "suai.yaml", "The nearest one, from the working directory upward." },
	{ "~/.config/suai/suai.yaml", "The user's file." },
	{ NULL, NULL },
};

const char docs_config_example[] = "targets: [tests/arrays.py, 'tests/views.py:make(3)']\n"
				   "select: [DLP, CAI]\n"
				   "severity: warning\n"
				   "format: concise\n"
				   "timeout: 20\n"
				   "per-target-ignores:\n"
				   "- target: 'tests/views.py'\n"
				   "  rules: CAI401\n"
				   "  reason: its views begin within an allocation\n";
