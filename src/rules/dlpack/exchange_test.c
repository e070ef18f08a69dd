// SPDX-License-Identifier: MIT
/* The rules of the C exchange API: facts and the ids that they raise. */
#include "rules/shared/family_test.h"

#define FUNCTIONS(VERSION, PREV, ALLOCATOR, VIEW)                                                 \
	"{'version': " VERSION ", 'prev_api': '" PREV "', 'managed_tensor_allocator': " ALLOCATOR \
	", 'managed_tensor_from_py_object_no_sync': '0x8',"                                       \
	" 'managed_tensor_to_py_object_no_sync': '0x8', 'dltensor_from_py_object_no_sync': " VIEW \
	", 'current_work_stream': '0x8'}"
#define GOOD FUNCTIONS("(1, 3)", "0x0", "'0x8'", "'0x8'")
#define NEWER "{'version': (2, 0), 'prev_api': '0x40'}"
#define EXCHANGE "details.exchange"

static const char base[] =
	"{'protocol': 'dlpack', 'status': 'refused', 'error': {'type': 'BufferError', 'message': ''},"
	" 'declared': {'device': (1, 0)}, 'details': {'has_dlpack': True, 'has_device': True,"
	" 'draft_exchange': False, 'exchange': {'on_type': True, 'type': 'PyCapsule', 'error': None,"
	" 'capsule': 'dlpack_exchange_api', 'tables': [" GOOD "], 'end': 'null'}}}";

static const struct family_case cases[] = {
	{ "", "" },
	{ "'" EXCHANGE "': <absent>", "" },
	{ "'" EXCHANGE "': None", "" },
	{ "'" EXCHANGE "': None, 'details.draft_exchange': True", "CXA001" },
	{ "'details.draft_exchange': True", "" },
	{ "'" EXCHANGE ".on_type': False", "CXA002" },
	{ "'" EXCHANGE ".type': 'int', '" EXCHANGE ".capsule': None", "CXA003" },
	{ "'" EXCHANGE ".type': 'property', '" EXCHANGE ".capsule': None", "CXA003" },
	{ "'" EXCHANGE ".capsule': None", "CXA003" },
	{ "'" EXCHANGE ".error': {'type': 'ValueError', 'message': ''}, '" EXCHANGE
	  ".capsule': None",
		"CXA003" },
	{ "'" EXCHANGE ".tables': [" NEWER ", " GOOD "]", "" },
	{ "'" EXCHANGE ".tables': [" NEWER "]", "CXA101" },
	{ "'" EXCHANGE ".tables': [], '" EXCHANGE ".end': 'unreadable'", "CXA101" },
	{ "'" EXCHANGE ".tables': [" FUNCTIONS("(1, 3)", "0x0", "'0x0'", "'0x8'") "]", "CXA102" },
	{ "'" EXCHANGE ".tables': [" NEWER ", " FUNCTIONS("(1, 3)", "0x0", "'0x0'", "'0x8'") "]",
		"CXA102" },
	{ "'" EXCHANGE ".tables': [" FUNCTIONS("(1, 3)", "0x0", "'0x8'", "'0x0'") "]", "CXA103" },
	{ "'" EXCHANGE ".end': 'loop'", "CXA104" },
	{ "'" EXCHANGE ".end': 'unreadable'", "CXA104" },
	{ "'" EXCHANGE ".end': 'too long'", "" },
};

/* --- calls --- */

#define TENSOR(DATA, CODE, SHAPE, STRIDES)                                              \
	"{'data': '" DATA "', 'device': {'device_type': 1, 'device_id': 0}, 'ndim': 2," \
	" 'dtype': {'bits': 32, 'lanes': 1, 'code': " CODE "}, 'shape': " SHAPE         \
	", 'strides': " STRIDES ", 'byte_offset': 0}"
#define SAME TENSOR("0x1000", "2", "(2, 3)", "(3, 1)")
#define CALL(FUNCTION, STATUS, REST) \
	"{'step': '" FUNCTION "()', 'function': '" FUNCTION "', 'status': " STATUS REST "}"
#define MANAGED(FLAGS, DL_TENSOR)                          \
	CALL("managed_tensor_from_py_object_no_sync", "0", \
		", 'tensor': {'version': (1, 3), 'flags': " FLAGS ", 'dl_tensor': " DL_TENSOR "}")
#define VIEW(DL_TENSOR) \
	CALL("dltensor_from_py_object_no_sync", "0", ", 'tensor': {'dl_tensor': " DL_TENSOR "}")
#define ALLOCATED(STATUS, N, DL_TENSOR)                          \
	CALL("managed_tensor_allocator", STATUS,                 \
		", 'asked': " SAME ", 'set_error': {'calls': " N \
		", 'kind': 'MemoryError'}, 'tensor': " DL_TENSOR)
#define RAISED(TYPE) ", 'error': {'type': '" TYPE "', 'message': ''}, 'exception': '" TYPE "'"
#define CALLS(LIST) "'" EXCHANGE ".calls': [" LIST "]"
#define REFUSED                                                                                      \
	"'status': 'refused', 'error': {'type': 'BufferError', 'message': ''}, 'declared.capsule': " \
	"None, 'declared.dl_tensor': None, 'declared.version': None, "

