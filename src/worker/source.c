// SPDX-License-Identifier: MIT
/* Chooses the interface to convert from, waits for its producer, and asks what its memory is. */
#include "worker/source.h"

#include "base/text.h"
#include "devices/maps.h"
#include "worker/place.h"
#include "worker/target.h"

#include <string.h>

#define OPENER_LIST(EACH)  \
	EACH(sycl)         \
	EACH(cuda)         \
	EACH(dlpack)       \
	EACH(numpy)        \
	EACH(numpy_struct) \
	EACH(buffer)

#define DECLARE(NAME) extern const struct source_opener NAME##_opener;
OPENER_LIST(DECLARE)

#define ROW(NAME) &NAME##_opener,
static const struct source_opener *const openers[] = { OPENER_LIST(ROW) NULL };

int source_fail(struct arena *arena, struct err *err, const char *what)
{
	struct value *error = object_take_error(arena);

	return err_set(err, EXIT_TARGET, "%s: %s: %s", what,
		value_text_or(value_get(error, "type"), "exception"),
		value_text_or(value_get(error, "message"), ""));
}

int source_set_place(struct source *source, struct device_place *place, struct err *err)
{
	PyObject *hold = place_hold(place), *owner = source->owner;

	source->elements.site.place = place;
	source->hold = hold;
	source->owner = hold ? PyTuple_Pack(2, owner ? owner : Py_None, hold) : NULL;
	Py_DecRef(owner);
	if (source->owner)
		return 0;
	PyErr_Clear();
	return err_set(err, EXIT_TARGET, "no memory for the source's place");
}

/* Host addresses are followed only where the kernel says that all of them are mapped. */
static int ask_host(struct source *source, uint64_t low, uint64_t high, struct err *err)
{
	struct maps maps;
	int rc = -1;

	source->elements.site.host_reaches = source->elements.site.host_owns = true;
	if (low == high)
		return 0;
	if (maps_read_near(&maps, low, high, err))
		goto out;
	maps_ask(&maps, low, high, &source->memory);
	if (source->memory.readable == ANSWER_YES)
		rc = 0;
	else
		err_set(err, EXIT_TARGET, "not all of 0x%llx to 0x%llx is memory that can be read",
			(unsigned long long)low, (unsigned long long)high);
out:
	maps_free(&maps);
	return rc;
}

static int ask_place(struct source *source, uint64_t low, uint64_t high, struct err *err)
{
	struct device_place *place = source->elements.site.place;
	const struct device_runtime *runtime = place->runtime;
	struct memory *memory = &source->memory;
	uint64_t pointer = source->elements.array.pointer;
	bool waited;
	int rc;

	if (low == high) {
		source->elements.site.host_reaches = true;
		return 0;
	}
	WITHOUT_GIL(rc = runtime->wait(place, &waited, err) ||
			 runtime->locate(place, pointer, memory, err));
	if (rc)
		return -1;
	if (memory->kind == MEMORY_UNKNOWN)
		return err_set(err, EXIT_TARGET, "the %s runtime does not know the pointer 0x%llx",
			runtime->name, (unsigned long long)pointer);
	if (memory->low_inside == ANSWER_NO || memory->high_inside == ANSWER_NO)
		return err_set(err, EXIT_TARGET,
			"the elements reach from 0x%llx to 0x%llx, which leaves the allocation",
			(unsigned long long)low, (unsigned long long)high);
	source->elements.site.host_reaches = memory->host_accessible == ANSWER_YES;
	source->elements.site.host_owns =
		source->elements.site.host_reaches && memory->kind != runtime->device_kind;
	return 0;
}

static int ask_memory(struct source *source, struct err *err)
{
	uint64_t low, high;

	if (array_nbytes(&source->elements.array) < 0 ||
		array_extent(&source->elements.array, &low, &high, err))
		return err_set(err, EXIT_TARGET, "the extent leaves the address space");
	memory_init(&source->memory, low, high);
	return source->elements.site.place ? ask_place(source, low, high, err)
					   : ask_host(source, low, high, err);
}

/* Raw bytes that the object's own dtype knows better are of that type: a consumer, and a file,
 * would have lost it. */
