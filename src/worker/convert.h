// SPDX-License-Identifier: MIT
/* The parts of convert: worker/convert*.c and the engines. */
#ifndef WORKER_CONVERT_H
#define WORKER_CONVERT_H

#include "worker/exported.h"
#include "worker/source.h"
#include "worker/worker.h"

#include <stdbool.h>
#include <stdint.h>

/* One conversion, from what was asked for to what was done. */
struct conversion {
	struct capture_context *context;
	const struct value *settings;    /* job.convert */
	const struct exporter *exporter; /* whose words the elements must have; NULL: none (.raw) */
	bool is_file;                    /* no object is made, but a .npy or .raw file */
	const char *output_path;         /* how the worker opens it; NULL in a dry run */
	char order;                      /* 'C', 'F' or 'K' */

	const char *origin; /* "npy" of a file's array; NULL: the source's protocol tells */
	struct source source;
	struct element_array result; /* its pointer is 0 until the memory is there */
	const char *reason;          /* why a copy; NULL: zero-copy */
	PyObject *object;            /* suai.Array; NULL for a file */

	const char *step; /* where it failed */
	struct value *facts;
};

/* An engine copies between layouts; one file each. The first that reaches both sides is taken. */
struct engine {
	const char *name; /* NULL: the source's runtime is it */
	const char *path; /* "host", "memcpy", "kernel": docs/facts.md */
	bool (*reaches)(const struct source *source);
	/* Copies part, some of the source's elements, to memory of the host. Called with the GIL.
	 */
	int (*copy)(const struct source *source, const struct array *part, const struct array *to,
		struct err *err);
};

/* Gives the engine for the source, as --engine wants it; NULL with err set (EXIT_UNAVAILABLE). */
const struct engine *engine_for(const struct conversion *conversion, struct err *err);

/*
 * Fills result (its layout), reason and order. EXIT_TARGET with the reason and the option that
 * helps where the protocol cannot say such elements, or a copy is needed and forbidden.
 */
int convert_decide(struct conversion *conversion, struct err *err);

/* Makes object: over the source's memory, or over a copy. Fills path, engine and the figures. */
int convert_make_object(struct conversion *conversion, struct err *err);

/* Writes the elements into the judge's file: .npy or .raw. */
int convert_write_file(struct conversion *conversion, struct err *err);

/* Compares the new object (by its captured interfaces) or the file with the source; fills
 * `verified` and `difference`. */
int convert_verify(struct conversion *conversion, const struct value *interfaces, struct err *err);

/* Hands object to the consumer of --call; fills `result`. -1 with the exception pending. */
int convert_call(struct conversion *conversion);

/* Fills seconds, gb_per_s and share_of_memcpy for n_bytes copied; memcpy's rate is measured now. */
void convert_tell_timing(
	struct conversion *conversion, double seconds, int64_t n_bytes, bool compare);

double convert_clock_seconds(void);

#endif
