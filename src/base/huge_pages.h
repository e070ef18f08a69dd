// SPDX-License-Identifier: MIT
/* Huge pages for large memory, whose first touch else takes four times as long. */
#ifndef BASE_HUGE_PAGES_H
#define BASE_HUGE_PAGES_H

#include <stddef.h>

/* What to align memory of so many bytes to: 64, or a huge page. */
size_t huge_pages_alignment(size_t n_bytes);

/* Asks for huge pages where the memory, not touched yet, is large. */
void huge_pages_ask(void *block, size_t n_bytes);

/* Gives memory for n_bytes (free with free()), so aligned, with huge pages asked for; NULL: there
 * is none. */
void *huge_pages_allocate(size_t n_bytes);

#endif
