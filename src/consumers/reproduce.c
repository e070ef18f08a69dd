// SPDX-License-Identifier: MIT
/*
 * A script has at most ten lines that are neither imports nor comments.
 * A tensor is what NumPy exports, in which the words that the row changes are written: its capsule
 * points to a DLManagedTensor or a DLManagedTensorVersioned, which consist of words of 64 bits, and
 * the deleter is NumPy's. In memory of the host the elements begin at the start of a page, or as
 * far after it as the row states.
 */
#include "consumers/reproduce.h"

#include "base/array_size.h"
#include "base/text.h"
#include "base/words.h"
#include "model/usual_names.h"

#include <ctype.h>
#include <string.h>

enum {
	PAGE_BYTES = 4096,
	UNKNOWN_FLAG = 1 << 20,
	FLOAT_CODE = 2,
	MAX_WIDTH = 110,
	MAX_LINES = 10,
	MAX_EDITS = 12
};

/* The capsule: as max_version requests it, or always of one kind. */
enum capsule_kind { CAPSULE_EITHER, CAPSULE_LEGACY, CAPSULE_VERSIONED };

/* Words of a DLManagedTensorVersioned, and those of its DLTensor, which a DLManagedTensor begins
 * with. */
enum { WORD_VERSION, WORD_CONTEXT, WORD_DELETER, WORD_FLAGS, WORD_TENSOR };
enum { TENSOR_DATA, TENSOR_DEVICE, TENSOR_TYPE, TENSOR_SHAPE, TENSOR_STRIDES, TENSOR_OFFSET };
enum { LEGACY_CONTEXT = 6, LEGACY_DELETER };

/* What the script writes to a word of the struct. */
struct edit {
	int versioned, legacy; /* the index of the word; -1: the struct has none */
	const char *value, *comment;
};

struct device_script;

struct reproduction {
	struct arena *arena;
	const struct consumer_case *row;
	const struct tensor_interface *interface;
	const struct job_call *call;
	const struct reproduce_names *names;
	struct array layout;       /* pointer is the offset of the first element */
	bool has_layout, has_type; /* otherwise layout is that of a tensor with the same n_dims */
	int64_t n_bytes;
	const struct device_script *device; /* NULL: host memory */
	enum capsule_kind kind;
	struct edit edits[MAX_EDITS];
	int n_edits;
	const char *name; /* of the array that the tensor is made of */
	bool has_names;   /* shape and strides */
	bool is_short;    /* with one capsule for all calls, which takes fewer lines */
	struct text text;
};

#define ADD(REPRODUCTION, ...) \
	text_add(&(REPRODUCTION)->text, arena_printf((REPRODUCTION)->arena, __VA_ARGS__))

/* --- elements --- */

/* NumPy's type of the numbers that elements consist of, and values: of both signs if the type has
 * one, and such that types with fewer bits, or a smaller mantissa, cannot represent them. Types
 * that NumPy lacks are unsigned integers, and is_native is false. */
struct numbers {
	const char *kind, *values;
	int64_t n_bytes;
	bool is_native;
};

static struct numbers numbers_of(struct arena *arena, const struct dtype *dtype)
{
	struct numbers numbers = { .n_bytes = dtype->bits / 8, .is_native = true };
	struct err ignored;
	char typestr[40];

	switch (dtype->kind) {
	case DTYPE_BOOL:
		numbers.kind = "?";
		numbers.values = "% 3";
		return numbers;
	case DTYPE_INT:
		numbers.kind = "i";
		numbers.values = dtype->bits == 8
					 ? "% 113 - 2"
					 : arena_printf(arena, "%% 113 * 2**%d - 3 * 2**%d + 1",
						   (int)dtype->bits - 9, (int)dtype->bits - 10);
		break;
	case DTYPE_UINT:
		numbers.kind = "u";
		numbers.values =
			arena_printf(arena, "%% 113 * 2 - 2**%d + 1", (int)dtype->bits - 2);
		break;
	case DTYPE_FLOAT:
		numbers.kind = "f";
		numbers.values = dtype->bits == 64 ? "- 4 / 3" : "% 113 - 1.75";
		break;
	case DTYPE_COMPLEX:
		numbers.kind = "c";
		numbers.values = "- (4 / 3 + 2j)";
		break;
	default:
		numbers.kind = "u";
		numbers.values = dtype->bits == 16 ? "% 113 * 0x8001 + 0x3F80" : "% 96 * 0x81 + 8";
		numbers.is_native = false;
		break;
	}
	numbers.kind = arena_printf(arena, "%s%d", numbers.kind, (int)numbers.n_bytes);
	if (dtype->foreign_order && !dtype_to_typestr(dtype, typestr, &ignored))
		numbers.kind = arena_copy(arena, typestr, strlen(typestr));
	return numbers;
}

/* --- memory --- */

/* How a script allocates memory of a device, and reads a result. */
struct device_script {
	enum memory_kind memory;
	bool uses_ctypes;
	const char *imports;
	const char *allocation; /* with the number of bytes */
	const char *block;      /* the memory as a buffer, with the number of bytes */
	const char *check[2];   /* what compares the consumer's result, before and after it */
	bool is_for_invalid;    /* the dictionary of an invalid tensor requires it too */
};

static const struct device_script device_scripts[] = {
	{ MEMORY_USM_SHARED, false, "import dpctl.memory\nimport dpnp\n",
		"block = dpctl.memory.MemoryUSMShared(%lld)\n", "block",
		{ "np.testing.assert_array_equal(dpnp.asnumpy(", "), expected)" }, true },
	{ MEMORY_MANAGED, true, "",
		"driver, context, address = ctypes.CDLL(\"libcuda.so.1\"), ctypes.c_void_p(), ctypes.c_void_p()\n"
		"assert not (driver.cuInit(0) or driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))\n"
		"assert not (driver.cuCtxSetCurrent(context) or driver.cuMemAllocManaged(ctypes.byref(address), %lld, 1))\n",
		"(ctypes.c_char * %lld).from_address(address.value)",
		{ "assert getattr(result := ",
			", \"copy_to_host\", lambda: result)().tolist() == expected.tolist()" },
		false },
};

