// SPDX-License-Identifier: MIT
/* Sources whose interface is a dictionary, or NumPy's struct: sycl, cuda, numpy, numpy-struct. The
 * object owns the memory, or the dictionary does: NumPy's scalars create an array for it. */
#include "worker/capture/source.h"

#include "base/plural.h"
#include "model/fields.h"
#include "protocols/description.h"
#include "protocols/protocol.h"
#include "protocols/shared.h"
#include "worker/capture/keepalive.h"

#include <string.h>

int source_check_buffer(
	const struct fact_interface *interface, const struct array *array, struct err *err)
{
	const struct value *buffer = value_get(interface->details, "buffer");
	uint64_t low, high, begin, n_bytes;

	if (!value_to_address(value_get(buffer, "pointer"), &begin) ||
		!value_to_uint64(value_get(buffer, "nbytes"), &n_bytes) ||
		array_nbytes(array) <= 0 || array_extent(array, &low, &high, err) ||
		(low >= begin && high - begin <= n_bytes))
		return 0;
	return err_set(err, EXIT_TARGET,
		"elements span byte offsets [%lld, %lld), but the buffer has %llu byte%s",
		(long long)(low - begin), (long long)(high - begin), (unsigned long long)n_bytes,
		plural(n_bytes));
}

/* Sets the element type. The typestr of some types of ml_dtypes, such as '<f1', is unknown to
 * NumPy; the type is then the object's own dtype. */
static int describe_type(struct capture_context *context, struct source *source,
	struct fact_interface *interface, struct err *err)
{
	const struct description *description = protocol_describe(context->arena, interface);

	if (!protocol_describe_strict(context->arena, interface, &source->elements.array, err))
		return 0;
	if (source->own_type->lanes && description->untyped && description->has_size &&
		dtype_itemsize(&description->untyped->dtype) == dtype_itemsize(source->own_type)) {
		source->elements.array = *description->untyped;
		return 0;
	}
	err->code = EXIT_TARGET;
	return -1;
}

/* An invalid descr is ignored in favor of typestr. */
static bool has_fields(const struct value *declared, const struct dtype *dtype)
{
	const struct value *descr = value_get(declared, "descr");
	struct err ignored;

	return dtype->kind == DTYPE_VOID && fields_are_structured(descr) &&
	       !protocol_check_descr(declared, dtype, &ignored);
}

static int describe_dictionary(struct capture_context *context, struct source *source,
	struct fact_interface *interface, struct err *err)
{
	const struct value *declared = interface->declared;
	struct array *array = &source->elements.array;

	if (interface->status != INTERFACE_OK)
		return err_set(err, EXIT_TARGET, "%s",
			fact_exception(context->arena, interface->error.type,
				fact_text_or(interface->error.message, "it cannot be read")));
	if (describe_type(context, source, interface, err))
		return -1;
	source->is_masked = !value_is_null(value_get(declared, "mask"));
	if (source->is_masked)
		return source_refuse_mask(err);
	source->elements.holds_objects = array->dtype.kind == DTYPE_OBJECT ||
					 fields_hold_objects(value_get(declared, "descr"));
	if (has_fields(declared, &array->dtype))
		source->elements.descr = value_get(declared, "descr");
	return source_check_buffer(interface, array, err);
}

static int find_session(struct capture_context *context, const struct capture *capture,
	const struct fact_interface *interface, struct source *source, struct err *err)
{
	const char *device = source->elements.array.device.type;
	struct device_session *session;

	if (capture->open_session) {
		session = capture->open_session(context, interface, err);
		return session ? source_set_session(source, session, err) : -1;
	}
	if (!device || !strcmp(device, DEVICE_CPU))
		return 0;
	return err_set(err, EXIT_UNAVAILABLE, "this build does not support %s memory", device);
}

int source_open_dictionary(
	struct capture_context *context, PyObject *object, struct source *source, struct err *err)
{
	const struct capture *capture = capture_find(source->protocol->name);
	struct fact_interface *interface = capture->read(context, object);
	const char *attribute = source->protocol->attribute;
	int rc = -1;

	if (!interface) {
		err_set(err, EXIT_TARGET,
			worker_loss(attribute) ? "skipped: reading %s terminated an earlier worker"
					       : "the object has no %s",
			attribute);
	} else if (!describe_dictionary(context, source, interface, err)) {
		source->memory_owner =
			PyTuple_Pack(2, object, context->keepalive ? context->keepalive : Py_None);
		rc = find_session(context, capture, interface, source, err);
	}
	Py_DecRef(context->syclobj_handle);
	context->syclobj_handle = NULL;
	if (rc) {
		source_close(source);
	} else {
		Py_DecRef(context->keepalive);
		context->keepalive = NULL;
	}
	keepalive_release(context);
	worker_step_done();
	return rc;
}
