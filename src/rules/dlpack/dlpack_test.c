// SPDX-License-Identifier: MIT
/*
 * The rules of __dlpack__: capsules, structs and calls and the ids that they raise, and the
 * property that describe fails exactly when a structural error is found.
 */
#include "rules/shared/family_test.h"

extern const struct protocol dlpack_protocol;

static const char base[] =
	"{'protocol': 'dlpack', 'status': 'ok', 'error': None,"
	" 'declared': {'device': (1, 0), 'version': (1, 3), 'flags': 0, 'manager_ctx': '0x9',"
	" 'capsule': {'name': 'dltensor_versioned', 'destructor': '0x99'}, 'deleter': '0x98',"
	" 'dl_tensor': {'data': '0x1000', 'device': {'device_type': 1, 'device_id': 0}, 'ndim': 2,"
	" 'dtype': {'code': 2, 'bits': 32, 'lanes': 1}, 'shape': (2, 3), 'strides': (3, 1),"
	" 'byte_offset': 0}},"
	" 'details': {'has_dlpack': True, 'has_device': True, 'device_error': None,"
	" 'call': '__dlpack__(max_version=(1, 3))', 'n_devices': None}}";

#define LEGACY "'capsule.name': 'dltensor', 'version': None, 'flags': None"
#define NO_STRUCT "'version': None, 'flags': None, 'dl_tensor': None"
#define UNREADABLE(METHOD) "'details.has_" METHOD "': False"
#define DEVICE_ERROR "'details.device_error': {'type': 'ValueError', 'message': ''}"
#define TYPE(CODE, BITS, LANES) \
	"'dl_tensor.dtype': {'code': " CODE ", 'bits': " BITS ", 'lanes': " LANES "}"
#define DEVICE(TYPE, ID)                                                          \
	"'device': (" TYPE ", " ID "), 'dl_tensor.device': {'device_type': " TYPE \
	", 'device_id': " ID "}"
#define SCALAR(SHAPE, STRIDES) \
	"'dl_tensor.ndim': 0, 'dl_tensor.shape': " SHAPE ", 'dl_tensor.strides': " STRIDES

#define PLAIN "'step': '__dlpack__()', 'arguments': {}, 'outcome': "
#define KEYWORD(VERSION)                                                                        \
	"'step': '__dlpack__(max_version=(1, 3))', 'arguments': {'max_version': " VERSION "}, " \
	"'outcome': "
#define GAVE(TYPE, NAME) "'returned', 'returned': '" TYPE "', 'capsule': " NAME
#define RAISED(EXCEPTION)                                                               \
	"'raised', 'exception': '" EXCEPTION "', 'error': {'type': 'm." EXCEPTION "', " \
	"'message': 'no'}"
#define FAILED(MESSAGE)                                                                            \
	"'raised', 'exception': 'RuntimeError', 'error': {'type': 'm.Error', 'message': '" MESSAGE \
	"'}"
#define CALLS(FIRST, SECOND) "'calls': [{" FIRST "}, {" SECOND "}]"
/* A held call that emits a warning, and the first call of the keyword grid. */
#define WARNED(HELD)                                                             \
	"'calls': [{" HELD ", 'warnings': ['FutureWarning: no']}, {" PLAIN GAVE( \
		"PyCapsule", "'dltensor'") ", 'held': False, 'pointer': '0x1000'}]"
#define VERSIONED KEYWORD("(1, 3)") GAVE("PyCapsule", "'dltensor_versioned'")

#define NUMPY(POINTER, STRIDES)                                                                     \
	"'second': {'protocol': 'numpy', 'status': 'ok', 'declared': {'shape': (2, 3), 'typestr': " \
	"'<f4', 'data': (" POINTER ", False), 'strides': " STRIDES ", 'version': 3}}"

/* An element type that DLPack does not have; the second message is that of __dlpack__(). */
#define SAME_ERROR(TYPE, MESSAGE)                                                               \
	"'device': None, 'details.device_error': {'type': '" TYPE "', 'message': 'no'}, "       \
	"'calls': [{'step': '__dlpack__()', 'arguments': {}, 'held': True, 'outcome': "         \
	"'raised', 'exception': '" TYPE "', 'error': {'type': '" TYPE "', 'message': '" MESSAGE \
	"'}}]"

