// SPDX-License-Identifier: MIT
/* What the rules on pieces of distributed arrays share. */
#ifndef RULES_PIECES_PIECES_H
#define RULES_PIECES_PIECES_H

#include "rules/engine/clauses.h"
#include "rules/engine/rule.h"

#define PIECE_RULE(ID, NAME)                                        \
	RULE_ENTRY(FACT_DICT | FACT_STRUCT, ID, NAME, ERROR, MUST), \
		.clause = CLAUSE_SUAI "Pieces of distributed arrays"

/* The extents that the array declares for a piece, or else those of its object; unknown if neither
 * is. */
const struct fact_ints *piece_extents(
	const struct fact_piece *piece, const struct fact_ints *shape);

/* The first number that makes the place of a piece invalid, in words, and its field; NULL if there
 * is none. */
const char *piece_axes_problem(struct arena *arena, const struct fact_piece *piece,
	const struct fact_ints *extents, const char **field);

#endif
