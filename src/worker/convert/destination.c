// SPDX-License-Identifier: MIT
/*
 * Where the result is to be: on the host, on the device of --device, else where the source is, or
 * on the default device of the protocol's runtime; and on which stream (--stream).
 */
#include "worker/convert/convert.h"

#include "worker/target.h"

#include <string.h>

static const char *setting(const struct conversion *conversion, const char *key)
{
	return value_text_or(value_get(conversion->settings, key), NULL);
}

/* Pinned and managed memory keeps DLPack's name for it. */
static void live_on_host(struct conversion *conversion)
{
	const struct source *source = &conversion->source;
	const struct device *device = &source->elements.array.device;
	struct home *home = &conversion->home;
	bool keeps = conversion->exporter && !conversion->exporter->runtime &&
		     !setting(conversion, "device") && !strcmp(source->protocol, "dlpack") &&
		     !source->elements.site.place && device->type;

	home->device = keeps ? *device : (struct device){ "cpu", 0 };
	home->knows_source =
		source->elements.site.host_owns || !array_elements(&source->elements.array);
}

/* Whether the home's place has the source's memory for its own device's. */
static bool knows(const struct conversion *conversion)
{
	const struct source *source = &conversion->source;
	struct device_place *place = conversion->home.place;
	const struct site *site = &source->elements.site;
	uint64_t pointer = source->elements.array.pointer;
	struct memory memory;
	struct err ignored;
	int rc;

	if (!site->place || site->place->runtime != place->runtime)
		return false;
	if (site->place == place)
		return true;
	memory_init(&memory, source->memory.asked_low, source->memory.asked_high);
	WITHOUT_GIL(rc = place->runtime->locate(
			    place, site->handle ? site->handle : pointer, &memory, &ignored));
	return !rc && memory.kind != MEMORY_UNKNOWN &&
	       memory.device_id == conversion->home.device.id;
}

/* Whether DLPack calls the source's memory what the result is to be: pinned memory is no device's.
 */
static bool is_called_so(const struct conversion *conversion)
{
	const struct home *home = &conversion->home;
	struct device device;
	struct err ignored;

	if (conversion->exporter->runtime)
		return true;
	return !home->opener->name_device(
		       home->place, conversion->source.memory.kind, &device, &ignored) &&
	       !strcmp(device.type, home->device.type);
}

/* Takes place. */
static int move_in(struct conversion *conversion, struct device_place *place,
	const struct place_opener *opener, struct err *err)
{
	struct home *home = &conversion->home;
	PyObject *hold = place ? place_hold(place) : NULL;

	if (!place)
		return -1;
	if (!hold) {
		PyErr_Clear();
		return err_set(err, EXIT_TARGET, "no memory for the place of the result");
	}
	Py_DecRef(home->hold);
	home->hold = hold;
	home->place = place;
	home->opener = opener;
	home->kind = place->runtime->device_kind;
	if (opener->name_device(place, home->kind, &home->device, err))
		return -1;
	home->knows_source = knows(conversion) && is_called_so(conversion);
	return 0;
}

/* Memory that DLPack has no name for is copied to where it has one, on the same device if it can.
 */
static int move_to_named(
	struct conversion *conversion, const struct place_opener *opener, struct err *err)
{
	struct device device = { conversion->source.elements.array.device.type,
		conversion->source.memory.device_id };
	struct device_place *place;
	PyObject *stream = NULL;

	conversion->home.reason = arena_printf(conversion->context->arena, "%s", err->message);
	place = device.id < 0 ? opener->open(NULL, err)
			      : opener->open_device(&device, &stream, err);
	Py_DecRef(stream);
	if (move_in(conversion, place, opener, err))
		return -1;
	conversion->home.knows_source = false;
	return 0;
}

static int live_with_source(struct conversion *conversion, struct err *err)
{
	const struct source *source = &conversion->source;
	struct home *home = &conversion->home;
	const struct place_opener *opener;

	home->place = source->elements.site.place;
	opener = home->opener = place_opener_of(home->place->runtime->name);
	home->kind = source->memory.kind == MEMORY_UNKNOWN      ? home->place->runtime->device_kind
		     : source->memory.kind == MEMORY_REGISTERED ? MEMORY_PINNED
								: source->memory.kind;
	home->knows_source = true;
	home->device = source->elements.array.device;
	if (conversion->exporter->runtime || !strcmp(source->protocol, "dlpack"))
		return 0; /* DLPack's own name is kept */
	if (!opener->name_device(home->place, home->kind, &home->device, err))
		return 0;
	return move_to_named(conversion, opener, err);
}