#define READONLY_BUFFER                                                                               \
	"'second': {'protocol': 'buffer', 'status': 'ok', 'declared': {'buf': 4096, 'len': "          \
	"24, 'itemsize': 4, 'readonly': True, 'ndim': 2, 'format': 'f', 'shape': (2, 3), 'strides': " \
	"(12, 4), 'suboffsets': None}}"

static const struct family_case cases[] = {
	{ "", "" },
	{ "'details.has_device': False, 'device': None", "DLP001" },
	{ "'details.has_dlpack': False, 'details.call': None, 'capsule': None, " NO_STRUCT,
		"DLP001" },
	{ "'device': [1, 0]", "DLP002" },
	{ "'device': (1, 0, 0)", "DLP002" },
	{ "'device': None", "DLP002" },
	{ "'device': None, 'details.device_error': {'type': 'KeyError', 'message': ''}", "DLP002" },
	{ "'device': None, 'details.device_error': {'type': 'BufferError', 'message': ''}", "" },
	{ SAME_ERROR("ValueError", "no"), "DLP808" },
	{ SAME_ERROR("KeyError", "no"), "DLP002 DLP007" },
	{ SAME_ERROR("ValueError", "other"), "DLP002 DLP808" },
	{ "'device': (m.DeviceType(1), 0)", "" },
	{ DEVICE("6", "0"), "DLP003" },
	{ DEVICE("0", "0"), "DLP003" },
	{ DEVICE("19", "0"), "DLP003" },
	{ DEVICE("19", "0") ", 'version': (1, 4)", "DLP110" },
	{ DEVICE("18", "0"), "" },
	{ DEVICE("2", "-1"), "DLP003" },
	{ DEVICE("2", "2147483647"), "" },
	{ DEVICE("2", "2147483648"), "DLP003" },
	{ "'device': ('cpu', 0)", "DLP003" },
	{ "'device': (1, True)", "DLP003" },
	{ "'device': None, 'dl_tensor.device': {'device_type': 6, 'device_id': 0}",
		"DLP002 DLP003" },
	{ "'status': 'raised', 'capsule': None, " NO_STRUCT, "DLP007" },
	{ "'status': 'raised', 'capsule': None, 'device': None, " UNREADABLE(
		  "dlpack") ", " UNREADABLE("device") ", " DEVICE_ERROR ", " NO_STRUCT,
		"DLP007" },
	{ "'device': None, " UNREADABLE("device") ", " DEVICE_ERROR, "DLP002" },
	{ "'status': 'refused', 'capsule': None, " NO_STRUCT, "" },
	{ CALLS(PLAIN RAISED("KeyError"), VERSIONED), "DLP007" },
	{ CALLS(PLAIN RAISED("Exception"), VERSIONED), "DLP808" },
	{ CALLS(PLAIN RAISED("KeyError"), KEYWORD("(1, 3)") RAISED("KeyError")), "DLP007" },
	{ CALLS(PLAIN RAISED("KeyError"), KEYWORD("(1, 3)") RAISED("IndexError")),
		"DLP007 DLP007" },
	{ CALLS(PLAIN RAISED("MemoryError"), VERSIONED), "" },
	{ CALLS(PLAIN FAILED("CUDA error: out of memory"), VERSIONED), "" },
	{ CALLS(PLAIN FAILED("CUDA_ERROR_ILLEGAL_ADDRESS"), VERSIONED), "" },
	{ CALLS(PLAIN FAILED("cudaErrorAssert: device-side assert triggered"), VERSIONED), "" },
	{ CALLS(PLAIN FAILED("no memory on this device"), VERSIONED), "DLP808" },
	{ CALLS(PLAIN FAILED("stream is capturing"), VERSIONED), "" },
	{ CALLS(PLAIN FAILED("CUDA error: misaligned address"), VERSIONED), "" },
	{ CALLS(PLAIN FAILED("the data is misaligned"), VERSIONED), "DLP808" },
	{ CALLS(PLAIN FAILED("no capturing of frames"), VERSIONED), "DLP808" },
	{ CALLS(PLAIN FAILED("Array has been deleted with shape=float32[6]."), VERSIONED), "" },
	{ "'device': None, 'details.device_error': {'type': 'TypeError', 'message': 'no len()'}, " CALLS(
		  PLAIN FAILED("Array has been deleted with shape=float32[6]."),
		  KEYWORD("(1, 3)") FAILED("Array has been deleted with shape=float32[6].")),
		"" },
	{ "'device': None, 'details.device_error': {'type': 'TypeError', 'message': 'no len()'}, " CALLS(
		  PLAIN FAILED("Array has been deleted with shape=float32[6]."), VERSIONED),
		"DLP002" },
	{ CALLS(PLAIN RAISED("BufferError"), VERSIONED), "" },
	{ CALLS(PLAIN RAISED("TypeError"), VERSIONED), "DLP808" },
	{ CALLS(PLAIN RAISED("RuntimeError"), VERSIONED), "DLP808" },
	{ CALLS(PLAIN RAISED("OverflowError"), VERSIONED), "DLP808" },
	{ CALLS(PLAIN GAVE("PyCapsule", "'dltensor'"), KEYWORD("(1, 3)") RAISED("TypeError")), "" },
	{ CALLS(PLAIN GAVE("PyCapsule", "'dltensor'"), KEYWORD("(1, 3)") RAISED("ValueError")),
		"DLP808" },
	{ "'capsule': 5, " NO_STRUCT, "DLP101" },
	{ "'capsule': None, " NO_STRUCT, "DLP101" },
	{ "'capsule': <absent>, " NO_STRUCT, "" },
	{ CALLS(PLAIN GAVE("int", "None"), VERSIONED), "DLP101" },
	{ "'capsule.name': 'used_dltensor_versioned', " NO_STRUCT, "DLP102" },
	{ "'capsule.name': None, " NO_STRUCT, "DLP102" },
	{ "'capsule.name': <memory at 0x10 cannot be read>, " NO_STRUCT, "DLP102" },
	{ CALLS(PLAIN GAVE("PyCapsule", "'used_dltensor'"), VERSIONED), "DLP102" },
	{ CALLS(PLAIN GAVE("PyCapsule", "None"), VERSIONED), "DLP102" },
	{ CALLS(PLAIN GAVE("PyCapsule", "'dltensor'"), VERSIONED), "" },
	{ CALLS(PLAIN GAVE("PyCapsule", "'dltensor_versioned'"), VERSIONED), "DLP103" },
	{ CALLS(PLAIN GAVE("PyCapsule", "'dltensor'"),
		  KEYWORD("(0, 8)") GAVE("PyCapsule", "'dltensor_versioned'")),
		"DLP103" },
	{ CALLS(PLAIN GAVE("PyCapsule", "'dltensor'"),
		  KEYWORD("(1, 3)") GAVE("PyCapsule", "'dltensor'")) ", " LEGACY,
		"DLP104" },
	{ "'dl_tensor': <memory at 0x8 cannot be read>", "DLP105" },
	{ "'dl_tensor': <DLManagedTensorVersioned>", "DLP105" },
	{ "'dl_tensor': <DLManagedTensor>", "DLP105" },
	{ "'deleter': <memory at 0x1 is not executable>", "DLP105" },
	{ "'dl_tensor': None", "DLP105" },
	{ "'dl_tensor.shape': <memory at 0x8 cannot be read>", "DLP105" },
	{ "'dl_tensor.strides': <memory at 0x8 cannot be read>", "DLP105" },
	{ "'capsule.destructor': '0x0'", "DLP106" },
	{ "'capsule.destructor': '0x0', 'dl_tensor.strides': (0, 1)", "DLP106 DLP311" },
	{ "'version': (2, 0), 'flags': None, 'dl_tensor': None", "DLP107" },
	{ TYPE("10", "8", "1"), "" },
	{ TYPE("10", "8", "1") ", 'version': (1, 0)", "DLP108" },
	{ TYPE("10", "8", "1") ", " LEGACY, "" },
	{ DEVICE("18", "0") ", 'version': (1, 1)", "DLP108" },
	{ "'flags': 4, 'version': (1, 0)", "DLP108" },
	{ "'flags': 7, 'own.readonly': True", "" },
	{ "'flags': 8", "DLP109" },
	{ "'flags': 18446744073709551615", "DLP109" },
	{ "'flags': 8, 'version': (1, 4)", "DLP110" },
	{ "'version': (0, 8)", "DLP111" },
	{ TYPE("18", "8", "1"), "DLP201" },
	{ TYPE("18", "8", "1") ", 'version': (1, 4)", "DLP110" },
	{ TYPE("2", "33", "1"), "DLP202" },
	{ TYPE("0", "0", "1"), "DLP202" },
	{ TYPE("6", "1", "1"), "DLP202" },
	{ TYPE("5", "32", "1"), "" },
	{ TYPE("2", "32", "0"), "DLP203" },
	{ TYPE("2", "33", "0"), "DLP202 DLP203" },
	{ TYPE("2", "32", "4"), "DLP204" },
	{ TYPE("17", "8", "1"), "DLP206" },
	{ TYPE("15", "8", "1"), "DLP206" },
	{ TYPE("15", "6", "1") ", 'dl_tensor.shape': (2, 4), 'dl_tensor.strides': (4, 1)", "" },
	{ TYPE("17", "4", "1"), "DLP207" },
	{ TYPE("17", "4", "1") ", 'flags': 4", "" },
	{ TYPE("17", "4", "2"), "DLP204" },
	{ TYPE("3", "64", "1"), "DLP208" },
	{ "'own.dtype': 'float32'", "" },
	{ "'own.dtype': 'torch.float32'", "" },
	{ "'own.dtype': '<f4'", "" },
	{ "'own.dtype': 'float64'", "DLP209" },
	{ "'own.dtype': 'int32'", "DLP209" },
	{ "'own.dtype': 'torch.bool', " TYPE("1", "8", "1"), "DLP209" },
	{ "'own.dtype': 'bfloat16', " TYPE("2", "16", "1"), "DLP209" },
	{ "'own.dtype': '<f8'", "DLP209" },
	{ "'own.dtype': '>f4'", "" },
	{ "'own.dtype': 'float'", "" },
	{ "'own.dtype': 'quint8'", "" },
	{ "'own.dtype': 'float8_e5m2', " TYPE("10", "8", "1"), "" },
	{ "'dl_tensor.ndim': -1, 'dl_tensor.shape': (), 'dl_tensor.strides': ()", "DLP301" },
	{ "'dl_tensor.shape': None", "DLP302" },
	{ "'dl_tensor.strides': None", "DLP303" },
	{ "'dl_tensor.strides': None, 'version': (1, 1)", "DLP304" },
	{ "'dl_tensor.strides': None, " LEGACY, "DLP304" },
	{ "'dl_tensor.shape': (-2, -3)", "DLP305 DLP305" },
	{ NUMPY("4096", "None"), "" },
	{ "'dl_tensor.strides': (12, 4), " NUMPY("4096", "None"), "DLP306" },
	{ "'dl_tensor.strides': (12, 4), " NUMPY("4096", "(48, 16)"), "" },
	{ "'dl_tensor.strides': (1, 2), " NUMPY("4096", "None"), "" },
	{ "'dl_tensor.strides': (12, 4), 'own.strides': (12, 4)", "" },
	{ "'dl_tensor.strides': (-3, 1), 'dl_tensor.byte_offset': 12", "DLP308 DLP405" },
	{ "'dl_tensor.strides': (-3, 1), 'dl_tensor.shape': (1, 3)", "DLP309" },
	{ "'dl_tensor.strides': (-3, 1), 'dl_tensor.shape': (0, 3), 'dl_tensor.data': '0x0'", "" },
	{ "'dl_tensor.shape': (4611686018427387904, 3)", "DLP310" },
	{ "'dl_tensor.shape': (4611686018427387904, 3, 0), 'dl_tensor.ndim': 3,"
	  " 'dl_tensor.strides': (3, 1, 1), 'dl_tensor.data': '0x0'",
		"DLP314" },
	{ "'dl_tensor.shape': (2305843009213693951, 0), 'dl_tensor.data': '0x0'", "" },
	{ "'dl_tensor.shape': (2305843009213693952, 0), 'dl_tensor.data': '0x0'", "DLP314" },
	{ "'dl_tensor.shape': (0, 2305843009213693952), 'dl_tensor.data': '0x0'", "DLP314" },
	{ "'dl_tensor.strides': (3, 4611686018427387904)", "DLP310" },
	{ "'dl_tensor.byte_offset': 18446744073709551615", "DLP310" },
	{ "'dl_tensor.byte_offset': 18446744073709547519", "DLP310 DLP404 DLP405" },
	{ "'dl_tensor.strides': (0, 1)", "DLP311" },
	{ "'dl_tensor.strides': (0, 1), 'flags': 1", "" },
	{ "'dl_tensor.strides': (0, 1), " LEGACY, "DLP311" },
	{ "'dl_tensor.strides': (0, 1), 'own.readonly': True, " LEGACY, "" },
	{ SCALAR("None", "None"), "DLP312" },
	{ SCALAR("()", "()"), "" },
	{ "'dl_tensor.ndim': 65", "DLP313" },
	{ "'dl_tensor.shape': (0, 3)", "DLP401" },
	{ "'dl_tensor.data': '0x0'", "DLP402" },
	{ "'dl_tensor.data': '0x1040'", "" },
	{ "'dl_tensor.data': '0x1040', 'dl_tensor.byte_offset': 4", "DLP403 DLP405" },
	{ "'dl_tensor.data': '0x1040', " DEVICE("4", "0"), "" },
	{ "'dl_tensor.byte_offset': 2", "DLP404 DLP405" },
	{ "'dl_tensor.byte_offset': 64", "DLP405" },
	{ "'device': (2, 0)", "DLP501" },
	{ "'dl_tensor.device': {'device_type': 1, 'device_id': 3}", "DLP501" },
	{ "'device': (2, 0), 'calls': [{'step': '__dlpack__(max_version=(1, 3))',"
	  " 'arguments': {'dl_device': (1, 0)}}]",
		"" },
	{ DEVICE("1", "1"), "DLP502" },
	{ DEVICE("13", "1"), "DLP502" },
	{ DEVICE("2", "1"), "" },
	{ DEVICE("14", "2") ", 'details.n_devices': 2", "DLP504" },
	{ "'deleter': '0x0'", "DLP707" },
	{ "'flags': 2", "" },
	{ "'flags': 2, " NUMPY("4096", "None"), "DLP805" },
	{ "'flags': 2, " NUMPY("4112", "None"), "DLP805" },
	{ "'flags': 2, " NUMPY("8192", "None"), "" },
	{ "'flags': 2, 'calls': [{'step': '__dlpack__()', 'pointer': '0x1000'}]", "DLP805" },
	{ "'flags': 2, 'calls': [{'step': '__dlpack__()', 'pointer': '0x2000'}]", "" },
	{ "'own.readonly': True", "DLP806" },
	{ "'own.readonly': True, 'flags': 1, " CALLS(
		  PLAIN GAVE("PyCapsule", "'dltensor'") ", 'pointer': '0x1000'", VERSIONED),
		"DLP807" },
	{ "'own.readonly': True, 'flags': 1, " CALLS(
		  PLAIN GAVE("PyCapsule", "'dltensor'") ", 'pointer': '0x2000'", VERSIONED),
		"" },
	{ READONLY_BUFFER ", " LEGACY
			  ", " CALLS(PLAIN GAVE("PyCapsule", "'dltensor'") ", 'pointer': '0x1000'",
				  KEYWORD("(1, 3)") RAISED("TypeError")),
		"DLP807" },
	{ "'own.readonly': True, 'flags': 2", "" },
	{ "'own.readonly': True, " LEGACY, "" },
	{ "'own.readonly': False, 'flags': 1", "DLP813" },
	{ "'own.readonly': False, 'flags': 3", "" },
	{ WARNED(PLAIN GAVE("PyCapsule", "'dltensor'")), "DLP811" },
	{ WARNED(VERSIONED), "" },
};

