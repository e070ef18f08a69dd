// SPDX-License-Identifier: MIT
/* The text of the man pages that no command or option row contains. */
#ifndef DOCGEN_TEXT_H
#define DOCGEN_TEXT_H

struct docs_row {
	const char *name, *text; /* tables end with a NULL text */
};

extern const char docs_date[], docs_summary[], docs_description[];
extern const char docs_targets_more[], docs_environment_more[], docs_exit_order[];
extern const struct docs_row docs_targets[], docs_environment[], docs_environment_tests[],
	docs_files[], docs_exit_status[], docs_standards[];

extern const char docs_config_description[], docs_config_example[];
extern const struct docs_row docs_config_environment[], docs_config_files[];

#endif
