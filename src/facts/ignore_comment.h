// SPDX-License-Identifier: MIT
/* Comments `# suai: ignore[RULE, ...] reason`. */
#ifndef FACTS_IGNORE_COMMENT_H
#define FACTS_IGNORE_COMMENT_H

#include "facts/facts.h"

/* Whether a comment ignores rules, or was meant to. */
bool ignore_comment_is(const char *comment);

/* Sets the rules and the reason, or the error. All ignores of a comment are one: `# suai: ignore[A]
 * # suai: ignore[B]` lists both rules. An invalid one makes it invalid as a whole. */
void ignore_comment_parse(struct arena *arena, const char *comment, struct fact_ignore *out);

/* Adds the comment of a line to the list, if it is one. */
void ignore_comment_add(
	struct arena *arena, int64_t line, const char *comment, struct fact_ignore_list *list);

#endif
