// SPDX-License-Identifier: MIT
/*
 * A script passes a tensor that NumPy exports, or, if NumPy exports no such tensor, packs the
 * structs of dlpack.h with ctypes. Its deleter is then a C function that does nothing: one in
 * Python would run with the exception of a consumer set, and fail when the interpreter ends. A
 * struct without a version follows DLPack's: the DLTensor of both is the same.
 */
#include "consumers/reproduce.h"

#include "base/text.h"
#include "base/words.h"
#include "model/usual_names.h"

#include <ctype.h>
#include <string.h>

enum { PAGE_BYTES = 4096, VERSIONED_HEAD_BYTES = 32, UNKNOWN_FLAG = 1 << 20 };

struct device_script;

struct reproduction {
	struct arena *arena;
	const struct consumer_case *row;
	const struct tensor_interface *interface;
	struct array layout; /* pointer is the offset of the first element */
	bool has_layout;
	int64_t n_bytes;
	const struct device_script *device; /* NULL: host memory */
	bool is_of_numpy;                   /* NumPy exports the tensor by DLPack */
	struct text text;
};

#define ADD(REPRODUCTION, ...) \
	text_add(&(REPRODUCTION)->text, arena_printf((REPRODUCTION)->arena, __VA_ARGS__))

/* --- memory --- */

/* NumPy's type of the numbers that elements consist of, and values: the numbers of 64 bits need all
 * of them. Types that NumPy lacks are unsigned integers, and is_native is false. */
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
		numbers.values = arena_printf(arena, "%% 113 + 2**%d", (int)dtype->bits - 2);
		break;
	case DTYPE_UINT:
		numbers.kind = "u";
		numbers.values = arena_printf(arena, "%% 113 - 2**%d", (int)dtype->bits - 2);
		break;
	case DTYPE_FLOAT:
		numbers.kind = "f";
		numbers.values = dtype->bits == 64 ? "+ 1 / 3" : "% 113 + 0.5";
		break;
	case DTYPE_COMPLEX:
		numbers.kind = "c";
		numbers.values = "+ (1 / 3 - 2j)";
		break;
	default:
		numbers.kind = "u";
		numbers.values = dtype->bits == 16 ? "% 113 + 0x3F80" : "% 96 + 8";
		numbers.is_native = false;
		break;
	}
	numbers.kind = arena_printf(arena, "%s%d", numbers.kind, (int)numbers.n_bytes);
	if (dtype->foreign_order && !dtype_to_typestr(dtype, typestr, &ignored))
		numbers.kind = arena_copy(arena, typestr, strlen(typestr));
	return numbers;
}

/* --- memory of devices --- */

/* How a script allocates memory of a device, which it calls block, and reads a result. */
struct device_script {
	enum memory_kind memory;
	const char *imports;
	void (*add_memory)(struct reproduction *script, int64_t n_bytes);
	const char *array;   /* the elements of result in host memory */
	bool is_for_invalid; /* the dictionary of an invalid tensor requires it too */
};

static void add_usm(struct reproduction *script, int64_t n_bytes)
{
	ADD(script, "block = dpctl.memory.MemoryUSMShared(%lld)\n", (long long)n_bytes);
}

static void add_managed_memory(struct reproduction *script, int64_t n_bytes)
{
	ADD(script,
		"driver, context, address = ctypes.CDLL(\"libcuda.so.1\"), ctypes.c_void_p(), ctypes.c_uint64()\n"
		"driver.cuInit(0)\n"
		"driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)\n"
		"driver.cuCtxPushCurrent_v2(context)\n"
		"driver.cuMemAllocManaged(ctypes.byref(address), ctypes.c_size_t(%lld), 1)\n"
		"block = (ctypes.c_char * %lld).from_address(address.value)\n",
		(long long)n_bytes, (long long)n_bytes);
}

static const struct device_script device_scripts[] = {
	{ MEMORY_USM_SHARED, "import dpctl.memory\nimport dpnp\n", add_usm, "dpnp.asnumpy(result)",
		true },
	{ MEMORY_MANAGED, "import ctypes\n", add_managed_memory,
		"np.array((result.copy_to_host() if hasattr(result, \"copy_to_host\") else result).tolist())",
		false },
};