/* NULL: the memory of the script is the host's. */
static const struct device_script *find_device_script(const struct reproduction *script)
{
	for (size_t i = 0; i < ARRAY_SIZE(device_scripts); i++)
		if (device_scripts[i].memory == script->interface->memory &&
			(device_scripts[i].is_for_invalid || consumer_case_is_legal(script->row)))
			return &device_scripts[i];
	return NULL;
}

/* Pages, whose first byte the tensor's memory begins after by the misalignment of the row. */
static const char *show_block(const struct reproduction *script)
{
	long long n_bytes = (script->row->misalignment + script->n_bytes) / PAGE_BYTES + 1;

	return arena_printf(script->arena,
		script->device ? script->device->block : "mmap.mmap(-1, %lld)",
		n_bytes * PAGE_BYTES);
}

/* "(12, 4)", "(8,) * 62 + (12, 4)"; last, if it is not 0, follows. */
static const char *show_tuple(const struct reproduction *script, const int64_t *items, int64_t last)
{
	int n_units = script->row->n_unit_dims, n_items = script->row->n_dims;
	int64_t numbers[CASE_MAX_DIMS + 1];
	const char *tuple;

	memcpy(numbers, items + n_units, (size_t)n_items * sizeof(*numbers));
	numbers[n_items] = last;
	tuple = words_tuple(script->arena, numbers, n_items + (last != 0));
	return n_units ? arena_printf(script->arena, "(%lld,) * %d + %s", (long long)*items,
				 n_units, tuple)
		       : tuple;
}

/* An array of that memory; the strides are left out if they are those of C order. */
static const char *show_array(const struct reproduction *script, const char *kind,
	const char *memory, const char *shape, const char *strides)
{
	long long offset = script->row->misalignment + (long long)script->layout.pointer;
	const char *text =
		arena_printf(script->arena, "np.ndarray(%s, \"%s\", %s", shape, kind, memory);

	if (*strides)
		return arena_printf(script->arena, "%s, %lld, %s)", text, offset, strides);
	return offset ? arena_printf(script->arena, "%s, %lld)", text, offset)
		      : arena_printf(script->arena, "%s)", text);
}

static bool is_compact(const struct array *layout)
{
	struct array compact = *layout;

	array_set_compact_strides(&compact, 'C');
	return !memcmp(compact.stride_bytes, layout->stride_bytes,
		(size_t)layout->n_dims * sizeof(*layout->stride_bytes));
}

/* The array whose capsule is changed, and which may have lanes: its strides count vectors, as those
 * of a DLTensor do. */
static const char *show_vectors(const struct reproduction *script, const struct numbers *numbers)
{
	const struct array *layout = &script->layout;
	int64_t stride_bytes[ARRAY_MAX_DIMS] = { 0 };

	for (int i = 0; i < layout->n_dims; i++)
		stride_bytes[i] = layout->stride_bytes[i] / layout->dtype.lanes;
	return show_array(script, numbers->kind, "expected.base",
		show_tuple(script, layout->shape, 0),
		is_compact(layout) ? "" : show_tuple(script, stride_bytes, 0));
}

/* The line that makes the array; two if it would be too long. */
static void add_array(struct reproduction *script, const struct numbers *numbers,
	const char *memory, int64_t n_lanes)
{
	const struct array *layout = &script->layout;
	const char *shape = show_tuple(script, layout->shape, n_lanes);
	const char *strides = is_compact(layout) ? ""
						 : show_tuple(script, layout->stride_bytes,
							   n_lanes ? numbers->n_bytes : 0);
	const char *line = show_array(script, numbers->kind, memory, shape, strides);

	if (strlen(script->name) + strlen(line) + 3 > MAX_WIDTH && *strides) {
		ADD(script, "shape, strides = %s, %s\n", shape, strides);
		script->has_names = true;
		line = show_array(script, numbers->kind, memory, "shape", "strides");
	}
	ADD(script, "%s = %s\n", script->name, line);
}

/* The elements as a consumer must read them, or, of an invalid tensor, what it is made of. */
static void add_expected(struct reproduction *script, const struct numbers *numbers)
{
	bool has_lanes = script->has_layout && script->layout.dtype.lanes > 1;
	const char *block = show_block(script);

	if (script->device)
		ADD(script, script->device->allocation,
			(script->row->misalignment + script->n_bytes) / PAGE_BYTES * PAGE_BYTES +
				PAGE_BYTES);
	add_array(script, numbers, block, has_lanes ? script->layout.dtype.lanes : 0);
	if (script->row->expectation == EXPECT_ELEMENTS && array_elements(&script->layout))
		ADD(script, "expected[...] = np.arange(%lld).reshape(expected.shape) %s\n",
			(long long)array_elements(&script->layout) *
				(has_lanes ? script->layout.dtype.lanes : 1),
			numbers->values);
}

/* In one line, and aligned as malloc() does. */
static void add_short_expected(struct reproduction *script, const struct numbers *numbers)
{
	bool is_readonly = script->row->flags & CASE_READONLY;
	const char *buffer = arena_printf(script->arena, "np.arange(%lld, dtype=\"%s\") %s",
		(long long)((script->row->misalignment + script->n_bytes) / numbers->n_bytes),
		numbers->kind, numbers->values);

	if (is_readonly)
		buffer = arena_printf(script->arena, "(%s).tobytes()", buffer);

	if (!script->n_bytes)
		buffer = "bytearray()";
	add_array(script, numbers, buffer, 0);
}

