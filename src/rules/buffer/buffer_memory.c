// SPDX-License-Identifier: MIT
/* The element type, the layout and the memory of a Py_buffer. */
#include "rules/buffer/buffer.h"

#include "base/plural.h"
#include "base/utf8.h"
#include "model/escape.h"
#include "model/pep3118.h"

#include <string.h>

/* The first byte that was not UTF-8, as it is captured: \xff; NULL: none. */
static const char *find_invalid_byte(const char *text)
{
	for (; (text = strstr(text, "\\x")); text += 2)
		if (escape_read_hex(text + 2, strlen(text + 2), 2) >= 0x80)
			return text;
	return NULL;
}

static void buf_check_format(const struct subject *subject, struct report *report)
{
	const char *format = value_text_or(value_get(buffer_declared(subject), "format"), NULL);
	struct pep3118_layout layout;
	struct err err;
	bool size_unknown;
	const char *invalid, *name;
	size_t n_chars;

	if (!format)
		return;
	invalid = find_invalid_byte(format);
	if (invalid) {
		rule_set_why(
			report, "memoryview.format and numpy.asarray raise UnicodeDecodeError");
		rule_set_fix(report, "encode the names of fields as UTF-8");
		rule_fail(report, "format", "the byte %.4s in format is not UTF-8", invalid);
		return;
	}
	if (pep3118_read(format, PEP3118_TIGHT, NULL, &layout, &size_unknown, &err)) {
		rule_fail(report, "format", "%s", err.message);
		return;
	}
	name = pep3118_find_repeated_name(format, &n_chars);
	if (!name)
		return;
	rule_set_why(report, "numpy.asarray raises ValueError for a repeated name");
	rule_set_fix(report, "give each field of a structure its own name");
	rule_fail(report, "format", "format has two fields named '%s' in one structure",
		arena_copy(subject->arena, name, utf8_truncated(name, n_chars, 60)));
}

/* Whether every element is at an offset in range, as in shared_check_size(). One dimension without
 * a shape has len / itemsize elements. */
static bool buf_check_offsets(const struct subject *subject, struct report *report)
{
	int64_t itemsize = value_int_or(value_get(subject->declared, "itemsize"), 0);
	int64_t len = value_int_or(value_get(subject->declared, "len"), -1);
	struct subject flat = *subject;
	struct value *declared, *shape;

	if (!value_is_null(value_get(subject->declared, "shape")))
		return shared_check_size(subject, report, itemsize, 1, false);
	if (itemsize <= 0 || len < 0) /* BUF101, BUF102, BUF104 */
		return true;
	declared = value_copy(subject->arena, subject->declared);
	shape = value_set(subject->arena, declared, "shape", value_tuple(subject->arena));
	value_append(subject->arena, shape, value_int(subject->arena, len / itemsize));
	flat.declared = declared;
	return shared_check_size(&flat, report, itemsize, 1, false);
}

static void buf_check_reach(const struct subject *subject, struct report *report)
{
	const struct value *strides = value_get(buffer_declared(subject), "strides");
	int64_t n_dims = value_int_or(value_get(subject->declared, "ndim"), 0);

	if (!buffer_declared(subject) || n_dims < 0 || n_dims > ARRAY_MAX_DIMS) /* BUF104 */
		return;
	if (!n_dims || value_is_null(strides) ||
		(buffer_check_array(subject, report, "strides") &&
			buffer_elements_bytes(subject) != -1 && /* BUF101 */
			buf_check_offsets(subject, report)))
		shared_check_address_space(subject, report, "buf");
}

static void buf_check_extent(const struct subject *subject, struct report *report)
{
	shared_check_extent(subject, report, 0);
}

static void buf_check_permission(const struct subject *subject, struct report *report)
{
	shared_check_permission(subject, report, "buf", "readonly");
}

static void buf_check_null(const struct subject *subject, struct report *report)
{
	const struct array *array = subject->array;
	int64_t n_bytes =
		array ? array_nbytes(array) : value_int_or(value_get(subject->declared, "len"), 0);
	uint64_t address;

	if (!buffer_declared(subject) ||
		!value_to_address(value_get(subject->declared, "buf"), &address) || address ||
		n_bytes <= 0)
		return;
	rule_fail(report, "buf", "buf is NULL but the buffer has %lld byte%s", (long long)n_bytes,
		plural(n_bytes));
}

static void buf_check_host(const struct subject *subject, struct report *report)
{
	shared_check_host_memory(subject, report, "buf");
}

