// SPDX-License-Identifier: MIT
/* Text for mdoc(7): escaped, filled, with each sentence on a new line. */
#ifndef DOCGEN_MDOC_H
#define DOCGEN_MDOC_H

#include "base/option.h"
#include "base/text.h"
#include "docgen/text.h"

#include <stddef.h>
#include <stdio.h>

/* Adds one word, escaped if it would be read as a request, a macro or a typographic sign. */
void mdoc_add_word(struct text *line, const char *word, size_t n_chars);

/* Writes the text of one paragraph, filled. */
void mdoc_write_filled(FILE *out, const char *text, size_t n_chars);

/* Writes paragraphs separated by blank lines, each except the first after .Pp. */
void mdoc_write_prose(FILE *out, const char *prose);

/* Writes the text of a row as a sentence: with a capital letter, unless it begins with a name, and
 * with `end` (".") unless it has an end. */
void mdoc_write_sentence(FILE *out, const char *words, size_t n_chars, const char *end);

/* "LEVEL is error, warning or note." */
void mdoc_write_choices(FILE *out, const struct option *option);

/* Writes a list of rows; macro ("Ev ") precedes each name. */
void mdoc_write_rows(FILE *out, const char *list, const struct docs_row *row, const char *macro);

#endif
