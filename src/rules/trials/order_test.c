// SPDX-License-Identifier: MIT
/* The rules of order on CUDA: what the trials of --live counted, and the ids that it raises. */
#include "rules/shared/family_test.h"

#define TRIAL(NAME, PROTOCOL, COUNTS)                                           \
	"{'trial': '" NAME "', 'protocol': '" PROTOCOL "', 'outcome': 'done', " \
	"'error': None, 'counts': {" COUNTS "}}, "
#define TOLD "'producer': '0x5c0de0', 'told_by': 'option', 'rounds': 3"
#define UNTOLD "'producer': None, 'told_by': None, 'rounds': 3"

/* --- __cuda_array_interface__ --- */

#define STREAM(NUMBER) "'stream': " NUMBER ", "
#define READ(REST) "'trials': [" TRIAL("order", "cuda", REST) "]"
#define SETTLED(CHANGED, REST)                                                                    \
	"'trials': [" TRIAL("settled", "cuda", "'compared_bytes': 24, 'changed_bytes': " CHANGED) \
		TRIAL("order", "cuda", REST) "]"

static const char attribute[] =
	"{'protocol': 'cuda', 'status': 'ok', 'error': None, 'declared': {'shape': (2, 3), 'typestr': "
	"'<f4', 'data': (4096, False), 'version': 3, 'stream': None}, "
	"'details': {'stream': {'valid': True, 'error': None}}}";

static const struct family_case attribute_cases[] = {
	{ "", "" },
	{ STREAM("7") READ(TOLD ", 'order': {'read': {'ordered': 3}}"), "" },
	{ STREAM("7") READ(TOLD ", 'order': {'read': {'no order': 3}}"), "CAI605" },
	{ STREAM("7") READ(TOLD ", 'order': {'read': {'ordered': 2, 'no order': 1}}"), "CAI605" },
	{ STREAM("7") READ(TOLD ", 'order': {'read': {'same': 3}}"), "" },
	{ STREAM("7") READ(TOLD ", 'order': {'read': {'unclear': 3}}"), "" },
	/* A stream named by the interface proves nothing about the interface. */
	{ STREAM("7") READ("'producer': '0x7', 'told_by': 'interface', 'rounds': 3, "
			   "'order': {'read': {'no order': 3}}"),
		"" },
	{ STREAM("7") SETTLED("0", TOLD ", 'order': {'read': {'ordered': 3}}"), "" },
	{ STREAM("7") SETTLED("5", TOLD ", 'order': {'read': {'ordered': 3}}"), "CAI605" },
	{ STREAM("7") SETTLED("5", TOLD ", 'order': {'read': {'no order': 3}}"), "CAI605" },
	{ READ(TOLD ", 'order': {'read': {'unnamed': 3}}"), "CAI606" },
	{ READ(TOLD ", 'order': {'read': {'unnamed': 1, 'unclear': 2}}"), "CAI606" },
	{ READ(TOLD ", 'order': {'read': {'unclear': 3}}"), "" },
	{ READ(UNTOLD), "" },
	{ SETTLED("5", UNTOLD), "CAI606" },
	/* A property that waits returns complete elements, but blocks the host. */
	{ READ(TOLD ", 'order': {'read': {'blocked': 3}}"), "CAI607" },
	{ STREAM("7") READ(TOLD ", 'order': {'read': {'blocked': 1, 'ordered': 2}}"), "CAI607" },
	{ STREAM("7") READ(TOLD ", 'order': {'read': {'ordered': 3}}, 'capture': {'read': None}"),
		"" },
	{ STREAM("7") READ(
		  TOLD ", 'order': {'read': {'ordered': 3}}, 'capture': {'read': 'CUDA_ERROR_X'}"),
		"CAI607" },
	{ "'trials': [{'trial': 'order', 'protocol': 'cuda', 'outcome': 'crashed', 'error': "
	  "{'type': None, 'message': 'killed'}, 'counts': {}}]",
		"CAI704" },
};

/* --- __dlpack__ --- */

#define SAID(NEW, NONE, ONE, TWO, FREE)                                                   \
	"'order': {'new': {'" NEW "': 3}, 'None': {'" NONE "': 3}, '1': {'" ONE "': 3}, " \
	"'2': {'" TWO "': 3}, '-1': {'" FREE "': 3}}, 'capture': {'-1': None}"
#define ASKED(REST) "'trials': [" TRIAL("order", "dlpack", REST) "]"
#define COPIED(VERDICTS) \
	"'trials': [" TRIAL("copied", "dlpack", TOLD ", 'copies': {'new': {" VERDICTS "}}") "]"
#define ALIVE(EXPORTED, DELETED)                \
	"'trials': [" TRIAL("stream", "dlpack", \
		TOLD ", 'alive_exported': " EXPORTED ", 'alive_deleted': " DELETED) "]"
#define EXCHANGED(REST) "'details.exchange.calls': [], " ASKED(TOLD ", " REST)
#define ON_DEVICE(TYPE) \
	"'declared.device': (" TYPE ", 0), 'dl_tensor.device.device_type': " TYPE ", "

