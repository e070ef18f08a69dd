// SPDX-License-Identifier: MIT
/* What reading (fact_read.c) and writing (fact_write.c) of records share. */
#ifndef FACTS_FACT_CODEC_H
#define FACTS_FACT_CODEC_H

#include "facts/fact.h"

struct fact_codec {
	struct arena *arena;
	enum fact_form form;
	enum fact_place omitted; /* fields that the form excludes */
	fact_details_of details_of;
	struct err *err;
	char path[256]; /* path of the current field, for messages */
};

/* NULL: the record has no field of that name. */
const struct fact_field *fact_find_field(
	const struct fact_record *record, const char *name, size_t n_chars);

/* The value of a field of `details` that is missing: null, or an empty list if it is required. */
struct value *fact_make_null(struct fact_codec *codec, const struct fact_field *field);

#endif
