// SPDX-License-Identifier: MIT
/*
 * Identifiers of Python in UTF-8, read by their bytes: letters of ASCII, digits, '_', and every
 * byte of a character outside of ASCII, whatever it is. A keyword counts as an identifier. No
 * function depends on the locale.
 */
#ifndef BASE_IDENTIFIER_H
#define BASE_IDENTIFIER_H

#include <stdbool.h>
#include <stddef.h>

/* Whether an identifier can contain the byte, and begin with it unless it is a digit. */
bool is_identifier_byte(char byte);

/* The number of bytes of the identifier that text begins with; 0: it begins with none. */
size_t identifier_length(const char *text);

/* Whether all of text is one identifier. */
bool is_identifier(const char *text);

/* The length of identifiers separated by single dots, "np.random.rand"; a dot after them is not
 * counted. */
size_t dotted_name_length(const char *text);
bool is_dotted_name(const char *text);

#endif
