// SPDX-License-Identifier: MIT
/*
 * The C exchange API of tracers. A consumer that calls one of its functions owns the struct, so
 * that there is no capsule to rename. The functions that create tensors are refused.
 */
#include "worker/consume/exchange.h"

#include <string.h>

#define CAPSULE_NAME "dlpack_exchange_api"

/* The tracer of an object, and a record of the call; NULL with an exception. */
static struct tracer *begin_exchange(void *object, const char *function)
{
	struct tracer *tracer = tensor_open_tracer(object);

	if (tracer)
		tensor_record_call(tracer, function, NULL, NULL);
	return tracer;
}

static int export_managed(void *object, DLManagedTensorVersioned **out)
{
	struct tracer *tracer = begin_exchange(object, "managed_tensor_from_py_object_no_sync");

	if (!tracer)
		return -1;
	*out = tracer_export_managed(tracer);
	return 0;
}

static int lend_tensor(void *object, DLTensor *out)
{
	struct tracer *tracer = begin_exchange(object, "dltensor_from_py_object_no_sync");

	if (!tracer)
		return -1;
	tracer_lend_tensor(tracer, out);
	return 0;
}

static int refuse_managed(void *object, DLManagedTensorVersioned **out)
{
	(void)out;
	if (begin_exchange(object, "managed_tensor_from_py_object_no_sync"))
		PyErr_SetString(PyExc_BufferError, "suai: this exporter raises BufferError");
	return -1;
}

static int refuse_tensor(void *object, DLTensor *out)
{
	(void)out;
	if (begin_exchange(object, "dltensor_from_py_object_no_sync"))
		PyErr_SetString(PyExc_BufferError, "suai: this exporter raises BufferError");
	return -1;
}

static int refuse_allocation(DLTensor *prototype, DLManagedTensorVersioned **out, void *context,
	void (*set_error)(void *context, const char *kind, const char *message))
{
	(void)prototype;
	(void)out;
	set_error(context, "RuntimeError", "suai: this exporter allocates no tensors");
	return -1;
}

static int refuse_import(DLManagedTensorVersioned *tensor, void **out)
{
	(void)out;
	if (tensor->deleter)
		tensor->deleter(tensor);
	PyErr_SetString(PyExc_RuntimeError, "suai: this exporter imports no tensors");
	return -1;
}

static int host_stream(DLDeviceType type, int32_t id, void **out)
{
	(void)type;
	(void)id;
	*out = NULL;
	return 0;
}

#define TABLE(MANAGED, TENSOR)                                                                   \
	{                                                                                        \
		.header = { .version = { DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION } },         \
		.managed_tensor_allocator = refuse_allocation,                                   \
		.managed_tensor_from_py_object_no_sync = (MANAGED),                              \
		.managed_tensor_to_py_object_no_sync = refuse_import,                            \
		.dltensor_from_py_object_no_sync = (TENSOR), .current_work_stream = host_stream, \
	}

static DLPackExchangeAPI table = TABLE(export_managed, lend_tensor);
static DLPackExchangeAPI raising_table = TABLE(refuse_managed, refuse_tensor);

/* A table of version 2.0, whose functions crash a consumer that calls them as those of version 1.
 */
static DLPackExchangeAPI *newer_table(DLPackExchangeAPIHeader *prev_api)
{
	static DLPackExchangeAPI newer;

	memset(&newer, 0xFF, sizeof(newer));
	newer.header = (DLPackExchangeAPIHeader){ .version = { DLPACK_MAJOR_VERSION + 1, 0 },
		.prev_api = prev_api };
	return &newer;
}

PyObject *exchange_capsule_new(const struct consumer_case *row)
{
	DLPackExchangeAPI *chosen = &table;

	if (row->exchange == EXCHANGE_RAISES)
		chosen = &raising_table;
	if (row->exchange == EXCHANGE_CHAIN || row->exchange == EXCHANGE_MAJOR)
		chosen = newer_table(row->exchange == EXCHANGE_CHAIN ? &table.header : NULL);
	return PyCapsule_New(chosen,
		row->exchange == EXCHANGE_NAME ? "dlpack_exchange_api2" : CAPSULE_NAME, NULL);
}
