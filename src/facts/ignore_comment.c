// SPDX-License-Identifier: MIT
#include "facts/ignore_comment.h"

#include <ctype.h>
#include <string.h>

static const char *after_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

/* What follows the next `# suai: ignore` of a comment, in upper or lower case; NULL: none. */
static const char *next_ignore(const char *comment)
{
	for (const char *hash = strchr(comment, '#'); hash; hash = strchr(hash + 1, '#')) {
		const char *at = after_blanks(hash + 1);

		if (strncasecmp(at, "suai:", 5) != 0)
			continue;
		at = after_blanks(at + 5);
		if (!strncasecmp(at, "ignore", 6) && !isalnum((unsigned char)at[6]))
			return at + 6;
	}
	return NULL;
}

/* Whether the comment has an ignore that lacks its colon, or does not follow a '#'. */
static bool has_malformed_ignore(const char *comment)
{
	for (const char *at = strcasestr(comment, "suai"); at; at = strcasestr(at, "suai")) {
		at = after_blanks(at + 4);
		at = after_blanks(at + (*at == ':'));
		if (!strncasecmp(at, "ignore", 6) && *after_blanks(at + 6) == '[')
			return true;
	}
	return false;
}

bool ignore_comment_is(const char *comment)
{
	return next_ignore(comment) || has_malformed_ignore(comment);
}

/* Up to the separator, without spaces around it. */
static const char *trimmed(struct arena *arena, const char *text, size_t n_chars)
{
	while (n_chars && isspace((unsigned char)*text)) {
		text++;
		n_chars--;
	}
	while (n_chars && isspace((unsigned char)text[n_chars - 1]))
		n_chars--;
	return arena_copy(arena, text, n_chars);
}

/* "[SUAI103, CAI] reason"; the last rule may have a comma after it. */
static void parse_ignore(struct arena *arena, const char *text, struct fact_ignore *out)
{
	const char *open = after_blanks(text), *close = strchr(open, ']'), *end, *reason;

	if (*open != '[' || !close) {
		out->error =
			"expected '# suai: ignore[RULE, ...]', optionally with a reason after it";
		return;
	}
	for (const char *at = open + 1; at <= close && !out->error; at = end + 1) {
		const char *rule;

		end = at + strcspn(at, ",]");
		rule = trimmed(arena, at, (size_t)(end - at));
		if (*rule)
			fact_texts_add(arena, &out->rules, rule);
		else if (end != close || at == open + 1)
			out->error = "expected the id of a rule between the brackets and commas";
	}
	reason = trimmed(arena, close + 1, strcspn(close + 1, "#"));
	if (*reason && !out->reason)
		out->reason = reason;
}

void ignore_comment_parse(struct arena *arena, const char *comment, struct fact_ignore *out)
{
	const char *text = next_ignore(comment);

	out->rules.known = true;
	if (!text) /* malformed */
		parse_ignore(arena, "", out);
	for (; text && !out->error; text = next_ignore(text))
		parse_ignore(arena, text, out);
	if (out->error)
		out->rules.n_items = 0;
}

void ignore_comment_add(
	struct arena *arena, int64_t line, const char *comment, struct fact_ignore_list *list)
{
	struct fact_ignore *ignore;

	if (!ignore_comment_is(comment))
		return;
	ignore = FACT_LIST_ADD(arena, list);
	ignore->line = fact_int(line);
	ignore_comment_parse(arena, comment, ignore);
}
