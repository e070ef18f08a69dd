// SPDX-License-Identifier: MIT
/* Shared by the tables of DLP rules. */
#ifndef RULES_DLPACK_DLPACK_H
#define RULES_DLPACK_DLPACK_H

#include "rules/engine/clauses.h"
#include "rules/shared/dlpack_facts.h"
#include "rules/shared/shared.h"

#define DLPACK_RULE(...) INTERFACE_RULE(PROTOCOL_DLPACK, FACT_STRUCT, __VA_ARGS__)
/* Checks the struct of each capsule that the two default calls returned. */
#define DLPACK_EACH(...) DLPACK_RULE(__VA_ARGS__), .checks_both_capsules = true
#define DLPACK_TRUTH(...)                                                        \
	INTERFACE_RULE(PROTOCOL_DLPACK, FACT_STRUCT | FACT_MEMORY, __VA_ARGS__), \
		.checks_both_capsules = true

/*
 * Whether the built-in exception refuses an export, and is not an accident in code that did not
 * expect its argument. BufferError is the standard's exception for data, and "other errors are
 * raised when export fails for other reasons": arguments (TypeError, ValueError, OverflowError) and
 * memory (MemoryError). Libraries refuse with RuntimeError, NotImplementedError and their own
 * classes, which derive directly from Exception. False for NULL.
 */
bool dlpack_is_refusal(const char *exception);

/*
 * Whether the call failed for lack of memory, because earlier work made the CUDA context unusable
 * or a stream is being captured, or because the array was deleted: no defects of the export. Told
 * from the exception, MemoryError or the texts of the driver and of libraries.
 */
bool dlpack_failed_by_state(const struct fact_call *call);

/* The type that the object's own dtype names; false if it is unknown. */
bool dlpack_self_reported_type(const struct subject *subject, struct dtype *type);

/* Whether another interface, or the memory, shows that strides is in bytes (DLP306). */
bool dlpack_counts_bytes(const struct subject *subject);

#endif