/* NULL: the memory of the script is the host's. */
static const struct device_script *find_device_script(const struct reproduction *script)
{
	for (size_t i = 0; i < sizeof(device_scripts) / sizeof(*device_scripts); i++)
		if (device_scripts[i].memory == script->interface->memory &&
			(device_scripts[i].is_for_invalid || consumer_case_is_legal(script->row)))
			return &device_scripts[i];
	return NULL;
}

static void add_case_memory(struct reproduction *script, const struct numbers *numbers)
{
	int64_t n_numbers = script->n_bytes / numbers->n_bytes;
	int64_t n_page_bytes = (script->row->misalignment + script->n_bytes) / PAGE_BYTES + 1;

	if (script->device)
		script->device->add_memory(script, n_page_bytes * PAGE_BYTES);
	ADD(script, "memory = np.frombuffer(%s, \"%s\", %lld, %d)\n",
		script->device ? "block"
			       : arena_printf(script->arena, "mmap.mmap(-1, %lld)",
					 (long long)n_page_bytes * PAGE_BYTES),
		numbers->kind, (long long)n_numbers, script->row->misalignment);
	if (script->has_layout && n_numbers)
		ADD(script, "memory[:] = np.arange(%lld) %s\n", (long long)n_numbers,
			numbers->values);
}

/* --- shape and strides --- */

/* "np.array([1] * 62 + [2, 3])" */
static const char *show_extents(const struct reproduction *script, const int64_t *items,
	int n_items, int64_t unit, int n_units)
{
	struct arena *arena = script->arena;
	const char *text = "";

	if (!n_items && !n_units)
		return "np.array([], int)";
	for (int i = 0; i < n_items; i++)
		text = arena_printf(arena, "%s%s%lld", text, i ? ", " : "", (long long)items[i]);
	return n_units ? arena_printf(arena, "np.array([%lld] * %d + [%s])", (long long)unit,
				 n_units, text)
		       : arena_printf(arena, "np.array([%s])", text);
}

static void add_extents(struct reproduction *script)
{
	const struct consumer_case *row = script->row;
	int64_t strides[CASE_MAX_DIMS], stride = 1;
	const char *shape = show_extents(script, row->shape, row->n_dims, 1, row->n_unit_dims);

	for (int i = row->n_dims - 1; i >= 0; i--) {
		strides[i] = row->has_strides ? row->strides[i] : stride;
		if (__builtin_mul_overflow(stride, row->shape[i], &stride))
			stride = INT64_MAX;
	}
	ADD(script, "shape, strides = %s, %s\n", shape,
		show_extents(script, strides, row->n_dims, stride, row->n_unit_dims));
}

/* "(12, 4)", "(8,) * 62 + (12, 4)" */
static const char *show_tuple(const struct reproduction *script, const int64_t *items)
{
	int n_units = script->row->n_unit_dims, n_items = script->row->n_dims;
	const char *tuple = words_tuple(script->arena, items + n_units, n_items);

	return n_units ? arena_printf(script->arena, "(%lld,) * %d + %s", (long long)*items,
				 n_units, tuple)
		       : tuple;
}

/* The array that NumPy exports, which has the elements as a consumer must read them. */
static void add_numpy_array(struct reproduction *script, const struct numbers *numbers)
{
	const struct array *layout = &script->layout;

	ADD(script, "expected = np.ndarray(%s, \"%s\", memory, %lld, %s)\n",
		show_tuple(script, layout->shape), numbers->kind, (long long)layout->pointer,
		show_tuple(script, layout->stride_bytes));
	if (script->row->flags & CASE_READONLY && !script->interface->has_items)
		ADD(script, "expected.flags.writeable = False\n");
}

/* The elements as a consumer must read them. */
static void add_expected(struct reproduction *script, const struct numbers *numbers)
{
	const struct dtype *dtype = &script->layout.dtype;
	long long offset = (long long)script->layout.pointer;

	if (dtype->lanes == 1)
		ADD(script, "expected = np.ndarray(shape, \"%s\", memory, %lld, strides * %lld)\n",
			numbers->kind, offset, (long long)numbers->n_bytes);
	else
		ADD(script,
			"expected = np.ndarray((*shape, %lld), \"%s\", memory, %lld, (*strides * %lld, %lld))\n",
			(long long)dtype->lanes, numbers->kind, offset,
			(long long)(dtype->lanes * numbers->n_bytes), (long long)numbers->n_bytes);
}

/* --- the struct --- */

