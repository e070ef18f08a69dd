// SPDX-License-Identifier: MIT
/*
 * Compiled kernels kept on disk, in $XDG_CACHE_HOME/suai or ~/.cache/suai. What is loaded into a
 * driver must be the user's own: the folder is theirs, closed to others and no link, or it is not
 * used; an entry that is another's, torn or of another key counts as absent.
 */
#ifndef DEVICES_OPENCL_CODE_CACHE_H
#define DEVICES_OPENCL_CODE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* Gives what was kept for the key (free with free()); false where there is nothing to trust. */
bool code_cache_read(const char *key, unsigned char **bytes, size_t *n_bytes);

/* Keeps bytes for the key, in place of what was there; written aside and renamed. Fails silently:
 * a cache is a convenience. SUAI_DEBUG=cache tells why. */
void code_cache_write(const char *key, const unsigned char *bytes, size_t n_bytes);

#endif
