// SPDX-License-Identifier: MIT
/*
 * replay FILE...: passes the inputs of testdata/fuzz/<fuzzer>.corpus, one in hexadecimal per line,
 * to the fuzzer that it is linked with, without libFuzzer. "# ..." is a comment. Prints their
 * number; a failed check aborts, after the line's number.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

static size_t decode_line(const char *line, uint8_t *bytes)
{
	size_t n_bytes = 0;
	unsigned byte;

	for (; sscanf(line, "%2x", &byte) == 1; line += 2)
		bytes[n_bytes++] = (uint8_t)byte;
	return n_bytes;
}

static int replay_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t capacity = 0;
	ssize_t n_chars;
	int n_inputs = 0;

	for (int i = 1; file && (n_chars = getline(&line, &capacity, file)) >= 0; i++) {
		uint8_t *bytes = malloc((size_t)n_chars / 2 + 1), *exact;
		size_t n_bytes = decode_line(line, bytes);

		fprintf(stderr, "\r%s:%d", path, i);
		if (*line != '#' && n_bytes) {
			/* Of that size, so that a sanitizer sees a read past the end. */
			exact = memcpy(malloc(n_bytes), bytes, n_bytes);
			LLVMFuzzerTestOneInput(exact, n_bytes);
			free(exact);
			n_inputs++;
		}
		free(bytes);
	}
	fprintf(stderr, "\n");
	free(line);
	if (file)
		fclose(file);
	return n_inputs;
}

int main(int argc, char **argv)
{
	int n_inputs = 0;

	for (int i = 1; i < argc; i++)
		n_inputs += replay_file(argv[i]);
	printf("%d inputs\n", n_inputs);
	return n_inputs == 0;
}
