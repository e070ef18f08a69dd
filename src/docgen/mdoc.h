// SPDX-License-Identifier: MIT
/* Text for mdoc(7): escaped, filled, each sentence on a new line. For man.c, rules.c and config.c.
 */
#ifndef DOCGEN_MDOC_H
#define DOCGEN_MDOC_H

#include "base/option.h"
#include "base/text.h"
#include "docgen/text.h"

#include <stddef.h>
#include <stdio.h>

/* One word: what would be read as a request, a macro or a typographic sign is escaped. */
void mdoc_add_word(struct text *line, const char *word, size_t n_chars);

/* Text of one paragraph, filled. */
void mdoc_write_filled(FILE *out, const char *text, size_t n_chars);

/* Paragraphs separated by blank lines; each but the first after .Pp. */
void mdoc_write_prose(FILE *out, const char *prose);

/* Words of a row as a sentence: a capital first, unless it begins with a name, and an end last. */
void mdoc_write_sentence(FILE *out, const char *words, size_t n_chars, const char *end);

/* "LEVEL is error, warning or note." */
void mdoc_write_choices(FILE *out, const struct option *option);

/* A list of rows; macro ("Ev ") precedes each name. */
void mdoc_write_rows(FILE *out, const char *list, const struct docs_row *row, const char *macro);

#endif
