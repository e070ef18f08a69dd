// SPDX-License-Identifier: MIT
/* What the kernel, the USM runtime or a driver says of a range of addresses, and devices' names. */
#ifndef FACTS_MEMORY_H
#define FACTS_MEMORY_H

#include "model/device.h"
#include "model/value.h"

#include <stdbool.h>
#include <stdint.h>

enum memory_kind {
	MEMORY_UNKNOWN,
	MEMORY_HOST,
	MEMORY_FILE,
	MEMORY_PINNED,
	MEMORY_REGISTERED,
	MEMORY_DEVICE,
	MEMORY_MANAGED,
	MEMORY_USM_HOST,
	MEMORY_USM_SHARED,
	MEMORY_USM_DEVICE,
	MEMORY_OPENCL_BUFFER,
};

/* "host", "usm-shared", ..., as documents name them. */
const char *memory_kind_name(enum memory_kind kind);
enum memory_kind memory_kind_from_name(const char *name);

enum memory_answer { ANSWER_UNKNOWN = -1, ANSWER_NO = 0, ANSWER_YES = 1 };

/* The answer to one question: what is at [asked_low, asked_high)? */
struct memory {
	uint64_t asked_low, asked_high;
	const char *by; /* "maps", "usm", "cuda", "opencl": who answered; NULL: nobody */
	const char *
		how; /* "exact": base and size are the allocation's; "ends": both ends were asked */
	enum memory_kind kind;
	const char
		*origin; /* the driver's function that it comes from: "cuMemAlloc"; NULL: unknown */
	uint64_t base, size; /* of the allocation or the joined mappings; size 0: unknown */
	/* Whether the first and the last byte asked about are in the allocation of the pointer;
	 * what `ends` knows without base and size. */
	enum memory_answer low_inside, high_inside;
	uint64_t device_pointer; /* 0: unknown */
	enum memory_answer host_accessible, managed, readable, writable;
	char context[64];      /* of the driver; empty: unknown */
	char mapping[256];     /* maps: "[heap]", "[stack]", "anonymous", a file's path */
	char device_name[128]; /* empty: unknown */
	int64_t device_id;     /* in DLPack's numbering; -1: unknown */
};

/* An answer of nothing known for the question. */
void memory_init(struct memory *memory, uint64_t low, uint64_t high);

/*
 * The `memory` map of facts and documents; NULL memory: a null. And back: false where value is not
 * such a map; keeps the texts of by and how, for as long as value lives.
 */
struct value *memory_to_value(struct arena *arena, const struct memory *memory);
bool memory_from_value(struct memory *memory, const struct value *value);

#endif
