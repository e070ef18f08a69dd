// SPDX-License-Identifier: MIT
/*
 * `declared` in documents: plain values, and beside them `types`, a map from paths ("shape",
 * "data[1]", "" for the whole) to what the plain form cannot tell.
 *
 * Without an entry a sequence is a tuple, and all else is what it looks like. An entry is a type
 * name: `list`, `int` (decimal text), `float` ("nan", "inf"), `bytes` and `str` (with backslash
 * escapes), `object` for an opaque; or the name of another type, which stands for an opaque where
 * there is text, and for a subclass elsewhere (`numpy.bool_`). Where both are needed they are
 * written `numpy.uint64(int)`, as in a class statement. Keys have backslash escapes always.
 */
#ifndef FACTS_DECLARED_CODEC_H
#define FACTS_DECLARED_CODEC_H

#include "base/error.h"
#include "model/value.h"

/* The plain form of facts; adds the entries that it needs to types, a map. */
struct value *plain_from_facts(struct arena *arena, const struct value *facts, struct value *types);

/*
 * The facts again; types NULL or null: no entries. NULL with err set (EXIT_USAGE) for an entry that
 * does not fit its value or leads nowhere.
 */
struct value *plain_to_facts(
	struct arena *arena, const struct value *plain, const struct value *types, struct err *err);

#endif