/* By an edition that the capsule does not declare. */
static const struct family_case cases_1_1[] = {
	{ "'dl_tensor.strides': None", "DLP304" },
	{ LEGACY, "" },
};

static const struct family_case cases_1_3[] = {
	{ "'dl_tensor.strides': None, " LEGACY, "DLP303" },
};

static const struct family_case cases_2022[] = {
	{ CALLS(PLAIN GAVE("PyCapsule", "'dltensor'"),
		  KEYWORD("(1, 3)") GAVE("PyCapsule", "'dltensor'")) ", " LEGACY,
		"" },
};

/* Values for each field of the interface, healthy and broken; several are changed at once. */
static const char *const pool[] = {
	LEGACY,
	"'capsule': None",
	"'capsule': 5",
	"'capsule': <object>",
	"'capsule.name': 'dltensor'",
	"'capsule.name': 'used_dltensor'",
	"'capsule.name': None",
	"'capsule.destructor': '0x0'",
	"'version': None",
	"'version': (0, 8)",
	"'version': (1, 0)",
	"'version': (1, 1)",
	"'version': (1, 2)",
	"'version': (2, 0)",
	"'flags': 1",
	"'flags': 255",
	"'deleter': '0x0'",
	"'dl_tensor': None",
	"'dl_tensor': <memory at 0x8 cannot be read>",
	TYPE("0", "8", "1"),
	TYPE("1", "255", "65535"),
	TYPE("2", "64", "1"),
	TYPE("2", "128", "1"),
	TYPE("2", "32", "0"),
	TYPE("3", "64", "1"),
	TYPE("4", "16", "2"),
	TYPE("5", "64", "1"),
	TYPE("6", "1", "1"),
	TYPE("7", "8", "1"),
	TYPE("16", "6", "1"),
	TYPE("17", "8", "1"),
	TYPE("18", "8", "1"),
	"'dl_tensor.ndim': -1, 'dl_tensor.shape': (), 'dl_tensor.strides': ()",
	SCALAR("None", "None"),
	SCALAR("()", "()"),
	"'dl_tensor.shape': None",
	"'dl_tensor.shape': <memory at 0x8 cannot be read>",
	"'dl_tensor.shape': (0, 3)",
	"'dl_tensor.shape': (1, 1)",
	"'dl_tensor.shape': (2, -3)",
	"'dl_tensor.shape': (0, -1)",
	"'dl_tensor.shape': (1073741824, 1073741824)",
	"'dl_tensor.shape': (9223372036854775807, 0)",
	"'dl_tensor.shape': (4611686018427387904, 4)",
	"'dl_tensor.strides': None",
	"'dl_tensor.strides': <memory at 0x8 cannot be read>",
	"'dl_tensor.strides': (0, 0)",
	"'dl_tensor.strides': (-3, 1)",
	"'dl_tensor.strides': (1, 9223372036854775807)",
	"'dl_tensor.strides': (-2305843009213693952, 1)",
	"'dl_tensor.strides': (2305843009213693951, 1)",
	"'dl_tensor.data': '0x0'",
	"'dl_tensor.data': '0xffffffffffffffff'",
	"'dl_tensor.byte_offset': 1",
	"'dl_tensor.byte_offset': 9223372036854775808",
	"'dl_tensor.byte_offset': 18446744073709551615",
	"'dl_tensor.device': {'device_type': 6, 'device_id': -1}",
};

