// SPDX-License-Identifier: MIT
/* The table of cases. Sections of dlpack.h 1.3 are named where the reason is not obvious. */
#include "consumers/cases.h"

#include "base/text.h"
#include "consumers/draw.h"

#include <string.h>

#define DIMS(...)                                                              \
	.n_dims = (int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), \
	.shape = { __VA_ARGS__ }
#define STRIDES(...) .has_strides = true, .strides = { __VA_ARGS__ }
#define TYPE(CODE, BITS) .code = (CODE), .bits = (BITS), .lanes = 1
#define VECTOR(CODE, BITS, LANES) .code = (CODE), .bits = (BITS), .lanes = (LANES)
#define PLAIN DIMS(2, 3)
#define ILLEGAL .expectation = EXPECT_REJECTION
#define RAISES(NAME) .expectation = EXPECT_EXCEPTION, .raises = (NAME), PLAIN

/* DLDataTypeCode. */
enum { INT, UINT, FLOAT, OPAQUE, BFLOAT, COMPLEX, BOOL };

const struct consumer_case consumer_cases[] = {
	/* --- element types --- */
	{ "float32", "elements of float32, in C order", PLAIN },
	{ "float64", "elements of float64", TYPE(FLOAT, 64), PLAIN },
	{ "float16", "elements of float16", TYPE(FLOAT, 16), PLAIN },
	{ "bfloat16", "elements of bfloat16", TYPE(BFLOAT, 16), PLAIN },
	{ "bool", "elements of bool", TYPE(BOOL, 8), PLAIN },
	{ "int8", "elements of int8", TYPE(INT, 8), PLAIN },
	{ "int16", "elements of int16", TYPE(INT, 16), PLAIN },
	{ "int32", "elements of int32", TYPE(INT, 32), PLAIN },
	{ "int64", "elements of int64 beyond the range of int32", TYPE(INT, 64), PLAIN },
	{ "uint8", "elements of uint8", TYPE(UINT, 8), PLAIN },
	{ "uint16", "elements of uint16", TYPE(UINT, 16), PLAIN },
	{ "uint32", "elements of uint32", TYPE(UINT, 32), PLAIN },
	{ "uint64", "elements of uint64 beyond the range of int64", TYPE(UINT, 64), PLAIN },
	{ "complex64", "elements of complex64", TYPE(COMPLEX, 64), PLAIN },
	{ "complex128", "elements of complex128", TYPE(COMPLEX, 128), PLAIN },
	{ "float8_e3m4", "elements of float8_e3m4", TYPE(7, 8), PLAIN },
	{ "float8_e4m3", "elements of float8_e4m3", TYPE(8, 8), PLAIN },
	{ "float8_e4m3b11fnuz", "elements of float8_e4m3b11fnuz", TYPE(9, 8), PLAIN },
	{ "float8_e4m3fn", "elements of float8_e4m3fn", TYPE(10, 8), PLAIN },
	{ "float8_e4m3fnuz", "elements of float8_e4m3fnuz", TYPE(11, 8), PLAIN },
	{ "float8_e5m2", "elements of float8_e5m2", TYPE(12, 8), PLAIN },
	{ "float8_e5m2fnuz", "elements of float8_e5m2fnuz", TYPE(13, 8), PLAIN },
	{ "float8_e8m0fnu", "elements of float8_e8m0fnu", TYPE(14, 8), PLAIN },
	{ "lanes-4", "vectors of 4 float32 as elements", VECTOR(FLOAT, 32, 4), PLAIN },
	{ "lanes-2", "vectors of 2 int16 as elements", VECTOR(INT, 16, 2), DIMS(3) },
	{ "lanes-3", "vectors of 3 uint8 as elements", VECTOR(UINT, 8, 3), DIMS(2, 2) },

	/* --- shapes --- */
	{ "scalar", "0 dimensions", .n_dims = 0 },
	{ "scalar-null", "0 dimensions and NULL as shape and strides",
		.flags = CASE_NULL_SHAPE | CASE_NULL_STRIDES },
	{ "one-dimension", "1 dimension", DIMS(5) },
	{ "one-element", "1 element", DIMS(1) },
	{ "three-dimensions", "3 dimensions", DIMS(2, 3, 2) },
	{ "eight-dimensions", "8 dimensions", DIMS(2, 1, 2, 1, 2, 1, 2, 1) },
	{ "64-dimensions", "64 dimensions", PLAIN, .n_unit_dims = 62 },
	{ "long", "1000 elements", DIMS(1000) },
	{ "empty", "an extent of 0 and NULL as data", DIMS(0), .flags = CASE_NULL_DATA },
	{ "empty-2d", "an extent of 0 in the middle", DIMS(2, 0, 3), .flags = CASE_NULL_DATA },
	{ "empty-address", "an extent of 0 and an address as data", DIMS(0, 4) },
	{ "empty-strides", "an extent of 0 and strides of a larger array", DIMS(0, 4),
		STRIDES(1000, 7), .flags = CASE_NULL_DATA },
	{ "unit-stride", "a large stride in a dimension of extent 1", DIMS(1, 3), STRIDES(999, 1) },
	{ "unit-negative", "a negative stride in a dimension of extent 1", DIMS(3, 1),
		STRIDES(1, -7) },
	{ "unit-zero", "a stride of 0 in a dimension of extent 1", DIMS(1, 3), STRIDES(0, 1) },

	/* --- strides --- */
	{ "fortran", "Fortran order", DIMS(2, 3), STRIDES(1, 2) },
	{ "fortran-3d", "Fortran order in 3 dimensions", DIMS(2, 3, 4), STRIDES(1, 2, 6) },
	{ "permuted", "the dimensions permuted", DIMS(3, 4, 2), STRIDES(2, 6, 1) },
	{ "padded-rows", "padding after each row", DIMS(3, 3), STRIDES(5, 1) },
	/* The tensors below end at the guard page: a copy of whole rows or steps reaches it. */
	{ "padded-rows-64", "64 bytes with padding after each row but the last", DIMS(3, 4),
		STRIDES(6, 1) },
	{ "every-third-64", "64 bytes with a stride of 3", DIMS(6), STRIDES(3) },
	{ "every-second", "a stride of 2", DIMS(5), STRIDES(2) },
	{ "every-third-int8", "a stride of 3 in int8", TYPE(INT, 8), DIMS(7), STRIDES(3) },
	{ "both-strided", "gaps in both dimensions", DIMS(2, 3), STRIDES(8, 2) },
	{ "negative", "a negative stride", DIMS(5), STRIDES(-1) },
	{ "negative-rows", "a negative stride in the first dimension", DIMS(3, 2), STRIDES(-2, 1) },
	{ "negative-columns", "a negative stride in the last dimension", DIMS(2, 3),
		STRIDES(3, -1) },
	{ "negative-both", "negative strides in both dimensions", DIMS(2, 3), STRIDES(-3, -1) },
	{ "negative-step", "a stride of -2 in float64", TYPE(FLOAT, 64), DIMS(4), STRIDES(-2) },
	{ "broadcast", "a stride of 0", DIMS(3, 4), STRIDES(0, 1) },
	{ "broadcast-columns", "a stride of 0 in the last dimension", DIMS(3, 4), STRIDES(1, 0) },
	{ "broadcast-one", "one element in every place", DIMS(4), STRIDES(0) },
	{ "overlapping", "rows that overlap", DIMS(4, 3), STRIDES(1, 1) },

	/* --- byte_offset and alignment --- */
	{ "offset", "a byte_offset of 8", DIMS(2, 3), .byte_offset = 8 },
	{ "offset-1d", "a byte_offset of 4 in 1 dimension", DIMS(5), .byte_offset = 4 },
	{ "offset-odd", "a byte_offset of 3 in uint8", TYPE(UINT, 8), DIMS(9), .byte_offset = 3 },
	{ "offset-64", "a byte_offset of 64", TYPE(FLOAT, 64), DIMS(2, 2), .byte_offset = 64 },
	{ "offset-page", "a byte_offset of 4096", DIMS(3), .byte_offset = 4096 },
	{ "offset-scalar", "a byte_offset of 8 and 0 dimensions", TYPE(INT, 32), .byte_offset = 8 },
	{ "offset-strided", "a byte_offset of 12 and Fortran order", DIMS(2, 3), STRIDES(1, 2),
		.byte_offset = 12 },
	{ "offset-negative", "a byte_offset of 16 and a negative stride", DIMS(5), STRIDES(-1),
		.byte_offset = 16 },
	{ "aligned-4", "data 4 bytes past a multiple of 64", DIMS(2, 3), .misalignment = 4 },
	{ "aligned-8", "data 8 bytes past a multiple of 64", TYPE(FLOAT, 64), DIMS(2, 3),
		.misalignment = 8 },
	{ "aligned-16", "data 16 bytes past a multiple of 64", DIMS(2, 3), .misalignment = 16 },
	{ "aligned-32", "data 32 bytes past a multiple of 64", DIMS(17), .misalignment = 32 },
	{ "aligned-40", "data 40 bytes past a multiple of 64", DIMS(2, 3), .misalignment = 40 },
	{ "aligned-53", "data 53 bytes past a multiple of 64 in uint8", TYPE(UINT, 8), DIMS(11),
		.misalignment = 53 },
	{ "aligned-1", "data at an odd address in uint8", TYPE(UINT, 8), DIMS(11),
		.misalignment = 1 },

	/* --- the struct --- */
	{ "legacy", "a DLManagedTensor, without a version", PLAIN, .flags = CASE_LEGACY },
	{ "legacy-null-strides", "a DLManagedTensor with NULL as strides", PLAIN,
		.flags = CASE_LEGACY | CASE_NULL_STRIDES },
	{ "legacy-strided", "a DLManagedTensor in Fortran order", DIMS(2, 3), STRIDES(1, 2),
		.flags = CASE_LEGACY },
	{ "legacy-offset", "a DLManagedTensor with a byte_offset of 8", PLAIN, .byte_offset = 8,
		.flags = CASE_LEGACY },
	{ "legacy-null-deleter", "a DLManagedTensor with NULL as deleter", PLAIN,
		.flags = CASE_LEGACY | CASE_NULL_DELETER },
	{ "version-1.0", "version 1.0", PLAIN, .major = 1 },
	{ "null-strides-1.0", "version 1.0 and NULL as strides", PLAIN, .major = 1,
		.flags = CASE_NULL_STRIDES },
	{ "null-strides-1.1", "version 1.1 and NULL as strides", DIMS(4), .major = 1, .minor = 1,
		.flags = CASE_NULL_STRIDES },
	{ "version-1.99", "version 1.99, a minor version of the future", PLAIN, .major = 1,
		.minor = 99 },
	{ "copied", "the flag IS_COPIED", PLAIN, .flags = CASE_COPIED },
	{ "unknown-flag", "version 1.99 and a flag that dlpack.h 1.3 does not define", PLAIN,
		.major = 1, .minor = 99, .flags = CASE_UNKNOWN_FLAG },
	{ "read-only", "the flag READ_ONLY", PLAIN, .flags = CASE_READONLY },
	{ "read-only-strided", "the flag READ_ONLY and a stride of 2", DIMS(4), STRIDES(2),
		.flags = CASE_READONLY },
	{ "read-only-scalar", "the flag READ_ONLY and 0 dimensions", .flags = CASE_READONLY },
	{ "null-deleter", "NULL as deleter", PLAIN, .flags = CASE_NULL_DELETER },
	{ "null-context", "NULL as manager_ctx", PLAIN, .flags = CASE_NULL_CONTEXT },

	/* --- the exporter --- */
	{ "no-keywords", "an exporter that accepts no keyword but stream", PLAIN,
		.flags = CASE_LEGACY | CASE_NO_KEYWORDS },
	{ "slow", "an exporter that takes 0.3 s", PLAIN, .flags = CASE_SLOW },
	{ "raises-BufferError", "an exporter that raises BufferError", RAISES("BufferError") },
	{ "raises-TypeError", "an exporter that raises TypeError", RAISES("TypeError") },
	{ "raises-AttributeError", "an exporter that raises AttributeError",
		RAISES("AttributeError") },
	{ "raises-ValueError", "an exporter that raises ValueError", RAISES("ValueError") },
	{ "raises-MemoryError", "an exporter that raises MemoryError", RAISES("MemoryError") },
	{ "device-raises", "a __dlpack_device__ that raises RuntimeError", PLAIN,
		.expectation = EXPECT_EXCEPTION, .raises_device = "RuntimeError" },
	{ "no-method", "no method __dlpack__", PLAIN, .expectation = EXPECT_EXCEPTION,
		.flags = CASE_NO_METHOD },

	/* --- the C exchange API, next to __dlpack__ --- */
	{ "exchange", "the C exchange API", PLAIN, .exchange = EXCHANGE_TABLE },
	{ "exchange-int64", "the C exchange API and int64", TYPE(INT, 64), DIMS(4),
		.exchange = EXCHANGE_TABLE },
	{ "exchange-scalar", "the C exchange API and 0 dimensions", .exchange = EXCHANGE_TABLE },
	{ "exchange-empty", "the C exchange API and an extent of 0", DIMS(2, 0),
		.exchange = EXCHANGE_TABLE },
	{ "exchange-fortran", "the C exchange API and Fortran order", DIMS(2, 3), STRIDES(1, 2),
		.exchange = EXCHANGE_TABLE },
	{ "exchange-negative", "the C exchange API and a negative stride", DIMS(5), STRIDES(-1),
		.exchange = EXCHANGE_TABLE },
	{ "exchange-offset", "the C exchange API and a byte_offset of 8", DIMS(2, 3),
		.byte_offset = 8, .exchange = EXCHANGE_TABLE },
	{ "exchange-aligned-4", "the C exchange API and data 4 bytes past a multiple of 64",
		DIMS(2, 3), .misalignment = 4, .exchange = EXCHANGE_TABLE },
	{ "exchange-read-only", "the C exchange API and the flag READ_ONLY", PLAIN,
		.flags = CASE_READONLY, .exchange = EXCHANGE_TABLE },
	{ "exchange-chain", "a C exchange API of version 2.0, and as prev_api one of version 1.3",
		PLAIN, .exchange = EXCHANGE_CHAIN },
	{ "exchange-raises", "a C exchange API that raises BufferError, as __dlpack__ does",
		RAISES("BufferError"), .exchange = EXCHANGE_RAISES },

	/* --- protocols other than DLPack --- */
	{ "swapped", "elements of float32 in the other byte order", PLAIN, .flags = CASE_SWAPPED },
	{ "swapped-int16", "elements of int16 in the other byte order", TYPE(INT, 16), DIMS(4),
		STRIDES(2), .flags = CASE_SWAPPED },
	{ "swapped-float64", "elements of float64 in the other byte order", TYPE(FLOAT, 64),
		DIMS(3, 2), .flags = CASE_SWAPPED },
	{ "swapped-complex64", "elements of complex64 in the other byte order", TYPE(COMPLEX, 64),
		DIMS(3), .flags = CASE_SWAPPED },
	{ "strides-none", "None as strides", PLAIN, .items = "{'strides': None}" },
	{ "descr", "a descr that repeats typestr", PLAIN, .items = "{'descr': [('', '<f4')]}",
		.only = PROTOCOL_NUMPY " " PROTOCOL_CUDA },

	/* --- what violates the document of a dictionary --- */
	{ "typestr-unknown", "a typestr of an unknown kind, <q4", ILLEGAL, PLAIN,
		.items = "{'typestr': '<q4'}" },
	{ "typestr-none", "None as typestr", ILLEGAL, PLAIN, .items = "{'typestr': None}" },
	{ "typestr-size", "a float of 5 bytes as typestr", ILLEGAL, PLAIN,
		.items = "{'typestr': '<f5'}" },
	{ "shape-none", "None as shape", ILLEGAL, PLAIN, .items = "{'shape': None}" },
	{ "shape-text", "a str as an extent", ILLEGAL, PLAIN, .items = "{'shape': ('2', 3)}" },
	{ "shape-huge", "an extent of 2^64", ILLEGAL, PLAIN, .items = "{'shape': (2**64, 3)}" },
	{ "shape-long", "65 dimensions", ILLEGAL, PLAIN, .items = "{'shape': (1,) * 65}" },
	{ "strides-short", "fewer strides than extents", ILLEGAL, PLAIN,
		.items = "{'strides': (4,)}" },
	{ "strides-text", "a str as strides", ILLEGAL, PLAIN, .items = "{'strides': '12'}" },
	{ "data-text", "a str as the address", ILLEGAL, PLAIN, .items = "{'data': ('x', False)}" },
	{ "data-short", "only an address as data", ILLEGAL, PLAIN, .items = "{'data': (4096,)}" },
	{ "data-number", "a number as data", ILLEGAL, PLAIN, .items = "{'data': 4096}" },
	{ "version-text", "a str as version", ILLEGAL, PLAIN, .items = "{'version': 'three'}" },
	{ "stream-zero", "0 as stream, which is ambiguous", ILLEGAL, PLAIN,
		.items = "{'stream': 0}", .only = PROTOCOL_CUDA },
	{ "stream-text", "a str as stream", ILLEGAL, PLAIN, .items = "{'stream': 'x'}",
		.only = PROTOCOL_CUDA },
	{ "stream-legacy", "the legacy default stream as stream", PLAIN, .items = "{'stream': 1}",
		.only = PROTOCOL_CUDA },
	{ "stream-thread", "the per-thread default stream as stream", PLAIN,
		.items = "{'stream': 2}", .only = PROTOCOL_CUDA },
	{ "version-2", "version 2, which has no stream", PLAIN, .items = "{'version': 2}",
		.only = PROTOCOL_CUDA },
	{ "syclobj-none", "None as syclobj", ILLEGAL, PLAIN, .items = "{'syclobj': None}",
		.only = PROTOCOL_SYCL },
	{ "syclobj-object", "an object without a queue as syclobj", ILLEGAL, PLAIN,
		.items = "{'syclobj': ()}", .only = PROTOCOL_SYCL },
	{ "offset-text", "a str as offset", ILLEGAL, PLAIN, .items = "{'offset': 'x'}",
		.only = PROTOCOL_SYCL },
	{ "address-unknown", "an address that is not USM", ILLEGAL, PLAIN,
		.items = "{'data': (4096, False)}", .only = PROTOCOL_SYCL },

	/* --- what violates the protocol: the capsule --- */
	{ "name-unknown", "a capsule of another name, dltensor2", ILLEGAL, PLAIN,
		.capsule_name = "dltensor2" },
	{ "name-null", "a capsule without a name", ILLEGAL, PLAIN, .capsule_name = "" },
	{ "name-used", "a capsule that was consumed before, used_dltensor_versioned", ILLEGAL,
		PLAIN, .capsule_name = "used_dltensor_versioned" },
	{ "name-used-legacy", "a capsule that was consumed before, used_dltensor", ILLEGAL, PLAIN,
		.flags = CASE_LEGACY, .capsule_name = "used_dltensor" },
	{ "returns-int", "an int as the result of __dlpack__", ILLEGAL, PLAIN,
		.result = RESULT_INT },
	{ "returns-none", "None as the result of __dlpack__", ILLEGAL, PLAIN,
		.result = RESULT_NONE },
	{ "returns-bytes", "bytes as the result of __dlpack__", ILLEGAL, PLAIN,
		.result = RESULT_BYTES },
	{ "device-none", "None as the result of __dlpack_device__", ILLEGAL, PLAIN,
		.result = RESULT_DEVICE_NONE },
	{ "device-text", "a str as the result of __dlpack_device__", ILLEGAL, PLAIN,
		.result = RESULT_DEVICE_TEXT },
	{ "device-long", "three numbers as the result of __dlpack_device__", ILLEGAL, PLAIN,
		.result = RESULT_DEVICE_LONG },

	/* --- the C exchange API --- */
	{ "exchange-major-2", "a C exchange API of version 2.0 without prev_api", ILLEGAL, PLAIN,
		.exchange = EXCHANGE_MAJOR },
	{ "exchange-name", "a C exchange API in a capsule of another name", ILLEGAL, PLAIN,
		.exchange = EXCHANGE_NAME },

	/* --- the struct --- */
	{ "major-2", "version 2.0, whose fields after the deleter have another meaning", ILLEGAL,
		PLAIN, .major = 2, .flags = CASE_GARBAGE },
	{ "major-1000", "version 1000.0 and the fields of version 1.3", ILLEGAL, PLAIN,
		.major = 1000 },
	{ "null-strides-1.3", "version 1.3 and NULL as strides", ILLEGAL, PLAIN, .major = 1,
		.minor = 3, .flags = CASE_NULL_STRIDES },
	{ "null-shape", "NULL as shape", ILLEGAL, PLAIN, .flags = CASE_NULL_SHAPE },
	{ "null-data", "NULL as data", ILLEGAL, PLAIN, .flags = CASE_NULL_DATA },
	{ "ndim-negative", "-1 as ndim", ILLEGAL, PLAIN, .ndim = -1 },
	{ "ndim-huge", "2147483647 as ndim", ILLEGAL, PLAIN, .ndim = INT32_MAX },
	{ "extent-negative", "a negative extent", ILLEGAL, DIMS(-2, 3) },
	{ "extents-negative", "two negative extents", ILLEGAL, DIMS(-2, -3) },
	{ "extents-overflow", "more than 2^64 elements", ILLEGAL,
		DIMS(INT64_C(1) << 40, INT64_C(1) << 40) },
	{ "bytes-overflow", "more than 2^64 bytes", ILLEGAL, TYPE(FLOAT, 64),
		DIMS(INT64_C(1) << 62) },
	{ "strides-overflow", "a stride that overflows", ILLEGAL, DIMS(2, 3),
		STRIDES(INT64_MAX / 2, 1) },
	{ "strides-minimum", "the least int64 as a stride", ILLEGAL, DIMS(2), STRIDES(INT64_MIN) },
	{ "offset-huge", "a byte_offset of 2^63", ILLEGAL, PLAIN,
		.wrong_offset = UINT64_C(1) << 63 },
	{ "bits-0", "0 as bits", ILLEGAL, .code = FLOAT, .lanes = 1, PLAIN },
	{ "bits-7", "7 bits in an integer", ILLEGAL, TYPE(INT, 7), PLAIN },
	{ "bits-33", "33 bits in a float", ILLEGAL, TYPE(FLOAT, 33), PLAIN },
	{ "bits-bool", "1 bit in a bool", ILLEGAL, TYPE(BOOL, 1), PLAIN },
	{ "bits-complex", "24 bits in a complex number", ILLEGAL, TYPE(COMPLEX, 24), PLAIN },
	{ "lanes-0", "0 as lanes", ILLEGAL, .code = FLOAT, .bits = 32, PLAIN },
	{ "code-unknown", "99 as the code of the type", ILLEGAL, TYPE(99, 32), PLAIN },
	{ "code-opaque", "an opaque handle as the type", ILLEGAL, TYPE(OPAQUE, 64), PLAIN },
	{ "device-unknown", "99 as the type of the device", ILLEGAL, PLAIN, .device_type = 99,
		.asked_device_type = 99 },
	{ "device-id-negative", "-1 as the id of the device", ILLEGAL, PLAIN, .device_id = -1 },
	{ "device-disagrees", "a struct on CUDA, though __dlpack_device__ returns the CPU", ILLEGAL,
		PLAIN, .device_type = 2 },
	{ "device-disagrees-cpu", "a struct on the CPU, though __dlpack_device__ returns Vulkan",
		ILLEGAL, PLAIN, .asked_device_type = 7 },
	{ 0 },
};

