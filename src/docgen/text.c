// SPDX-License-Identifier: MIT
/* The man page's frame: what suai is, targets, environment, files, exit status, standards. */
#include "docgen/text.h"

#include <stddef.h>

const char docs_date[] = "November 21, 2026";

const char docs_summary[] = "read, check and convert the array interfaces of Python objects";

const char docs_description[] =
	"suai loads Python objects that export arrays and tells what they say of themselves by each "
	"protocol, whether that is right, and how to hand them on. The protocols are sycl "
	"(__sycl_usm_array_interface__), cuda (__cuda_array_interface__), dlpack (__dlpack__), numpy "
	"(__array_interface__), numpy-struct (__array_struct__) and buffer (PEP 3118).\n\n"
	"Python runs in a process of its own. Where an object crashes it, hangs or leaves, the result "
	"names the target and the step, and the other targets go on in a new process; after 8 processes "
	"lost on one target that target is given up, after 64 in all the rest. A target runs with its "
	"user's rights: suai is no sandbox.\n\n"
	"When suai ends, also by a signal, that process ends with it, and so do the processes that a "
	"script left behind: after a moment by SIGTERM, then by SIGKILL. Only where suai itself is "
	"killed by SIGKILL may a process that a script started outlive it.\n\n"
	"Standard output carries the result alone. What a script prints goes to standard error.\n\n"
	"Of an option that is given twice the last counts, on the command line as after $SUAI_OPTS; those that are called "
	"repeatable add up.";

const struct docs_row docs_targets[] = {
	{ "FILE.py Ns Op : Ns Ar EXPR", "A script. Its folder is on sys.path." },
	{ "package.module Ns Op : Ns Ar EXPR", "A module, imported by name." },
	{ "EXPR", "With -c CODE: an expression over the names that CODE defines." },
	{ "FILE.npy", "A file of NumPy's format; its header is read without Python." },
	{ "FILE.yaml",
		"A dump that inspect -f yaml wrote: the facts are taken from it, and no code runs." },
	{ "-", "A dump on standard input." },
	{ NULL, NULL },
};

const char docs_targets_more[] =
	"What ends in .py, .npy or .yaml or holds a slash is a file. The first colon after that starts "
	"EXPR, any Python expression evaluated in the module, such as 'a[::2].T' or 'make(3)'. Without "
	"EXPR every module-level object that exposes an interface is a target, but no types, modules "
	"and names that begin with an underscore; each object once. What has a buffer alone, such as "
	"bytes or array.array, counts only where -p names buffer. A module is imported once for all its "
	"targets.\n\n"
	"sys.path begins with the directory of FILE.py, as with python FILE.py, and with the working directory only for "
	"package.module and -c. Commands whose targets are FILE.npy or dumps, and devices, import nothing from the working "
	"directory, also not for --call; they ignore relative entries of PYTHONPATH.";

const struct docs_row docs_files[] = {
	{ "suai.yaml",
		"Settings: of the nearest one from the working folder upward, and of ~/.config/suai/suai.yaml. See "
		"suai.yaml(5)." },
	{ "lib/suai/_suai.abi3.so",
		"The module that observes objects inside the interpreter; beside the program or under "
		"its prefix." },
	{ "lib/suai/suai-bootstrap.py",
		"The first script that the interpreter runs; it loads the module. In the same directories." },
	{ "lib/suai/suai-devices",
		"The program that asks CUDA and OpenCL for their devices; found in the same places." },
	{ NULL, NULL },
};

const struct docs_row docs_exit_status[] = {
	{ "0", "Done; no finding that fails." },
	{ "1", "There are findings that fail, or --verify found a difference." },
	{ "2", "Wrong usage, a bad configuration, no such file or name, or the output could not be "
	       "written." },
	{ "3", "Loading or evaluating a target raised; or its code, or a consumer, crashed, hung or "
	       "left the process." },
	{ "4", "This machine lacks what was asked for: a driver, a device, a package, an "
	       "interpreter." },
	{ "70", "A bug in suai." },
	{ NULL, NULL },
};

const char docs_exit_order[] =
	"Of several targets' codes the first in the order 70, 2, 3, 4, 1, 0 is given. An exception from "
	"an interface's own attribute or method is a finding of validate and no failure of inspect.";

const struct docs_row docs_standards[] = {
	{ NULL, "The SYCL USM array interface, version 1." },
	{ NULL, "The CUDA array interface, versions 0 to 3." },
	{ NULL, "DLPack 1.3 and the Python array API standard 2025.12." },
	{ NULL, "NumPy's array interface protocol, version 3." },
	{ NULL, "PEP 3118, the buffer protocol." },
	{ NULL, NULL },
};
