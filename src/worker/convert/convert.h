// SPDX-License-Identifier: MIT
/* convert: what the main loop calls, and the parts of one conversion. */
#ifndef WORKER_CONVERT_CONVERT_H
#define WORKER_CONVERT_CONVERT_H

#include "worker/capture/capture.h"
#include "worker/capture/source.h"
#include "worker/python/consumer.h"

#include <stdbool.h>
#include <stdint.h>

/* Carries out job.convert on object: fills interfaces and own, of the new object, copy and, on
 * failure, status, step and error of context->target. */
void convert_object(struct capture_context *context, PyObject *object);

/* Returns only the new object; NULL with the exception pending. */
PyObject *convert_new(
	struct capture_context *context, PyObject *object, const struct job_convert *options);

/* --- the parts --- */

struct exporter;

/* Where the result will be. */
struct destination {
	struct device_session *session; /* NULL: the host's memory */
	PyObject *session_ref;          /* keeps session; NULL if the source's owner does */
	struct device device;           /* as DLPack names it */
	enum memory_kind kind;          /* of memory to allocate there */
	bool knows_source;              /* the source's memory may be exported there */
	int64_t stream;                 /* --stream, if it is a number; otherwise 0 */
	const char *reason;             /* why the source's own session cannot be used; or NULL */
};

/* What --timing measures; together they are the whole conversion. */
enum convert_part {
	PART_READ,     /* the source's interface and memory, the session of the result, the plan */
	PART_ALLOCATE, /* new memory, untouched */
	PART_COPY,     /* first touch and a kernel's build included; of a file the writing */
	PART_DESCRIBE, /* the new object created, and its interface and memory captured */
	N_PARTS,
};

struct timing {
	double begun_seconds, last_seconds; /* of convert_clock_seconds() */
	double part_seconds[N_PARTS];       /* 0: there was none */
	bool is_map_refused;                /* of the copy */
};

/* One conversion, from the options to the result. */
struct conversion {
	struct capture_context *context;
	const struct job_convert *options;
	const struct exporter *exporter; /* which must support the elements; NULL: none (.raw) */
	bool is_file;                    /* no object is made, but a .npy or .raw file */
	char order;                      /* 'C', 'F' or 'K' */
	enum transfer_engine engine;

	struct timing timing;
	struct consumer consumer; /* of --call, found before the conversion begins */

	int pending; /* of object_values_check(): whether object_values_resolve() must compute the
			values */
	const char *origin; /* "npy" of a file's array; NULL: the source's protocol */
	struct source source;
	struct destination destination;
	struct element_array result; /* its pointer is 0 until the memory is allocated */
	const char *reason;          /* why a copy; NULL: zero-copy */
	PyObject *object;            /* suai.Array; NULL for a file */

	const char *step; /* where it failed */
	struct fact_conversion facts;
};

/*
 * Opens the interface named, or (NULL) the first of sycl, cuda, dlpack, numpy and buffer that can
 * be read, but one that names the element type before one that has raw bytes; waits for the
 * producer's work and queries the memory. The object's memory holds its values
 * (worker/capture/self_reported.h). Close it in any case.
 */
int convert_open_source(struct capture_context *context, PyObject *object, const char *protocol,
	struct source *source, struct err *err);

/* "-p dlpack or -p numpy": the interfaces that the object exposes, except one, and that fit; empty
 * if there is none. */
const char *convert_list_sources(struct capture_context *context, PyObject *object, const char *but,
	bool (*fits)(void *data, const char *protocol), void *data);

/*
 * Describes the source's elements in result as the protocol can express them. If it cannot:
 * EXIT_TARGET with the reason and the option that helps.
 */
int convert_check_elements(struct conversion *conversion, struct err *err);

/* Fills destination. EXIT_UNAVAILABLE if this machine lacks its driver or device. */
int convert_find_destination(struct conversion *conversion, struct err *err);

/*
 * Fills the layout of result, reason and order. EXIT_TARGET with the reason and the option that
 * helps if a copy is required but forbidden.
 */
int convert_decide(struct conversion *conversion, struct err *err);

/* Reports how many bytes of the copy under way are done, which restarts the time limit;
 * convert_end_progress ends it. */
void convert_report_progress(void *conversion, int64_t n_bytes);
void convert_end_progress(void);

/* The source's elements at the address by which the result's session, if it knows them, can use
 * them. */
struct memory_location convert_source_location(const struct conversion *conversion);

/* Copies the source's elements into the result's memory. */
int convert_transfer(struct conversion *conversion, struct transfer *transfer, struct err *err);

/* Copies path, engine, kernel, launches and fallback from transfer. */
void convert_fill_transfer(struct conversion *conversion, const struct transfer *transfer);

/* Creates object over the source's memory, or over a copy. Fills path, engine and the figures. */
int convert_make_object(struct conversion *conversion, struct err *err);

/* Writes the elements into the judge's file: .npy or .raw. */
int convert_write_file(struct conversion *conversion, struct err *err);

/* Compares the new object (by its captured interfaces) or the file with the source; fills
 * `verified` and `difference`. */
int convert_verify(struct conversion *conversion, const struct fact_interface_list *interfaces,
	struct err *err);

/* Passes object to the consumer of --call; fills `result`. -1 with the exception pending. */
int convert_call(struct conversion *conversion);

/* convert_begin_timing starts the clock; convert_end_part attributes the time since then, or since
 * the last part ended, to part. */
void convert_begin_timing(struct conversion *conversion);
void convert_end_part(struct conversion *conversion, enum convert_part part);

/* With --timing fills seconds, those of the parts and gb_per_s. */
void convert_fill_timing(struct conversion *conversion);

/* Copies again into the result, which only suai holds yet, in turns with a memcpy of as many bytes
 * between the same sessions; fills steady_seconds, steady_gb_per_s and share_of_memcpy. */
int convert_fill_steady(struct conversion *conversion, struct err *err);

double convert_clock_seconds(void);

#endif
