// SPDX-License-Identifier: MIT
/* A .npy file as the facts of a target. */
#include "targets/npy_file.h"

#include "facts/memory.h"
#include "protocols/npy_header.h"
#include "protocols/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct value *file_memory(struct arena *arena, const char *path, int64_t size)
{
	struct memory memory;

	memory_init(&memory, 0, 0);
	memory.kind = MEMORY_FILE;
	memory.size = (uint64_t)size;
	memory.host_accessible = ANSWER_NO;
	snprintf(memory.mapping, sizeof(memory.mapping), "%s", path);
	return memory_to_value(arena, &memory);
}

static struct value *new_interface(struct arena *arena)
{
	static const char *const keys[] = { "error", "defined_by", "again", "declared", "details",
		"memory", "memory_reason" };
	struct value *interface = value_map(arena);

	value_set(arena, interface, "protocol", value_text(arena, npy_protocol.name));
	value_set(arena, interface, "status", value_text(arena, "ok"));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		value_set(arena, interface, keys[i], value_null(arena));
	return interface;
}

static struct value *new_target(struct arena *arena, const char *path, struct value *interface)
{
	struct value *target = value_map(arena), *interfaces = value_list(arena);

	value_set(arena, target, "kind", value_text(arena, "target"));
	value_set(arena, target, "name", value_text_escaped(arena, path));
	value_set(arena, target, "status", value_text(arena, "ok"));
	value_set(arena, target, "type", value_text(arena, ".npy file"));
	value_append(arena, interfaces, interface);
	value_set(arena, target, "interfaces", interfaces);
	return target;
}

/* The first n_bytes of the file, as many as there are. */
static unsigned char *read_start(struct arena *arena, int fd, int64_t n_bytes, int64_t *n_read)
{
	unsigned char *bytes = arena_alloc(arena, (size_t)n_bytes + 1);
	ssize_t n = 1;

	for (*n_read = 0; *n_read < n_bytes && n > 0; *n_read += n > 0 ? n : 0)
		n = pread(fd, bytes + *n_read, (size_t)(n_bytes - *n_read), *n_read);
	return bytes;
}

static int read_header(
	struct arena *arena, int fd, int64_t file_bytes, struct value *interface, struct err *err)
{
	struct fact_interface header = { 0 };
	int64_t n_read, end;
	unsigned char *bytes = read_start(arena, fd, NPY_PREFIX_BYTES, &n_read);

	end = npy_header_end(bytes, n_read < NPY_PREFIX_BYTES ? n_read : file_bytes, err);
	if (end < 0)
		return -1;
	bytes = read_start(arena, fd, end, &n_read);
	if (n_read < end)
		return err_set(err, EXIT_TARGET, "file truncated while it was read");
	if (npy_header_read(arena, bytes, end, file_bytes, &header, err))
		return -1;
	value_set(arena, interface, "declared", (struct value *)header.declared);
	value_set(arena, interface, "details", (struct value *)header.details);
	return 0;
}

struct value *npy_file_read(struct arena *arena, const char *path, struct err *err)
{
	struct value *interface = new_interface(arena);
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat info;
	struct err why;

	if (fd < 0 || fstat(fd, &info)) {
		err_set(err, EXIT_USAGE, "cannot read '%s': %s", path, strerror(errno));
	} else if (!S_ISREG(info.st_mode)) {
		err_set(err, EXIT_USAGE, "cannot read '%s': %s", path,
			S_ISDIR(info.st_mode) ? strerror(EISDIR) : "not a regular file");
	} else {
		if (read_header(arena, fd, info.st_size, interface, &why)) {
			value_set(arena, interface, "status", value_text(arena, "raised"));
			value_set(arena, interface, "error", value_error(arena, NULL, why.message));
		} else {
			value_set(
				arena, interface, "memory", file_memory(arena, path, info.st_size));
		}
		close(fd);
		return new_target(arena, path, interface);
	}
	if (fd >= 0)
		close(fd);
	return NULL;
}
