// SPDX-License-Identifier: MIT
/* The array of NumPy that a script makes: its elements, its memory, and its extents and strides. In
 * memory of the host the elements begin at the start of a page, or as far after it as the row
 * states. */
#include "consumers/reproduce_script.h"

#include "base/array_size.h"
#include "base/words.h"

#include <string.h>

enum { PAGE_BYTES = 4096 };

struct numbers script_find_numbers(struct arena *arena, const struct dtype *dtype)
{
	struct numbers numbers = { .n_bytes = dtype->bits / 8, .is_native = true };
	struct err ignored;
	char typestr[DTYPE_TEXT_BYTES];

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

const struct device_script *script_find_device(const struct script *script)
{
	for (size_t i = 0; i < ARRAY_SIZE(device_scripts); i++)
		if (device_scripts[i].memory == script->interface->memory &&
			(device_scripts[i].is_for_invalid || consumer_case_is_legal(script->row)))
			return &device_scripts[i];
	return NULL;
}

/* The size of the pages in which the tensor's memory is: after their start by the misalignment of
 * the row, and with at least one byte behind it. */
static long long block_bytes(const struct script *script)
{
	return ((script->row->misalignment + script->n_bytes) / PAGE_BYTES + 1) * PAGE_BYTES;
}

static const char *show_block(const struct script *script)
{
	return arena_printf(script->arena,
		script->device ? script->device->block : "mmap.mmap(-1, %lld)",
		block_bytes(script));
}

const char *script_show_tuple(const struct script *script, const int64_t *items, int64_t last)
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
static const char *show_array(const struct script *script, const char *kind, const char *memory,
	const char *shape, const char *strides)
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
static const char *show_vectors(const struct script *script)
{
	const struct array *layout = &script->layout;
	int64_t stride_bytes[ARRAY_MAX_DIMS] = { 0 };

	for (int i = 0; i < layout->n_dims; i++)
		stride_bytes[i] = layout->stride_bytes[i] / layout->dtype.lanes;
	return show_array(script, script->numbers.kind, "expected.base",
		script_show_tuple(script, layout->shape, 0),
		is_compact(layout) ? "" : script_show_tuple(script, stride_bytes, 0));
}

/* The line that makes the array; two if it would be too long. */
static void add_array(struct script *script, const char *memory, int64_t n_lanes)
{
	const struct array *layout = &script->layout;
	const char *shape = script_show_tuple(script, layout->shape, n_lanes);
	const char *strides = is_compact(layout) ? ""
						 : script_show_tuple(script, layout->stride_bytes,
							   n_lanes ? script->numbers.n_bytes : 0);
	const char *line = show_array(script, script->numbers.kind, memory, shape, strides);

	if (strlen(script->name) + strlen(line) + 3 > REPRODUCE_MAX_COLUMNS && *strides) {
		text_printf(&script->text, "shape, strides = %s, %s\n", shape, strides);
		script->has_names = true;
		line = show_array(script, script->numbers.kind, memory, "shape", "strides");
	}
	text_printf(&script->text, "%s = %s\n", script->name, line);
}

void script_add_expected(struct script *script)
{
	bool has_lanes = script->has_layout && script->layout.dtype.lanes > 1;
	const char *block = show_block(script);

	if (script->device)
		text_printf(&script->text, script->device->allocation, block_bytes(script));
	add_array(script, block, has_lanes ? script->layout.dtype.lanes : 0);
	if (script->row->expectation == EXPECT_ELEMENTS && array_elements(&script->layout))
		text_printf(&script->text,
			"expected[...] = np.arange(%lld).reshape(expected.shape) %s\n",
			(long long)array_elements(&script->layout) *
				(has_lanes ? script->layout.dtype.lanes : 1),
			script->numbers.values);
}

void script_add_short_expected(struct script *script)
{
	bool is_readonly = script->row->flags & CASE_READONLY;
	const char *buffer = arena_printf(script->arena, "np.arange(%lld, dtype=\"%s\") %s",
		(long long)((script->row->misalignment + script->n_bytes) /
			    script->numbers.n_bytes),
		script->numbers.kind, script->numbers.values);

	if (is_readonly)
		buffer = arena_printf(script->arena, "(%s).tobytes()", buffer);
	if (!script->n_bytes)
		buffer = "bytearray()";
	add_array(script, buffer, 0);
}

const char *script_show_exported(const struct script *script)
{
	return script->has_layout && script->layout.dtype.lanes > 1 ? show_vectors(script)
								    : script->name;
}

void script_add_extents(struct script *script)
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
	text_printf(&script->text, "sizes = np.array([%s])  # shape, strides\n", numbers);
}