/* --- the struct --- */

static void add_edit(struct reproduction *script, int versioned, int legacy, const char *value,
	const char *comment)
{
	script->edits[script->n_edits++] = (struct edit){ versioned, legacy, value, comment };
}

static void add_tensor_edit(
	struct reproduction *script, int word, const char *value, const char *comment)
{
	add_edit(script, WORD_TENSOR + word, word, value, comment);
}

static bool needs_version(const struct consumer_case *row)
{
	return row->major || row->exchange ||
	       row->flags & (CASE_READONLY | CASE_COPIED | CASE_UNKNOWN_FLAG);
}

static bool returns_capsule(const struct consumer_case *row)
{
	return !row->raises && (!row->result || row->result >= RESULT_DEVICE_NONE) &&
	       !(row->flags & CASE_NO_METHOD);
}

static void edit_managed(struct reproduction *script)
{
	const struct consumer_case *row = script->row;
	int flags = row->flags & (CASE_READONLY | CASE_COPIED | CASE_UNKNOWN_FLAG);
	struct arena *arena = script->arena;

	if (row->major)
		add_edit(script, WORD_VERSION, -1,
			row->minor ? arena_printf(arena, "%d | %d << 32", row->major, row->minor)
				   : arena_printf(arena, "%d", row->major),
			arena_printf(arena, "version %d.%d", row->major, row->minor));
	if (row->flags & CASE_NULL_CONTEXT)
		add_edit(script, WORD_CONTEXT, LEGACY_CONTEXT, "0", "manager_ctx");
	if (row->flags & CASE_NULL_DELETER)
		add_edit(script, WORD_DELETER, LEGACY_DELETER, "0", "deleter");
	if (flags == CASE_READONLY && !row->exchange)
		add_edit(script, WORD_FLAGS, -1, "1", "flags: READ_ONLY");
	else if (flags == CASE_COPIED)
		add_edit(script, WORD_FLAGS, -1, "2", "flags: IS_COPIED");
	else if (flags == CASE_UNKNOWN_FLAG)
		add_edit(script, WORD_FLAGS, -1, arena_printf(arena, "%d", UNKNOWN_FLAG), "flags");
}

/* Whether the fields of the type are those that NumPy writes. */
static bool has_type_of_numpy(const struct reproduction *script, const struct numbers *numbers)
{
	const struct consumer_case *row = script->row;
	bool is_float32 = !row->code && !row->bits && !row->lanes;

	return script->has_type && numbers->is_native && (is_float32 || row->lanes == 1) &&
	       !row->ndim;
}

/* Whether no array of NumPy has the extents and strides. */
static bool has_extents(const struct reproduction *script, const struct numbers *numbers)
{
	return !script->has_layout && returns_capsule(script->row) &&
	       has_type_of_numpy(script, numbers);
}

static void edit_tensor(struct reproduction *script, const struct numbers *numbers)
{
	const struct consumer_case *row = script->row;
	bool is_float32 = !row->code && !row->bits && !row->lanes;
	int n_dims = row->n_unit_dims + row->n_dims;
	struct arena *arena = script->arena;

	if (!has_type_of_numpy(script, numbers))
		add_tensor_edit(script, TENSOR_TYPE,
			arena_printf(arena, "%u | %d << 32 | %d << 40 | %d << 48",
				row->ndim ? (unsigned)row->ndim : (unsigned)n_dims,
				is_float32 ? 2 : row->code, is_float32 ? 32 : row->bits,
				is_float32 ? 1 : row->lanes),
			"ndim, code, bits, lanes");
	if (row->flags & CASE_NULL_DATA)
		add_tensor_edit(script, TENSOR_DATA, "0", "data");
	else if (row->byte_offset)
		add_tensor_edit(script, TENSOR_DATA,
			arena_printf(arena, "%s.ctypes.data - %lld", script->name,
				(long long)row->byte_offset),
			"data");
	if (row->device_type || row->device_id)
		add_tensor_edit(script, TENSOR_DEVICE,
			row->device_id ? arena_printf(arena, "%d | %u << 32",
						 row->device_type ? row->device_type : 1,
						 (unsigned)row->device_id)
				       : arena_printf(arena, "%d", row->device_type),
			"device_type, device_id");
	if (has_extents(script, numbers)) {
		add_tensor_edit(script, TENSOR_SHAPE, "sizes.ctypes.data", "shape");
		add_tensor_edit(script, TENSOR_STRIDES,
			arena_printf(arena, "sizes.ctypes.data + %d", 8 * n_dims), "strides");
	}
	if (row->flags & CASE_NULL_SHAPE)
		add_tensor_edit(script, TENSOR_SHAPE, "0", "shape");
	if (row->flags & CASE_NULL_STRIDES)
		add_tensor_edit(script, TENSOR_STRIDES, "0", "strides");
	if (row->byte_offset || row->wrong_offset)
		add_tensor_edit(script, TENSOR_OFFSET,
			arena_printf(arena, "%llu",
				row->wrong_offset ? (unsigned long long)row->wrong_offset
						  : (unsigned long long)row->byte_offset),
			"byte_offset");
}

/* Finds what the struct has that NumPy does not export. */
static void find_edits(struct reproduction *script, const struct numbers *numbers)
{
	script->kind = script->row->flags & CASE_LEGACY ? CAPSULE_LEGACY
		       : needs_version(script->row)     ? CAPSULE_VERSIONED
							: CAPSULE_EITHER;
	if (!returns_capsule(script->row))
		return;
	edit_managed(script);
	edit_tensor(script, numbers);
}

