// SPDX-License-Identifier: MIT
/* Result files: written beside their place, then renamed. */
#include "commands/output.h"

#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A device, a pipe or a terminal is written to as it is: nothing can be put in its place by rename.
 */
static bool is_special(const char *path)
{
	struct stat info;

	return !stat(path, &info) && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static int open_special(struct output_file *file, const char *path, struct err *err)
{
	file->stream = fopen(path, "we");
	if (!file->stream)
		return err_set(err, EXIT_USAGE, "cannot write '%s': %s", path, strerror(errno));
	file->path = mem_copy_text(path);
	return 0;
}

int output_open(struct output_file *file, const char *path, struct err *err)
{
	struct text temporary = { 0 };
	char *place;
	mode_t mask;
	int fd;

	*file = (struct output_file){ .stream = stdout };
	if (!path)
		return 0;
	if (is_special(path))
		return open_special(file, path, err);
	place = realpath(path, NULL); /* a link stays: what it leads to is replaced */
	if (!place)
		place = mem_copy_text(path);
	text_printf(&temporary, "%s.XXXXXX", place);
	fd = mkostemp(temporary.bytes, O_CLOEXEC);
	if (fd < 0) {
		err_set(err, EXIT_USAGE, "cannot write '%s': %s", path, strerror(errno));
		text_free(&temporary);
		free(place);
		return -1;
	}
	mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask);
	file->stream = fdopen(fd, "w");
	file->path = place;
	file->temporary = temporary.bytes;
	return 0;
}

int output_commit(struct output_file *file, struct err *err)
{
	if (fflush(file->stream) || ferror(file->stream))
		return err_set(err, EXIT_USAGE, "cannot write %s: %s",
			file->path ? file->path : "to standard output", strerror(errno));
	if (!file->temporary)
		return 0;
	if (rename(file->temporary, file->path))
		return err_set(
			err, EXIT_USAGE, "cannot write '%s': %s", file->path, strerror(errno));
	free(file->temporary);
	file->temporary = NULL;
	return 0;
}

void output_close(struct output_file *file)
{
	if (!file->path)
		return;
	fclose(file->stream);
	if (file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	free(file->path);
	*file = (struct output_file){ 0 };
}

bool output_wants_color(const struct output_file *file, const char *when)
{
	const char *no_color = getenv("NO_COLOR");

	if (strcmp(when, "auto") != 0)
		return !strcmp(when, "always");
	return !(no_color && *no_color) && isatty(fileno(file->stream));
}