static const char export[] =
	"{'protocol': 'dlpack', 'status': 'ok', 'declared': {'device': (2, 0), 'capsule': {'name':"
	" 'dltensor_versioned', 'destructor': '0x8'}, 'version': (1, 3), 'flags': 0, 'deleter': '0x8',"
	" 'dl_tensor': {'data': '0x1000', 'device': {'device_type': 2, 'device_id': 0}, 'ndim': 2,"
	" 'dtype': {'code': 2, 'bits': 32, 'lanes': 1}, 'shape': (2, 3), 'strides': (3, 1),"
	" 'byte_offset': 0}}, 'details': {'has_dlpack': True, 'has_device': True,"
	" 'draft_exchange': False, 'exchange': {'on_type': True, 'type': 'PyCapsule', 'error': None,"
	" 'capsule': 'dlpack_exchange_api', 'tables': [{'version': (1, 3), 'prev_api': '0x0',"
	" 'managed_tensor_allocator': '0x8', 'managed_tensor_from_py_object_no_sync': '0x8',"
	" 'managed_tensor_to_py_object_no_sync': '0x8', 'dltensor_from_py_object_no_sync': '0x8',"
	" 'current_work_stream': '0x8'}], 'end': 'null'}}}";

static const struct family_case export_cases[] = {
	{ "", "" },
	{ ASKED(TOLD ", " SAID("ordered", "ordered", "ordered", "ordered", "returned")), "" },
	{ ASKED(TOLD ", " SAID("same", "same", "same", "same", "returned")), "" },
	{ ASKED(TOLD ", " SAID("ordered", "no order", "ordered", "ordered", "returned")),
		"DLP607" },
	{ ASKED(TOLD ", " SAID("no order", "ordered", "ordered", "ordered", "returned")),
		"DLP608" },
	{ ASKED(TOLD ", " SAID("ordered", "ordered", "no order", "ordered", "returned")),
		"DLP608" },
	{ ASKED(TOLD ", " SAID("ordered", "ordered", "ordered", "no order", "returned")),
		"DLP608" },
	{ ASKED(TOLD ", " SAID("blocked", "blocked", "blocked", "blocked", "returned")), "" },
	{ ASKED(TOLD ", " SAID("ordered", "ordered", "ordered", "ordered", "blocked")), "DLP609" },
	{ ASKED(TOLD ", " SAID("refused", "raised", "unclear", "ordered", "refused")), "" },
	{ ASKED(TOLD ", 'order': {'-1': {'returned': 3}}, 'capture': {'-1': 'CUDA_ERROR_X'}"),
		"DLP609" },
	{ ASKED(UNTOLD), "" },
	/* Trials on CUDA do not apply to host arrays. */
	{ ON_DEVICE("1") ASKED(
		  TOLD ", " SAID("no order", "no order", "no order", "no order", "blocked")),
		"" },
	{ "'trials': [" TRIAL("settled", "dlpack", "'compared_bytes': 24, 'changed_bytes': 24") "]",
		"DLP608" },
	{ COPIED("'on it': 4"), "" },
	{ COPIED("'elsewhere': 4"), "DLP611" },
	{ COPIED("'elsewhere': 2, 'on it': 2"), "DLP611" },
	{ COPIED("'elsewhere': 2, 'blocked': 2"), "DLP611" },
	{ COPIED("'elsewhere': 1, 'on it': 3"), "" },
	{ COPIED("'shared': 1"), "" },
	{ ALIVE("True", "True"), "" },
	{ ALIVE("False", "False"), "DLP613" },
	{ ALIVE("True", "False"), "DLP613" },
	{ EXCHANGED("'exchange_stream': '0x5c0de0', 'order': {'exchange': {'returned': 3}}"), "" },
	{ EXCHANGED("'exchange_stream': '0x7', 'order': {'exchange': {'returned': 3}}"), "CXA602" },
	{ EXCHANGED("'exchange_stream': '0x5c0de0', 'order': {'exchange': {'blocked': 3}}"),
		"CXA603" },
	{ EXCHANGED("'exchange_stream': '0x5c0de0', 'order': {'exchange': {'returned': 3}}, "
		    "'capture': {'exchange': 'CUDA_ERROR_X'}"),
		"CXA603" },
	{ "'details.exchange': None, " ASKED(
		  TOLD ", 'exchange_stream': '0x7', 'order': {'exchange': {'blocked': 3}}"),
		"" },
	/* Only --producer-stream takes precedence over the table. */
	{ ASKED("'producer': '0x5c0de0', 'told_by': 'exchange', 'rounds': 3, "
		"'exchange_stream': '0x7', 'order': {'exchange': {'returned': 3}}"),
		"" },
};

int main(void)
{
	FAMILY_CHECK(attribute, attribute_cases);
	FAMILY_CHECK(export, export_cases);
	return test_end();
}
