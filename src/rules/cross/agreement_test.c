// SPDX-License-Identifier: MIT
/*
 * Objects with several interfaces: the findings of the rules 901 and XPR, their messages, and the
 * defects that they leave to other rules.
 */
#include "base/array_size.h"
#include "protocols/literal.h"
#include "rules/engine/run.h"

#define SYCL(SHAPE, TYPESTR, DATA, STRIDES)                                              \
	"{'protocol': 'sycl', 'declared': {'shape': " SHAPE ", 'typestr': '" TYPESTR     \
	"', 'data': " DATA ", 'strides': " STRIDES ", 'version': 1, 'syclobj': 'cpu'}, " \
	"'details': {'syclobj': {'form': 'filter', 'type': 'str', 'device': {'position': 1}}}}, "
#define DICTIONARY(PROTOCOL, SHAPE, TYPESTR, DATA, STRIDES)                                  \
	"{'protocol': '" PROTOCOL "', 'declared': {'shape': " SHAPE ", 'typestr': '" TYPESTR \
	"', 'data': " DATA ", 'strides': " STRIDES ", 'version': 3}}, "
#define CUDA(SHAPE, TYPESTR, DATA, STRIDES) DICTIONARY("cuda", SHAPE, TYPESTR, DATA, STRIDES)
#define NUMPY(SHAPE, TYPESTR, DATA, STRIDES) DICTIONARY("numpy", SHAPE, TYPESTR, DATA, STRIDES)
#define STRUCT(KIND, FLAGS, STRIDES, DATA, DESCR)                                              \
	"{'protocol': 'numpy-struct', 'declared': {'capsule': {'name': None, 'destructor': "   \
	"'0x9', 'context': '0x8'}, 'two': 2, 'nd': 2, 'typekind': '" KIND "', 'itemsize': 4, " \
	"'flags': " FLAGS ", 'shape': (2, 3), 'strides': " STRIDES ", 'data': '" DATA          \
	"', 'descr': " DESCR "}}, "
#define BUFFER(BUF, FORMAT, ITEMSIZE, SHAPE, STRIDES, READONLY)                                  \
	"{'protocol': 'buffer', 'declared': {'buf': '" BUF "', 'len': 24, 'itemsize': " ITEMSIZE \
	", 'readonly': " READONLY ", 'ndim': 2, 'format': '" FORMAT "', 'shape': " SHAPE         \
	", 'strides': " STRIDES ", 'suboffsets': None}}, "
#define CAPSULE(TYPE, NAME, VERSION, FLAGS, DTYPE, DATA, SHAPE, STRIDES)                         \
	"{'protocol': 'dlpack', 'declared': {'device': (" TYPE ", 0), 'capsule': "               \
	"{'name': '" NAME "', 'destructor': '0x9'}, 'version': " VERSION ", 'flags': " FLAGS     \
	", 'manager_ctx': '0x8', 'deleter': '0x7', 'dl_tensor': {'data': '" DATA "', 'device': " \
	"{'device_type': " TYPE ", 'device_id': 0}, 'ndim': 2, 'dtype': " DTYPE                  \
	", 'shape': " SHAPE ", 'strides': " STRIDES                                              \
	", 'byte_offset': 0}}, 'details': {'call': '__dlpack__()', "                             \
	"'has_device': True}}, "
#define DLPACK(TYPE, FLAGS, DTYPE, DATA, SHAPE, STRIDES) \
	CAPSULE(TYPE, "dltensor_versioned", "(1, 3)", FLAGS, DTYPE, DATA, SHAPE, STRIDES)

#define FLOAT "{'code': 2, 'bits': 32, 'lanes': 1}"
#define BFLOAT "{'code': 4, 'bits': 16, 'lanes': 1}"
#define INT4 "{'code': 0, 'bits': 4, 'lanes': 1}"
#define RW "(4096, False)"
#define RO "(4096, True)"

