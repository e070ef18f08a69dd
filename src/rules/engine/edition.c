// SPDX-License-Identifier: MIT
/* The editions of documents: the one that a subject is checked against, and its rules. */
#include "base/text.h"
#include "base/words.h"
#include "protocols/protocol.h"
#include "protocols/shared.h"
#include "rules/engine/selection.h"

#include <stdlib.h>
#include <string.h>

/* A document without a protocol: no object declares its edition. */
#define ARRAY_API "array-api"
#define ARRAY_API_EDITIONS "2021.12 2022.12 2023.12 2024.12 2025.12"

/* Compares "1.3" and "2023.12" number by number; a word such as "legacy" is before all numbers. */
static int edition_compare(const char *a, const char *b)
{
	char *a_end = (char *)a, *b_end = (char *)b;

	while (*a || *b) {
		long a_part = strtol(a, &a_end, 10), b_part = strtol(b, &b_end, 10);

		if (a_part != b_part)
			return a_part < b_part ? -1 : 1;
		if (a_end == a && b_end == b)
			break;
		a = a_end + (*a_end == '.');
		b = b_end + (*b_end == '.');
	}
	return 0;
}

/* The text of the interface's own version, if its protocol is defined by the document. */
static const char *declared_edition(const struct subject *subject, const char *word)
{
	const struct protocol *protocol = subject->protocol;
	const char *key = protocol ? protocol->edition_key : NULL;
	size_t n_chars = key ? strlen(key) : 0;
	struct value *version = NULL;

	if (!n_chars || !protocol->version || strncmp(word, key, n_chars) != 0 ||
		word[n_chars] != '=')
		return NULL;
	version = protocol->version(subject->arena, subject->interface);
	if (value_is_integer(version) && protocol_is_negative(version))
		return NULL; /* not an edition */
	if (value_is(version, VALUE_INT))
		return arena_printf(subject->arena, "%lld", (long long)version->integer);
	return value_text_or(version, NULL);
}

/* The edition of the document in word ("cai=3") that the subject is checked against; NULL: the
 * newest. */
static const char *edition_of(
	const struct rule_selection *selection, const char *word, const struct subject *subject)
{
	const struct option_list *spec = &selection->request.spec;
	size_t n_chars = strcspn(word, "=") + 1;

	for (size_t i = spec->n_items; i-- > 0;)
		if (!strncmp(spec->items[i], word, n_chars))
			return spec->items[i] + n_chars;
	return declared_edition(subject, word);
}

bool edition_covers(const struct rule_selection *selection, const struct rule *rule,
	const struct subject *subject)
{
	const char *edition;

	if (rule->since) {
		edition = edition_of(selection, rule->since, subject);
		if (edition && edition_compare(edition, strchr(rule->since, '=') + 1) < 0)
			return false;
	}
	if (rule->until) {
		edition = edition_of(selection, rule->until, subject);
		if (!edition || edition_compare(edition, strchr(rule->until, '=') + 1) > 0)
			return false;
	}
	return true;
}

int rules_check_edition(const char *word, struct err *err)
{
	size_t n_chars = strcspn(word, "=");
	const char *editions = NULL;
	struct arena arena = { 0 };
	struct text keys = { 0 };

	text_add(&keys, ARRAY_API);
	if (n_chars == strlen(ARRAY_API) && !strncmp(word, ARRAY_API, n_chars))
		editions = ARRAY_API_EDITIONS;
	for (size_t i = 0; protocols[i]; i++) {
		const char *key = protocols[i]->edition_key;

		if (!key)
			continue;
		if (strlen(key) == n_chars && !strncmp(word, key, n_chars))
			editions = protocols[i]->editions;
		if (!text_lists_word(keys.bytes, key))
			text_printf(&keys, " %s", key);
	}
	if (!editions)
		err_set(err, EXIT_USAGE,
			"'%s': unknown key; expected KEY=EDITION, such as cai=2; the keys are %s",
			word, words_enumerate_text(&arena, keys.bytes, "and"));
	else if (!word[n_chars] || !text_lists_word(editions, word + n_chars + 1))
		err_set(err, EXIT_USAGE, "'%s': unknown edition; the edition%s of %.*s %s %s", word,
			strchr(editions, ' ') ? "s" : "", (int)n_chars, word,
			strchr(editions, ' ') ? "are" : "is",
			words_enumerate_text(&arena, editions, "and"));
	else
		editions = word;
	text_free(&keys);
	arena_free(&arena);
	return editions == word ? 0 : -1;
}
