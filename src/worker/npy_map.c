// SPDX-License-Identifier: MIT
/* Maps a .npy file; its header, a Python literal, is read by Python (numpy.lib.format). */
#include "worker/npy_map.h"

#include "base/memory.h"
#include "protocols/protocol.h"
#include "worker/source.h"
#include "worker/worker.h"

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
	owner = exported_hold(mapping, unmap);
	if (!owner) {
		PyErr_Clear();
		unmap(mapping);
		err_set(err, EXIT_TARGET, "no memory for a mapping");
	}
	return owner;
}

PyObject *file_map(const char *path, uint64_t *address, int64_t *n_bytes, struct err *err)
{
	struct stat info;
	void *start = MAP_FAILED;
	int fd = open(path, O_RDONLY | O_CLOEXEC), code;

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

/* The bytes in front of the header's text, and the length of that, which the file may not have; -1
 * where this is no .npy file. */
static int64_t header_length(const unsigned char *file, int64_t n_bytes, int *n_prefix)
{
	int64_t length = 0;

	if (n_bytes < 12 || memcmp(file, "\x93NUMPY", 6) != 0 || file[6] < 1 || file[6] > 3)
		return -1;
	*n_prefix = file[6] == 1 ? 10 : 12;
	for (int i = *n_prefix - 1; i >= 8; i--)
		length = length << 8 | file[i];
	return length;
}

/* What is wrong with a file whose header, of that length or -1, is not there. */
static int fail_header(
	const unsigned char *file, int64_t n_bytes, int n_prefix, int64_t length, struct err *err)
{
	if (!n_bytes)
		return err_set(err, EXIT_TARGET, "the file is empty");
	if (memcmp(file, "\x93NUMPY", n_bytes < 6 ? (size_t)n_bytes : 6) != 0)
		return err_set(
			err, EXIT_TARGET, "not a .npy file: it does not begin with \\x93NUMPY");
	if (n_bytes > 6 && (file[6] < 1 || file[6] > 3))
		return err_set(err, EXIT_TARGET,
			"version %d of .npy files is not known; 1 to 3 are", file[6]);
	if (length < 0)
		return err_set(err, EXIT_TARGET,
			"the file is cut: it ends after %lld bytes, inside its header",
			(long long)n_bytes);
	return err_set(err, EXIT_TARGET,
		"the file is cut: it ends after %lld of the %lld bytes of its header",
		(long long)n_bytes, (long long)n_prefix + length);
}

/* ast.literal_eval of the text; NULL with an exception set. */
static PyObject *read_literal(const char *text, int64_t n_chars, bool utf8)
{
	PyObject *module = PyImport_ImportModule("ast");
	PyObject *source = utf8 ? PyUnicode_DecodeUTF8(text, n_chars, "strict")
				: PyUnicode_DecodeLatin1(text, n_chars, "strict");
	PyObject *stripped = source ? PyObject_CallMethod(source, "strip", NULL) : NULL;
	PyObject *literal = NULL;

	if (module && stripped)
		literal = PyObject_CallMethod(module, "literal_eval", "O", stripped);
	Py_DecRef(stripped);
	Py_DecRef(source);
	Py_DecRef(module);
	return literal;
}

/* The interface that protocols/npy.c describes. */
static struct value *make_interface(struct arena *arena, struct value *declared,
	const unsigned char *file, int64_t data_offset, int64_t n_bytes)
{
	struct value *interface = interface_new(arena, "npy");
	struct value *details = value_map(arena), *version = value_tuple(arena);

	value_append(arena, version, value_int(arena, file[6]));
	value_append(arena, version, value_int(arena, file[7]));
	value_set(arena, details, "version", version);
	value_set(arena, details, "data_offset", value_int(arena, data_offset));
	value_set(arena, details, "file_bytes", value_int(arena, n_bytes));
	value_set(arena, interface, "declared", declared);
	value_set(arena, interface, "details", details);
	return interface;
}

static int describe(struct arena *arena, const unsigned char *file, int64_t n_bytes,
	struct element_array *elements, struct err *err)
{
	int n_prefix = 0;
	int64_t length = header_length(file, n_bytes, &n_prefix);
	PyObject *literal = NULL;
	struct value *declared, *interface;

	if (length < 0 || length > n_bytes - n_prefix)
		return fail_header(file, n_bytes, n_prefix, length, err);
	literal = read_literal((const char *)file + n_prefix, length, file[6] == 3);
	if (!literal)
		return source_fail(arena, err, "the header");
	declared = object_to_value(arena, literal);
	Py_DecRef(literal);
	if (value_is(value_get(declared, "descr"), VALUE_LIST))
		elements->descr = value_get(declared, "descr");
	interface = make_interface(arena, declared, file, n_prefix + length, n_bytes);
	if (protocol_find("npy")->describe(interface, &elements->array, err)) {
		err->code = EXIT_TARGET;
		return -1;
	}
	if (elements->array.dtype.kind == DTYPE_OBJECT)
		return err_set(err, EXIT_TARGET, "the elements are pickled Python objects");
	elements->array.pointer = (uint64_t)(uintptr_t)(file + n_prefix + length);
	elements->array.readonly = READONLY_YES;
	elements->array.device = (struct device){ "cpu", 0 };
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
	if (!describe(arena, (const unsigned char *)(uintptr_t)address, n_bytes, elements, err))
		return 0;
	Py_DecRef(*owner);
	*owner = NULL;
	return err_wrap(err, "'%s'", path);
}

PyObject *npy_load(const char *path, bool *missing)
{
	struct arena arena = { 0 };
	struct element_array elements;
	PyObject *owner, *object = NULL, *names = NULL;
	struct err err = { 0 };

	if (npy_map(&arena, path, &elements, &owner, &err)) {
		*missing = err.code == EXIT_USAGE;
		PyErr_SetString(*missing ? PyExc_OSError : PyExc_ValueError, err.message);
	} else {
		object = exported_new(exporter_find("numpy"), &elements, "npy", -1, owner);
		Py_DecRef(owner);
	}
	if (object)
		names = PyDict_New();
	if (names && PyDict_SetItemString(names, "array", object)) {
		Py_DecRef(names);
		names = NULL;
	}
	Py_DecRef(object);
	arena_free(&arena);
	return names;
}