static void add_tensor(struct reproduction *script)
{
	const struct consumer_case *row = script->row;
	bool is_float32 = !row->code && !row->bits && !row->lanes;
	int64_t skipped = (int64_t)script->layout.pointer - row->byte_offset;
	const char *data = "memory.ctypes.data";

	if (row->flags & CASE_NULL_DATA)
		data = "0";
	else if (skipped)
		data = arena_printf(script->arena, "%s %c %lld", data, skipped < 0 ? '-' : '+',
			(long long)(skipped < 0 ? -skipped : skipped));
	ADD(script,
		"# DLTensor: data, device type and id, ndim, code, bits, lanes, shape, strides, byte_offset\n"
		"tensor = (%s, %d, %d, %lld, %d, %d, %d, %s, %s, %llu)\n",
		data, row->device_type ? row->device_type : 1, row->device_id,
		row->ndim ? (long long)row->ndim : (long long)(row->n_unit_dims + row->n_dims),
		is_float32 ? 2 : row->code, is_float32 ? 32 : row->bits,
		is_float32 ? 1 : row->lanes,
		row->flags & CASE_NULL_SHAPE ? "0" : "shape.ctypes.data",
		row->flags & CASE_NULL_STRIDES ? "0" : "strides.ctypes.data",
		row->wrong_offset ? (unsigned long long)row->wrong_offset
				  : (unsigned long long)row->byte_offset);
}

/* Whether the struct of a row can also be a DLManagedTensor. */
static bool needs_version(const struct consumer_case *row)
{
	return row->major || row->exchange ||
	       row->flags & (CASE_READONLY | CASE_COPIED | CASE_UNKNOWN_FLAG);
}

static bool returns_capsule(const struct consumer_case *row)
{
	return !row->raises && (!row->result || row->result >= RESULT_DEVICE_NONE);
}

/* Whether NumPy's __dlpack__ makes such a tensor of an array. */
static bool is_exported_by_numpy(const struct reproduction *script, const struct numbers *numbers)
{
	const struct consumer_case *row = script->row;

	return script->has_layout && row->expectation == EXPECT_ELEMENTS && numbers->is_native &&
	       script->layout.dtype.lanes == 1 && !row->byte_offset && !row->major &&
	       !row->exchange && !(row->flags & ~(CASE_READONLY | CASE_LEGACY));
}

static void add_managed(struct reproduction *script)
{
	const struct consumer_case *row = script->row;
	const char *deleter = row->flags & CASE_NULL_DELETER ? "0" : "deleter.value";
	int context = !(row->flags & CASE_NULL_CONTEXT);
	int flags = (row->flags & CASE_READONLY ? 1 : 0) | (row->flags & CASE_COPIED ? 2 : 0) |
		    (row->flags & CASE_UNKNOWN_FLAG ? UNKNOWN_FLAG : 0);
	const char *packed;

	if (!(row->flags & CASE_NULL_DELETER))
		ADD(script,
			"deleter = ctypes.cast(ctypes.pythonapi.Py_IsInitialized, ctypes.c_void_p)  # does nothing\n");
	if (row->flags & CASE_GARBAGE)
		packed = arena_printf(script->arena,
			"struct.pack(\"IIPP\", %d, %d, %d, %s) + b\"\\xff\" * 56", row->major,
			row->minor, context, deleter);
	else if (row->flags & CASE_LEGACY)
		packed = arena_printf(script->arena,
			"struct.pack(\"PiiiBBHPPQPP\", *tensor, %d, %s)", context, deleter);
	else if (needs_version(row))
		packed = arena_printf(script->arena,
			"struct.pack(\"IIPPQPiiiBBHPPQ\", %d, %d, %d, %s, %d, *tensor)",
			row->major ? row->major : 1, row->minor, context, deleter, flags);
	else
		packed = arena_printf(script->arena,
			"struct.pack(\"IIPPQPiiiBBHPPQPP\", 1, 0, %d, %s, 0, *tensor, %d, %s)",
			context, deleter, context, deleter);
	ADD(script, "managed = ctypes.create_string_buffer(%s)\n", packed);
	ADD(script, "ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object\n");
}

/* --- the exporter --- */

static const char *capsule_name_of(struct reproduction *script, const char *name)
{
	if (script->row->capsule_name)
		name = script->row->capsule_name;
	return *name ? arena_printf(script->arena, "b\"%s\"", name) : "None";
}

