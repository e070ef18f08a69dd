// SPDX-License-Identifier: MIT
/*
 * encode_kernels rename: PTX of a kernel whose registers and labels are numbered from 1 in the order in which they occur.
 * encode_kernels ptx|spv: kernels as src/copy/kernels/kernel_decode.h describes; fails unless they are decoded to the same.
 * encode_kernels crc32: the CRC-32 of the input, in decimal.
 * From standard input to standard output; for tools/pack-kernels.
 */
#include "base/crc32.h"
#include "copy/kernels/kernel_decode.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 64 << 20, MAX_NUMBER = 100000 };

static char in[MAX_BYTES], out[MAX_BYTES], decoded[MAX_BYTES];
static unsigned new_numbers[KERNEL_N_COUNTERS][MAX_NUMBER]; /* by the number in the input; 0: did not occur */

static int fail(const char *why)
{
	fprintf(stderr, "encode_kernels: %s\n", why);
	return 1;
}

/* Writes PTX renamed, or if encoded as decoded by kernel_decode_ptx(); the number of bytes, 0 if it cannot be. */
static size_t write_ptx(size_t n_in, int encoded)
{
	static char kinds[KERNEL_N_COUNTERS][8];
	unsigned counters[KERNEL_N_COUNTERS] = { 0 }, counter = 0;
	size_t n_out = 0;

	for (size_t at = 0; at < n_in;) {
		size_t n_name = kernel_numbered(in + at, in + n_in, &counter);
		unsigned long number;
		char *end;

		if (!n_name) {
			if (!in[at]) {
				memset(counters, 0, sizeof(counters));
				memset(new_numbers, 0, sizeof(new_numbers));
			}
			out[n_out++] = in[at++];
			continue;
		}
		/* Kinds that share a counter could not be told apart. */
		if (!kinds[counter][0])
			memcpy(kinds[counter], in + at, n_name);
		number = strtoul(in + at + n_name, &end, 10);
		if (memcmp(kinds[counter], in + at, n_name) != 0 || kinds[counter][n_name] || number >= MAX_NUMBER)
			return 0;
		unsigned *renamed = &new_numbers[counter][number];
		unsigned ago = *renamed ? counters[counter] - *renamed + 1 : 0;

		if (!*renamed)
			*renamed = ++counters[counter];
		memcpy(out + n_out, in + at, n_name);
		n_out += n_name;
		n_out += (size_t)sprintf(out + n_out, "%u", encoded ? ago : *renamed);
		at = (size_t)(end - in);
	}
	return n_out;
}

static size_t write_spirv(size_t n_in)
{
	static uint32_t last[512][16];
	uint32_t *from = (uint32_t *)in, *to = (uint32_t *)out;
	size_t n_words = n_in / 4;

	memcpy(out, in, n_in);
	for (size_t at = 0, n; at < n_words; at += n) {
		int is_header = from[at] == 0x07230203;

		n = is_header ? 5 : from[at] ? from[at] >> 16 : 1;
		if (!n)
			return 0;
		if (is_header)
			memset(last, 0, sizeof(last));
		for (size_t i = 1; !is_header && i < n; i++) {
			uint32_t *place = &last[from[at] % 512][i < 16 ? i : 0];

			to[at + i] = from[at + i] - *place;
			*place = from[at + i];
		}
	}
	return n_in;
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";
	size_t n_in = fread(in, 1, MAX_BYTES - 1, stdin), n_out = 0;
	int is_same = 1;

	if (!strcmp(what, "rename")) {
		n_out = write_ptx(n_in, 0);
	} else if (!strcmp(what, "ptx")) {
		n_out = write_ptx(n_in, 1);
		is_same = kernel_decode_ptx(out, n_out, decoded, n_in) && !memcmp(decoded, in, n_in);
	} else if (!strcmp(what, "crc32")) {
		n_out = (size_t)sprintf(out, "%" PRIu32 "\n", crc32_add(0, in, n_in));
	} else if (!strcmp(what, "spv")) {
		n_out = write_spirv(n_in);
		memcpy(decoded, out, n_out);
		is_same = kernel_decode_spirv(decoded, n_out) && !memcmp(decoded, in, n_in);
	}
	if (!n_out)
		return fail("the input cannot be encoded");
	if (!is_same)
		return fail("what is encoded is not decoded to the same");
	return fwrite(out, 1, n_out, stdout) != n_out || fflush(stdout) ? fail("cannot write") : 0;
}