/* Without edits, NumPy's own capsule has that flag. */
static bool is_readonly_array(const struct reproduction *script)
{
	return script->n_edits == 1 && script->row->flags & CASE_READONLY &&
	       script->edits[0].versioned == WORD_FLAGS;
}

static const char *show_word(const struct reproduction *script, const struct edit *edit)
{
	switch (script->kind) {
	case CAPSULE_EITHER:
		return arena_printf(script->arena, "words[%d if max_version else %d]",
			edit->versioned, edit->legacy);
	case CAPSULE_LEGACY:
		return arena_printf(script->arena, "words[%d]", edit->legacy);
	default:
		return arena_printf(script->arena, "words[%d]", edit->versioned);
	}
}

/* One assignment to some words. */
static const char *show_assignment(
	struct reproduction *script, const struct edit *edits, int n_edits, const char *indent)
{
	struct arena *arena = script->arena;
	const char *words = "", *values = "";

	for (int i = 0; i < n_edits; i++) {
		const char *comma = i ? ", " : "";

		words = arena_printf(arena, "%s%s%s", words, comma, show_word(script, &edits[i]));
		values = arena_printf(arena, "%s%s%s", values, comma, edits[i].value);
	}
	return arena_printf(arena, "%s%s = %s", indent, words, values);
}

/* What the words are is a comment, which has a line of its own if the line would be too long. NULL,
 * or that comment if the lines are indented, as an indented comment is a line of the function. */
static const char *add_assignment(
	struct reproduction *script, const struct edit *edits, int n_edits, const char *indent)
{
	const char *line = show_assignment(script, edits, n_edits, indent), *comments = "";

	for (int i = 0; i < n_edits; i++)
		comments = arena_printf(
			script->arena, "%s%s%s", comments, i ? ", " : "", edits[i].comment);
	if (strlen(line) + strlen(comments) + 4 <= MAX_WIDTH) {
		ADD(script, "%s  # %s\n", line, comments);
		return NULL;
	}
	if (!*indent)
		ADD(script, "# %s\n", comments);
	ADD(script, "%s\n", line);
	return *indent ? comments : NULL;
}

/* In one line if they fit. The comment that is to follow, or NULL. */
static const char *add_edits(struct reproduction *script, const char *indent)
{
	int n_first = script->n_edits;
	const char *comments[2] = { NULL, NULL };

	while (n_first > 1 &&
		strlen(show_assignment(script, script->edits, n_first, indent)) > MAX_WIDTH)
		n_first--;
	if (n_first)
		comments[0] = add_assignment(script, script->edits, n_first, indent);
	if (script->n_edits > n_first)
		comments[1] = add_assignment(
			script, script->edits + n_first, script->n_edits - n_first, indent);
	if (script->row->flags & CASE_GARBAGE)
		ADD(script, "%sctypes.memset(ctypes.addressof(words.contents) + 24, 255, 56)\n",
			indent);
	return comments[0] && comments[1]
		       ? arena_printf(script->arena, "%s, %s", comments[0], comments[1])
	       : comments[0] ? comments[0]
			     : comments[1];
}

/* Extents and strides that no array of NumPy has. */
static void add_extents(struct reproduction *script)
{
	int64_t strides[ARRAY_MAX_DIMS], stride = 1;
	const struct consumer_case *row = script->row;
	const char *numbers = "";

	for (int i = row->n_dims - 1; i >= 0; i--) {
		strides[i] = row->has_strides ? row->strides[i] : stride;
		if (__builtin_mul_overflow(stride, row->shape[i], &stride))
			stride = INT64_MAX;
	}
	for (int i = 0; i < 2 * row->n_dims; i++)
		numbers = arena_printf(script->arena, "%s%s%lld", numbers, i ? ", " : "",
			(long long)(i < row->n_dims ? row->shape[i] : strides[i - row->n_dims]));
	ADD(script, "sizes = np.array([%s])  # shape, strides\n", numbers);
}

/* --- the exporter --- */

static void add_word_pointer(struct reproduction *script, const char *indent)
{
	ADD(script,
		"%swords = ctypes.POINTER(ctypes.c_uint64).from_address(id(capsule) + object.__basicsize__)\n",
		indent);
}

/* The array whose capsule is changed. */
static const char *show_exported(struct reproduction *script, const struct numbers *numbers)
{
	return script->has_layout && script->layout.dtype.lanes > 1 ? show_vectors(script, numbers)
								    : script->name;
}

static const char *show_device_method(const struct reproduction *script)
{
	const struct consumer_case *row = script->row;

	switch (row->result) {
	case RESULT_DEVICE_NONE:
		return "lambda self: None";
	case RESULT_DEVICE_TEXT:
		return "lambda self: \"cpu\"";
	case RESULT_DEVICE_LONG:
		return "lambda self: (1, 0, 0)";
	default:
		break;
	}
	if (!row->asked_device_type && !row->device_id)
		return returns_capsule(row)
			       ? arena_printf(script->arena, "%s.__dlpack_device__", script->name)
			       : "lambda self: (1, 0)";
	return arena_printf(script->arena, "lambda self: (%d, %d)",
		row->asked_device_type ? row->asked_device_type : 1, row->device_id);
}

