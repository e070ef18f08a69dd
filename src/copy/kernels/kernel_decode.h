// SPDX-License-Identifier: MIT
/*
 * PTX and SPIR-V as they are packed. Both number their values in the order of their definition, so
 * that equal pieces of code differ in every number; numbers relative to what precedes are equal,
 * and pack into less than half. tools/encode_kernels.c is the other direction.
 */
#ifndef COPY_KERNELS_KERNEL_DECODE_H
#define COPY_KERNELS_KERNEL_DECODE_H

#include <stdbool.h>
#include <stddef.h>

/* A register (%rd12) or label (LBB0_12) at the start of a text: the length of its name without the
 * number, which has digits; 0: none. The counter is the one of its kind. */
enum { KERNEL_N_COUNTERS = 128 };
size_t kernel_numbered(const char *at, const char *end, unsigned *counter);

/*
 * PTX: in place of the number n of a register or label there is 0 if it is new, which makes it the
 * next of its kind, from 1 on, and otherwise how many numbers ago it was new. A zero byte ends a
 * kernel. False: the result does not have n_out bytes.
 */
bool kernel_decode_ptx(const char *in, size_t n_in, char *out, size_t n_out);

/*
 * SPIR-V, in place: an operand is its difference from the operand in the same place of the
 * kernel's last instruction with the same opcode. Headers, and zeros between kernels, are as they
 * are.
 */
bool kernel_decode_spirv(void *code, size_t n_bytes);

#endif
