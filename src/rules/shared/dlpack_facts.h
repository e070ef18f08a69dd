// SPDX-License-Identifier: MIT
/* What DLPack's facts declare: calls, capsule, DLTensor and device. For the tables of several
 * families. */
#ifndef RULES_SHARED_DLPACK_FACTS_H
#define RULES_SHARED_DLPACK_FACTS_H

#include "model/device.h"
#include "rules/engine/rule.h"

/* The newest version that suai knows. */
enum { DLPACK_MAJOR = 1, DLPACK_MINOR = 3 };

/* DLDataTypeCode; the codes from the first float8 on were added in version 1.1. */
enum {
	DLPACK_OPAQUE_HANDLE = 3,
	DLPACK_FIRST_FLOAT8 = 7,
	DLPACK_FIRST_FLOAT6 = 15,
	DLPACK_LAST_TYPE = 17,
};

/* The bits of flags. */
enum { DLPACK_READ_ONLY = 1, DLPACK_IS_COPIED = 2, DLPACK_IS_PADDED = 4 };

struct dlpack_version {
	bool is_versioned; /* false: a legacy capsule, or none */
	int64_t major, minor;
};

struct dlpack_version dlpack_read_version(const struct subject *subject);

/* Whether the version may define more codes and flags than suai knows. */
bool dlpack_is_newer(const struct subject *subject);

uint64_t dlpack_flags(const struct subject *subject);

/* Whether the pointer is not NULL. */
bool dlpack_is_set(const struct value *pointer);

/* The i-th of the calls of __dlpack__ whose exports are all alive at once, which come first;
 * NULL after the last. dlpack_grid.h has the others. */
const struct fact_call *dlpack_held_call(const struct subject *subject, size_t i);

/* Whether one of the held calls repeats an earlier one. */
bool dlpack_is_repeat(const struct fact_call *call);

/* The call that returned the capsule; NULL if it is unknown. */
const struct fact_call *dlpack_capsule_call(const struct subject *subject);

/* max_version[0] of a call's arguments; 0 if it was not passed. */
int64_t dlpack_max_major(const struct fact_call *call);

/* The major version of the struct that the call returned; 0 if it has none. */
int64_t dlpack_call_major(const struct fact_call *call);

/* "dltensor" or "dltensor_versioned". */
bool dlpack_is_capsule_name(const char *name);

/* The result of the call shown; NULL, with the rule skipped, if it returned nothing. */
const struct value *dlpack_capsule(const struct subject *subject, struct report *report);

/* The DLTensor in the capsule; NULL, with the rule skipped, if there is none. */
const struct value *dlpack_tensor(const struct subject *subject, struct report *report);

/* Makes tensor a subject that declares the DLTensor, for the shared checks, whose fields are
 * then paths in it. False as above. */
bool dlpack_enter_tensor(
	const struct subject *subject, struct report *report, struct subject *tensor);

/* Whether there are more dimensions than an array has in suai (DLP313): the described array then
 * has only those that affect the layout. */
bool dlpack_exceeds_max_dims(const struct subject *subject);

/* The element type that the struct declares, independent of the layout; false if it is invalid. */
bool dlpack_read_type(const struct subject *subject, struct dtype *type);

/* Whether elements of less than a byte are packed: their array counts one byte for each. */
bool dlpack_is_packed(const struct subject *subject);

/* The next interface of the object other than DLPack that was described, from *next on (which
 * begins with 0), and its protocol; NULL after the last. */
const struct array *dlpack_next_other_interface(
	const struct subject *subject, size_t *next, const char **protocol);

/* Device type and id that __dlpack_device__ returned; false if it did not, or if a DLDevice, which
 * has 32-bit integers, cannot contain them. */
struct dlpack_device {
	int64_t type, id;
};
bool dlpack_declared_device(const struct subject *subject, struct dlpack_device *device);

/* The device of the DLTensor; false if there is none. */
bool dlpack_tensor_device(const struct subject *subject, struct dlpack_device *device);

#endif