/* A new capsule for each call: as max_version requests it, or always of one kind. */
static void add_export(struct reproduction *script, const struct numbers *numbers)
{
	static const char *const parameters[] = { [CAPSULE_EITHER] = "max_version=None, **keywords",
		[CAPSULE_LEGACY] = "**_",
		[CAPSULE_VERSIONED] = "*, max_version, **_" };
	static const char *const arguments[] = { [CAPSULE_EITHER] = "max_version=max_version",
		[CAPSULE_LEGACY] = "",
		[CAPSULE_VERSIONED] = "max_version=(1, 0)" };
	const char *name = script->row->capsule_name, *indent = "    ", *comment;

	ADD(script, "\n\ndef export(self, %s):\n", parameters[script->kind]);
	ADD(script, "%scapsule = %s.__dlpack__(%s)\n", indent, show_exported(script, numbers),
		arguments[script->kind]);
	if (script->n_edits)
		add_word_pointer(script, indent);
	comment = add_edits(script, indent);
	if (name)
		ADD(script,
			"%sctypes.pythonapi.PyCapsule_SetName(ctypes.py_object(capsule), %s)\n"
			"%sctypes.pythonapi.PyCapsule_SetDestructor(ctypes.py_object(capsule), None)\n",
			indent, *name ? arena_printf(script->arena, "b\"%s\"", name) : "None",
			indent);
	ADD(script,
		"%sreturn capsule%s%s\n\n\n"
		"Tensor = type(\"Tensor\", (), {\"__dlpack__\": export, \"__dlpack_device__\": %s})\n",
		indent, comment ? "  # words: " : "", comment ? comment : "",
		show_device_method(script));
}

/* A capsule of one kind, which is made once. */
static void add_constant_capsule(struct reproduction *script, const struct numbers *numbers)
{
	const char *version = script->kind == CAPSULE_LEGACY ? "" : "max_version=(1, 0)";

	ADD(script, "capsule = %s.__dlpack__(%s)\n", show_exported(script, numbers), version);
	if (script->n_edits)
		add_word_pointer(script, "");
	add_edits(script, "");
	if (script->row->capsule_name)
		ADD(script,
			"ctypes.pythonapi.PyCapsule_SetName(ctypes.py_object(capsule), b\"%s\")\n",
			script->row->capsule_name);
}

static void add_methods(struct reproduction *script)
{
	const char *export = script->kind == CAPSULE_LEGACY
				     ? "lambda self, **_: capsule"
				     : "lambda self, *, max_version, **_: capsule";

	ADD(script, "    __dlpack__, __dlpack_device__ = %s, %s\n\n\n", export,
		show_device_method(script));
}

/* The table of the C exchange API with its only function that consumers of these cases call. It
 * passes the struct of a capsule on that is never destroyed, since that would release the struct.
 * __dlpack__ is NumPy's. */
static void add_exchange_table(struct reproduction *script, const struct numbers *numbers)
{
	enum case_exchange exchange = script->row->exchange;

	if (exchange != EXCHANGE_MAJOR) {
		ADD(script,
			"# A new reference, which keeps the capsule, and its first word, which points to the struct.\n"
			"capsule = PYFUNCTYPE(c_void_p)((\"Py_NewRef\", pythonapi))"
			"(py_object(%s.__dlpack__(max_version=(1, 0))))\n"
			"words = POINTER(c_uint64).from_address(capsule + object.__basicsize__)\n",
			show_exported(script, numbers));
		add_edits(script, "");
		ADD(script,
			"export = PYFUNCTYPE(c_int, c_void_p, c_void_p)"
			"(lambda self, out: memmove(out, byref(words), 8) and 0)\n"
			"table, pythonapi.PyCapsule_New.restype = "
			"(c_void_p * 7)(1 | 3 << 32, 0, 0, cast(export, c_void_p)), py_object\n");
	}
	if (exchange == EXCHANGE_CHAIN)
		ADD(script,
			"table = (c_void_p * 7)(2, cast(table, c_void_p), *[-1] * 5)  # a newer version\n");
	else if (exchange == EXCHANGE_MAJOR)
		ADD(script,
			"table, pythonapi.PyCapsule_New.restype = (c_void_p * 7)(2, 0, *[-1] * 5), py_object\n");
	ADD(script,
		"Tensor = type(\"Tensor\", (), dict(__dlpack__=%s.__dlpack__, __dlpack_device__=lambda self: (1, 0)))\n"
		"Tensor.__dlpack_c_exchange_api__ = pythonapi.PyCapsule_New(table, b\"%s\", None)\n",
		script->name,
		exchange == EXCHANGE_NAME ? "dlpack_exchange_api2" : "dlpack_exchange_api");
}

/* Objects whose methods do what the row states, or export what NumPy does. */
static void add_simple_class(struct reproduction *script)
{
	const struct consumer_case *row = script->row;
	const char *keywords = row->flags & CASE_NO_KEYWORDS ? "stream=None" : "**keywords";
	const char *exported = arena_printf(script->arena, "%s.__dlpack__(%s)", script->name,
		script->kind == CAPSULE_LEGACY ? "" : "**keywords");

	ADD(script, "%sclass Tensor:\n", returns_capsule(row) ? "\n\n" : "");
	if (row->flags & CASE_SLOW)
		ADD(script,
			"    def __dlpack__(self, %s):\n        time.sleep(%.1f)\n        return %s\n\n",
			keywords, CASE_SLOW_MS / 1000.0, exported);
	else if (row->raises)
		ADD(script,
			"    def __dlpack__(self, %s):\n        raise %s(\"this exporter raises %s\")\n\n",
			keywords, row->raises, row->raises);
	else if (!returns_capsule(row) && !(row->flags & CASE_NO_METHOD))
		ADD(script, "    __dlpack__ = lambda self, %s: %s\n", keywords,
			row->result == RESULT_INT    ? "42"
			: row->result == RESULT_NONE ? "None"
						     : "b\"dltensor\"");
	else if (script->kind == CAPSULE_LEGACY)
		ADD(script, "    __dlpack__ = lambda self, %s: %s\n", keywords, exported);
	else if (returns_capsule(row))
		ADD(script, "    __dlpack__ = %s.__dlpack__\n", script->name);
	if (row->raises_device)
		ADD(script,
			"\n    def __dlpack_device__(self):\n        raise %s(\"this exporter raises %s\")\n\n\n",
			row->raises_device, row->raises_device);
	else
		ADD(script, "    __dlpack_device__ = %s\n\n\n", show_device_method(script));
}

