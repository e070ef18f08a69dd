// SPDX-License-Identifier: MIT
/* A .npy file as the facts of a target. */
#include "targets/npy_file.h"

#include "base/read_file.h"
#include "facts/facts.h"
#include "protocols/npy_header.h"
#include "protocols/protocol.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void set_file_memory(struct memory *memory, const char *path, int64_t size)
{
	*memory = (struct memory){ .present = true };
	memory->kind = MEMORY_FILE;
	memory->size = (uint64_t)size;
	memory->host_accessible = ANSWER_NO;
	snprintf(memory->mapping, sizeof(memory->mapping), "%s", path);
}

/* Reads up to n_bytes from the start of the file; NULL with err set if it cannot be read. */
static unsigned char *read_start(
	struct arena *arena, int fd, int64_t n_bytes, int64_t *n_read, struct err *err)
{
	unsigned char *bytes = arena_alloc(arena, (size_t)n_bytes + 1);
	ssize_t n = 1;

	for (*n_read = 0; *n_read < n_bytes && n != 0; *n_read += n > 0 ? n : 0) {
		n = pread(fd, bytes + *n_read, (size_t)(n_bytes - *n_read), *n_read);
		if (n < 0 && errno != EINTR) {
			err_set(err, EXIT_TARGET, "the file cannot be read: %s", strerror(errno));
			return NULL;
		}
	}
	return bytes;
}

static int read_header(struct arena *arena, int fd, int64_t file_bytes,
	struct fact_interface *interface, struct err *err)
{
	int64_t n_read, end;
	unsigned char *bytes = read_start(arena, fd, NPY_PREFIX_BYTES, &n_read, err);

	if (!bytes)
		return -1;
	end = npy_header_end(bytes, n_read < NPY_PREFIX_BYTES ? n_read : file_bytes, err);
	if (end < 0)
		return -1;
	bytes = read_start(arena, fd, end, &n_read, err);
	if (!bytes)
		return -1;
	if (n_read < end)
		return err_set(err, EXIT_TARGET, "file truncated while being read");
	return npy_header_read(arena, bytes, end, file_bytes, interface, err);
}

int npy_file_read(
	struct arena *arena, const char *path, struct fact_target *target, struct err *err)
{
	struct fact_interface *interface;
	struct stat info;
	int fd = open_regular_file(path, &info, err);
	struct err why;

	if (fd < 0)
		return -1;
	*target = (struct fact_target){ .present = true,
		.target = value_text_escaped(arena, path)->bytes,
		.status = STATUS_OK,
		.type = ".npy file" };
	interface = FACT_LIST_ADD(arena, &target->interfaces);
	*interface = (struct fact_interface){
		.present = true, .protocol = npy_protocol.name, .status = INTERFACE_OK
	};
	if (read_header(arena, fd, info.st_size, interface, &why)) {
		interface->status = INTERFACE_RAISED;
		interface->error.present = true;
		interface->error.message = arena_copy(arena, why.message, strlen(why.message));
	} else {
		set_file_memory(&interface->memory, path, info.st_size);
	}
	close(fd);
	return 0;
}
