// SPDX-License-Identifier: MIT
/* Chooses the interface to convert from, waits for its producer, and queries its memory. */

#include "base/plural.h"
#include "base/words.h"
#include "facts/facts.h"
#include "model/fields.h"
#include "os/maps.h"
#include "protocols/names.h"
#include "protocols/shared.h"
#include "worker/capture/keepalive.h"
#include "worker/capture/self_reported.h"
#include "worker/convert/convert.h"
#include "worker/memory/device_session.h"

#include <string.h>

#define COUNT_PROTOCOL(...) +1
enum { N_PROTOCOLS = 0 PROTOCOL_LIST(COUNT_PROTOCOL) };
#undef COUNT_PROTOCOL

/* Host addresses are dereferenced only if the kernel reports all of them as mapped. */
static int source_check_host(struct source *source, uint64_t low, uint64_t high, struct err *err)
{
	struct maps maps;
	bool is_mapped;
	int rc = -1;

	source->elements.location.host_reaches = source->elements.location.host_owns = true;
	if (low == high)
		return 0;
	if (maps_read_near(&maps, low, high, err))
		goto out;
	maps_locate(&maps, low, high, &source->memory);
	is_mapped = source->memory.readable == ANSWER_YES;
	maps_find_end_of_file(low, high, &source->memory);
	if (source->memory.readable == ANSWER_YES)
		rc = 0;
	else
		err_set(err, EXIT_TARGET, "some memory in [0x%llx, 0x%llx) cannot be read%s%s%s",
			(unsigned long long)low, (unsigned long long)high,
			is_mapped ? ": the mapping of '" : "",
			is_mapped ? source->memory.mapping : "",
			is_mapped ? "' is longer than the file" : "");
out:
	maps_free(&maps);
	return rc;
}

static int source_locate(struct source *source, uint64_t low, uint64_t high, struct err *err)
{
	struct device_session *session = source->elements.location.session;
	const struct device_runtime *runtime = session->runtime;
	struct memory *memory = &source->memory;
	uint64_t pointer = source->elements.array.pointer;
	bool waited;
	int rc;

	if (low == high) {
		source->elements.location.host_reaches = true;
		return 0;
	}
	WITHOUT_GIL(rc = runtime->wait(session, &waited, err) ||
			 runtime->locate(session, pointer, memory, err));
	if (rc)
		return -1;
	if (memory->kind == MEMORY_UNKNOWN)
		return err_set(err, EXIT_TARGET,
			"the %s runtime does not recognize the pointer 0x%llx", runtime->name,
			(unsigned long long)pointer);
	if (memory->low_inside == ANSWER_NO || memory->high_inside == ANSWER_NO)
		return err_set(err, EXIT_TARGET,
			"some elements in [0x%llx, 0x%llx) are outside the allocation",
			(unsigned long long)low, (unsigned long long)high);
	source->elements.location.host_reaches = memory->host_accessible == ANSWER_YES;
	source->elements.location.host_owns =
		source->elements.location.host_reaches && memory->kind != runtime->device_kind;
	return 0;
}

static int source_query_memory(struct source *source, struct err *err)
{
	uint64_t low, high;

	if (array_nbytes(&source->elements.array) < 0)
		return err_set(err, EXIT_TARGET, "the elements have more than 2^63 - 1 bytes");
	if (array_extent(&source->elements.array, &low, &high, err)) {
		err->code = EXIT_TARGET;
		return -1;
	}
	source->memory = (struct memory){ .present = true, .asked_low = low, .asked_high = high };
	return source->elements.location.session ? source_locate(source, low, high, err)
						 : source_check_host(source, low, high, err);
}

/* Raw bytes have the type of the object's own dtype, if that names one, so that consumers and files
 * get it. */
static void take_own_type(struct source *source, const struct dtype *own)
{
	struct element_array *elements = &source->elements;

	if (!own->lanes || elements->array.dtype.kind != DTYPE_VOID || elements->descr ||
		dtype_itemsize(own) != dtype_itemsize(&elements->array.dtype))
		return;
	elements->array.dtype = *own;
	elements->format = NULL;
	source->has_own_type = true;
}

