// SPDX-License-Identifier: MIT
/*
 * `declared` in documents: plain values, and `types`, a map from paths ("shape", "data[1]", ""
 * for the whole) to the types that the plain form cannot express.
 *
 * Without an entry a sequence is a tuple, and any other value has the type that its form
 * suggests. An entry is the name of a type: `list`, `int` (decimal text), `float` ("nan", "inf"),
 * `bytes` and `str` (with backslash escapes), `object` for an opaque; or the name of another
 * type, which denotes an opaque if the value is text, and a subclass otherwise (`numpy.bool_`).
 * Both are combined as `numpy.uint64(int)`, as in a class statement. Keys always have backslash
 * escapes.
 */
#ifndef FACTS_DECLARED_CODEC_H
#define FACTS_DECLARED_CODEC_H

#include "base/error.h"
#include "model/value.h"

/* The plain form of facts; adds the required entries to types, a map. */
struct value *plain_from_facts(struct arena *arena, const struct value *facts, struct value *types);

/*
 * The facts from their plain form; types NULL or null: no entries. NULL with err set (EXIT_USAGE)
 * if an entry does not fit its value or its path does not exist.
 */
struct value *plain_to_facts(
	struct arena *arena, const struct value *plain, const struct value *types, struct err *err);

#endif