const struct consumer_case *consumer_case_find(struct arena *arena, const char *id)
{
	for (const struct consumer_case *row = consumer_cases; row->id; row++)
		if (!strcmp(row->id, id))
			return row;
	return consumer_case_draw(arena, id);
}

bool consumer_case_is_legal(const struct consumer_case *row)
{
	return row->expectation != EXPECT_REJECTION;
}

/* The type; float32 unless the row has another one. */
static bool describe_case_type(const struct consumer_case *row, struct dtype *dtype)
{
	bool is_default = !row->code && !row->bits && !row->lanes;
	struct err ignored;

	if (is_default ? dtype_from_dlpack(dtype, FLOAT, 32, 1, &ignored)
		       : dtype_from_dlpack(dtype, row->code, row->bits, row->lanes, &ignored))
		return false;
	dtype->foreign_order = row->flags & CASE_SWAPPED;
	return true;
}

/* Whether the row differs from a plain tensor in what only dlpack.h has. */
static bool has_dlpack_fields(const struct consumer_case *row)
{
	const int flags = CASE_READONLY | CASE_SWAPPED | CASE_NULL_DATA;

	/* No consumer of an address can check strides against the size of the memory. */
	if (row->expectation == EXPECT_REJECTION && row->has_strides)
		return true;
	return row->flags & ~flags || row->wrong_offset || row->capsule_name || row->major ||
	       row->ndim || row->device_type || row->device_id || row->asked_device_type ||
	       row->exchange || row->result || row->raises_device ||
	       row->expectation == EXPECT_EXCEPTION;
}

