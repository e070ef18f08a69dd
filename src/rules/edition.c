// SPDX-License-Identifier: MIT
/* Editions of the documents: which one judges an object, and whether a rule holds in it. */
#include "protocols/protocol.h"
#include "rules/selection.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const struct edition_key edition_keys[] = {
	{ "sycl", "sycl" },
	{ "cai", "cuda" },
	{ "dlpack", "dlpack" },
	{ "array-api", NULL },
	{ "numpy", "numpy numpy-struct" },
	{ "pep3118", "buffer" },
	{ NULL, NULL },
};

/* Compares "1.3" and "2023.12" number by number; a word such as "legacy" is before all numbers. */
static int compare(const char *a, const char *b)
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
		if (edition && compare(edition, strchr(rule->since, '=') + 1) < 0)
			return false;
	}
	if (rule->until) {
		edition = edition_of(selection, rule->until, subject);
		if (!edition || compare(edition, strchr(rule->until, '=') + 1) > 0)
			return false;
	}
	return true;
}

int edition_check(const char *word, struct err *err)
{
	const struct edition_key *key = edition_keys;
	const char *edition = strchr(word, '=');

	while (key->key && !is_key(word, key->key))
		key++;
	if (!key->key)
		return err_set(err, EXIT_USAGE,
			"'%s' is no edition: sycl, cai, dlpack, array-api, numpy or pep3118, '=' and its number",
			word);
	if (!isdigit((unsigned char)edition[1]) ||
		edition[1 + strspn(edition + 1, "0123456789.")] != '\0')
		return err_set(err, EXIT_USAGE,
			"'%s': an edition is a number such as 3, 1.3 or 2023.12", word);
	return 0;
}
