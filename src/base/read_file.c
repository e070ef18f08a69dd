// SPDX-License-Identifier: MIT
/* Reads a file, or standard input, to its end. */
#include "base/read_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FILE_BYTES = 256 << 20 };

static int read_to_end(FILE *file, const char *path, struct text *text, struct err *err)
{
	char block[65536];
	size_t n_bytes;
	int status = 0;

	if (!file)
		return err_set(err, EXIT_USAGE, "cannot read '%s': %s", path, strerror(errno));
	while (!status && (n_bytes = fread(block, 1, sizeof(block), file))) {
		text_add_bytes(text, block, n_bytes);
		if (text->n_bytes > MAX_FILE_BYTES)
			status = err_set(err, EXIT_USAGE, "'%s' is larger than %d MiB", path,
				MAX_FILE_BYTES >> 20);
	}
	if (!status && ferror(file))
		status = err_set(err, EXIT_USAGE, "cannot read '%s': %s", path, strerror(errno));
	if (file != stdin)
		fclose(file);
	return status;
}

int read_file(const char *path, struct text *text, struct err *err)
{
	return read_to_end(strcmp(path, "-") ? fopen(path, "re") : stdin, path, text, err);
}

int read_descriptor(int fd, const char *path, struct text *text, struct err *err)
{
	return read_to_end(fdopen(fd, "r"), path, text, err);
}