#define A_SYCL SYCL("(2, 3)", "<f4", RW, "None")
#define A_CUDA CUDA("(2, 3)", "<f4", RW, "None")
#define A_NUMPY NUMPY("(2, 3)", "<f4", RW, "None")
#define A_BUFFER BUFFER("0x1000", "f", "4", "(2, 3)", "(12, 4)", "False")
#define A_TENSOR(TYPE) DLPACK(TYPE, "0", FLOAT, "0x1000", "(2, 3)", "(3, 1)")

#define SCALAR "'own': {'scalar': True}, "
#define CALL(ARGUMENTS)                                                                \
	"'calls': [{'step': '__dlpack__()', 'arguments': {" ARGUMENTS "}, 'outcome': " \
	"'returned', 'capsule': 'dltensor', 'pointer': None}], "

/* One interface with its memory, and the result of __dlpack_device__ if __dlpack__ raised
 * BufferError. */
#define AT(PROTOCOL, REST)                                                                      \
	"{'protocol': '" PROTOCOL "', 'declared': {'shape': (2, 3), 'typestr': '<f4', 'data': " \
	"(4096, False), 'strides': None, 'version': 1, 'syclobj': 'cpu'}, " REST "}, "
#define FOUND(BY, KIND, ID)                                                                      \
	"'memory': {'by': '" BY "', 'how': 'exact', 'kind': '" KIND "', 'asked': {'low': 4096, " \
	"'high': 4120}, 'base': 4096, 'size': 24, 'device': {'id': " ID "}}"
#define REFUSED(TYPE, ID)                                                                          \
	"{'protocol': 'dlpack', 'status': 'refused', 'declared': {'device': (" TYPE ", " ID ")}, " \
	"'details': {'has_dlpack': True, 'has_device': True}}, "
#define STREAM(VERSION, STREAM)                                                                \
	"{'protocol': 'cuda', 'declared': {'shape': (2, 3), 'typestr': '<f4', 'data': (4096, " \
	"False), 'strides': None, 'version': " VERSION ", 'stream': " STREAM "}}, "
#define WORK(STREAM)                                                                   \
	"{'protocol': 'dlpack', 'status': 'refused', 'declared': {'device': (2, 0)}, " \
	"'details': {'exchange': {'on_type': True, 'capsule': 'dlpack_exchange_api', " \
	"'tables': [], 'end': None, 'work_stream': '" STREAM "'}}}, "

/* The target is head and interfaces; expected holds "RULE field: message" of rules 901 and XPR,
 * each line ended. */
