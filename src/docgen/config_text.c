// SPDX-License-Identifier: MIT
/* The words of suai.yaml(5) that no row holds. */
#include "docgen/text.h"

#include <stddef.h>

const char docs_config_description[] =
	"A suai.yaml holds what a project, or a user, would else write on every command line of suai. It is YAML: a map "
	"from the keys below to values. inspect, validate, convert and devices read it; a key that is an option of "
	"validate counts for validate alone, and is checked by the others all the same.\n\n"
	"Two files are read: the nearest suai.yaml, from the working directory upward to the root of the file system, and the "
	"user's. --config FILE reads FILE instead of both, and --isolated reads none.\n\n"
	"The nearest file is discovered, not named, and may come with a directory that somebody else wrote. If it, or a "
	"symbolic link in its place, is owned neither by the effective user nor by root, suai exits with status 2, and the "
	"message names the owner; --config reads such a file. A key that chooses a program, which is python, is an error in a "
	"discovered file. It is accepted on the command line, in the environment, in the user's own file and in the file of "
	"--config. A project whose arrays need an interpreter of its own activates its environment, or sets "
	"VIRTUAL_ENV=$PWD/.venv. All other keys are read, and execute nothing by themselves: targets are imported only by "
	"validate without a TARGET. devices, -c and targets that are FILE.npy or dumps execute nothing from the "
	"directory: the code of -c imports from it only what that code names.\n\n"
	"Of several places that say something the later in this order counts: the user's file, the nearest file, the "
	"environment variable SUAI_PYTHON (for python), SUAI_OPTS, the command line. That holds for each key alone. What is "
	"named by ignore, extend-select, spec, per-target-ignores, severities and producers adds to what earlier places "
	"say, while a select puts out the select, extend-select and ignore of earlier places. A key that is true is "
	"undone on the command line by --no- before its name (--no-strict), and one that begins with no- without it "
	"(--summary). A null stands for an absent key. suai validate --show-settings prints what counts, and where each value "
	"comes from.\n\n"
	"Files that are named in a suai.yaml are looked for from its folder. A key that is unknown or occurs twice, and a value "
	"that cannot be, end suai with exit status 2 and a message that begins with file, line and column.";

const struct docs_row docs_config_environment[] = {
	{ "SUAI_OPTS",
		"Options that come before those of the command line, for every command; those of other commands are "
		"passed over. Blanks and line ends separate words. Between single quotes every character stands for "
		"itself, between double quotes every one but a backslash before a double quote or a backslash, and "
		"elsewhere a backslash makes the next character stand for itself. Nothing is expanded. Targets are "
		"refused." },
	{ "SUAI_PYTHON", "The interpreter; comes before python of a file, and after --python." },
	{ "VIRTUAL_ENV",
		"The environment whose interpreter is used where nothing names one; a project's own belongs here." },
	{ "XDG_CONFIG_HOME",
		"Where the user's file is looked for; .config in HOME where it is not set." },
	{ NULL, NULL },
};

const struct docs_row docs_config_files[] = {
	{ "suai.yaml", "The nearest one, from the working directory upward." },
	{ "~/.config/suai/suai.yaml", "The user's." },
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
				   "  reason: its views begin within an allocation, see issue 12\n";
