// SPDX-License-Identifier: MIT
/*
 * Compiled kernels on disk, in $XDG_CACHE_HOME/suai or ~/.cache/suai. Code that is loaded into a
 * driver must belong to the user: the directory is used only if the user owns it, others have no
 * access and it is not a symbolic link. An entry that is owned by another user, truncated or for
 * another key is ignored.
 */
#ifndef DEVICES_OPENCL_CODE_CACHE_H
#define DEVICES_OPENCL_CODE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* Gives the cached bytes for the key (free with free()); false if there is no valid entry. */
bool code_cache_read(const char *key, unsigned char **bytes, size_t *n_bytes);

/*
 * Stores bytes for the key, replacing an earlier entry atomically. Fails silently: the cache is
 * optional. SUAI_DEBUG=cache logs the reason.
 */
void code_cache_write(const char *key, const unsigned char *bytes, size_t n_bytes);

#endif
