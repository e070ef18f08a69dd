// SPDX-License-Identifier: MIT
/*
 * The progress of long work, as one line on standard error. Nothing is written unless standard
 * error is a terminal and TERM is set and not "dumb", nor for work that ends quickly.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum { PROGRESS_LABEL_CHARS = 80 };

struct progress {
	const char *unit;  /* keeps it: "targets"; "bytes" are shown as KiB, MiB and GiB */
	const char *doing; /* "copying", before the bar of bytes. While none is done, it is shown
			      with the time instead of a bar. NULL for other units */
	char label[PROGRESS_LABEL_CHARS]; /* what is under way, after the bar; empty: not shown */
	uint64_t total, done;
	bool is_untimed; /* no time left is shown: the total is not known yet */
	bool is_on;      /* standard error is a terminal */
	bool is_shown;   /* the line is on the terminal */
	int64_t begun_ms, drawn_ms;
	int64_t counted_ms, step_ms; /* when the count began, and last changed */
};

/* Keeps unit. wanted: false draws nothing (-q). total 0: not known yet. */
void progress_begin(struct progress *progress, bool wanted, uint64_t total, const char *unit);

/* Begins to count bytes, unless the same work has already begun. Keeps doing. */
void progress_begin_bytes(
	struct progress *progress, bool wanted, uint64_t total_bytes, const char *doing);

/* Adds work that was not known before. */
void progress_grow(struct progress *progress, uint64_t n_more);

/* Adds n_more to those done. Cheap: the line is drawn at most ten times a second. */
void progress_step(struct progress *progress, uint64_t n_more);

/* Sets how many are done in total. */
void progress_set(struct progress *progress, uint64_t n_done);

/* Sets the label, and draws the line if it is due: with a label it shows the time left. */
void progress_name(struct progress *progress, const char *label);

/* Draws a line of text instead of a bar. */
void progress_show_text(struct progress *progress, const char *text);

/* Erases the line until the next step, which draws it at once, so that others can write to the
 * terminal. */
void progress_hide(struct progress *progress);

/* Erases the line and ends. Harmless if none was begun and progress is all zero. */
void progress_end(struct progress *progress);

#endif
