// SPDX-License-Identifier: MIT
/*
 * Reading this process's own memory at an address that may be anything: the kernel does the
 * reading, so a wild pointer is an answer and no signal. SUAI_NO_VM_READV=1 forces the second way,
 * a pipe, for sandboxes without process_vm_readv.
 */
#ifndef OS_PEEK_H
#define OS_PEEK_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies n_bytes from address; false, and nothing said of out, where not all can be read. */
bool peek_bytes(void *out, uint64_t address, size_t n_bytes);

/* The zero-terminated text at address, cut at max_chars; NULL where it cannot be read. */
const char *peek_text(struct arena *arena, const void *address, size_t max_chars);

#endif