/* The struct differs from NumPy's. */
static bool is_edited(const struct reproduction *script)
{
	return script->interface->has_structs && returns_capsule(script->row) &&
	       (script->n_edits || script->row->capsule_name || script->row->exchange);
}

static void add_dlpack_class(struct reproduction *script, const struct numbers *numbers)
{
	if (is_readonly_array(script)) {
		ADD(script, "expected.flags.writeable = False\n");
		add_simple_class(script);
	} else if (!is_edited(script))
		add_simple_class(script);
	else if (script->row->exchange)
		add_exchange_table(script, numbers);
	else if (script->kind == CAPSULE_EITHER ||
		 (consumer_case_is_legal(script->row) && !script->is_short))
		add_export(script, numbers);
	else {
		add_constant_capsule(script, numbers);
		ADD(script, "\n\nclass Tensor:\n");
		add_methods(script);
	}
}

/* --- other protocols --- */

/* The items of SYCL's dictionary, which counts from the lowest address. */
static const char *show_offset(const struct reproduction *script)
{
	const struct array *layout = &script->layout;
	bool is_null = !script->has_layout || script->row->flags & CASE_NULL_DATA;

	return arena_printf(script->arena, "{\"offset\": %lld, \"syclobj\": block.sycl_queue}",
		is_null ? 0LL
			: (long long)((int64_t)layout->pointer / dtype_itemsize(&layout->dtype)));
}

static const char *show_dict(const struct reproduction *script, const char *shape,
	const char *typestr, const char *strides)
{
	return arena_printf(script->arena,
		"interface = dict(version=%d, shape=%s, typestr=\"%s\", strides=%s)",
		script->interface->version, shape, typestr, strides);
}

/* Adds the address, in another line if one would be too long, and so the strides. */
static void add_dict(struct reproduction *script, const char *line, const char *data)
{
	const char *strides = strstr(line, ", strides=");

	if (strlen(line) + strlen(data) + strlen(", data=") <= MAX_WIDTH)
		ADD(script, "%.*s, data=%s)\n", (int)strlen(line) - 1, line, data);
	else if (strlen(line) <= MAX_WIDTH)
		ADD(script, "%s\ninterface[\"data\"] = %s\n", line, data);
	else
		ADD(script, "%.*s, data=%s)\ninterface[\"strides\"] = %.*s\n",
			(int)(strides - line), line, data, (int)strlen(strides + 10) - 1,
			strides + 10);
}

/* The dictionary of a protocol. */
static void add_interface_dict(struct reproduction *script)
{
	const struct consumer_case *row = script->row;
	const struct protocol *protocol = script->interface->protocol;
	int64_t shape[ARRAY_MAX_DIMS], stride_bytes[ARRAY_MAX_DIMS];
	struct arena *arena = script->arena;
	const char *data = arena_printf(arena, "%s.ctypes.data", script->name);
	const char *shown_shape, *shown_strides, *line;
	struct array described;
	struct err ignored;
	int64_t n_bytes;
	char typestr[40];

	consumer_case_describe(row, &described, &n_bytes); /* the type, whatever the layout is */
	dtype_to_typestr(&described.dtype, typestr, &ignored);
	consumer_case_extents(row, shape, stride_bytes);
	if (row->flags & CASE_NULL_DATA)
		data = "0";
	else if (script->interface->has_offset)
		data = row->misalignment
			       ? arena_printf(arena, "block._pointer + %d", row->misalignment)
			       : "block._pointer";
	for (int i = 0; protocol->counts_elements && i < described.n_dims; i++)
		stride_bytes[i] /= dtype_itemsize(&described.dtype);
	shown_shape = show_tuple(script, shape, 0);
	shown_strides = show_tuple(script, stride_bytes, 0);
	data = arena_printf(arena, "(%s, %s)", data, row->flags & CASE_READONLY ? "True" : "False");
	line = show_dict(script, shown_shape, typestr, shown_strides);
	if (script->has_names && !protocol->counts_elements)
		line = show_dict(script, "shape", typestr, "strides");
	else if (strlen(line) > MAX_WIDTH && !protocol->counts_elements && script->has_layout &&
		 array_elements(&script->layout))
		line = show_dict(script, "expected.shape", typestr, "expected.strides");
	add_dict(script, line, data);
	if (script->interface->has_offset)
		ADD(script, "interface |= %s\n", show_offset(script));
	ADD(script, "Tensor = type(\"Tensor\", (), {\"%s\": interface%s%s})\n", protocol->attribute,
		row->items ? " | " : "", row->items ? row->items : "");
}

/* The object is not NumPy's, which consumers may treat differently. */
static void add_class_of(struct reproduction *script)
{
	if (script->row->flags & CASE_READONLY && !script->interface->has_items)
		ADD(script, "expected.flags.writeable = False\n");
	if (script->interface->has_items)
		add_interface_dict(script);
	else if (script->interface->release != RELEASE_BUFFER)
		ADD(script, "\n\nclass Tensor:\n    %s = expected.%s\n\n\n",
			script->interface->shown, script->interface->shown);
}

/* --- the consumer --- */

