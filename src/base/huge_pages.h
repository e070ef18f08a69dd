// SPDX-License-Identifier: MIT
/* Huge pages for large memory: its first touch takes four times as long without them. */
#ifndef BASE_HUGE_PAGES_H
#define BASE_HUGE_PAGES_H

#include <stddef.h>

/* The alignment of memory of n_bytes: 64, or a huge page. */
size_t huge_pages_alignment(size_t n_bytes);

/* Requests huge pages for large memory, which must not have been touched yet. */
void huge_pages_advise(void *block, size_t n_bytes);

/* Gives memory for n_bytes (free with free()), aligned in this way, with huge pages requested. NULL
 * when out of memory, or if the machine has less memory than that. */
void *huge_pages_allocate(size_t n_bytes);

#endif