static void take_own_type(struct source *source, const struct dtype *own)
{
	struct element_array *elements = &source->elements;

	if (!own->lanes || elements->array.dtype.kind != DTYPE_VOID || elements->descr ||
		dtype_itemsize(own) != dtype_itemsize(&elements->array.dtype))
		return;
	elements->array.dtype = *own;
	elements->format = NULL;
}

static int open_one(struct capture_context *context, PyObject *object,
	const struct source_opener *opener, const struct dtype *own, struct source *source,
	struct err *err)
{
	int rc = -1;

	*source = (struct source){ .protocol = opener->protocol };
	if (opener->open(context, object, source, err))
		return -1;
	take_own_type(source, own);
	if (source->elements.array.dtype.bits % 8)
		err_set(err, EXIT_TARGET, "elements of %lld bits are packed, and are not converted",
			(long long)source->elements.array.dtype.bits);
	else if (!worker_step(arena_printf(context->arena, "memory of %s", opener->protocol)))
		err_set(err, EXIT_TARGET, "asking for its memory killed an earlier worker");
	else
		rc = ask_memory(source, err);
	worker_step_done();
	if (rc)
		source_close(source);
	return rc;
}

/* What else -p could name. */
static void add_others(struct capture_context *context, PyObject *object, const char *protocol,
	struct text *reasons)
{
	const char *introduction = "; the object also exposes ";

	for (size_t i = 0; openers[i]; i++) {
		const char *name = openers[i]->protocol;

		if (!strcmp(name, protocol) || !capture_find(name)->exposes(context, object))
			continue;
		text_printf(reasons, "%s%s", introduction, name);
		introduction = ", ";
	}
}

/* No protocol tells of numpy.ma's masks. */
static int check_masked(PyObject *object, struct err *err)
{
	enum own_mask mask = own_masked(object);

	if (mask == OWN_MASK_UNKNOWN)
		return err_set(err, EXIT_TARGET,
			"numpy.ma does not tell whether elements of the array are masked: convert its filled() or its data");
	if (mask == OWN_MASKED)
		return err_set(err, EXIT_TARGET,
			"elements of the array are masked, which no protocol says of numpy.ma's arrays: convert its filled() or, "
			"masked elements and all, its data");
	return 0;
}

/* What no interface can say of the elements and the object itself does: a mask, and a type of
 * ml_dtypes, which fills own. */
static int ask_object(
	struct capture_context *context, PyObject *object, struct dtype *own, struct err *err)
{
	const char *name;

	*own = (struct dtype){ 0 };
	if (check_masked(object, err))
		return -1;
	name = own_ml_dtype(context->arena, object);
	if (!name || dtype_from_dlpack_name(own, name))
		return 0;
	return err_set(err, EXIT_TARGET,
		"the elements are %s of ml_dtypes, which no protocol can say: convert their bytes as such, .view('u1')",
		name);
}

int source_open(struct capture_context *context, PyObject *object, const char *protocol,
	struct source *source, struct err *err)
{
	enum exit_code code = EXIT_TARGET;
	struct text reasons = { 0 };
	struct dtype own;
	struct err why;
	int rc = -1;

	*source = (struct source){ 0 };
	if (ask_object(context, object, &own, err))
		return -1;
	for (size_t i = 0; openers[i] && rc; i++) {
		if (protocol ? strcmp(openers[i]->protocol, protocol) != 0
			     : !capture_find(openers[i]->protocol)->exposes(context, object))
			continue;
		rc = open_one(context, object, openers[i], &own, source, &why);
		if (!rc)
			break;
		code = why.code == EXIT_UNAVAILABLE ? EXIT_UNAVAILABLE : code;
		text_printf(&reasons, "%s%s: %s", reasons.n_bytes ? "; " : "", openers[i]->protocol,
			why.message);
	}
	if (rc && protocol)
		add_others(context, object, protocol, &reasons);
	if (rc)
		err_set(err, code, "%s",
			reasons.n_bytes ? reasons.bytes
					: "the object exposes no interface that convert can read");
	text_free(&reasons);
	return rc;
}

void source_close(struct source *source)
{
	Py_DecRef(source->owner);
	Py_DecRef(source->hold);
	source->owner = source->hold = NULL;
	source->elements.site.place = NULL;
}
