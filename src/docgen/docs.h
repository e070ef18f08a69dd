// SPDX-License-Identifier: MIT
/*
 * The output of `suai docs`: man pages, completions for shells, and the page of the rules,
 * generated from the command and option rows.
 */
#ifndef DOCGEN_DOCS_H
#define DOCGEN_DOCS_H

#include "cli/command.h"

#include <stdio.h>

/* An mdoc page of one command, or suai(1) if it is NULL. */
void docs_write_man(FILE *out, const struct command *command);

/* suai-rules(7). */
void docs_write_rules(FILE *out);

/* suai.yaml(5). */
void docs_write_config(FILE *out);

void docs_write_bash(FILE *out);
void docs_write_zsh(FILE *out);
void docs_write_fish(FILE *out);

#endif
