// SPDX-License-Identifier: MIT
/*
 * --calls: the functions of the C exchange API, called as a consumer calls them (dlpack.h 1.3). The
 * result of a call is a fact; the rules check it.
 */
#include "base/array_size.h"
#include "os/peek.h"
#include "worker/capture/dlpack_exchange.h"
#include "worker/capture/dlpack_read.h"
#include "worker/python/c_values.h"

#include <string.h>

/* 2^60 float32 exceed the memory of any machine. */
enum { HUGE_EXTENT_BITS = 60 };

struct exchange_session {
	struct capture_context *context;
	struct arena *arena;
	PyObject *object;
	DLPackExchangeAPI table;
	DLDevice device; /* of the object; the host if it reports none */
	struct value *records;
};

/* A new record of a call, whose step begins; NULL if it must not be made. */
static struct value *begin_call(
	const struct exchange_session *session, const char *function, const char *arguments)
{
	static const char *const nulls[] = { "status", "error", "exception", "stream", "tensor",
		"returned", "asked", "set_error" };
	struct arena *arena = session->arena;
	const char *step = arena_printf(arena, "%s(%s)", function, arguments);
	struct value *record;

	if (!job_has_step(session->context->job, step) || !worker_has_time() || !worker_step(step))
		return NULL;
	record = value_map(arena);
	value_set(arena, record, "step", value_text(arena, step));
	value_set(arena, record, "function", value_text(arena, function));
	for (size_t i = 0; i < ARRAY_SIZE(nulls); i++)
		value_set(arena, record, nulls[i], value_null(arena));
	return record;
}

/* Ends the step: records the result and takes the exception. */
static void end_call(const struct exchange_session *session, struct value *record, int status)
{
	struct arena *arena = session->arena;

	value_set(arena, record, "status", value_int(arena, status));
	if (PyErr_Occurred()) {
		value_set(arena, record, "exception",
			value_text(arena, object_builtin_exception(arena)));
		value_set(arena, record, "error", object_take_error_value(arena));
	}
	value_append(arena, session->records, record);
	worker_step_done();
}

static void set_tensor(const struct exchange_session *session, struct value *record,
	const DLManagedTensorVersioned *managed)
{
	struct value *tensor;

	if (!managed)
		return;
	tensor = value_set(session->arena, record, "tensor", value_map(session->arena));
	dlpack_read_managed(session->arena, tensor, managed);
}

/* The address of the field `deleter` of a managed tensor; NULL if it cannot be read or called. */
static void (**deleter_of(DLManagedTensorVersioned *managed))(void *)
{
	DLManagedTensorVersioned seen;
	uint64_t at = (uint64_t)(uintptr_t)managed;

	if (!managed || !peek_bytes(&seen, at, offsetof(DLManagedTensorVersioned, flags)) ||
		!dlpack_can_delete((uint64_t)(uintptr_t)seen.deleter))
		return NULL;
	return (void (**)(void *))(void *)&managed->deleter;
}

static void delete_tensor(const struct exchange_session *session, const struct value *record,
	DLManagedTensorVersioned *managed)
{
	void (**deleter)(void *) = deleter_of(managed);

	if (deleter && worker_step(arena_printf(session->arena, "deleter of %s",
			       value_text_or(value_get(record, "step"), "?"))))
		(*deleter)(managed);
	object_drop_error();
	worker_step_done();
}

/* --- the functions --- */

static void exchange_call_stream(const struct exchange_session *session)
{
	static int unset;
	struct value *record = begin_call(session, "current_work_stream", "kDLCPU, 0");
	void *stream = &unset;
	int status;

	if (!record)
		return;
	status = session->table.current_work_stream(kDLCPU, 0, &stream);
	value_set(session->arena, record, "stream",
		stream == &unset ? value_text(session->arena, "not set")
				 : c_pointer_to_value(session->arena, stream));
	end_call(session, record, status);
}

static void call_managed(const struct exchange_session *session)
{
	struct value *record =
		begin_call(session, "managed_tensor_from_py_object_no_sync", "object");
	DLManagedTensorVersioned *managed = NULL;
	int status;

	if (!record)
		return;
	status = session->table.managed_tensor_from_py_object_no_sync(session->object, &managed);
	set_tensor(session, record, status ? NULL : managed);
	end_call(session, record, status);
	delete_tensor(session, record, status ? NULL : managed);
}

/* A borrowed tensor is read before the next call invalidates it. */
static void call_view(const struct exchange_session *session)
{
	struct value *record = begin_call(session, "dltensor_from_py_object_no_sync", "object");
	DLTensor view = { .data = NULL };
	struct value *tensor;
	int status;

	if (!record)
		return;
	status = session->table.dltensor_from_py_object_no_sync(session->object, &view);
	if (!status) {
		tensor = value_set(session->arena, record, "tensor", value_map(session->arena));
		value_set(session->arena, tensor, "dl_tensor",
			dlpack_tensor_to_value(session->arena, &view));
	}
	end_call(session, record, status);
}

