// SPDX-License-Identifier: MIT
/*
 * Entries of `types`. The reader defines the meaning of an entry; the writer chooses the shortest
 * one that is read back as the value.
 */
#include "facts/type_entry.h"

#include "base/array_size.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *word;
	enum value_kind kind;
} kind_words[] = {
	{ "NoneType", VALUE_NULL },
	{ "bool", VALUE_BOOL },
	{ "int", VALUE_INT },
	{ "float", VALUE_REAL },
	{ "str", VALUE_TEXT },
	{ "bytes", VALUE_BYTES },
	{ "object", VALUE_OPAQUE },
	{ "list", VALUE_LIST },
	{ "tuple", VALUE_TUPLE },
	{ "dict", VALUE_MAP },
};

enum { N_KIND_WORDS = ARRAY_SIZE(kind_words) };

enum value_kind entry_narrow_kind(enum value_kind kind)
{
	return kind == VALUE_WIDE_INT ? VALUE_INT : kind;
}

static const char *kind_word(enum value_kind kind)
{
	for (size_t i = 0; i < N_KIND_WORDS; i++)
		if (kind_words[i].kind == kind)
			return kind_words[i].word;
	return "object";
}

static bool kind_from_word(const char *word, size_t n_chars, enum value_kind *kind)
{
	for (size_t i = 0; i < N_KIND_WORDS; i++) {
		if (strlen(kind_words[i].word) == n_chars &&
			!memcmp(kind_words[i].word, word, n_chars)) {
			*kind = kind_words[i].kind;
			return true;
		}
	}
	return false;
}

struct entry_meaning entry_read(const struct value *plain, const char *entry, size_t n_chars)
{
	struct entry_meaning meaning = {
		.kind = plain->kind == VALUE_LIST ? VALUE_TUPLE : entry_narrow_kind(plain->kind)
	};
	const char *open =
		n_chars && entry[n_chars - 1] == ')' ? memrchr(entry, '(', n_chars) : NULL;

	if (!entry || kind_from_word(entry, n_chars, &meaning.kind))
		return meaning;
	meaning.type_name = entry;
	if (open && kind_from_word(open + 1, (size_t)(entry + n_chars - open) - 2, &meaning.kind)) {
		meaning.n_chars = (size_t)(open - entry);
	} else {
		meaning.n_chars = n_chars;
		meaning.kind = meaning.kind == VALUE_TEXT ? VALUE_OPAQUE : meaning.kind;
	}
	return meaning;
}

static bool entry_means(const struct value *plain, const char *entry, const struct value *facts)
{
	struct entry_meaning meaning = entry_read(plain, entry, strlen(entry));

	if (meaning.kind != entry_narrow_kind(facts->kind) ||
		!meaning.type_name != !facts->type_name)
		return false;
	return !facts->type_name ||
	       (strlen(facts->type_name) == meaning.n_chars &&
		       !memcmp(facts->type_name, meaning.type_name, meaning.n_chars));
}

const char *entry_make(struct arena *arena, const struct value *plain, const struct value *facts)
{
	const char *word = kind_word(entry_narrow_kind(facts->kind));

	if (!facts->type_name)
		return word;
	if (entry_means(plain, facts->type_name, facts))
		return facts->type_name;
	return arena_printf(arena, "%s(%s)", facts->type_name, word);
}

void path_add_key(struct text *path, const char *key)
{
	if (*key && !key[strcspn(key, ".[]'\\")]) {
		text_printf(path, "%s%s", path->n_bytes ? "." : "", key);
		return;
	}
	text_add(path, "['");
	for (; *key; key++) {
		if (*key == '\'')
			text_add(path, "\\");
		text_add_bytes(path, key, 1);
	}
	text_add(path, "']");
}