static const char *capsule_of(struct reproduction *script, const char *pointer, const char *name)
{
	return arena_printf(script->arena, "ctypes.pythonapi.PyCapsule_New(%s, %s, None)", pointer,
		capsule_name_of(script, name));
}

static void add_export(struct reproduction *script)
{
	const struct consumer_case *row = script->row;
	const char *parameters = "**keywords", *indent = "        ";
	bool is_either = false;

	if (row->flags & CASE_NO_KEYWORDS)
		parameters = "stream=None";
	else if (returns_capsule(row) && needs_version(row))
		parameters = "*, max_version, **keywords";
	else if (returns_capsule(row) && !(row->flags & CASE_LEGACY)) {
		parameters = "max_version=None, **keywords";
		is_either = true;
	}
	ADD(script, "    def __dlpack__(self, %s):\n", parameters);
	if (row->flags & CASE_SLOW)
		ADD(script, "%stime.sleep(%.1f)\n", indent, CASE_SLOW_MS / 1000.0);
	if (row->raises)
		ADD(script, "%sraise %s(\"this exporter raises %s\")\n", indent, row->raises,
			row->raises);
	else if (row->result == RESULT_INT || row->result == RESULT_NONE ||
		 row->result == RESULT_BYTES)
		ADD(script, "%sreturn %s\n", indent,
			row->result == RESULT_INT    ? "42"
			: row->result == RESULT_NONE ? "None"
						     : "b\"dltensor\"");
	else if (row->flags & CASE_LEGACY)
		ADD(script, "%sreturn %s\n", indent, capsule_of(script, "managed", "dltensor"));
	else {
		if (is_either)
			ADD(script, "%sname, offset = (%s, 0) if max_version else (%s, %d)\n",
				indent, capsule_name_of(script, "dltensor_versioned"),
				capsule_name_of(script, "dltensor"), VERSIONED_HEAD_BYTES);
		ADD(script, "%sreturn %s\n", indent,
			is_either
				? "ctypes.pythonapi.PyCapsule_New(ctypes.byref(managed, offset), name, None)"
				: capsule_of(script, "managed", "dltensor_versioned"));
	}
	ADD(script, "\n");
}

/* The items of a dictionary that counts from the lowest address. */
static const char *show_offset(const struct reproduction *script)
{
	const struct array *layout = &script->layout;
	bool is_null = !script->has_layout || script->row->flags & CASE_NULL_DATA;

	if (!script->interface->has_offset)
		return "";
	return arena_printf(script->arena,
		",\n        \"offset\": %lld, \"syclobj\": block.sycl_queue",
		is_null ? 0LL
			: (long long)((int64_t)layout->pointer / dtype_itemsize(&layout->dtype)));
}

/* The dictionary of a protocol. */
static void add_interface_dict(struct reproduction *script)
{
	const struct consumer_case *row = script->row;
	const struct protocol *protocol = script->interface->protocol;
	int64_t shape[ARRAY_MAX_DIMS], stride_bytes[ARRAY_MAX_DIMS];
	const char *data = "memory.ctypes.data";
	struct array described;
	struct err ignored;
	int64_t n_bytes;
	char typestr[40];

	consumer_case_describe(row, &described, &n_bytes); /* the type, whatever the layout is */
	dtype_to_typestr(&described.dtype, typestr, &ignored);
	consumer_case_extents(row, shape, stride_bytes);
	if (row->flags & CASE_NULL_DATA)
		data = "0";
	else if (script->layout.pointer && !script->interface->has_offset)
		data = arena_printf(
			script->arena, "%s + %lld", data, (long long)script->layout.pointer);
	for (int i = 0; protocol->counts_elements && i < described.n_dims; i++)
		stride_bytes[i] /= dtype_itemsize(&described.dtype);
	ADD(script,
		"    %s = {\"version\": %d, \"shape\": %s, \"typestr\": \"%s\",\n"
		"        \"strides\": %s, \"data\": (%s, %s)%s}%s%s\n\n\n",
		protocol->attribute, script->interface->version, show_tuple(script, shape), typestr,
		show_tuple(script, stride_bytes), data,
		row->flags & CASE_READONLY ? "True" : "False", show_offset(script),
		row->items ? " | " : "", row->items ? row->items : "");
}

