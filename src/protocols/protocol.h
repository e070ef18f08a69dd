// SPDX-License-Identifier: MIT
/*
 * A protocol: its names, and how its facts become one struct array. No Python
 * here: both processes link this. How the facts are captured is worker/'s part.
 */
#ifndef PROTOCOLS_PROTOCOL_H
#define PROTOCOLS_PROTOCOL_H

#include "base/error.h"
#include "model/array.h"
#include "model/value.h"

struct protocol {
	const char *name;        /* "sycl", "cuda", "dlpack", "numpy", "numpy-struct", "buffer" */
	const char *attribute;   /* "__cuda_array_interface__"; "buffer" for PEP 3118 */
	const char *rule_prefix; /* "CAI": the family whose structural rules guard describe */
	bool counts_elements;    /* strides are in elements, not in bytes */
	bool of_files;           /* read by the judge from a file; no object exposes it */
	/*
	 * From the facts of one interface (the map that worker/ sends: `declared`, `details`) to
	 * the array. Fails, naming the field, exactly when a structural rule of the family is
	 * broken; an array that exceeds the address space is described all the same, and so is one
	 * with a wrong descr, whose elements are what typestr reports.
	 */
	int (*describe)(const struct value *interface, struct array *array, struct err *err);
	/*
	 * The other answer that the object gave to the same question, as an interface of its own
	 * with its details and memory; NULL where it gave none. A NULL function: there is no such
	 * thing.
	 */
	struct value *(*other)(struct arena *arena, const struct value *interface);
	/* The version of the interface as the object declares it: "3", "1.3", "legacy"; or NULL. */
	struct value *(*version)(struct arena *arena, const struct value *interface);
};

/* Every protocol, in the order they are shown; ends with NULL. Defined in protocols/list.c. */
extern const struct protocol *const protocols[];

/* NULL when no protocol has the name. */
const struct protocol *protocol_find(const char *name);

/* Shared by the dictionary protocols: reads a tuple/list of integers into out; the field is named
 * in err. */
int protocol_read_integers(const struct value *sequence, const char *field, int64_t *out,
	int max_items, int *n_items, struct err *err);

#endif