/* The object of --stream: a new reference; NULL with no exception for a new one. -1 on failure. */
static int evaluate_stream(const struct conversion *conversion, PyObject **stream, struct err *err)
{
	const struct value *setting_value = value_get(conversion->settings, "stream");
	const char *expression = value_text_or(value_get(setting_value, "py"), NULL);
	struct capture_context *context = conversion->context;

	*stream = NULL;
	if (expression)
		*stream = target_evaluate(context->names, expression, "<--stream>");
	else if (value_is_integer(setting_value))
		*stream = object_from_value(setting_value);
	if (!PyErr_Occurred())
		return 0;
	return source_fail(context->arena, err, "--stream");
}

/* Of options that the source contradicts, or a stream written out that is none: 2, not 3. */
static int refuse_options(struct conversion *conversion, struct err *err, const char *why)
{
	conversion->step = "options";
	return err_set(err, EXIT_USAGE, "%s", why);
}

static int take_stream(struct conversion *conversion, struct err *err)
{
	struct home *home = &conversion->home;
	struct device device = home->device;
	const char *reason = home->reason;
	const struct value *setting_value = value_get(conversion->settings, "stream");
	PyObject *stream;
	int rc;

	if (value_is_null(setting_value))
		return 0;
	if (!home->place)
		return refuse_options(conversion, err,
			"--stream: the result is in host memory and complete when convert ends; leave it "
			"out");
	if (evaluate_stream(conversion, &stream, err))
		return -1;
	rc = move_in(
		conversion, home->opener->open_stream(home->place, stream, err), home->opener, err);
	if (rc && (err->code == EXIT_USAGE ||
			  (err->code == EXIT_TARGET && !value_is(setting_value, VALUE_MAP))))
		rc = refuse_options(conversion, err,
			arena_printf(conversion->context->arena, "%s", err->message));
	if (!rc && stream && PyLong_Check(stream))
		home->stream = PyLong_AsLongLong(stream);
	PyErr_Clear();
	Py_DecRef(stream);
	if (!rc && setting(conversion, "device") && device.id != home->device.id)
		return refuse_options(conversion, err,
			arena_printf(conversion->context->arena,
				"--stream is of device %lld, and --device of %lld",
				(long long)home->device.id, (long long)device.id));
	home->reason = reason;
	return rc;
}

/* The runtime whose memory the result is to be: "host", "sycl", ... */
static const char *find_runtime(const struct conversion *conversion, const char *device)
{
	const struct device_place *place = conversion->source.elements.site.place;
	const char *runtime = conversion->exporter ? conversion->exporter->runtime : "host";

	if (conversion->is_file)
		return "host";
	if (runtime)
		return runtime;
	if (device)
		return strcmp(device, "cpu") ? "device" : "host";
	return place ? place->runtime->name : "host";
}

/* The place of --device, or of the runtime that --to speaks of. */
static int open_home(
	struct conversion *conversion, const char *device, const char *runtime, struct err *err)
{
	const struct place_opener *opener = NULL;
	struct device_place *place = place_open(device ? device : runtime, &opener, err);

	if (place || err->code != EXIT_UNAVAILABLE)
		return move_in(conversion, place, opener, err);
	return err_set(err, EXIT_UNAVAILABLE, "%s %s: %s; 'suai devices' lists what is here",
		device ? "--device" : "--to",
		device ? value_text_unescape(
				 conversion->context->arena, setting(conversion, "device_spelled"))
		       : setting(conversion, "to"),
		arena_printf(conversion->context->arena, "%s", err->message));
}

int convert_find_home(struct conversion *conversion, struct err *err)
{
	const struct device_place *place = conversion->source.elements.site.place;
	const char *device = setting(conversion, "device");
	const char *runtime = find_runtime(conversion, device);
	int rc = 0;

	if (!strcmp(runtime, "host")) {
		live_on_host(conversion);
	} else if (!device && place && !strcmp(place->runtime->name, runtime)) {
		rc = live_with_source(conversion, err);
	} else {
		rc = open_home(conversion, device, runtime, err);
	}
	return rc ? rc : take_stream(conversion, err);
}
