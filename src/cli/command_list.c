// SPDX-License-Identifier: MIT
/* The commands, in the order that help shows them. Other lists: protocols/names.h,
 * rules/engine/families.h, formats/names.h. */
#include "cli/command.h"

#define COMMAND_LIST(EACH) \
	EACH(inspect)      \
	EACH(validate)     \
	EACH(convert)      \
	EACH(devices)      \
	EACH(rule)         \
	EACH(help)         \
	EACH(docs)

#define DECLARE(NAME) extern const struct command NAME##_command;
COMMAND_LIST(DECLARE)

#define ROW(NAME) &NAME##_command,
const struct command *const commands[] = { COMMAND_LIST(ROW) NULL };