const struct rule buffer_memory_rules[] = {
	{
		BUFFER_RULE("BUF201", "format-known", WARNING, HAZARD),
		.requires = { "BUF103" },
		.clause = CLAUSE_BUFFER
		"Py_buffer.format (\"in struct module style syntax\"; PEP 3118 adds to it)",
		.summary =
			"format is UTF-8 and follows the syntax of the struct module and of PEP 3118, and the fields of a structure have different names",
		.why = "numpy.asarray raises ValueError for a repeated name and for nearly all other formats, and indexing a memoryview raises NotImplementedError: consumers can then only read the bytes",
		.fix = "use ? b B c h H i I l L q Q e f d Zf Zd s w O, optionally preceded by one of @ = < > !, or g Zg n N without a byte order, and T{...} around structures",
		.check = buf_check_format,
	},
	{
		BUFFER_RULE("BUF302", "strides-reach", ERROR, LOGIC),
		.clause = "derived from " CLAUSE_BUFFER "Py_buffer.strides",
		.summary =
			"strides is NULL or points to ndim strides, and every element is within the address space",
		.why = "consumers crash if strides is an invalid pointer, and access arbitrary memory if the offsets that they compute overflow",
		.fix = "correct buf, shape or strides; strides is NULL, or points to ndim values, each the number of bytes from one element to the next in its dimension",
		.check = buf_check_reach,
	},
	{
		INTERFACE_RULE(PROTOCOL_BUFFER, FACT_STRUCT | FACT_MEMORY, "BUF303",
			"extent-mapped", ERROR, LOGIC),
		.clause =
			"derived from " CLAUSE_BUFFER
			"Py_buffer.buf (\"any location within the underlying physical memory block\")",
		.summary = "every element is in mapped memory without gaps",
		.why = "reading an element outside this memory crashes the process or returns unrelated bytes",
		.fix = "correct shape, strides or buf; with a negative stride, buf points to the element at index 0, not to the lowest "
		       "byte",
		.check = buf_check_extent,
	},
	{
		BUFFER_RULE("BUF308", "overlap", WARNING, HAZARD),
		.requires = { "BUF307" },
		.subsumed_by = { "DLP311", "NAI308" },
		.clause = "derived from " CLAUSE_BUFFER "Py_buffer.strides; Py_buffer.readonly",
		.summary = "no two elements overlap in memory unless the buffer is read-only",
		.why = "an assignment through memoryview or numpy.asarray to one element also changes others, and the result of an operation in place depends on the order of the writes",
		.fix = "set readonly to 1, and raise BufferError for PyBUF_WRITABLE; or export a copy",
		.check = shared_check_overlap,
	},
	{
		INTERFACE_RULE(PROTOCOL_BUFFER, FACT_STRUCT | FACT_MEMORY, "BUF401",
			"pointer-mapped", ERROR, LOGIC),
		.clause = "derived from " CLAUSE_BUFFER "Py_buffer.buf; Py_buffer.readonly",
		.summary = "the memory of the elements is readable, and writable if readonly is 0",
		.why = "reading an element of unreadable memory, or writing to an element of read-only memory, crashes the process",
		.fix = "use the address of live memory, and set readonly to 1 if the memory must not be written",
		.check = buf_check_permission,
	},
	{
		BUFFER_RULE("BUF402", "null-pointer", ERROR, LOGIC),
		.clause = "derived from " CLAUSE_BUFFER "Py_buffer.buf",
		.summary = "buf is not NULL if the buffer has elements",
		.why = "memoryview.tolist() crashes, and numpy.asarray allocates a new array with uninitialized elements",
		.fix = "use the address of the first element, or raise BufferError if there is no memory yet",
		.check = buf_check_null,
	},
	{
		INTERFACE_RULE(PROTOCOL_BUFFER, FACT_STRUCT | FACT_MEMORY, "BUF501", "host-memory",
			ERROR, HAZARD),
		.clause = "derived from " CLAUSE_BUFFER
			  "introduction (\"access that buffer directly\")",
		.summary =
			"the memory is accessible from the host, as are host, pinned, managed, USM host and USM shared memory",
		.why = "consumers of buffers read the memory on the host, and the process crashes if it is device memory",
		.fix = "raise BufferError, and export device memory through __dlpack__ or the interface of its runtime",
		.check = buf_check_host,
	},
	{ .id = NULL },
};
