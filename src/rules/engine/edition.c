// SPDX-License-Identifier: MIT
/* Editions of the documents: which one judges an object, and whether a rule holds in it. */
#include "base/text.h"
#include "protocols/protocol.h"
#include "protocols/shared.h"
#include "rules/engine/selection.h"

#include <stdlib.h>
#include <string.h>

const struct edition_key edition_keys[] = {
	{ "sycl", "sycl", "1" },
	{ "cai", "cuda", "0 1 2 3" },
	{ "dlpack", "dlpack", "0.8 1.0 1.1 1.2 1.3" },
	{ "array-api", NULL, "2021.12 2022.12 2023.12 2024.12 2025.12" },
	{ "numpy", "numpy numpy-struct", "3" },
	{ "pep3118", "buffer", "3" },
	{ NULL, NULL, NULL },
};

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

static bool is_key(const char *word, const char *key)
{
	size_t n_chars = strlen(key);

	return !strncmp(word, key, n_chars) && word[n_chars] == '=';
}

/* The text of the interface's own version, where its protocol is what key is of. */
static const char *declared_edition(const struct subject *subject, const struct edition_key *key)
{
	const char *name = value_text_or(value_get(subject->interface, "protocol"), "");
	const struct protocol *protocol = protocol_find(name);
	const struct rule judges = { .protocols = key->protocols };
	struct value *version = NULL;

	if (!protocol || !protocol->version || !rule_judges(&judges, name))
		return NULL;
	version = protocol->version(subject->arena, subject->interface);
	if (value_is_integer(version) && protocol_is_negative(version))
		return NULL; /* of no edition */
	if (value_is(version, VALUE_INT))
		return arena_printf(subject->arena, "%lld", (long long)version->integer);
	return value_text_or(version, NULL);
}

/* The edition of the document that word ("cai=3") names by which the subject is judged; NULL: the
 * newest. */
static const char *edition_of(
	const struct rule_selection *selection, const char *word, const struct subject *subject)
{
	const struct option_list *spec = &selection->request.spec;
	const struct edition_key *key = edition_keys;

	while (key->key && !is_key(word, key->key))
		key++;
	if (!key->key)
		return NULL;
	for (size_t i = spec->n_items; i-- > 0;)
		if (is_key(spec->items[i], key->key))
			return spec->items[i] + strlen(key->key) + 1;
	return declared_edition(subject, key);
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
	const struct edition_key *key = edition_keys;
	size_t n_chars = strcspn(word, "=");

	while (key->key && (strlen(key->key) != n_chars || memcmp(key->key, word, n_chars) != 0))
		key++;
	if (!key->key)
		return err_set(err, EXIT_USAGE,
			"'%s': editions are of sycl, cai, dlpack, array-api, numpy and pep3118, such as cai=2",
			word);
	if (!word[n_chars] || !text_lists_word(key->editions, word + n_chars + 1))
		return err_set(err, EXIT_USAGE, "'%s': the editions of %s are %s", word, key->key,
			key->editions);
	return 0;
}