static struct family_excuse excuses[] = {
	{ "'dl_tensor': <", "*", "there is no struct" },
	{ "'dl_tensor': None", "*", "there is no struct" },
	{ "DLP105", "DLP103 DLP104", "the struct may be one of the other kind" },
	{ "DLP001", "DLP001", "an object without both does not expose DLPack" },
	{ "'version': (1, 1)", "DLP303", "the version allows it" },
	{ "DLP003", "DLP501", "the device cannot be read" },
	{ "'calls'", "DLP007 DLP107", "the calls of this case contain what was returned" },
	{ "DLP104", "DLP303 DLP806", "a legacy capsule has neither version nor flags" },
	{ "'dl_tensor.shape': <memory", "DLP306 DLP310 DLP311 DLP805", "the extents are unknown" },
	{ "'dl_tensor.strides': <memory", "DLP401 DLP805 DLP310 DLP314",
		"a layout that cannot be read is not described" },
	{ "'version': (1, 0)", "DLP303", "the version allows it" },
	{ "'version': (0, 8)", "DLP105 DLP303",
		"the layout of a struct before version 1 is unknown" },
	{ "'version': (1, 4)", "DLP003 DLP109 DLP201", "a newer version may have more codes" },
	{ "'version': None", "DLP303 DLP806", "a legacy capsule has neither version nor flags" },
	{ "'code': 18", "DLP209 DLP306 DLP310 DLP311 DLP314 DLP401 DLP404 DLP805",
		"the element type is unknown" },
	{ "DLP202", "DLP209 DLP306 DLP310 DLP311 DLP314 DLP401 DLP404 DLP805",
		"the element type is unknown" },
	{ "DLP203", "DLP209 DLP306 DLP310 DLP311 DLP314 DLP401 DLP404 DLP805",
		"the element type is unknown" },
	{ "DLP206", "DLP209 DLP306 DLP310 DLP311 DLP314 DLP401 DLP404 DLP805",
		"the element type is unknown" },
	{ "'dl_tensor.dtype'", "DLP306 DLP314 DLP404 DLP805",
		"elements of another size are at other addresses" },
	{ "'device_type': 18", "DLP310", "data may be a handle there" },
	{ "DLP301", "DLP310 DLP805", "without dimensions there is no layout" },
	{ "DLP302", "DLP306 DLP310 DLP311 DLP805", "the extents are unknown" },
	{ "DLP305", "DLP306 DLP310 DLP311 DLP805", "the extents are unknown" },
	{ "DLP310", "DLP306 DLP311 DLP401 DLP805",
		"the layout does not fit in numbers of 64 bits" },
	{ "DLP313", "DLP305 DLP306 DLP310 DLP311 DLP314 DLP401 DLP805",
		"the shape of this case has fewer entries than ndim" },
	{ "DLP314", "DLP306 DLP310 DLP311 DLP404", "there are no elements" },
	{ "DLP401", "DLP306 DLP310 DLP311 DLP402 DLP404 DLP805", "there are no elements" },
	{ "DLP402", "DLP310 DLP401 DLP404 DLP805", "address 0 is not mapped" },
	{ "'dl_tensor.data'", "DLP805 DLP807", "the memory of this case is elsewhere" },
	{ "'dl_tensor.byte_offset'", "DLP805 DLP807", "the memory of this case is elsewhere" },
	{ "'dl_tensor.strides'", "DLP805", "the bytes of this case are different" },
	{ "'flags': 18446744073709551615", "DLP806", "all flags are set" },
	{ "DLP805", "DLP806", "a copy may be written" },
	{ "'own.readonly': True", "DLP311", "elements that are not written may overlap" },
	{ "'flags': 1", "DLP311", "elements that are not written may overlap" },
};

int main(void)
{
	FAMILY_CHECK(base, cases);
	FAMILY_CHECK_PAIRS(base, cases, excuses);
	FAMILY_CHECK_SPEC(base, cases_1_1, "dlpack=1.1");
	FAMILY_CHECK_SPEC(base, cases_1_3, "dlpack=1.3");
	FAMILY_CHECK_SPEC(base, cases_2022, "array-api=2022.12");
	FAMILY_CHECK_DESCRIBE(&dlpack_protocol, base, pool);
	return test_end();
}
