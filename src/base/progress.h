// SPDX-License-Identifier: MIT
/*
 * The progress of long work, as one line on standard error. Nothing is written unless standard
 * error is a terminal and TERM is set and not "dumb", nor for work that ends quickly.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *unit;  /* keeps it: "targets"; "bytes" are shown as KiB, MiB and GiB */
	const char *doing; /* "copying": of bytes, before the bar, and with the time while none is
			      done; NULL: a bar of nothing is shown */
	uint64_t total, done;
	bool is_on;    /* standard error is a terminal */
	bool is_shown; /* the line is on the terminal */
	int64_t begun_ms, drawn_ms;
};

/* wanted: false draws nothing (-q). total 0: not known yet. */
void progress_begin(struct progress *progress, bool wanted, uint64_t total, const char *unit);

/* The same of bytes, unless just this has begun already; keeps doing. */
void progress_begin_bytes(
	struct progress *progress, bool wanted, uint64_t total_bytes, const char *doing);

/* There is more work than was known. */
void progress_grow(struct progress *progress, uint64_t n_more);

/* n_more are done. Cheap: the line is drawn at most ten times a second. */
void progress_step(struct progress *progress, uint64_t n_more);

/* So many are done in all. */
void progress_set(struct progress *progress, uint64_t n_done);

/* Takes the line away until the next step, which draws it at once, for others to write to the
 * terminal. */
void progress_hide(struct progress *progress);

/* Takes it away for good. Harmless where none was begun and progress is all zero. */
void progress_end(struct progress *progress);

#endif