/* Raw bytes without fields: another interface may name the type. */
static bool elements_are_raw(const struct element_array *elements)
{
	return elements->array.dtype.kind == DTYPE_VOID && !elements->descr &&
	       !(elements->format && strchr(elements->format, '{'));
}

/* Raw bytes may be a structure with pointers to objects, of which the object's dtype or another of
 * its interfaces knows the fields. */
static void find_hidden_objects(
	struct capture_context *context, struct source *source, PyObject *object)
{
	struct element_array *elements = &source->elements;
	int64_t item_bytes = dtype_itemsize(&elements->array.dtype);
	enum answer answer;
	bool has_fields = false;

	if (elements->holds_objects || !elements_are_raw(elements))
		return;
	answer = object_dtype_holds_objects(object, item_bytes);
	for (size_t i = 0; captures[i] && answer != ANSWER_YES; i++) {
		enum answer declared;

		if (!captures[i]->holds_objects)
			continue;
		declared = captures[i]->holds_objects(
			capture_read_declared(captures[i], context, object), item_bytes,
			&has_fields);
		answer = declared == ANSWER_UNKNOWN ? answer : declared;
	}
	elements->holds_objects = answer == ANSWER_YES;
	elements->may_hold_objects = answer == ANSWER_UNKNOWN && has_fields;
}

static int open_interface(struct capture_context *context, PyObject *object,
	const struct capture *capture, const struct dtype *own, struct source *source,
	struct err *err)
{
	int rc = -1;

	*source = (struct source){ .protocol = capture->protocol, .own_type = own };
	if (capture->open_source(context, object, source, err))
		return -1;
	take_own_type(source, own);
	find_hidden_objects(context, source, object);
	if (source->elements.array.dtype.bits % 8)
		err_set(err, EXIT_TARGET,
			"cannot convert elements of %lld bit%s, which is not a multiple of 8",
			(long long)source->elements.array.dtype.bits,
			plural(source->elements.array.dtype.bits));
	else if (!worker_step(
			 arena_printf(context->arena, "memory of %s", capture->protocol->name)))
		err_set(err, EXIT_TARGET, "skipped: this step terminated an earlier worker");
	else
		rc = source_query_memory(source, err);
	worker_step_done();
	if (rc)
		source_close(source);
	return rc;
}

/* Whether the interface itself names the type of the elements. */
static bool names_type(const struct source *source)
{
	return !source->has_own_type && !elements_are_raw(&source->elements);
}

/* Whether the interface shows the number of the device. A dictionary of CUDA does so by the address
 * of the elements, which an array without elements may lack. */
static bool names_device(const struct source *source)
{
	struct device_session *session = source->elements.location.session;
	struct device device;
	struct err ignored;

	return !session || source->elements.array.device.id >= 0 ||
	       session_name_device(session, session->runtime->device_kind, &device, &ignored) ||
	       device.id >= 0;
}

static bool is_precise(const struct source *source)
{
	return names_type(source) && names_device(source);
}

/* Whether a source names the type of elements that another one describes as raw bytes, or the
 * device of an array without elements, at no greater cost. */
static bool is_more_precise(const struct source *source, const struct source *other)
{
	return is_precise(source) && !source->producer_copied &&
	       dtype_itemsize(&source->elements.array.dtype) ==
		       dtype_itemsize(&other->elements.array.dtype) &&
	       array_elements(&source->elements.array) == array_elements(&other->elements.array);
}

/* Fills own if the type is one that interfaces other than DLPack cannot express. */
static int source_read_own_type(
	struct capture_context *context, PyObject *object, struct dtype *own, struct err *err)
{
	const char *name;

	*own = (struct dtype){ 0 };
	name = object_inexpressible_type(context->arena, object);
	if (!name || dtype_from_dlpack_name(own, name))
		return 0;
	return err_set(err, EXIT_TARGET,
		"suai cannot convert elements of %s; use .astype('float32'), which has their values",
		name);
}

