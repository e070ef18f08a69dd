// SPDX-License-Identifier: MIT
/* Words, sentences and paragraphs as mdoc(7). */
#include "docgen/mdoc.h"

#include "base/words.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { LINE_CHARS = 68 }; /* of input, before escapes */

/* The escape of a character that would be read as an escape or a typographic sign. */
static const char *escape_of(char character)
{
	switch (character) {
	case '\\':
		return "\\e";
	case '\'':
		return "\\(aq";
	case '^':
		return "\\(ha";
	case '~':
		return "\\(ti";
	case '`':
		return "\\(ga";
	default:
		return NULL;
	}
}

void mdoc_add_word(struct text *line, const char *word, size_t n_chars)
{
	if (!line->n_bytes && strchr(".'", word[0]))
		text_add(line, "\\&");
	for (size_t i = 0; i < n_chars; i++) {
		bool begins = i == 0 || strchr("-('[=|/", word[i - 1]);
		const char *name = escape_of(word[i]);

		if (name)
			text_add(line, name);
		else if (word[i] == '-' && begins)
			text_add(line, "\\-");
		else if (i && i + 1 < n_chars && word[i] == '(' && word[i + 1] == ')')
			text_add(line, "\\&("); /* a call, not a reference to a C function */
		else
			text_add_bytes(line, word + i, 1);
	}
}

static void end_line(FILE *out, struct text *line)
{
	if (line->n_bytes)
		fprintf(out, "%s\n", line->bytes);
	text_clear(line);
}

/* Whether a sentence ends with the word: mdoc requires the next one on a new line. */
static bool ends_sentence(const char *word, size_t n_chars)
{
	while (n_chars && strchr(")'\"", word[n_chars - 1]))
		n_chars--;
	return n_chars && strchr(".!?", word[n_chars - 1]);
}

void mdoc_write_filled(FILE *out, const char *text, size_t n_chars)
{
	const char *end = text + n_chars;
	struct text line = { 0 };

	while (text < end) {
		size_t n_word = strcspn(text, " \n");

		n_word = n_word < (size_t)(end - text) ? n_word : (size_t)(end - text);
		if (n_word && line.n_bytes && line.n_bytes + 1 + n_word > LINE_CHARS)
			end_line(out, &line);
		if (n_word && line.n_bytes)
			text_add(&line, " ");
		if (n_word)
			mdoc_add_word(&line, text, n_word);
		if (n_word && ends_sentence(text, n_word))
			end_line(out, &line);
		text += n_word + 1;
	}
	end_line(out, &line);
	text_free(&line);
}

void mdoc_write_prose(FILE *out, const char *prose)
{
	const char *end;

	for (bool first = true; *prose; first = false) {
		end = strstr(prose, "\n\n");
		if (!first)
			fputs(".Pp\n", out);
		mdoc_write_filled(out, prose, end ? (size_t)(end - prose) : strlen(prose));
		prose = end ? end + 2 : prose + strlen(prose);
		prose += strspn(prose, "\n");
	}
}

void mdoc_write_sentence(FILE *out, const char *words, size_t n_chars, const char *end)
{
	size_t n_letters = strspn(words, "abcdefghijklmnopqrstuvwxyz");
	bool is_word =
		n_letters && strchr(" ,:;", words[n_letters]) && strncmp(words, "text (", 6) != 0;
	struct text sentence = { 0 };

	text_add_bytes(&sentence, words, n_chars);
	if (is_word)
		sentence.bytes[0] = (char)toupper((unsigned char)words[0]);
	text_add(&sentence, ends_sentence(words, n_chars) ? "" : end);
	mdoc_write_filled(out, sentence.bytes, sentence.n_bytes);
	text_free(&sentence);
}

void mdoc_write_choices(FILE *out, const struct option *option)
{
	struct arena arena = { 0 };
	const char *list =
		arena_printf(&arena, "%s%s", words_enumerate_text(&arena, option->choices, "or"),
			option->split ? "; a comma separates several." : ".");

	fprintf(out, "%s is ", option->argument);
	mdoc_write_filled(out, list, strlen(list));
	arena_free(&arena);
}

void mdoc_write_rows(FILE *out, const char *list, const struct docs_row *row, const char *macro)
{
	fprintf(out, ".Bl %s\n", list);
	for (; row->text; row++) {
		if (row->name)
			fprintf(out, ".It %s%s\n", macro, row->name);
		else
			fputs(".It\n", out);
		mdoc_write_filled(out, row->text, strlen(row->text));
	}
	fputs(".El\n", out);
}
