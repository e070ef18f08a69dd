// SPDX-License-Identifier: MIT
#include "copy/kernels/kernel_decode.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

size_t kernel_numbered(const char *at, const char *end, unsigned *counter)
{
	static const char label[] = "LBB0_";
	size_t n = 0, n_left = (size_t)(end - at);

	if (n_left > 3 && at[0] == '%' && is_letter(at[1])) {
		n = is_letter(at[2]) ? 3 : 2; /* %r and %rd, but not %tid */
		*counter = ((unsigned char)at[1] + (n == 3 ? 3 * (unsigned char)at[2] : 0U)) %
			   KERNEL_N_COUNTERS;
	} else if (n_left > sizeof(label) && !memcmp(at, label, sizeof(label) - 1)) {
		n = sizeof(label) - 1;
		*counter = 0;
	}
	return n && n < n_left && is_digit(at[n]) ? n : 0;
}

bool kernel_decode_ptx(const char *in, size_t n_in, char *out, size_t n_out)
{
	unsigned counters[KERNEL_N_COUNTERS] = { 0 }, counter = 0;
	const char *end = in + n_in, *out_end = out + n_out;

	while (in < end && out < out_end) {
		size_t n_name = kernel_numbered(in, end, &counter);
		unsigned ago = 0;
		int n_written = 0;

		if (!n_name) {
			if (!*in)
				memset(counters, 0, sizeof(counters));
			*out++ = *in++;
			continue;
		}
		for (size_t i = 0; i < n_name && out < out_end; i++)
			*out++ = *in++;
		for (; in < end && is_digit(*in); in++)
			ago = ago * 10 + (unsigned)(*in - '0');
		if (!ago)
			counters[counter]++;
		n_written = snprintf(out, (size_t)(out_end - out), "%u",
			counters[counter] - (ago ? ago - 1 : 0));
		if (n_written >= out_end - out) /* a zero follows each kernel */
			return false;
		out += n_written;
	}
	return in == end && out == out_end;
}

bool kernel_decode_spirv(void *code, size_t n_bytes)
{
	enum { MAGIC = 0x07230203, N_HEADER = 5, N_OPCODES = 512, N_PLACES = 16 };
	uint32_t(*last)[N_PLACES] = calloc(N_OPCODES, sizeof(*last)), *words = code;
	size_t at = 0, n_words = n_bytes / 4;

	while (last && at < n_words) {
		bool is_header = words[at] == MAGIC;
		size_t n = is_header ? N_HEADER : words[at] ? words[at] >> 16 : 1;
		uint32_t *of_opcode = last[words[at] % N_OPCODES];

		if (!n || n > n_words - at)
			break;
		if (is_header)
			memset(last, 0, N_OPCODES * sizeof(*last));
		for (size_t i = 1; !is_header && i < n; i++) {
			uint32_t *place = &of_opcode[i < N_PLACES ? i : 0];

			*place += words[at + i];
			words[at + i] = *place;
		}
		at += n;
	}
	free(last);
	return last && at == n_words;
}