/* An object whose type is not NumPy's, which consumers may treat differently. */
static void add_numpy_class(struct reproduction *script)
{
	if (script->interface->release == RELEASE_BUFFER) {
		ADD(script, "\n\ndef Tensor():\n    return memoryview(expected)\n\n\n");
		return;
	}
	ADD(script, "\n\nclass Tensor:\n");
	if (script->interface->has_items)
		add_interface_dict(script);
	else if (!script->interface->has_structs)
		ADD(script, "    %s = expected.%s\n\n\n", script->interface->shown,
			script->interface->shown);
	else if (script->row->flags & CASE_LEGACY)
		ADD(script,
			"    def __dlpack__(self, **keywords):\n        return expected.__dlpack__()\n\n"
			"    __dlpack_device__ = expected.__dlpack_device__\n\n\n");
	else
		ADD(script,
			"    __dlpack__, __dlpack_device__ = expected.__dlpack__, expected.__dlpack_device__\n\n\n");
}

static void add_class(struct reproduction *script, bool has_struct)
{
	const struct consumer_case *row = script->row;
	const char *device = arena_printf(script->arena, "(%d, %d)",
		row->asked_device_type ? row->asked_device_type : 1, row->device_id);

	ADD(script, "%sclass Tensor:\n", has_struct ? "\n\n" : "");
	if (!(row->flags & CASE_NO_METHOD))
		add_export(script);
	if (row->raises_device)
		ADD(script,
			"    def __dlpack_device__(self):\n        raise %s(\"this exporter raises %s\")\n\n\n",
			row->raises_device, row->raises_device);
	else
		ADD(script, "    __dlpack_device__ = lambda self: %s\n\n\n",
			row->result == RESULT_DEVICE_NONE   ? "None"
			: row->result == RESULT_DEVICE_TEXT ? "\"cpu\""
			: row->result == RESULT_DEVICE_LONG ? "(1, 0, 0)"
							    : device);
}

