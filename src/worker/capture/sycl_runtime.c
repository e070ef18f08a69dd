// SPDX-License-Identifier: MIT
/* Finds dpctl's C library, importing dpctl where nobody has, and lists its devices. */
#include "devices/sycl/sycl.h"
#include "worker/capture/sycl.h"

#include <stdlib.h>
#include <string.h>

#define NO_DPCTL "no dpctl in this interpreter"

/* The pending exception of an import as a reason. */
static int set_import_error(struct err *err)
{
	bool absent = PyErr_ExceptionMatches(PyExc_ModuleNotFoundError);
	struct arena arena = { 0 };
	struct value *error = object_take_error(&arena);
	const char *message = value_text_or(value_get(error, "message"), "");

	if (absent && !strcmp(message, "No module named 'dpctl'"))
		err_set(err, EXIT_UNAVAILABLE, NO_DPCTL);
	else
		err_set(err, EXIT_UNAVAILABLE, "importing dpctl raised %s: %s",
			value_text_or(value_get(error, "type"), "an exception"), message);
	arena_free(&arena);
	return -1;
}

/* Loads the library that lies beside dpctl's __init__.py. */
static int load_beside(PyObject *module, struct err *err)
{
	PyObject *file = PyObject_GetAttrString(module, "__file__");
	const char *text =
		file && PyUnicode_Check(file) ? PyUnicode_AsUTF8AndSize(file, NULL) : NULL;
	char *folder = text ? strdup(text) : NULL;
	char *slash = folder ? strrchr(folder, '/') : NULL;
	int status;

	PyErr_Clear();
	if (slash) {
		*slash = 0;
		WITHOUT_GIL(status = sycl_load(folder, err));
	} else {
		status = err_set(
			err, EXIT_UNAVAILABLE, "the module dpctl does not say where it lies");
	}
	free(folder);
	Py_DecRef(file);
	return status;
}

static int load(struct err *err)
{
	PyObject *module;
	int status;

	WITHOUT_GIL(status = sycl_load(NULL, err));
	if (!status)
		return 0;
	if (!worker_step("import dpctl"))
		return err_set(err, EXIT_UNAVAILABLE, "importing dpctl killed an earlier worker");
	module = import_for_suai("dpctl");
	status = module ? load_beside(module, err) : set_import_error(err);
	Py_DecRef(module);
	worker_step_done();
	return status;
}

int sycl_runtime_load(struct err *err)
{
	static bool tried, loaded;
	static struct err reason;

	if (!tried)
		loaded = !load(&reason);
	tried = true;
	if (!loaded)
		*err = reason;
	return loaded ? 0 : -1;
}

static struct value *usm_kinds(struct arena *arena, const struct sycl_device *device)
{
	struct value *kinds = value_list(arena);

	if (device->has_usm_device)
		value_append(arena, kinds, value_text(arena, "device"));
	if (device->has_usm_shared)
		value_append(arena, kinds, value_text(arena, "shared"));
	if (device->has_usm_host)
		value_append(arena, kinds, value_text(arena, "host"));
	return kinds;
}

struct value *sycl_aspects(struct arena *arena, const struct sycl_device *device)
{
	struct value *names = value_list(arena);

	if (device->has_fp16)
		value_append(arena, names, value_text(arena, "fp16"));
	if (device->has_fp64)
		value_append(arena, names, value_text(arena, "fp64"));
	return names;
}

static struct value *device_to_value(struct arena *arena, const struct sycl_device *device)
{
	struct value *map = value_map(arena);

	value_set(arena, map, "id", value_int(arena, device->position));
	value_set(arena, map, "filter", value_text(arena, device->filter));
	value_set(arena, map, "name", value_text(arena, device->name));
	value_set(arena, map, "backend", value_text(arena, device->backend));
	value_set(arena, map, "driver_version", value_text(arena, device->driver_version));
	value_set(arena, map, "cores", value_int(arena, device->compute_units));
	value_set(arena, map, "memory_bytes", value_uint(arena, device->memory_bytes));
	value_set(arena, map, "aspects", sycl_aspects(arena, device));
	value_set(arena, map, "usm_kinds", usm_kinds(arena, device));
	return map;
}

/* Without a target at hand the interpreter needs a name. */
static void name_interpreter(struct err *err)
{
	PyObject *executable = PySys_GetObject("executable"); /* borrowed */
	const char *path = NULL;

	if (executable && PyUnicode_Check(executable))
		path = PyUnicode_AsUTF8AndSize(executable, NULL);
	PyErr_Clear();
	if (path && !strcmp(err->message, NO_DPCTL))
		err_set(err, EXIT_UNAVAILABLE, "no dpctl in %s", path);
}

struct value *sycl_list_devices(struct arena *arena, struct err *err)
{
	struct value *list = value_list(arena);
	struct sycl_device *devices;
	size_t n_devices;

	if (sycl_runtime_load(err)) {
		name_interpreter(err);
		return NULL;
	}
	WITHOUT_GIL(devices = sycl_find_devices(&n_devices));
	for (size_t i = 0; i < n_devices; i++)
		value_append(arena, list, device_to_value(arena, &devices[i]));
	free(devices);
	return list;
}