/* Passes an export of the object back to its library. dlpack.h does not define who owns it if that
 * fails: its deleter is called here unless the function called it. */
static void call_from_object(const struct exchange_session *session)
{
	DLManagedTensorVersioned *managed = NULL;
	void (**deleter)(void *);
	struct value *record;
	void *made = NULL;
	int status;

	if (session->table.managed_tensor_from_py_object_no_sync(session->object, &managed))
		managed = NULL;
	object_drop_error();
	deleter = deleter_of(managed);
	if (!deleter)
		return;
	record = begin_call(session, "managed_tensor_to_py_object_no_sync", "tensor");
	if (!record) {
		delete_tensor(session, record, managed);
		return;
	}
	dlpack_count_deleter(deleter);
	status = session->table.managed_tensor_to_py_object_no_sync(managed, &made);
	if (!status && made)
		value_set(session->arena, record, "returned",
			value_text(session->arena, object_type_name(session->arena, made)));
	end_call(session, record, status);
	if (!status && made && worker_step("release of the object made of a tensor"))
		Py_DecRef(made);
	else if (status)
		dlpack_delete_counted(managed);
	object_drop_error();
	worker_step_done();
}

/* --- the allocator --- */

struct reported_errors {
	struct arena *arena;
	int n_calls;
	struct value *kind, *message;
};

static void set_error(void *context, const char *kind, const char *message)
{
	struct reported_errors *told = context;

	told->n_calls++;
	told->kind = c_text_to_value(told->arena, kind);
	told->message = c_text_to_value(told->arena, message);
}

static void call_allocator(const struct exchange_session *session, const char *arguments,
	int32_t n_dims, int64_t *shape)
{
	struct arena *arena = session->arena;
	struct value *record = begin_call(session, "managed_tensor_allocator", arguments);
	struct reported_errors told = { arena, 0, value_null(arena), value_null(arena) };
	DLTensor prototype = { .device = session->device,
		.ndim = n_dims,
		.dtype = { .code = kDLFloat, .bits = 32, .lanes = 1 },
		.shape = shape };
	DLManagedTensorVersioned *managed = NULL;
	struct value *errors;
	int status;

	if (!record)
		return;
	value_set(arena, record, "asked", dlpack_tensor_to_value(arena, &prototype));
	status = session->table.managed_tensor_allocator(&prototype, &managed, &told, set_error);
	set_tensor(session, record, status ? NULL : managed);
	errors = value_set(arena, record, "set_error", value_map(arena));
	value_set(arena, errors, "calls", value_int(arena, told.n_calls));
	value_set(arena, errors, "kind", told.kind);
	value_set(arena, errors, "message", told.message);
	end_call(session, record, status);
	delete_tensor(session, record, status ? NULL : managed);
}

/* Calls the functions that are set. */
static void call_functions(
	struct exchange_session *session, const struct value *exchange, const struct value *device)
{
	session->device.device_type = (DLDeviceType)value_int_or(value_item(device, 0), kDLCPU);
	session->device.device_id = (int32_t)value_int_or(value_item(device, 1), 0);
	session->records = value_set(
		session->arena, (struct value *)exchange, "calls", value_list(session->arena));
	if (session->table.current_work_stream)
		exchange_call_stream(session);
	if (session->table.managed_tensor_from_py_object_no_sync)
		call_managed(session);
	if (session->table.dltensor_from_py_object_no_sync)
		call_view(session);
	if (session->table.managed_tensor_from_py_object_no_sync &&
		session->table.managed_tensor_to_py_object_no_sync)
		call_from_object(session);
	if (session->table.managed_tensor_allocator) {
		call_allocator(session, "float32, (2, 3)", 2, (int64_t[]){ 2, 3 });
		call_allocator(session, "float32, (2^60,)", 1,
			(int64_t[]){ (int64_t)1 << HUGE_EXTENT_BITS });
	}
}

void dlpack_call_exchange(
	struct capture_context *context, PyObject *object, const struct fact_interface *interface)
{
	const struct value *exchange = value_get(interface->details, "exchange");
	const struct value *device = value_get(interface->declared, "device");
	struct exchange_session session = {
		.context = context, .arena = context->arena, .object = object
	};
	PyObject *capsule;
	const void *table;

	if (!value_is(exchange, VALUE_MAP))
		return;
	table = dlpack_exchange_address(context->arena, object, &capsule);
	if (dlpack_exchange_table(table, &session.table))
		call_functions(&session, exchange, device);
	Py_DecRef(capsule);
}
