// SPDX-License-Identifier: MIT
/* Capabilities by the conventions of the environment: no-color.org, force-color.org,
 * bixense.com/clicolors, and the variables by which terminals identify themselves. */
#include "base/terminal.h"

#include "base/array_size.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Prose wider than MAX_WINDOW_COLUMNS is hard to read; hanging indents need MIN_COLUMNS. */
enum { MIN_COLUMNS = 40, MAX_WINDOW_COLUMNS = 120 };

int terminal_window_columns(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

static const char *or_empty(const char *value)
{
	return value ? value : "";
}

static bool is_switched_off(const char *value)
{
	return !strcmp(value, "0") || !strcmp(value, "false");
}

static bool is_switched_on(const char *value)
{
	return *value && !is_switched_off(value);
}

static bool begins_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* COLUMNS is what the user asks for; the window is only what there is. */
static int find_columns(int fd)
{
	long columns = strtol(or_empty(getenv("COLUMNS")), NULL, 10);

	if (columns <= 0 || columns > 10000) {
		columns = terminal_window_columns(fd);
		columns = !columns                       ? TERMINAL_FALLBACK_COLUMNS
			  : columns > MAX_WINDOW_COLUMNS ? MAX_WINDOW_COLUMNS
							 : columns;
	}
	return columns < MIN_COLUMNS ? MIN_COLUMNS : (int)columns;
}

static bool wants_color(bool is_terminal, bool is_file, const char *color)
{
	const char *term = or_empty(getenv("TERM"));

	if (strcmp(color, "auto") != 0)
		return !strcmp(color, "always");
	if (*or_empty(getenv("NO_COLOR")) || is_switched_off(or_empty(getenv("FORCE_COLOR"))))
		return false;
	if (!is_file && (is_switched_on(or_empty(getenv("FORCE_COLOR"))) ||
				is_switched_on(or_empty(getenv("CLICOLOR_FORCE")))))
		return true;
	return is_terminal && *term && strcmp(term, "dumb") != 0 &&
	       !is_switched_off(or_empty(getenv("CLICOLOR")));
}

/* Terminals that neither support nor ignore OSC 8 print the address, so only known ones get it. */
static bool shows_links(void)
{
	static const char *const programs[] = { "iTerm.app", "WezTerm", "vscode", "ghostty",
		"Hyper", "Tabby", "mintty", "rio", "zed", "WarpTerminal" };
	static const char *const terms[] = { "xterm-kitty", "xterm-ghostty", "alacritty", "foot",
		"wezterm", "contour" };
	const char *term = or_empty(getenv("TERM")), *program = or_empty(getenv("TERM_PROGRAM"));
	const char *forced = or_empty(getenv("FORCE_HYPERLINK"));

	if (*forced)
		return is_switched_on(forced);
	if (*or_empty(getenv("CI")))
		return false;
	if (!strcmp(program, "tmux")) /* which passes them on since 3.4 */
		return atof(or_empty(getenv("TERM_PROGRAM_VERSION"))) >= 3.4;
	if (begins_with(term, "screen") || begins_with(term, "tmux"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (!strcmp(program, programs[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(terms); i++)
		if (begins_with(term, terms[i]))
			return true;
	/* VTE 0.50.0 crashed on them. */
	return *or_empty(getenv("WT_SESSION")) || atoi(or_empty(getenv("VTE_VERSION"))) > 5000 ||
	       atoi(or_empty(getenv("KONSOLE_VERSION"))) >= 201200;
}

struct terminal terminal_find(int fd, bool is_file, const char *color)
{
	struct terminal terminal = { .is_terminal = isatty(fd), .columns = find_columns(fd) };

	terminal.color = wants_color(terminal.is_terminal, is_file, color);
	terminal.links = terminal.color && terminal.is_terminal && !is_file && shows_links();
	return terminal;
}
