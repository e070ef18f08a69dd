// SPDX-License-Identifier: MIT
/*
 * The descriptor of a protocol: everything about it that does not require Python. Reading it from
 * objects and exporting it is in struct capture of worker/capture/capture.h.
 */
#ifndef PROTOCOLS_PROTOCOL_H
#define PROTOCOLS_PROTOCOL_H

#include "base/error.h"
#include "facts/facts.h"
#include "model/array.h"
#include "model/job.h"
#include "model/value.h"
#include "protocols/names.h"
#include "protocols/struct_fields.h"

struct protocol {
	const char *name;        /* of protocols/names.h */
	const char *attribute;   /* "__cuda_array_interface__"; "buffer" for PEP 3118 */
	const char *title;       /* in documents; NULL: the attribute */
	const char *rule_prefix; /* "CAI": the family whose structural rules guard describe */
	/* The words of --spec: the key of the document ("cai"), which protocols may share, and the
	 * editions with rules, oldest first ("0 1 2 3"); NULL: there are none. */
	const char *edition_key, *editions;
	/* Versions that --interface-version selects; highest 0: it has none. */
	int64_t lowest_version, highest_version;
	const char *runtime;       /* whose memory it describes: "host", "sycl"; NULL: any */
	const char *device_family; /* "host", "SYCL": runtime in messages; NULL: declared */
	const char *trials; /* names of model/trials.h: those of --lifetime and --live it has */
	const struct fact_record *details;  /* the shape of `details`; NULL: it has none */
	const struct struct_fields *fields; /* of its C struct; NULL: it has none */
	int rank;                           /* --query uses the lowest */
	bool is_dictionary;
	const char *const *keys; /* of the dictionary that are specified; ends with NULL */
	bool has_mask;           /* the dictionary may have a key `mask` */
	bool counts_elements;    /* strides are in elements, not in bytes */
	bool is_of_files;        /* read by the judge from a file; no object exposes it */
	/*
	 * Describes the array of an interface's `declared` and `details`. Fails, naming the field,
	 * exactly when a structural rule of the family is broken; an array that exceeds the address
	 * space is still described, and so is one with a wrong descr, whose elements are those of
	 * typestr.
	 */
	int (*describe)(
		const struct fact_interface *interface, struct array *array, struct err *err);
	/*
	 * `declared`, a map, with what does not affect the layout corrected
	 * (protocols/description.h). NULL: there is nothing to correct.
	 */
	struct value *(*repair)(struct arena *arena, const struct fact_interface *interface);
	/*
	 * Replaces the element type in declared, a map, by raw bytes of the declared size, or, with
	 * *has_size false, of any size. False if that is impossible. NULL: the protocol always has
	 * a type.
	 */
	bool (*untype)(struct arena *arena, struct value *declared, bool *has_size);
	/*
	 * The object's other capsule, as a separate interface with its details and memory; NULL if
	 * there is none. A NULL function: the protocol has none.
	 */
	struct fact_interface *(*other)(
		struct arena *arena, const struct fact_interface *interface);
	/* The version of the interface as the object declares it: "3", "1.3", "legacy"; or NULL. */
	struct value *(*version)(struct arena *arena, const struct fact_interface *interface);
};

#define PROTOCOL_DECLARE(SYMBOL, NAME, EXPORT) extern const struct protocol SYMBOL##_protocol;
PROTOCOL_LIST(PROTOCOL_DECLARE)
FILE_PROTOCOL_LIST(PROTOCOL_DECLARE)

/* Every protocol, in the order they are shown; ends with NULL. */
extern const struct protocol *const protocols[];

/* The title or, without one, the attribute. */
const char *protocol_title(const struct protocol *protocol);

/* NULL when no protocol has the name. */
const struct protocol *protocol_find(const char *name);

/* Whether the protocol, or for NULL a file, can describe memory of the device. -1 with err:
 * EXIT_USAGE, or EXIT_UNAVAILABLE for a runtime that suai describes but does not call. */
int protocol_check_device(
	const struct protocol *protocol, const struct job_device *device, struct err *err);

/* The shape of the details of the named protocol, empty if it has none; NULL: there is no such
 * protocol. For fact_read() and fact_write(). */
const struct fact_record *protocol_details_of(const char *name);

/* NULL if interface is NULL or of no protocol. */
const struct protocol *protocol_of_interface(const struct fact_interface *interface);

#endif
