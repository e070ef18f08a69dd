// SPDX-License-Identifier: MIT
/* The texts of suai.yaml(5) that do not come from option rows. */
#include "docgen/text.h"

#include <stddef.h>

const char docs_config_description[] =
	"A suai.yaml contains options that a project or a user would otherwise pass on every command line of suai. It "
	"is a YAML map from the keys below to values. inspect, validate, convert and devices read it. Keys that are "
	"options of validate apply only to validate, but the other commands check their values, too.\n\n"
	"Two files are read: the nearest suai.yaml, from the working directory upward to the root of the file system, "
	"and the user's. --config FILE reads FILE instead of both, and --isolated reads neither.\n\n"
	"The nearest file is discovered, not named, and may come with a directory that someone else wrote. If the "
	"file, or a symbolic link in its place, is owned neither by the effective user nor by root, suai exits with "
	"status 2 and names the owner; use --config to read such a file. The key python, which chooses a program, is "
	"an error in a discovered file. It is accepted on the command line, in the environment, in the user's own "
	"file and in the file of --config. A project whose arrays require a specific interpreter activates its "
	"environment, or sets VIRTUAL_ENV=$PWD/.venv. All other keys execute nothing: only validate without a TARGET "
	"imports the targets of a file. devices, -c, FILE.npy and dumps execute nothing from the directory; the code "
	"of -c imports from it only what it names.\n\n"
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
		"the next character. Nothing is expanded. Targets are refused." },
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