/* The table of the C exchange API with its only function that consumers of these cases call. */
static void add_exchange_table(struct reproduction *script)
{
	enum case_exchange exchange = script->row->exchange;
	bool is_newer = exchange == EXCHANGE_CHAIN || exchange == EXCHANGE_MAJOR;

	if (exchange != EXCHANGE_MAJOR)
		ADD(script,
			"@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))\n"
			"def export(tensor, out):\n    out[0] = ctypes.addressof(managed)\n    return 0\n\n\n"
			"functions = (0, 0, ctypes.cast(export, ctypes.c_void_p).value, 0, 0, 0)\n"
			"table = ctypes.create_string_buffer(struct.pack(\"II6P\", 1, 3, *functions))\n");
	if (is_newer)
		ADD(script,
			"newer = ctypes.create_string_buffer(struct.pack(\"IIP\", 2, 0, %s) + b\"\\xff\" * 40)\n",
			exchange == EXCHANGE_CHAIN ? "ctypes.addressof(table)" : "0");
	ADD(script,
		"Tensor.__dlpack_c_exchange_api__ = ctypes.pythonapi.PyCapsule_New(%s, b\"%s\", None)\n",
		is_newer ? "newer" : "table",
		exchange == EXCHANGE_NAME ? "dlpack_exchange_api2" : "dlpack_exchange_api");
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

static void add_imports(struct reproduction *script, const struct job_call *call,
	const struct reproduce_names *names, bool has_struct, bool has_memory)
{
	ADD(script, "%s%s%s%s", has_struct ? "import ctypes\n" : "",
		has_memory && !script->device ? "import mmap\n" : "",
		names->file ? "import runpy\n" : "", has_struct ? "import struct\n" : "");
	if (script->row->flags & CASE_SLOW)
		ADD(script, "import time\n");
	if (script->text.n_bytes && !names->file)
		ADD(script, "\n");
	if (script->device)
		ADD(script, "%s", script->device->imports);
	if (call->module && strcmp(call->module, "numpy") != 0 &&
		!(script->device && strstr(script->device->imports, call->module)))
		ADD(script, "import %s\n", call->module);
	if (!call->module && !names->file && !names->code)
		add_expression_imports(script, call->expression);
	if (call->module && !strcmp(call->module, "numpy"))
		ADD(script, "import numpy\n");
	if (has_memory)
		ADD(script, "%simport numpy as np\n", names->file ? "\n" : "");
	if (names->code && *names->code)
		ADD(script, "%s%s\n", script->text.n_bytes ? "\n" : "", names->code);
	if (script->text.n_bytes)
		ADD(script, has_struct || has_memory ? "\n" : "\n\n");
}

/* The expression that passes the object. */
static const char *add_call(struct reproduction *script, const struct job_call *call,
	const struct reproduce_names *names)
{
	if (call->module)
		return arena_printf(script->arena, "%s.%s(Tensor())", call->module, call->function);
	ADD(script, "_ = Tensor()\n");
	return names->file
		       ? arena_printf(script->arena, "eval(%s, runpy.run_path(%s) | {\"_\": _})",
				 quote(script->arena, call->expression),
				 quote(script->arena, names->file))
		       : call->expression;
}

static void add_check(
	struct reproduction *script, const struct numbers *numbers, const char *passed)
{
	const struct consumer_case *row = script->row;

	if (row->expectation != EXPECT_ELEMENTS) {
		ADD(script, "print(\"accepted:\", type(%s))\n", passed);
		return;
	}
	if (script->device)
		ADD(script, "result = %s\n", passed);
	if (script->device && !array_elements(&script->layout)) {
		ADD(script, "assert tuple(result.shape) == expected.shape, result\n");
		return;
	}
	if (script->device)
		ADD(script, "array = %s\n", script->device->array);
	else if (!script->interface->has_structs)
		ADD(script, "array = np.asarray(%s)\n", passed);
	else if (numbers->is_native)
		ADD(script, "array = np.from_dlpack(%s)\n", passed);
	else
		ADD(script, "array = np.asarray(%s).view(\"%s\")\n", passed, numbers->kind);
	ADD(script, "assert np.array_equal(array, expected), (array, expected)\n");
	if (row->flags & CASE_READONLY && !script->device)
		ADD(script,
			"assert not (array.flags.writeable and np.shares_memory(array, memory))\n");
}

const char *reproduce_script(struct arena *arena, const struct consumer_case *row,
	const struct tensor_interface *interface, const struct job_call *call,
	const struct reproduce_names *names)
{
	struct reproduction script = {
		.arena = arena, .row = row, .interface = interface, .n_bytes = 24
	};
	static const char *const expectations[] = { "these elements, or an exception",
		"an exception", "an exception; a process that ends is a defect" };
	struct numbers numbers = { "u1", NULL, 1, true };
	bool is_of_dlpack = interface->has_structs;
	bool has_struct, has_memory;
	const char *text;

	script.has_layout = consumer_case_describe(row, &script.layout, &script.n_bytes) &&
			    script.layout.dtype.bits % 8 == 0;
	/* The type of a row that fits another protocol is known, whatever its layout is. */
	if (script.has_layout || !is_of_dlpack)
		numbers = numbers_of(arena, &script.layout.dtype);
	if (!script.has_layout)
		script.layout = (struct array){ .n_dims = 0 };
	script.is_of_numpy = is_of_dlpack && is_exported_by_numpy(&script, &numbers);
	has_struct = is_of_dlpack && returns_capsule(row) && !(row->flags & CASE_NO_METHOD) &&
		     !script.is_of_numpy;
	has_memory =
		!is_of_dlpack || script.is_of_numpy || (has_struct && !(row->flags & CASE_GARBAGE));
	script.device = find_device_script(&script);
	add_imports(&script, call, names, has_struct, has_memory);
	ADD(&script, "# %s: %s.\n# Expected: %s.\n", row->id, row->about,
		expectations[row->expectation]);
	if (has_memory)
		add_case_memory(&script, &numbers);
	if (script.is_of_numpy || !is_of_dlpack) {
		if (row->expectation == EXPECT_ELEMENTS)
			add_numpy_array(&script, &numbers);
		add_numpy_class(&script);
	} else if (has_memory) {
		add_extents(&script);
		if (row->expectation == EXPECT_ELEMENTS)
			add_expected(&script, &numbers);
		add_tensor(&script);
	}
	if (has_struct)
		add_managed(&script);
	if (!script.is_of_numpy && is_of_dlpack)
		add_class(&script, has_struct);
	if (has_struct && row->exchange)
		add_exchange_table(&script);
	add_check(&script, &numbers, add_call(&script, call, names));
	text = arena_copy(arena, script.text.bytes, script.text.n_bytes);
	text_free(&script.text);
	return text;
}
