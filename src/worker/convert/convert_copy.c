// SPDX-License-Identifier: MIT
/* Creates the new object: over the source's memory, or over a copy at its destination. */
#include "worker/convert/convert.h"
#include "worker/export/exported.h"
#include "worker/memory/device_session.h"

#include <string.h>

struct memory_location convert_source_location(const struct conversion *conversion)
{
	struct memory_location location = conversion->source.elements.location;

	if (location.session && conversion->destination.session &&
		conversion->destination.knows_source)
		location.session = conversion->destination.session;
	return location;
}

void convert_fill_transfer(struct conversion *conversion, const struct transfer *transfer)
{
	struct fact_conversion *facts = &conversion->facts;

	facts->path = transfer->path;
	facts->engine = transfer->engine;
	if (*transfer->fallback)
		facts->fallback =
			arena_printf(conversion->context->arena, "%s", transfer->fallback);
	if (transfer->path == PATH_KERNEL && transfer->launch.kernel) {
		facts->kernel = transfer->launch.kernel;
		facts->launches = fact_int(transfer->launch.n_launches);
	}
}

/* Reads or writes n_bytes of the result at an offset. */
static int convert_copy_touch(const struct conversion *conversion, int64_t offset, void *bytes,
	size_t n_bytes, bool writes, struct err *err)
{
	const struct memory_location *location = &conversion->result.location;
	const struct device_pointer at = { location->handle,
		conversion->result.array.pointer + (uint64_t)offset };
	void *host = (void *)(uintptr_t)at.address;
	struct device_session *session = location->session;
	int rc = 0;

	if (location->host_reaches)
		memcpy(writes ? host : bytes, writes ? bytes : host, n_bytes);
	else if (writes)
		WITHOUT_GIL(rc = session->runtime->write(session, at, bytes, n_bytes, err));
	else
		WITHOUT_GIL(rc = session->runtime->read(session, bytes, at, n_bytes, err));
	return rc;
}

static int convert_copy_flip_byte(
	const struct conversion *conversion, int64_t offset, struct err *err)
{
	unsigned char byte;

	if (convert_copy_touch(conversion, offset, &byte, 1, false, err))
		return -1;
	byte ^= 1;
	return convert_copy_touch(conversion, offset, &byte, 1, true, err);
}

/* Swaps the result's first and last item. */
static int swap_ends(const struct conversion *conversion, int64_t last, struct err *err)
{
	unsigned char ends[2][16];
	int64_t item_bytes = dtype_itemsize(&conversion->result.array.dtype);
	size_t n = item_bytes < 16 ? (size_t)item_bytes : 16;

	return convert_copy_touch(conversion, 0, ends[0], n, false, err) ||
			       convert_copy_touch(conversion, last, ends[1], n, false, err) ||
			       convert_copy_touch(conversion, 0, ends[1], n, true, err) ||
			       convert_copy_touch(conversion, last, ends[0], n, true, err)
		       ? -1
		       : 0;
}

/* Injects the fault of SUAI_FAULT, which --verify must detect. */
static int inject_fault(const struct conversion *conversion, struct err *err)
{
	enum job_fault fault = conversion->options->fault;
	int64_t n_bytes = array_nbytes(&conversion->result.array);

	if (n_bytes <= 0)
		return 0;
	if (fault == JOB_FAULT_COPY_FLIP)
		return convert_copy_flip_byte(conversion, 0, err);
	if (fault == JOB_FAULT_COPY_FLIP_LAST)
		return convert_copy_flip_byte(conversion, n_bytes - 1, err);
	if (fault == JOB_FAULT_COPY_SWAP)
		return swap_ends(
			conversion, n_bytes - dtype_itemsize(&conversion->result.array.dtype), err);
	return 0;
}

void convert_report_progress(void *context, int64_t n_bytes)
{
	const struct conversion *conversion = context;

	worker_work((uint64_t)n_bytes, (uint64_t)array_nbytes(&conversion->source.elements.array));
}

void convert_end_progress(void)
{
	worker_work(0, 0);
}

/* Gives the owner of new memory for result. */
static PyObject *allocate(struct conversion *conversion, int64_t n_bytes, struct err *err)
{
	const struct destination *destination = &conversion->destination;
	PyObject *session_ref = destination->session_ref ? destination->session_ref
							 : conversion->source.session_ref;
	struct element_array *result = &conversion->result;
	struct session_memory memory;
	PyObject *owner;

	if (destination->session) {
		if (session_allocate(destination->session, session_ref, destination->kind, n_bytes,
			    &memory, err))
			return NULL;
		result->location = memory.location;
		result->array.pointer = memory.address;
		return memory.owner;
	}
	result->location = (struct memory_location){ .host_reaches = true, .host_owns = true };
	owner = memory_owner_allocate(n_bytes, &result->array.pointer);
	if (!owner)
		source_fail(
			conversion->context->arena, err, "allocating the memory of the new object");
	return owner;
}

int convert_transfer(struct conversion *conversion, struct transfer *transfer, struct err *err)
{
	const struct memory_location location = convert_source_location(conversion);
	const struct transfer_end from = { &conversion->source.elements.array, &location };
	const struct transfer_end to = { &conversion->result.array, &conversion->result.location };
	int rc;

	transfer->progress = convert_report_progress;
	transfer->context = conversion;
	convert_report_progress(conversion, 0); /* a kernel reports no progress */
	WITHOUT_GIL(rc = transfer_run(transfer, &from, &to, conversion->engine, err));
	convert_end_progress();
	return rc;
}

/* Gives the owner of a copy. */
static PyObject *convert_copy_make_copy(struct conversion *conversion, struct err *err)
{
	int64_t n_bytes = array_nbytes(&conversion->source.elements.array);
	PyObject *owner = allocate(conversion, n_bytes, err);
	struct transfer transfer = { 0 };
	int rc;

	if (!owner)
		return NULL;
	convert_end_part(conversion, PART_ALLOCATE);
	rc = convert_transfer(conversion, &transfer, err);
	convert_end_part(conversion, PART_COPY);
	conversion->timing.is_map_refused = transfer.is_map_refused;
	if (!rc) {
		convert_fill_transfer(conversion, &transfer);
		rc = inject_fault(conversion, err);
	}
	if (!rc)
		return owner;
	Py_DecRef(owner);
	return NULL;
}

/* The source's memory and, if it is another one, the session in which it is exported. */
static PyObject *share(struct conversion *conversion, struct err *err)
{
	const struct destination *destination = &conversion->destination;
	PyObject *owner = PyTuple_Pack(2, conversion->source.memory_owner,
		destination->session_ref ? destination->session_ref : Py_None);

	conversion->result.location = convert_source_location(conversion);
	if (!destination->session)
		conversion->result.location.session = NULL;
	if (!owner)
		source_fail(conversion->context->arena, err, "creating the new object");
	return owner;
}

int convert_make_object(struct conversion *conversion, struct err *err)
{
	PyObject *owner = conversion->reason ? convert_copy_make_copy(conversion, err)
					     : share(conversion, err);

	if (!owner)
		return -1;
	conversion->object = exported_new(conversion->exporter, &conversion->result,
		conversion->source.protocol->name, conversion->options->interface_version, owner);
	Py_DecRef(owner);
	if (!conversion->object)
		return source_fail(conversion->context->arena, err, "creating the new object");
	if (conversion->result.location.session)
		exported_set_session(conversion->object,
			conversion->destination.session_ref ? conversion->destination.session_ref
							    : conversion->source.session_ref,
			conversion->destination.stream);
	return 0;
}
