// SPDX-License-Identifier: MIT
/* The keys of what is known of an export by DLPack beyond its struct: the other capsule that its
 * calls returned, and its C exchange API. */
#include "documents/document_keys.h"

static const struct document_key exchange_table_keys[] = {
	{ "version", .kinds = KEY_LIST },
	{ "prev_api", .kinds = KEY_ADDRESS },
	{ "managed_tensor_allocator", .kinds = KEY_ADDRESS },
	{ "managed_tensor_from_py_object_no_sync", .kinds = KEY_ADDRESS },
	{ "managed_tensor_to_py_object_no_sync", .kinds = KEY_ADDRESS },
	{ "dltensor_from_py_object_no_sync", .kinds = KEY_ADDRESS },
	{ "current_work_stream", .kinds = KEY_ADDRESS },
	{ 0 },
};

static const struct document_key set_error_keys[] = {
	{ "calls", .kinds = KEY_INT },
	{ "kind", .kinds = KEY_TEXT },
	{ "message", .kinds = KEY_TEXT },
	{ 0 },
};

static const struct document_key exchange_call_keys[] = {
	{ "step", .kinds = KEY_TEXT },
	{ "function", .kinds = KEY_TEXT },
	{ "status", .kinds = KEY_INT },
	{ "error", .kinds = KEY_MAP, .inner = error_keys },
	{ "exception", .kinds = KEY_TEXT },
	{ "stream", .kinds = KEY_TEXT },
	{ "tensor", .kinds = KEY_MAP },
	{ "returned", .kinds = KEY_TEXT },
	{ "asked", .kinds = KEY_MAP },
	{ "set_error", .kinds = KEY_MAP, .inner = set_error_keys },
	{ 0 },
};

static const struct document_key exchange_keys[] = {
	{ "on_type", .kinds = KEY_BOOL },
	{ "type", .kinds = KEY_TEXT },
	{ "error", .kinds = KEY_MAP, .inner = error_keys },
	{ "capsule", .kinds = KEY_TEXT },
	{ "tables", .kinds = KEY_LIST, .inner = exchange_table_keys },
	{ "end", .kinds = KEY_TEXT },
	{ "work_stream", .kinds = KEY_ADDRESS },
	{ "calls", .kinds = KEY_LIST, .inner = exchange_call_keys },
	{ 0 },
};

static const struct document_key other_capsule_keys[] = {
	{ "call", .kinds = KEY_TEXT },
	{ "declared", .kinds = KEY_MAP },
	{ "memory", .kinds = KEY_MAP, .inner = memory_keys },
	{ "memory_reason", .kinds = KEY_TEXT },
	{ 0 },
};

const struct document_key dlpack_details_keys[] = {
	{ "has_dlpack", .kinds = KEY_BOOL },
	{ "has_device", .kinds = KEY_BOOL },
	{ "device_error", .kinds = KEY_MAP, .inner = error_keys },
	{ "call", .kinds = KEY_TEXT },
	{ "n_devices", .kinds = KEY_INT },
	{ "other_capsule", .kinds = KEY_MAP, .inner = other_capsule_keys },
	{ "exchange", .kinds = KEY_MAP, .inner = exchange_keys },
	{ "draft_exchange", .kinds = KEY_BOOL },
	{ 0 },
};
