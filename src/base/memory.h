// SPDX-License-Identifier: MIT
/*
 * Allocation that cannot fail for the caller: out of memory ends the process with exit status 70
 * and one line on standard error. Only this may end the process below commands/. SUAI_FAIL_ALLOC=n
 * fails the n-th allocation.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

/* Sets a function that is called first when out of memory; it must not allocate. */
void mem_on_failure(void (*report)(void));

/* Ends the process as a failed allocation does: for allocations by libraries. */
_Noreturn void mem_fail(void);

/* Gives zeroed memory (free with free()). */
void *mem_alloc(size_t n_bytes);

/* Gives memory resized as by realloc(); a NULL block allocates. */
void *mem_resize(void *block, size_t n_bytes);

/* Gives a copy of a C string (free with free()). */
char *mem_copy_text(const char *text);

/* Gives the path without symbolic links, as realpath() does (free with free()); NULL with errno: it
 * does not exist, or cannot be followed. */
char *mem_real_path(const char *path);

#endif