static const char *quote(struct arena *arena, const char *text)
{
	const char *quoted = "\"";

	for (; *text; text++)
		quoted = arena_printf(
			arena, "%s%s%c", quoted, *text == '"' || *text == '\\' ? "\\" : "", *text);
	return arena_printf(arena, "%s\"", quoted);
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/* Imports the modules of names that an expression reads attributes of, np as numpy. */
static void add_expression_imports(struct reproduction *script, const char *expression)
{
	struct arena *arena = script->arena;

	for (const char *at = expression, *end; *at; at = end + !*at) {
		const char *name, *module;

		for (end = at; is_name_char(*end); end++)
			;
		if (end == at) {
			end++;
			continue;
		}
		name = arena_copy(arena, at, (size_t)(end - at));
		if (*end != '.' || isdigit((unsigned char)*at) ||
			(at > expression && at[-1] == '.') || !strcmp(name, "_") ||
			!strcmp(name, "np"))
			continue;
		module = usual_module(name) ? usual_module(name) : name;
		if (!strcmp(module, name))
			name = arena_printf(arena, "import %s\n", module);
		else
			name = arena_printf(arena, "import %s as %s\n", module, name);
		if (!script->text.n_bytes || !strstr(script->text.bytes, name))
			text_add(&script->text, name);
	}
}

/* Whether an expression has the name np. */
static bool names_numpy(const struct job_call *call)
{
	for (const char *at = call->expression; at && (at = strstr(at, "np")); at++)
		if (!is_name_char(at[2]) &&
			(at == call->expression || (!is_name_char(at[-1]) && at[-1] != '.')))
			return true;
	return false;
}

/* Whether a line of the code imports numpy as np. */
static bool imports_numpy(const char *code)
{
	static const char import[] = "import numpy as np";

	for (const char *at = code; at && (at = strstr(at, import)); at++)
		if ((at == code || strchr("\n;, ", at[-1])) && !is_name_char(at[strlen(import)]))
			return true;
	return false;
}

/* The table of the C exchange API, which needs no memory that is aligned to 64 bytes. */
static bool has_table(const struct reproduction *script)
{
	return script->interface->has_structs && script->row->exchange &&
	       returns_capsule(script->row);
}

static bool ends_with_blank_line(const struct text *text)
{
	return text->n_bytes > 1 && !memcmp(text->bytes + text->n_bytes - 2, "\n\n", 2);
}

static void add_imports(struct reproduction *script, bool has_memory)
{
	const struct job_call *call = script->call;
	const struct reproduce_names *names = script->names;
	const char *device_imports = script->device ? script->device->imports : "";
	bool is_host = has_memory && !script->device && !has_table(script);

	if (!has_table(script) &&
		(is_edited(script) || (script->device && script->device->uses_ctypes)))
		ADD(script, "import ctypes\n");
	ADD(script, "%s%s%s", is_host ? "import mmap\n" : "", names->file ? "import runpy\n" : "",
		script->row->flags & CASE_SLOW ? "import time\n" : "");
	if (has_table(script))
		ADD(script, "from ctypes import %spy_object, pythonapi\n",
			script->row->exchange == EXCHANGE_MAJOR
				? "c_void_p, "
				: "POINTER, PYFUNCTYPE, byref, c_int, c_uint64, c_void_p, cast, memmove, ");
	if (script->text.n_bytes && !names->file)
		ADD(script, "\n");
	ADD(script, "%s", device_imports);
	if (call->module && strcmp(call->module, "numpy") != 0 &&
		!strstr(device_imports, call->module))
		ADD(script, "import %s\n", call->module);
	if (names->imports)
		ADD(script, "%s", names->imports);
	else if (!call->module && !names->file && !names->code)
		add_expression_imports(script, call->expression);
	if (imports_numpy(names->code))
		;
	else if (has_memory || (call->module && !strcmp(call->module, "numpy")) ||
		 (!names->file && names_numpy(call)))
		ADD(script, "%simport numpy as np\n", names->file ? "\n" : "");
	if (names->code && *names->code)
		ADD(script, "%s%s\n",
			script->text.n_bytes && !ends_with_blank_line(&script->text) ? "\n" : "",
			names->code);
	if (script->text.n_bytes)
		ADD(script, has_memory ? "\n" : "\n\n");
}

/* The first _ of an expression that is a name, outside of strings. NULL: there is none. */
static const char *find_object(const char *expression)
{
	char quote = 0;

	for (const char *at = expression; *at; at++) {
		if (quote) {
			quote = *at == quote ? 0 : quote;
			continue;
		}
		if (*at == '"' || *at == '\'')
			quote = *at;
		else if (*at == '_' && !is_name_char(at[1]) &&
			 (at == expression || (!is_name_char(at[-1]) && at[-1] != '.')))
			return at;
	}
	return NULL;
}

/* The expression that passes the object, which a line before defines if one would be too long. */
static const char *add_call(struct reproduction *script)
{
	const char *object =
		script->interface->release == RELEASE_BUFFER ? "memoryview(expected)" : "Tensor()";
	const struct job_call *call = script->call;
	const char *expression = call->expression, *at;
	struct arena *arena = script->arena;

	if (call->module)
		return arena_printf(arena, "%s.%s(%s)",
			strcmp(call->module, "numpy") != 0 ? call->module : "np", call->function,
			object);
	at = find_object(expression);
	if (script->names->file && at && !strcmp(at, "_)"))
		return arena_printf(arena, "runpy.run_path(%s)[\"%.*s\"](%s)",
			quote(arena, script->names->file), (int)(at - expression - 1), expression,
			object);
	if (at && !find_object(at + 1))
		return arena_printf(
			arena, "%.*s%s%s", (int)(at - expression), expression, object, at + 1);
	at = arena_printf(arena, "(lambda _: %s)(%s)", expression, object);
	if (strlen("result = ") + strlen(at) <= MAX_WIDTH)
		return at;
	ADD(script, "_ = %s\n", object);
	return expression;
}

/* A line that reads what the consumer returns, in the format; two if it would be too long. */
static void add_line_of_result(
	struct reproduction *script, const char *before, const char *passed, const char *after)
{
	if (strlen(before) + strlen(passed) + strlen(after) <= MAX_WIDTH)
		ADD(script, "%s%s%s\n", before, passed, after);
	else
		ADD(script, "result = %s\n%sresult%s\n", passed, before, after);
}

static void add_device_check(struct reproduction *script, const char *passed)
{
	const struct device_script *device = script->device;

	if (!array_elements(&script->layout))
		ADD(script, "result = %s\nassert tuple(result.shape) == expected.shape, result\n",
			passed);
	else
		add_line_of_result(script, device->check[0], passed, device->check[1]);
}

static void add_check(
	struct reproduction *script, const struct numbers *numbers, const char *passed)
{
	const struct consumer_case *row = script->row;
	struct arena *arena = script->arena;
	const char *read = "np.asarray(", *end = ")";

	if (row->expectation != EXPECT_ELEMENTS) {
		add_line_of_result(script, "print(\"accepted:\", type(", passed, "))");
		return;
	}
	if (script->device) {
		add_device_check(script, passed);
		return;
	}
	if (script->interface->has_structs && numbers->is_native)
		read = "np.from_dlpack(";
	else if (script->interface->has_structs)
		end = arena_printf(arena, ").view(\"%s\")", numbers->kind);
	if (!(row->flags & CASE_READONLY)) {
		add_line_of_result(script,
			arena_printf(arena, "np.testing.assert_array_equal(%s", read), passed,
			arena_printf(arena, "%s, expected)", end));
		return;
	}
	add_line_of_result(script, arena_printf(arena, "array = %s", read), passed, end);
	ADD(script, "assert np.array_equal(array, expected)"
		    " and not (array.flags.writeable and np.shares_memory(array, expected))\n");
}

/* Where the row has no readable layout, that of an array with the dimensions and a type. */
static void describe_layout(struct reproduction *script)
{
	struct array *layout = &script->layout;
	struct err ignored;

	script->has_layout = consumer_case_describe(script->row, layout, &script->n_bytes);
	script->has_type = layout->dtype.bits && layout->dtype.bits % 8 == 0;
	script->has_layout &= script->has_type;
	if (script->has_layout)
		return;
	if (!script->has_type)
		dtype_from_dlpack(&layout->dtype, FLOAT_CODE, 32, 1, &ignored);
	layout->pointer = 0;
	for (int i = 0; i < layout->n_dims; i++)
		layout->shape[i] = script->row->shape[i] > 0 && script->row->shape[i] < 8
					   ? script->row->shape[i]
					   : 1;
	array_set_compact_strides(layout, 'C');
}

/* In lines of at most MAX_WIDTH characters. */
static void add_wrapped_comment(struct reproduction *script, const char *text)
{
	size_t n_chars;

	for (; *text; text += n_chars + strspn(text + n_chars, " ")) {
		n_chars = strlen(text);
		if (n_chars > MAX_WIDTH - 2) {
			n_chars = MAX_WIDTH - 2;
			while (n_chars && text[n_chars] != ' ')
				n_chars--;
		}
		n_chars = n_chars ? n_chars : strcspn(text, " ");
		ADD(script, "# %.*s\n", (int)n_chars, text);
	}
}

/* Lines that are neither imports nor comments. */
static int count_lines_of_code(const char *script)
{
	int n_lines = 0;

	for (const char *line = script; line && *line;
		line = strchr(line, '\n'), line += line != NULL)
		n_lines += *line != '\n' && *line != '#' && strncmp(line, "import ", 7) != 0 &&
			   strncmp(line, "from ", 5) != 0;
	return n_lines;
}

static const char *write_script(struct arena *arena, const struct consumer_case *row,
	const struct tensor_interface *interface, const struct job_call *call,
	const struct reproduce_names *names, bool is_short)
{
	struct reproduction script = { .arena = arena,
		.row = row,
		.interface = interface,
		.call = call,
		.names = names,
		.is_short = is_short,
		.name = row->expectation == EXPECT_ELEMENTS ? "expected" : "array",
		.n_bytes = 24 };
	static const char *const expectations[] = { "these elements, or an exception",
		"an exception", "an exception; a process that ends is a defect" };
	bool has_memory = !interface->has_structs || returns_capsule(row);
	struct numbers numbers;
	const char *text;

	describe_layout(&script);
	numbers = numbers_of(arena, &script.layout.dtype);
	script.device = find_device_script(&script);
	if (interface->has_structs)
		find_edits(&script, &numbers);
	add_imports(&script, has_memory);
	add_wrapped_comment(&script, arena_printf(arena, "%s: %s.", row->id, row->about));
	ADD(&script, "# Expected: %s.\n", expectations[row->expectation]);
	if (has_table(&script))
		add_short_expected(&script, &numbers);
	else if (has_memory)
		add_expected(&script, &numbers);
	if (has_extents(&script, &numbers))
		add_extents(&script);
	if (interface->has_structs)
		add_dlpack_class(&script, &numbers);
	else
		add_class_of(&script);
	add_check(&script, &numbers, add_call(&script));
	text = arena_copy(arena, script.text.bytes, script.text.n_bytes);
	text_free(&script.text);
	return text;
}

const char *reproduce_script(struct arena *arena, const struct consumer_case *row,
	const struct tensor_interface *interface, const struct job_call *call,
	const struct reproduce_names *names)
{
	const char *script = write_script(arena, row, interface, call, names, false);

	return count_lines_of_code(script) <= MAX_LINES
		       ? script
		       : write_script(arena, row, interface, call, names, true);
}
