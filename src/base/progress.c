// SPDX-License-Identifier: MIT
/* Draws the line, and erases it with CR and EL, which every terminal but a dumb one supports. */
#include "base/progress.h"

#include "base/byte_size.h"
#include "base/clock.h"
#include "base/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	FIRST_MS = 400,
	FIRST_OF_ONE_MS = 2000, /* of a single target, if what is under way is known */
	AGAIN_MS = 100,
	BAR_CHARS = 24,
	SHORT_BAR_CHARS = 10,
	LINE_CHARS = 160,
	FALLBACK_COLUMNS = 80
};

/* One write, so that it does not mix with other output. */
static void progress_put(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

static void append_size(char *out, size_t n_chars, uint64_t n_bytes)
{
	double size;
	const char *unit = byte_size_scale(n_bytes, &size);

	snprintf(out, n_chars, n_bytes >= 1024 ? "%.1f %s" : "%.0f %s", size, unit);
}

static void append_amounts(char *out, size_t n_chars, const struct progress *progress)
{
	char done[32], total[32];

	if (!strcmp(progress->unit, "bytes")) {
		append_size(done, sizeof(done), progress->done);
		append_size(total, sizeof(total), progress->total);
		snprintf(out, n_chars, "%s of %s", done, total);
	} else {
		snprintf(out, n_chars, "%" PRIu64 " of %" PRIu64 " %s", progress->done,
			progress->total, progress->unit);
	}
}

/* The time left, which runs down between steps, and the label. */
static void append_label(char *line, size_t n_chars, const struct progress *progress)
{
	size_t n = strlen(line);
	int64_t now = clock_ms(), took_ms = progress->step_ms - progress->counted_ms;
	double left_ms = 0; /* the product of bytes and milliseconds may exceed 64 bits */

	if (!progress->is_untimed && progress->done && progress->total > progress->done)
		left_ms = (double)took_ms * (double)(progress->total - progress->done) /
				  (double)progress->done -
			  (double)(now - progress->step_ms);
	if (left_ms > 0)
		n += (size_t)snprintf(line + n, n_chars - n, ", %.0f s left", ceil(left_ms / 1000));
	if (n < n_chars)
		snprintf(line + n, n_chars - n, "  %s", progress->label);
}

static void put_bar(char *line, size_t n_chars, const struct progress *progress)
{
	char bar[BAR_CHARS + 1], amounts[96];
	size_t bar_chars = progress->label[0] ? SHORT_BAR_CHARS : BAR_CHARS;
	uint64_t total = progress->total > progress->done ? progress->total : progress->done;
	double share = total ? (double)progress->done / (double)total : 0;

	memset(bar, '.', bar_chars);
	memset(bar, '#', (size_t)(share * (double)bar_chars));
	bar[bar_chars] = '\0';
	append_amounts(amounts, sizeof(amounts), progress);
	snprintf(line, n_chars, "%s%s[%s] %3.0f %%  %s", progress->doing ? progress->doing : "",
		progress->doing ? " " : "", bar, share * 100, amounts);
	if (progress->label[0])
		append_label(line, n_chars, progress);
}

/* Work in a single step shows how long it has taken so far. */
static void put_waiting(char *line, size_t n_chars, const struct progress *progress)
{
	char total[32];

	append_size(total, sizeof(total), progress->total);
	snprintf(line, n_chars, "%s %s, %.1f s", progress->doing, total,
		(double)(progress->drawn_ms - progress->begun_ms) / 1000);
}

/* Cuts the line to the terminal, and draws it. */
static void draw_line(struct progress *progress, char line[LINE_CHARS])
{
	char text[LINE_CHARS + 16];
	int window = terminal_window_columns(STDERR_FILENO);
	size_t n_columns = window > 0 ? (size_t)window : FALLBACK_COLUMNS;

	if (n_columns <= LINE_CHARS)
		line[n_columns - 1] = '\0'; /* a full line would wrap */
	/* Moves the cursor back, so that other output does not begin after the line. */
	snprintf(text, sizeof(text), "\r%s\x1b[K\r", line);
	progress_put(text);
	progress->is_shown = true;
}

void progress_show_text(struct progress *progress, const char *text)
{
	char line[LINE_CHARS];

	if (!progress->is_on)
		return;
	snprintf(line, sizeof(line), "%s", text);
	draw_line(progress, line);
}

static void progress_draw(struct progress *progress)
{
	char line[LINE_CHARS];

	if (progress->doing && !progress->done)
		put_waiting(line, sizeof(line), progress);
	else
		put_bar(line, sizeof(line), progress);
	draw_line(progress, line);
}

void progress_begin(struct progress *progress, bool wanted, uint64_t total, const char *unit)
{
	const char *term = getenv("TERM");

	*progress = (struct progress){ .unit = unit, .total = total };
	progress->is_on =
		wanted && term && *term && strcmp(term, "dumb") != 0 && isatty(STDERR_FILENO);
	progress->begun_ms = progress->counted_ms = progress->is_on ? clock_ms() : 0;
}

void progress_begin_bytes(
	struct progress *progress, bool wanted, uint64_t total_bytes, const char *doing)
{
	if (progress->is_on && progress->total == total_bytes && progress->doing &&
		!strcmp(progress->doing, doing))
		return;
	progress_begin(progress, wanted, total_bytes, "bytes");
	progress->doing = doing;
}

void progress_grow(struct progress *progress, uint64_t n_more)
{
	progress->total += n_more;
}

void progress_step(struct progress *progress, uint64_t n_more)
{
	progress_set(progress, progress->done + n_more);
}

static void progress_draw_if_due(struct progress *progress)
{
	int64_t now;

	if (!progress->is_on || (progress->total < 2 && !progress->label[0]))
		return;
	now = clock_ms();
	if (now - progress->begun_ms < (progress->total < 2 ? FIRST_OF_ONE_MS : FIRST_MS) ||
		now - progress->drawn_ms < AGAIN_MS)
		return;
	progress->drawn_ms = now;
	progress_draw(progress);
}

void progress_set(struct progress *progress, uint64_t n_done)
{
	if (progress->is_on && n_done != progress->done)
		progress->step_ms = clock_ms();
	progress->done = n_done;
	progress_draw_if_due(progress);
}

void progress_name(struct progress *progress, const char *label)
{
	if (!progress->is_on)
		return;
	snprintf(progress->label, sizeof(progress->label), "%s", label);
	for (char *c = progress->label; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	progress_draw_if_due(progress);
}

void progress_hide(struct progress *progress)
{
	if (progress->is_shown)
		progress_put("\r\x1b[K");
	progress->is_shown = false;
	progress->drawn_ms = 0;
}

void progress_end(struct progress *progress)
{
	progress_hide(progress);
	progress->is_on = false;
}
