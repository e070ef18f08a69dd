// SPDX-License-Identifier: MIT
/* The word that was meant, by edit distance. */
#include "base/option.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Case decides between words that are equally near: EDIT is more than all of a word's letters. */
enum { MAX_WORD_CHARS = 64, OTHER_CASE = 1, EDIT = 2 * MAX_WORD_CHARS };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool is_same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t replace_cost(char a, char b)
{
	if (!is_same_letter(a, b))
		return EDIT;
	return a == b ? 0 : OTHER_CASE;
}

/* Edits (insert, delete, replace, swap two neighbours) from a to b; both under MAX_WORD_CHARS. */
static size_t edit_distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
	size_t rows[3][MAX_WORD_CHARS + 1];

	for (size_t j = 0; j <= n_b; j++)
		rows[0][j] = j * EDIT;
	for (size_t i = 1; i <= n_a; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

		row[0] = i * EDIT;
		for (size_t j = 1; j <= n_b; j++) {
			row[j] = least(above[j], row[j - 1]) + EDIT;
			row[j] = least(row[j], above[j - 1] + replace_cost(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && is_same_letter(a[i - 1], b[j - 2]) &&
				is_same_letter(a[i - 2], b[j - 1]))
				row[j] = least(row[j], above2[j - 2] + EDIT);
		}
	}
	return rows[n_a % 3][n_b];
}

const char *option_suggest(const char *word, const char *const *words, size_t n_words)
{
	size_t n_chars = strlen(word), best = (n_chars / 3 + 1) * EDIT;
	const char *nearest = NULL;

	if (n_chars > MAX_WORD_CHARS)
		return NULL;
	for (size_t i = 0; i < n_words; i++) {
		size_t n_candidate = strlen(words[i]), distance;

		if (n_candidate > MAX_WORD_CHARS)
			continue;
		distance = edit_distance(word, n_chars, words[i], n_candidate);
		if (distance < best) {
			best = distance;
			nearest = words[i];
		}
	}
	return nearest;
}
