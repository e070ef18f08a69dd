// SPDX-License-Identifier: MIT
/* What the destination of a text can show: columns, colour, links. */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>

enum { TERMINAL_FALLBACK_COLUMNS = 100 }; /* for files and pipes */

struct terminal {
	bool is_terminal;
	int columns; /* to which text is wrapped */
	bool color;
	bool links; /* OSC 8 */
};

/* The columns of the window of a terminal; 0: unknown, or not a terminal. */
int terminal_window_columns(int fd);

/*
 * What the file of a descriptor can show, according to the environment. color: "auto", "always" or
 * "never". is_file: a file that the user named, to which the environment adds neither colour nor
 * links.
 */
struct terminal terminal_find(int fd, bool is_file, const char *color);

#endif