static const struct agreement_case {
	const char *head, *interfaces, *expected;
} cases[] = {
	/* sycl */
	{ "", A_SYCL, "" },
	{ "", A_SYCL DLPACK("14", "0", FLOAT, "0x1008", "(3, 2)", "(2, 1)"),
		"SUAI901 data[0]: the first element is at 0x1000 in __sycl_usm_array_interface__ but "
		"0x1008 in __dlpack__\n"
		"SUAI901 shape: the shape is (2, 3) in __sycl_usm_array_interface__ but (3, 2) in "
		"__dlpack__\n"
		"SUAI901 syclobj: the device is oneapi:1 in __sycl_usm_array_interface__ but oneapi:0 "
		"in __dlpack__\n" },
	{ "", A_SYCL A_TENSOR("1"),
		"XPR001 -: the interfaces are for different kinds of device: torch.as_tensor uses "
		"__dlpack__ (host), dpnp.asarray uses __sycl_usm_array_interface__ (SYCL)\n" },
	{ "",
		SYCL("(2, 3)", "<f2", RW, "None")
			DLPACK("1", "0", BFLOAT, "0x1000", "(2, 3)", "(3, 1)"),
		"SUAI901 typestr: the element type is float16 in __sycl_usm_array_interface__ but "
		"bfloat16 in __dlpack__\n"
		"XPR001 -: the interfaces are for different kinds of device: torch.as_tensor uses "
		"__dlpack__ (host), dpnp.asarray uses __sycl_usm_array_interface__ (SYCL)\n" },
	/* cuda */
	{ "", A_CUDA A_TENSOR("2"), "" },
	{ "",
		CUDA("(2, 3)", "<u2", RW, "None")
			DLPACK("2", "0", BFLOAT, "0x1000", "(2, 3)", "(3, 1)"),
		"" },
	{ "", CUDA("(2, 3)", "<i4", RW, "None") A_TENSOR("2"),
		"CAI901 typestr: the element type is int32 in __cuda_array_interface__ but "
		"float32 in __dlpack__\n" },
	{ "",
		CUDA("[2, 3]", "<f4", RW, "[12, 4]")
			DLPACK("2", "0", FLOAT, "0x1000", "(2, 3)", "(1, 2)"),
		"CAI901 strides: the strides are (12, 4) bytes in __cuda_array_interface__ but (4, 8) "
		"bytes in __dlpack__\n" },
	{ "", CUDA("(2, 3)", "<f4", "(None, None)", "None") A_TENSOR("2"), "" },
	/* numpy */
	{ "", A_NUMPY A_BUFFER STRUCT("f", "1793", "(12, 4)", "0x1000", "None") A_TENSOR("1"), "" },
	{ "", A_NUMPY STRUCT("f", "1793", "(12, 4)", "0x2000", "None") A_BUFFER A_TENSOR("1"),
		"NAI901 data[0]: the first element is at 0x1000 in __array_interface__, buffer and "
		"__dlpack__ but 0x2000 in __array_struct__\n" },
	{ "", STRUCT("f", "1793", "(4, 8)", "0x2000", "None") A_BUFFER,
		"NAI901 data: the first element is at 0x2000 in __array_struct__ but 0x1000 in buffer\n"
		"NAI901 strides: the strides are (4, 8) bytes in __array_struct__ but (12, 4) bytes in "
		"buffer\n" },
	{ "",
		NUMPY("(2, 3)", "<i4", RW, "(12, 4)") BUFFER("0x1000", "f", "4", "(2, 3)", "(4, 8)",
			"False") DLPACK("1", "0", BFLOAT, "0x1000", "(2, 3)", "(3, 1)"),
		"NAI901 typestr: the element type is int32 in __array_interface__, float32 in buffer, and "
		"bfloat16 in __dlpack__\n"
		"NAI901 strides: the strides are (12, 4) bytes in __array_interface__, (4, 8) bytes in "
		"buffer, and (6, 2) bytes in __dlpack__\n" },
	{ SCALAR, NUMPY("(2, 3)", "<f4", "(8192, False)", "None") A_BUFFER, "" },
	/* vague types agree; arrays that are empty, packed, copies or of one element are not
	   compared */
	{ "", NUMPY("(2, 3)", "|V4", RW, "None") A_BUFFER, "" },
	{ "",
		NUMPY("(2, 3)", "|V4", RW, "None") BUFFER(
			"0x1000", "f", "4", "(2, 3)", "None", "False") DLPACK("1", "0",
			"{'code': 0, 'bits': 32, 'lanes': 1}", "0x1000", "(2, 3)", "(3, 1)"),
		"NAI901 typestr: the element type is float32 in buffer but int32 in __dlpack__\n" },
	{ "",
		NUMPY("(0, 3)", "<f4", "(8192, False)", "None")
			DLPACK("1", "0", FLOAT, "0x1000", "(3, 0)", "(9, 1)"),
		"" },
	{ "",
		NUMPY("(1, 3)", "<f4", RW, "(80, 4)")
			DLPACK("1", "0", FLOAT, "0x1000", "(1, 3)", "(3, 1)"),
		"XPR308 strides_bytes: the strides are (80, 4) bytes in __array_interface__ but (12, 4) "
		"bytes in __dlpack__\n" },
	{ "",
		NUMPY("(2, 3)", "|i1", RW, "None")
			DLPACK("1", "0", INT4, "0x1000", "(2, 3)", "(6, 2)"),
		"NAI901 typestr: the element type is int8 in __array_interface__ but int4 in __dlpack__\n" },
	{ "", A_NUMPY DLPACK("1", "2", FLOAT, "0x9000", "(2, 3)", "(1, 2)"), "" },
	{ CALL("'copy': True"),
		A_NUMPY CAPSULE(
			"1", "dltensor", "None", "None", FLOAT, "0x9000", "(2, 3)", "(1, 2)"),
		"" },
	{ CALL("'dl_device': (1, 0)"),
		A_NUMPY CAPSULE(
			"1", "dltensor", "None", "None", FLOAT, "0x9000", "(2, 3)", "(1, 2)"),
		"" },
	{ CALL(""),
		A_NUMPY CAPSULE(
			"1", "dltensor", "None", "None", FLOAT, "0x9000", "(2, 3)", "(3, 1)"),
		"NAI901 data[0]: the first element is at 0x1000 in __array_interface__ but 0x9000 in "
		"__dlpack__\n" },
	/* across kinds of device */
	{ "", A_CUDA A_NUMPY A_BUFFER,
		"XPR001 -: the interfaces are for different kinds of device: numpy.asarray uses buffer (host), "
		"torch.as_tensor uses __cuda_array_interface__ (CUDA), cupy.asarray uses "
		"__cuda_array_interface__ (CUDA), dpnp.asarray uses buffer (host)\n" },
	{ "'own': {'device': 'cpu'}, ", A_CUDA A_NUMPY, "" },
	{ "", A_CUDA A_TENSOR("10"), "" },
	{ "", CUDA("(3, 2)", "<f4", RW, "None") A_BUFFER,
		"XPR301 shape: the shape is (3, 2) in __cuda_array_interface__ but (2, 3) in buffer\n"
		"XPR001 -: the interfaces are for different kinds of device: numpy.asarray uses buffer (host), "
		"torch.as_tensor uses __cuda_array_interface__ (CUDA), cupy.asarray uses "
		"__cuda_array_interface__ (CUDA), dpnp.asarray uses buffer (host)\n" },
	{ "", A_TENSOR("1") BUFFER("0x1004", "T{f:x:}", "4", "(2, 3)", "(12, 4)", "False"),
		"XPR101 pointer: the first element is at 0x1000 in __dlpack__ but 0x1004 in buffer\n" },
	{ "", A_TENSOR("1") BUFFER("0x1004", "i", "4", "(2, 3)", "(12, 4)", "False"),
		"XPR101 pointer: the first element is at 0x1000 in __dlpack__ but 0x1004 in buffer\n"
		"XPR201 dtype: the element type is float32 in __dlpack__ but int32 in buffer\n" },
	/* strides that follow from the size of an element */
	{ "", A_TENSOR("1") BUFFER("0x1000", "d", "8", "(2, 3)", "(24, 8)", "False"),
		"XPR201 dtype: the element type is float32 in __dlpack__ but float64 in buffer\n" },
	{ "", A_TENSOR("1") BUFFER("0x1000", "d", "8", "(2, 3)", "(8, 16)", "False"),
		"XPR201 dtype: the element type is float32 in __dlpack__ but float64 in buffer\n"
		"XPR301 strides_bytes: the strides are (12, 4) bytes in __dlpack__ but (8, 16) bytes in "
		"buffer\n" },
	/* left to SUAI303, CAI303 and DLP209 */
	{ "", CUDA("(2, 3)", "<f4", RW, "(3, 1)") A_TENSOR("2"), "" },
	{ "'own': {'dtype': 'int32'}, ",
		A_NUMPY DLPACK("1", "0", FLOAT, "0x2000", "(2, 3)", "(3, 1)"), "" },
	/* access */
	{ "", NUMPY("(2, 3)", "<f4", RO, "None") A_BUFFER A_TENSOR("1"),
		"XPR801 readonly: the array is read-only in __array_interface__ but writable in "
		"buffer and __dlpack__\n" },
	{ "",
		NUMPY("(2, 3)", "<f4", RO, "None") CAPSULE(
			"1", "dltensor", "None", "None", FLOAT, "0x1000", "(2, 3)", "(3, 1)"),
		"" },
	{ "",
		NUMPY("(2, 3)", "<f4", RO, "None")
			DLPACK("1", "2", FLOAT, "0x9000", "(2, 3)", "(3, 1)"),
		"" },
	{ "", NUMPY("(2, 3)", "|V4", RW, "None") STRUCT("V", "0", "(12, 4)", "0x1000", "'0x5000'"),
		"" },
	{ "", NUMPY("(2, 3)", "|V4", RW, "None") STRUCT("V", "0", "(12, 4)", "0x1000", "None"),
		"XPR801 readonly: the array is writable in __array_interface__ but read-only in "
		"__array_struct__\n" },
	{ "",
		NUMPY("(2, 3)", "<f4", "(4096, 1)", "None")
			BUFFER("0x1000", "f", "4", "(2, 3)", "(12, 4)", "False"),
		"XPR801 readonly: the array is read-only in __array_interface__ but writable in "
		"buffer\n" },
	{ "'own': {'readonly': True}, ", NUMPY("(2, 3)", "<f4", RO, "None") A_TENSOR("1"), "" },
	{ SCALAR, NUMPY("(2, 3)", "<f4", RO, "None") A_BUFFER, "" },
	/* the driver's device */
	{ "", AT("sycl", FOUND("usm", "usm-device", "1")) REFUSED("14", "1"), "" },
	{ "", AT("sycl", FOUND("usm", "usm-device", "1")) REFUSED("14", "0"),
		"XPR501 device: __dlpack_device__ returned oneapi:0, but the driver reports oneapi:1 "
		"for the address in __sycl_usm_array_interface__\n" },
	{ "", AT("buffer", FOUND("usm", "usm-shared", "1")) REFUSED("1", "0"), "" },
	{ "", STREAM("2", "None") REFUSED("2", "1"), "" },
	{ "", AT("cuda", FOUND("cuda", "managed", "1")) REFUSED("13", "0"), "" },
	{ "", AT("cuda", FOUND("cuda", "device", "1")) REFUSED("1", "0"),
		"XPR501 device: __dlpack_device__ returned cpu:0, but the driver reports cuda:1 "
		"for the address in __cuda_array_interface__\n" },
	{ "", AT("cuda", FOUND("cuda", "device", "None")) REFUSED("2", "1"), "" },
	/* streams */
	{ "", STREAM("3", "1") WORK("0x0"), "" },
	{ "", STREAM("3", "2") WORK("0x0"), "" },
	{ "", STREAM("3", "3") WORK("0x3"), "" },
	{ "", STREAM("3", "None") WORK("0x3"), "" },
	{ "", STREAM("2", "5") WORK("0x3"), "" },
	{ "", STREAM("3", "0") WORK("0x3"), "" },
	{ "", STREAM("3", "1") WORK("0x3"),
		"XPR601 stream: stream is 0x1 in __cuda_array_interface__, but current_work_stream of "
		"__dlpack_c_exchange_api__ returned 0x3\n" },
};

