// SPDX-License-Identifier: MIT
/*
 * A tracer: the tensor of a case (consumers/cases.h), in memory of suai's own, and the Python
 * object that exports it. What the consumer does with capsules, structs and memory is recorded.
 */
#ifndef WORKER_CONSUME_TRACER_H
#define WORKER_CONSUME_TRACER_H

#include "worker/consume/guarded.h"
#include "worker/python/python.h"

#include "base/arena.h"
#include "consumers/cases.h"
#include "facts/facts.h"
#include "model/array.h"

#include <stdbool.h>
#include <stdint.h>

/* What tracer_poison() writes to each byte. */
enum { TRACER_POISON = 0x9D };

struct tracer_export; /* one result of __dlpack__ */

struct tracer {
	const struct consumer_case *row;
	const struct tensor_interface *interface; /* NULL: a library exports the memory */
	struct arena *arena;
	bool has_layout;     /* of the elements, as a consumer must read them: */
	struct array layout; /* pointer is the offset from memory.low */
	struct guarded memory;
	struct device_session *session; /* of the memory; NULL: host memory */
	unsigned char *image;           /* what suai wrote to memory.pages last */
	struct fact_texts calls;        /* of the object's methods, in Python syntax */
	uint64_t low, high; /* where the object that is passed has its elements: [low, high) */
	bool is_poisoned;
	struct tracer_export *exports;
	/* How often another interface than DLPack's was read, and buffers were released. */
	int64_t n_reads, n_released;
	PyObject *object;      /* of tracer_object(), borrowed; NULL: freed */
	bool is_held;          /* the caller owns a reference to it: */
	bool is_over_released; /* the last one was released nevertheless, and the object is kept */
};

/*
 * How many exports the consumer has renamed and deleted: capsules of DLPack, requests of buffers
 * (deleted: released), or readings of an attribute (deleted: the object was freed).
 */
struct tracer_counts {
	int64_t n_exports, n_renamed, n_deleted, n_deleted_again;
};

/*
 * The memory of the tensor; an invalid tensor of a device that is missing is in host memory. NULL
 * interface: tracer_object() is not called. -1 with err set: EXIT_UNAVAILABLE if this machine lacks
 * the device.
 */
int tracer_open(struct tracer *tracer, struct arena *arena, const struct consumer_case *row,
	const struct tensor_interface *interface, enum guarded_place place, struct err *err);

/* The structs stay allocated: a consumer may call a deleter again at any time. */
void tracer_close(struct tracer *tracer);

/* A new reference to the object that has that interface, which can express its row;
 * after tracer_close() its methods raise an exception. Once. NULL with an exception. */
PyObject *tracer_object(struct tracer *tracer);

/* Writes other elements, and their image: generation 0 is what tracer_open() wrote. */
void tracer_fill(struct tracer *tracer, int generation);

/* Overwrites the memory, as an allocator may do after the last deleter was called. */
void tracer_poison(struct tracer *tracer);

/* Reads the names of the capsules, and drops the tracer's references to them: the consumer has
 * returned. */
void tracer_release(struct tracer *tracer);

struct tracer_counts tracer_count(const struct tracer *tracer);

/* A new NumPy array of the tensor's memory; NULL with an exception. */
PyObject *tracer_numpy_array(const struct tracer *tracer);

/* Whether an address is in [low, high), which tracer_open() sets to the tensor's pages. */
bool tracer_has_address(const struct tracer *tracer, uint64_t address);

/* How many bytes outside of the elements the consumer changed, and whether it changed elements.
 * Not after tracer_poison(). */
int64_t tracer_count_changed(const struct tracer *tracer, bool *changed_elements);

/* The element of layout at index, as suai wrote it. NULL: it is outside of the pages. */
struct value *tracer_element(const struct tracer *tracer, const struct array *layout,
	const int64_t *index, struct arena *arena);

#endif