/* A mask that one dictionary has belongs to the object, whichever interface is read. The interface
 * that was read has none. */
static bool is_masked_elsewhere(
	struct capture_context *context, PyObject *object, const struct protocol *protocol)
{
	for (size_t i = 0; captures[i]; i++)
		if (captures[i]->protocol->has_mask && captures[i]->protocol != protocol &&
			!value_is_null(value_get(
				capture_read_declared(captures[i], context, object), "mask")))
			return true;
	return false;
}

/* An interface that cannot be read, or several for the same reason. */
struct refusal {
	const char *reason;
	const char *names[N_PROTOCOLS];
	size_t n_names;
};

struct refusals {
	size_t n_items;
	struct refusal items[N_PROTOCOLS];
};

static void refusals_add(
	struct arena *arena, struct refusals *refusals, const char *name, const char *reason)
{
	struct refusal *refusal = refusals->items;
	const struct refusal *end = refusal + refusals->n_items;

	while (refusal < end && strcmp(refusal->reason, reason) != 0)
		refusal++;
	if (refusal == end) {
		refusals->n_items++;
		refusal->reason = arena_printf(arena, "%s", reason);
	}
	refusal->names[refusal->n_names++] = name;
}

/* "numpy and buffer: REASON; dlpack: REASON" */
static const char *refusals_text(struct arena *arena, const struct refusals *refusals)
{
	const char *text = "";

	for (size_t i = 0; i < refusals->n_items; i++) {
		const struct refusal *refusal = &refusals->items[i];

		text = arena_printf(arena, "%s%s%s: %s", text, i ? "; " : "",
			words_enumerate(arena, refusal->names, refusal->n_names), refusal->reason);
	}
	return text;
}

/* Opens the first interface that can be read, or a later one that is more precise: CUDA's
 * dictionary cannot express bfloat16, DLPack can. */
static int open_best(struct capture_context *context, PyObject *object, const char *protocol,
	struct source *source, struct err *err)
{
	enum exit_code code = EXIT_TARGET;
	struct refusals refusals = { 0 };
	struct dtype own;
	struct err why;
	bool is_open = false, is_done = false;

	if (source_read_own_type(context, object, &own, err))
		return -1;
	for (size_t i = 0; captures[i] && !is_done; i++) {
		const char *name = captures[i]->protocol->name;
		struct source next;

		if (protocol ? strcmp(name, protocol) != 0
			     : !capture_exposes(captures[i], context, object))
			continue;
		if (open_interface(context, object, captures[i], &own, &next, &why)) {
			code = why.code == EXIT_UNAVAILABLE ? EXIT_UNAVAILABLE : code;
			refusals_add(context->arena, &refusals, name, why.message);
			is_done = source->is_masked = next.is_masked;
		} else if (!is_open || is_more_precise(&next, source)) {
			source_close(source);
			*source = next;
			is_open = true;
			is_done = is_precise(&next);
		} else {
			source_close(&next);
		}
	}
	if (!is_open)
		err_set(err, code, "%s",
			refusals.n_items ? refusals_text(context->arena, &refusals)
					 : "the object exposes no interface that convert can read");
	source->own_type = NULL;
	return is_open ? 0 : -1;
}

int convert_open_source(struct capture_context *context, PyObject *object, const char *protocol,
	struct source *source, struct err *err)
{
	*source = (struct source){ 0 };
	if (open_best(context, object, protocol, source, err))
		return -1;
	source->is_masked = is_masked_elsewhere(context, object, source->protocol);
	return source->is_masked ? source_refuse_mask(err) : 0;
}

const char *convert_list_sources(struct capture_context *context, PyObject *object, const char *but,
	bool (*fits)(void *data, const char *protocol), void *data)
{
	const char *list = "";

	for (size_t i = 0; captures[i]; i++) {
		const char *name = captures[i]->protocol->name;

		if (strcmp(name, but) != 0 && capture_exposes(captures[i], context, object) &&
			fits(data, name))
			list = arena_printf(
				context->arena, "%s%s-p %s", list, *list ? " or " : "", name);
	}
	return list;
}