bool consumer_case_fits(const struct consumer_case *row, const struct tensor_interface *interface)
{
	struct dtype dtype;

	if (row->items && !interface->has_items)
		return false;
	if (row->only && !text_lists_word(row->only, interface->protocol->name))
		return false;
	if (row->flags & CASE_SWAPPED && !interface->has_byte_order)
		return false;
	if (interface->has_structs)
		return true;
	if (row->expectation != EXPECT_ELEMENTS && !interface->has_items)
		return false;
	if (row->byte_offset && !interface->has_offset)
		return false;
	return !has_dlpack_fields(row) && describe_case_type(row, &dtype) &&
	       interface->has_type(&dtype);
}

const struct consumer_case *consumer_case_find_for(
	struct arena *arena, const char *id, const struct tensor_interface *interface)
{
	const struct consumer_case *row = consumer_case_find(arena, id);

	if (row && !consumer_case_fits(row, interface))
		row = consumer_case_draw_for(arena, id, interface);
	return row && consumer_case_fits(row, interface) ? row : NULL;
}

int consumer_case_extents(const struct consumer_case *row, int64_t *shape, int64_t *stride_bytes)
{
	int n_dims = row->n_unit_dims + row->n_dims;
	int64_t stride = 0;
	struct dtype dtype;

	if (describe_case_type(row, &dtype))
		stride = dtype_itemsize(&dtype);
	for (int i = n_dims - 1, at = row->n_dims - 1; i >= 0; i--, at--) {
		shape[i] = at < 0 ? 1 : row->shape[at];
		stride_bytes[i] = stride;
		if (at >= 0 && row->has_strides &&
			__builtin_mul_overflow(
				row->strides[at], dtype_itemsize(&dtype), &stride_bytes[i]))
			stride_bytes[i] = row->strides[at] < 0 ? INT64_MIN : INT64_MAX;
		if (shape[i] > 1 && __builtin_mul_overflow(stride, shape[i], &stride))
			stride = INT64_MAX;
	}
	return n_dims;
}

