// SPDX-License-Identifier: MIT
/* A target as documents hold it: with what the judge derives from its facts, written and read. */
#ifndef DOCUMENTS_DOCUMENT_H
#define DOCUMENTS_DOCUMENT_H

#include "base/error.h"
#include "facts/facts.h"
#include "model/array.h"
#include "model/value.h"

enum { DOCUMENT_FORMAT = 1 }; /* the value of the key suai */

/* Fills `version` and `array` of every interface, and same_memory of a conversion. `array` stays
 * null where the protocol's describe fails. */
void document_derive(struct arena *arena, struct fact_target *target);

/* What is known of an array; memory names its device, and may be null or NULL. */
void document_set_array(struct arena *arena, const struct array *array, const struct memory *memory,
	struct fact_array *out);

/* The map of a derived target, every key in order. Where an interface has an array, its memory is
 * in array.memory only. */
struct value *document_write(struct arena *arena, const struct fact_target *target);

/*
 * Reads a target of a document. Missing keys are null and a missing status is ok; a wrong type, a
 * protocol that does not exist and an unknown key are errors (EXIT_USAGE) that name the path. What
 * is derived and what validate found is checked and left out. -1 with err set.
 */
int document_read(
	struct arena *arena, const struct value *value, struct fact_target *out, struct err *err);

#endif
