// SPDX-License-Identifier: MIT
/* Reads and writes targets of documents, with the fields that the judge derives from facts. */
#ifndef DOCUMENTS_DOCUMENT_H
#define DOCUMENTS_DOCUMENT_H

#include "base/error.h"
#include "facts/facts.h"
#include "model/array.h"
#include "model/value.h"

enum { DOCUMENT_FORMAT = 1 }; /* the value of the key suai */

/* The rule that fails if a consumer does not read the tensor: the others have nothing to check. */
#define CONSUMER_READS_RULE "DLC004"

/* Sets `version` and `array` of every interface, and same_memory of a conversion. `array` is null
 * if the interface cannot be decoded. */
void document_derive(struct arena *arena, struct fact_target *target);

/* Sets the fields of *out; the name of the device is from memory, which may be null or NULL. */
void document_set_array(struct arena *arena, const struct array *array, const struct memory *memory,
	struct fact_array *out);

/* The map of a derived target, with every key. The memory of an interface with an array is only in
 * array.memory. */
struct value *document_write(struct arena *arena, const struct fact_target *target);

/*
 * Reads a target of a document. Missing keys are null and a missing status is ok; a wrong type, a
 * protocol that does not exist and an unknown key are errors (EXIT_USAGE) that include the path.
 * Derived fields and results of validate are checked and ignored. -1 with err set.
 */
int document_read(
	struct arena *arena, const struct value *value, struct fact_target *out, struct err *err);

#endif
