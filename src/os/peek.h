// SPDX-License-Identifier: MIT
/*
 * Reads this process's own memory at an address that may be invalid: the kernel does the reading,
 * so an invalid pointer is reported as an answer. SUAI_NO_VM_READV=1 forces the alternative, a
 * pipe, for sandboxes without process_vm_readv.
 */
#ifndef OS_PEEK_H
#define OS_PEEK_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies n_bytes from address; false, with out unspecified, if not all of them can be read. */
bool peek_bytes(void *out, uint64_t address, size_t n_bytes);

/* The zero-terminated text at address, truncated at max_chars; NULL if it cannot be read. */
const char *peek_text(struct arena *arena, const void *address, size_t max_chars);

#endif
