// SPDX-License-Identifier: MIT
/* The rules of the C exchange API: facts and the ids that they raise. */
#include "rules/family_test.h"

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
};

int main(void)
{
	FAMILY_CHECK(base, cases);
	return test_end();
}