bool consumer_case_describe(const struct consumer_case *row, struct array *array, int64_t *n_bytes)
{
	uint64_t low, high;
	int64_t item_bytes;
	struct err ignored;

	*array = (struct array){ .n_dims = row->n_unit_dims + row->n_dims,
		.strides_given = true,
		.readonly = row->flags & CASE_READONLY ? READONLY_YES : READONLY_NO,
		.device = { DEVICE_CPU, 0 } };
	if (!describe_case_type(row, &array->dtype))
		return false;
	item_bytes = dtype_itemsize(&array->dtype);
	for (int i = 0; i < array->n_dims; i++) {
		array->shape[i] = i < row->n_unit_dims ? 1 : row->shape[i - row->n_unit_dims];
		if (array->shape[i] < 0)
			return false;
	}
	array_set_compact_strides(array, 'C');
	for (int i = 0; row->has_strides && i < row->n_dims; i++)
		if (__builtin_mul_overflow(row->strides[i], item_bytes,
			    &array->stride_bytes[row->n_unit_dims + i]))
			return false;
	array->pointer = UINT64_C(1) << 62; /* so that no address is negative */
	if (array_nbytes(array) < 0 || array_extent(array, &low, &high, &ignored) ||
		high - low > INT32_MAX)
		return false;
	array->pointer -= low;
	array->pointer += (uint64_t)row->byte_offset;
	*n_bytes = (int64_t)(high - low) + row->byte_offset;
	return true;
}