static const char exported[] =
	"{'protocol': 'dlpack', 'status': 'ok', 'declared': {'device': (1, 0), 'capsule': {'name':"
	" 'dltensor_versioned', 'destructor': '0x8'}, 'version': (1, 3), 'flags': 0, 'deleter': '0x8',"
	" 'dl_tensor': " SAME "}, 'details': {'has_dlpack': True, 'has_device': True,"
	" 'draft_exchange': False, 'exchange': {'on_type': True, 'type': 'PyCapsule', 'error': None,"
	" 'capsule': 'dlpack_exchange_api', 'tables': [" GOOD "], 'end': 'null', 'calls': []}}}";

static const struct family_case call_cases[] = {
	{ "", "" },
	{ CALLS(CALL("current_work_stream", "0", ", 'stream': '0x0'")), "" },
	{ CALLS(CALL("current_work_stream", "0", ", 'stream': '0x7'")), "CXA601" },
	{ CALLS(CALL("current_work_stream", "0", ", 'stream': 'not set'")), "CXA601" },
	{ CALLS(CALL("current_work_stream", "-1", RAISED("ValueError"))), "CXA601" },
	{ CALLS(MANAGED("0", SAME) ", " VIEW(SAME)), "" },
	{ CALLS(MANAGED("1", SAME)), "CXA801" },
	{ CALLS(MANAGED("2", TENSOR("0x2000", "2", "(2, 3)", "(3, 1)"))), "" },
	{ CALLS(MANAGED("0", TENSOR("0x2000", "2", "(2, 3)", "(3, 1)"))), "CXA801" },
	/* The export of __dlpack__ is a copy according to its flags. */
	{ "'flags': 2, " CALLS(MANAGED("0", TENSOR("0x2000", "2", "(2, 3)", "(3, 1)"))), "" },
	{ CALLS(MANAGED("0", TENSOR("0x1000", "0", "(2, 3)", "(3, 1)"))), "CXA801" },
	{ CALLS(MANAGED("0", TENSOR("0x1000", "2", "(2, 3)", "(1, 2)"))), "CXA801" },
	/* Of twice the size: strides in elements are the same. */
	{ CALLS(MANAGED("0", TENSOR("0x1000", "2, 'bits': 64", "(2, 3)", "(3, 1)"))), "CXA801" },
	{ CALLS(MANAGED("0", TENSOR("0x1000", "2", "(2, 3)", "None"))), "CXA801" },
	{ CALLS(VIEW(TENSOR("0x1000", "2", "(2, 3)", "None"))), "" },
	{ CALLS(VIEW(TENSOR("0x1000", "2", "(3, 2)", "(2, 1)"))), "CXA801" },
	{ CALLS(CALL("dltensor_from_py_object_no_sync", "-1", RAISED("BufferError"))), "CXA801" },
	{ CALLS(CALL("dltensor_from_py_object_no_sync", "-1", "")), "CXA802" },
	{ CALLS(CALL("managed_tensor_from_py_object_no_sync", "0", ", 'tensor': None")), "CXA802" },
	{ CALLS(CALL("managed_tensor_to_py_object_no_sync", "0", ", 'returned': 'm.Array'")), "" },
	{ CALLS(CALL("managed_tensor_to_py_object_no_sync", "0", ", 'returned': None")), "CXA802" },
	{ CALLS(CALL("managed_tensor_to_py_object_no_sync", "-1", RAISED("KeyError"))), "" },
	{ CALLS(CALL("managed_tensor_to_py_object_no_sync", "0",
		  ", 'returned': 'm.Array'" RAISED("KeyError"))),
		"CXA802" },
	{ REFUSED CALLS(CALL("dltensor_from_py_object_no_sync", "-1", RAISED("BufferError"))), "" },
	{ REFUSED CALLS(CALL("dltensor_from_py_object_no_sync", "-1", RAISED("ValueError"))),
		"CXA804" },
	{ REFUSED CALLS(CALL("dltensor_from_py_object_no_sync", "-1", "")), "CXA802" },
	{ REFUSED CALLS(CALL("managed_tensor_to_py_object_no_sync", "-1", RAISED("ValueError"))),
		"" },
	{ CALLS(ALLOCATED("0", "0", "{'dl_tensor': " SAME "}")), "" },
	{ CALLS(ALLOCATED("0", "1", "{'dl_tensor': " SAME "}")), "CXA803" },
	{ CALLS(ALLOCATED(
		  "0", "0", "{'dl_tensor': " TENSOR("0x1000", "0", "(2, 3)", "(3, 1)") "}")),
		"CXA803" },
	{ CALLS(ALLOCATED("-1", "1", "None")), "" },
	{ CALLS(ALLOCATED("-1", "0", "None")), "CXA803" },
	{ CALLS(ALLOCATED("-1", "2", "None")), "CXA803" },
	{ CALLS(ALLOCATED("0", "0", "None")), "CXA802" },
};

int main(void)
{
	FAMILY_CHECK(base, cases);
	FAMILY_CHECK(exported, call_cases);
	return test_end();
}
