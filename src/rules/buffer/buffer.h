// SPDX-License-Identifier: MIT
/* Shared by the tables of BUF rules. */
#ifndef RULES_BUFFER_BUFFER_H
#define RULES_BUFFER_BUFFER_H

#include "rules/engine/clauses.h"
#include "rules/shared/shared.h"

#define BUFFER_RULE(ID, NAME, SEVERITY, LEVEL) \
	INTERFACE_RULE(PROTOCOL_BUFFER, FACT_STRUCT, ID, NAME, SEVERITY, LEVEL)

/* The Py_buffer; NULL if none was returned, which BUF001 checks. */
const struct value *buffer_declared(const struct subject *subject);

/* One of its numbers; -1 if it is missing. */
int64_t buffer_number(const struct subject *subject, const char *key);

/* Whether key is an array of ndim integers. False if it is NULL, or, with a failure, if it has
 * another length or cannot be read. */
bool buffer_check_array(const struct subject *subject, struct report *report, const char *key);

/* Bytes of all elements: -1 on overflow, -2 if shape is missing or invalid. */
int64_t buffer_elements_bytes(const struct subject *subject);

/* NULL if it is missing or cannot be read. */
const char *buffer_format(const struct subject *subject);

/* Whether only padding that format omits explains itemsize. */
bool buffer_lacks_padding(const struct subject *subject);

/* Whether some dimension contains pointers. */
bool buffer_is_indirect(const struct value *suboffsets);

/* A request that the worker makes in addition to PyBUF_FULL_RO. */
struct buffer_request {
	const char *name;
	const char *fields; /* "shape strides": the fields that it requests */
	bool writable;
};

/* The request of a record of details.requests; without a name if suai does not know it. */
const struct buffer_request *buffer_request_of(const struct value *record);

/* Whether it requests the field ("strides"). */
bool buffer_request_includes(const struct buffer_request *request, const char *field);

/* Whether the request of a record was granted; false for NULL. */
bool buffer_was_granted(const struct value *record);

/* The next record of details.requests, from *next on, that was granted; NULL after the last. */
const struct value *buffer_next_granted(const struct subject *subject, size_t *next);

/* Whether the reply of the record is in the block that PyBUF_FULL_RO described, and not a copy
 * made for the request. */
bool buffer_is_same_block(const struct subject *subject, const struct value *record);

#endif
