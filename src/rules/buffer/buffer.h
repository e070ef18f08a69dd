// SPDX-License-Identifier: MIT
/* What the tables of BUF rules share. */
#ifndef RULES_BUFFER_BUFFER_H
#define RULES_BUFFER_BUFFER_H

#include "rules/engine/clauses.h"
#include "rules/engine/shared.h"

#define BUFFER_RULE_OF(FACTS, ID, NAME, SEVERITY, LEVEL)                                           \
	.id = (ID), .name = (NAME), .protocols = PROTOCOL_BUFFER, .severity = SEVERITY_##SEVERITY, \
	.level = LEVEL_##LEVEL, .facts = (FACTS)

#define BUFFER_RULE(ID, NAME, SEVERITY, LEVEL) \
	BUFFER_RULE_OF(FACT_STRUCT, ID, NAME, SEVERITY, LEVEL)

/* The Py_buffer; NULL where none was given: BUF001 judges that. */
const struct value *buffer_given(const struct subject *subject);

/* One of its numbers; -1 where it has none. */
int64_t buffer_number(const struct subject *subject, const char *key);

/* Bytes of all elements: -1 where that overflows, -2 where shape cannot say. */
int64_t buffer_elements_bytes(const struct subject *subject);

/* NULL: none, or none that can be read. */
const char *buffer_format(const struct subject *subject);

/* Only padding that the format leaves out explains itemsize. */
bool buffer_lacks_padding(const struct subject *subject);

/* Some dimension holds pointers. */
bool buffer_is_indirect(const struct value *suboffsets);

/* A request that the worker makes, beside PyBUF_FULL_RO. */
struct buffer_request {
	const char *name;
	const char *asks_for; /* "shape strides": the fields that it wants filled in */
	bool asks_to_write;
};

/* The request of a record of details.requests; NULL where suai does not know it. */
const struct buffer_request *buffer_request_of(const struct value *record);

/* Whether it asks for the field ("strides"). */
bool buffer_asks_for(const struct buffer_request *request, const char *field);

/* The records of details.requests that were granted: the next one from *next on; NULL: no more. */
const struct value *buffer_next_granted(const struct subject *subject, size_t *next);

/* The reply of the record lies in the block that PyBUF_FULL_RO described; a copy that was made for
 * the request lies elsewhere. */
bool buffer_is_same_block(const struct subject *subject, const struct value *record);

#endif
