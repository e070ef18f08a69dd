// SPDX-License-Identifier: MIT
/* Maps a .npy file. Its header is parsed in C: importing a parser could import a file of the
 * working directory. */
#include "worker/memory/npy_map.h"

#include "base/memory.h"
#include "os/working_directory.h"
#include "protocols/npy.h"
#include "protocols/npy_header.h"
#include "protocols/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct mapping {
	void *start;
	size_t n_bytes;
};

static void unmap(void *handle)
{
	struct mapping *mapping = handle;

	munmap(mapping->start, mapping->n_bytes);
	free(mapping);
}

static PyObject *hold_mapping(void *start, size_t n_bytes, struct err *err)
{
	struct mapping *mapping = mem_alloc(sizeof(*mapping));
	PyObject *owner;

	*mapping = (struct mapping){ start, n_bytes };
	owner = memory_owner_new(mapping, unmap);
	if (!owner) {
		PyErr_Clear();
		unmap(mapping);
		err_set(err, EXIT_BUG, "cannot allocate memory for a mapping");
	}
	return owner;
}

PyObject *file_map(const char *path, uint64_t *address, int64_t *n_bytes, struct err *err)
{
	struct stat info;
	void *start = MAP_FAILED;
	int fd = directory_open(path, O_RDONLY | O_NONBLOCK), code;

	if (fd >= 0 && !fstat(fd, &info))
		start = mmap(NULL, info.st_size ? (size_t)info.st_size : 1, PROT_READ, MAP_SHARED,
			fd, 0);
	code = errno;
	if (fd >= 0)
		close(fd);
	if (start == MAP_FAILED) {
		err_set(err, EXIT_USAGE, "cannot read '%s': %s", path, strerror(code));
		return NULL;
	}
	*address = (uint64_t)(uintptr_t)start;
	*n_bytes = info.st_size;
	return hold_mapping(start, info.st_size ? (size_t)info.st_size : 1, err);
}

static int npy_map_describe(struct arena *arena, const unsigned char *file, int64_t n_bytes,
	struct element_array *elements, struct err *err)
{
	struct fact_interface interface = { 0 };
	int64_t end = npy_header_end(file, n_bytes, err);
	struct npy_elements declared;

	if (end < 0 || npy_header_read(arena, file, end, n_bytes, &interface, err))
		return -1;
	if (npy_protocol.describe(&interface, &elements->array, err) ||
		npy_read_descr(arena, value_get(interface.declared, "descr"), &declared, err)) {
		err->code = EXIT_TARGET;
		return -1;
	}
	if (declared.objects && *declared.objects)
		return err_set(err, EXIT_TARGET,
			"field '%s' contains Python objects, which the file stores as a pickle",
			declared.objects);
	if (declared.objects)
		return err_set(err, EXIT_TARGET, "the elements are pickled Python objects");
	elements->descr = declared.fields;
	elements->array.pointer = (uint64_t)(uintptr_t)(file + end);
	elements->array.readonly = READONLY_YES;
	elements->array.device = (struct device){ DEVICE_CPU, 0 };
	return 0;
}

int npy_map(struct arena *arena, const char *path, struct element_array *elements, PyObject **owner,
	struct err *err)
{
	uint64_t address;
	int64_t n_bytes;

	*elements = (struct element_array){ 0 };
	*owner = file_map(path, &address, &n_bytes, err);
	if (!*owner)
		return -1;
	if (!npy_map_describe(
		    arena, (const unsigned char *)(uintptr_t)address, n_bytes, elements, err))
		return 0;
	Py_DecRef(*owner);
	*owner = NULL;
	return -1;
}
