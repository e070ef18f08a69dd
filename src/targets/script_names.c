// SPDX-License-Identifier: MIT
/* A tokenizer of Python that suffices to see which statements bind names. */
#include "targets/script_names.h"

#include "base/identifier.h"
#include "base/memory.h"
#include "base/python_code.h"
#include "base/read_file.h"
#include "base/text.h"
#include "model/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_NAMES = 1000, MAX_FILE_BYTES = 4 << 20, TAB_COLUMNS = 8 };

struct token {
	enum { TOKEN_END, TOKEN_LINE, TOKEN_NAME, TOKEN_TEXT, TOKEN_SIGN } kind;
	const char *bytes;
	size_t n_bytes;
};

struct scanner {
	const char *at, *end;
	size_t depth; /* of brackets */
	struct token token;
	struct arena *arena;
	struct script_names *names;
};

/* Blanks, comments, continued lines, and the ends of lines in brackets. */
static void skip_blanks(struct scanner *scanner)
{
	while (scanner->at < scanner->end) {
		if (*scanner->at == '#')
			while (scanner->at < scanner->end && *scanner->at != '\n')
				scanner->at++;
		else if (*scanner->at == '\\' && scanner->end - scanner->at > 1 &&
			 scanner->at[1] == '\n')
			scanner->at += 2;
		else if (strchr(" \t\r\f", *scanner->at) ||
			 (*scanner->at == '\n' && scanner->depth))
			scanner->at++;
		else
			return;
	}
}

/* Strings with a prefix such as rb are one token. A zero byte is a sign. */
static void next_token(struct scanner *scanner)
{
	struct token *token = &scanner->token;

	skip_blanks(scanner);
	*token = (struct token){ .kind = TOKEN_SIGN, .bytes = scanner->at, .n_bytes = 1 };
	if (scanner->at == scanner->end) {
		token->kind = TOKEN_END;
		return;
	}
	while (scanner->at < scanner->end && is_identifier_byte(*scanner->at))
		scanner->at++;
	token->n_bytes = (size_t)(scanner->at - token->bytes);
	if (token->n_bytes)
		token->kind = TOKEN_NAME;
	if (token->n_bytes <= 2 && scanner->at < scanner->end &&
		(*scanner->at == '"' || *scanner->at == '\'')) {
		token->kind = TOKEN_TEXT;
		scanner->at = python_string_end(scanner->at, scanner->end);
	}
	if (token->kind != TOKEN_SIGN)
		return;
	token->n_bytes = 1;
	switch (*scanner->at++) {
	case '\n':
		token->kind = TOKEN_LINE;
		break;
	case '(':
	case '[':
	case '{':
		scanner->depth++;
		break;
	case ')':
	case ']':
	case '}':
		scanner->depth -= scanner->depth > 0;
		break;
	default:
		break;
	}
}

static bool is_sign(const struct scanner *scanner, char sign)
{
	return scanner->token.kind == TOKEN_SIGN && *scanner->token.bytes == sign;
}

static bool is_token_word(const struct token *token, const char *word)
{
	return token->kind == TOKEN_NAME && strlen(word) == token->n_bytes &&
	       !memcmp(word, token->bytes, token->n_bytes);
}

static bool is_any_word(const struct token *token, const char *words)
{
	char word[16];

	if (token->kind != TOKEN_NAME || token->n_bytes >= sizeof(word))
		return false;
	memcpy(word, token->bytes, token->n_bytes);
	word[token->n_bytes] = '\0';
	return text_lists_word(words, word);
}

static bool ends_statement(const struct scanner *scanner)
{
	return scanner->token.kind == TOKEN_END || scanner->token.kind == TOKEN_LINE ||
	       (is_sign(scanner, ';') && !scanner->depth);
}

/* Keywords, numbers and unprintable characters are no names. */
static void add_script_name(struct scanner *scanner, const struct token *token)
{
	static const char keywords[] =
		"False None True and as assert async await break class continue def del elif else "
		"except finally for from global if import in is lambda nonlocal not or pass raise "
		"return try while with yield";
	struct script_names *names = scanner->names;
	const char *name;

	if (token->kind != TOKEN_NAME || (*token->bytes >= '0' && *token->bytes <= '9') ||
		is_any_word(token, keywords) || names->n_items >= MAX_NAMES)
		return;
	for (size_t i = 0, length; i < token->n_bytes; i += length) {
		length = escape_utf8_length(token->bytes + i, token->n_bytes - i);
		if (!length || escape_is_unsafe(token->bytes + i, length))
			return;
	}
	name = arena_copy(scanner->arena, token->bytes, token->n_bytes);
	for (size_t i = 0; i < names->n_items; i++)
		if (!strcmp(names->items[i], name))
			return;
	names->items[names->n_items++] = name;
}

/*
 * The targets of an assignment: names, perhaps in brackets and separated by commas, up to an =
 * that is not part of ==. An annotation between a name and its = is skipped. Two names in a row
 * are another statement, such as "type Alias = int".
 */