/* "RULE field: message\n" for each finding of a rule that compares. */
static const char *list_comparisons(struct arena *arena, const struct fact_finding_list *findings)
{
	const char *failures = "";

	for (size_t i = 0; i < findings->n_items; i++) {
		const struct fact_finding *finding = &findings->items[i];
		const char *id = finding->rule;

		if (strncmp(id, "XPR", 3) == 0 || strstr(id, "901"))
			failures = arena_printf(arena, "%s%s %s: %s\n", failures, id,
				fact_text_or(finding->field, "-"), finding->message);
	}
	return failures;
}

static const char *check_object(struct arena *arena, const char *head, const char *interfaces)
{
	struct rule_request request = { .facts = FACT_ALL };
	const char *text =
		arena_printf(arena, "{'type': 'm.Array', %s'interfaces': [%s]}", head, interfaces);
	struct rule_results results;
	struct fact_target target;
	struct err err;

	CHECK(!fact_read(&fact_target_record, arena, literal_read(arena, &text), FACT_WIRE, NULL,
		      &target, &err),
		"%s", err.message);
	results = rules_run(rules_select(arena, &request, &err), &target, arena);
	return list_comparisons(arena, &results.findings);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena arena = { 0 };
		const char *failures = check_object(&arena, cases[i].head, cases[i].interfaces);

		CHECK(!strcmp(failures, cases[i].expected), "{%s%s} reported: %s", cases[i].head,
			cases[i].interfaces, failures);
		arena_free(&arena);
	}
	return test_end();
}
