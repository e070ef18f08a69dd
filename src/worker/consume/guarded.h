// SPDX-License-Identifier: MIT
/*
 * Memory between two guard pages. An access outside is recorded, and the code continues: the first
 * such access makes the guard page accessible. For one region at a time.
 */
#ifndef WORKER_CONSUME_GUARDED_H
#define WORKER_CONSUME_GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At which end of the pages the bytes are. */
enum guarded_place { GUARD_BEHIND, GUARD_BEFORE, N_GUARDED_PLACES };

/* Bytes whose first address is misalignment bytes past a multiple of alignment, as close to the end
 * at place as that allows. */
struct guarded_request {
	size_t n_bytes, alignment, misalignment;
	enum guarded_place place;
};

struct guarded {
	unsigned char *pages; /* accessible ones, without the two guard pages */
	size_t n_page_bytes;
	unsigned char *low; /* the first of the n_bytes that were asked for */
	size_t n_bytes;
	/* The first access outside: bytes from the nearest of the n_bytes, negative if it is below
	 * them; 0: there was none. Written by a signal handler. */
	volatile ptrdiff_t outside;
	volatile bool outside_is_write; /* known on x86-64 only, otherwise false */
};

/* Maps the bytes, and watches the guard pages. False: out of memory. */
bool guarded_map(struct guarded *guarded, const struct guarded_request *request);

/* The first of the bytes, at least n_used, in n_page_bytes from pages on. */
unsigned char *guarded_low(const struct guarded_request *request, unsigned char *pages,
	size_t n_page_bytes, size_t n_used);

/* Stops watching. All pages stay mapped, and the guard pages become accessible, because objects
 * that code keeps may be read until the process ends. */
void guarded_close(struct guarded *guarded);

#endif