static void read_assignment(struct scanner *scanner)
{
	struct token found[MAX_NAMES];
	size_t n_found = 0;

	while (!ends_statement(scanner)) {
		struct token token = scanner->token;

		if (token.kind == TOKEN_NAME) {
			next_token(scanner);
			if (scanner->token.kind == TOKEN_NAME || is_sign(scanner, '.') ||
				is_sign(scanner, '[') || is_sign(scanner, '('))
				return;
			if (n_found < MAX_NAMES)
				found[n_found++] = token;
			if (is_sign(scanner, ':') && n_found == 1)
				while (!ends_statement(scanner) &&
					!(is_sign(scanner, '=') && !scanner->depth))
					next_token(scanner);
		} else if (is_sign(scanner, '=') && !scanner->depth) {
			next_token(scanner);
			if (is_sign(scanner, '='))
				return;
			for (size_t i = 0; i < n_found; i++)
				add_script_name(scanner, &found[i]);
			n_found = 0;
		} else if (token.kind == TOKEN_SIGN && strchr("()[],*", *token.bytes)) {
			next_token(scanner);
		} else {
			return;
		}
	}
}

/* from MODULE import NAME [as NAME], ... */
static void read_import(struct scanner *scanner)
{
	struct token bound = { .kind = TOKEN_END };

	while (!ends_statement(scanner) && !is_token_word(&scanner->token, "import"))
		next_token(scanner);
	while (!ends_statement(scanner)) {
		next_token(scanner);
		if (scanner->token.kind == TOKEN_NAME && !is_token_word(&scanner->token, "as"))
			bound = scanner->token;
		if (is_sign(scanner, ',') || is_sign(scanner, ')') || ends_statement(scanner)) {
			add_script_name(scanner, &bound);
			bound.kind = TOKEN_END;
		}
	}
}

/* Skips to the statement behind the colon of "if x: a = 1", or to the end of the statement. */
static void skip_header(struct scanner *scanner)
{
	while (!ends_statement(scanner) && (!is_sign(scanner, ':') || scanner->depth))
		next_token(scanner);
	if (is_sign(scanner, ':'))
		next_token(scanner);
}

/* One statement; false if a body follows whose names are not of the module. */
static bool read_statement(struct scanner *scanner)
{
	bool is_outer = true;

	while (is_any_word(
		&scanner->token, "if elif else for while try except finally with async")) {
		if (is_token_word(&scanner->token, "async"))
			next_token(scanner);
		if (is_token_word(&scanner->token, "def"))
			break;
		skip_header(scanner);
	}
	if (is_any_word(&scanner->token, "def class")) {
		is_outer = false;
		if (is_token_word(&scanner->token, "def")) {
			next_token(scanner);
			add_script_name(scanner, &scanner->token);
		}
	} else if (is_token_word(&scanner->token, "from")) {
		read_import(scanner);
	} else {
		read_assignment(scanner);
	}
	while (scanner->token.kind != TOKEN_END && scanner->token.kind != TOKEN_LINE &&
		(!is_outer || !ends_statement(scanner)))
		next_token(scanner);
	return is_outer;
}

/* The columns before the first token of a line. */
static size_t read_indent(const struct scanner *scanner)
{
	size_t n_columns = 0;

	for (const char *at = scanner->at; at < scanner->end && (*at == ' ' || *at == '\t'); at++)
		n_columns += *at == '\t' ? TAB_COLUMNS - n_columns % TAB_COLUMNS : 1;
	return n_columns;
}

void script_names_find(
	struct arena *arena, const char *text, size_t n_bytes, struct script_names *names)
{
	struct scanner scanner = {
		.at = text, .end = text + n_bytes, .arena = arena, .names = names
	};
	size_t indent, body_indent = SIZE_MAX; /* of the def or class whose body is skipped */

	*names = (struct script_names){ .items = arena_alloc(
						arena, MAX_NAMES * sizeof(*names->items)) };
	if (n_bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		scanner.at += 3;
	while (scanner.token.kind != TOKEN_END || scanner.at < scanner.end) {
		scanner.depth = 0;
		indent = read_indent(&scanner);
		next_token(&scanner);
		if (scanner.token.kind == TOKEN_LINE)
			continue;
		if (indent <= body_indent)
			body_indent = SIZE_MAX;
		if (body_indent != SIZE_MAX) {
			while (scanner.token.kind != TOKEN_END && scanner.token.kind != TOKEN_LINE)
				next_token(&scanner);
			continue;
		}
		if (!read_statement(&scanner))
			body_indent = indent;
		while (is_sign(&scanner, ';')) {
			next_token(&scanner);
			if (!read_statement(&scanner))
				break;
		}
	}
}

int script_names_read(
	struct arena *arena, const char *path, struct script_names *names, struct err *err)
{
	struct stat info;
	int fd = open_regular_file(path, &info, err);
	size_t n_bytes = 0;
	ssize_t n = 1;
	char *text;

	if (fd < 0)
		return -1;
	text = mem_alloc(MAX_FILE_BYTES);
	while (n_bytes < MAX_FILE_BYTES && n > 0) {
		n = read(fd, text + n_bytes, MAX_FILE_BYTES - n_bytes);
		n_bytes += n > 0 ? (size_t)n : 0;
	}
	script_names_find(arena, text, n_bytes, names);
	close(fd);
	free(text);
	return 0;
}
