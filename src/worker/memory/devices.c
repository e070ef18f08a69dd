// SPDX-License-Identifier: MIT
/*
 * Device runtimes in a process with Python: loads them, importing the package that ships the
 * library if there is one; and lists their devices (`suai devices`).
 */
#include "worker/memory/devices.h"

#include "base/array_size.h"
#include "devices/runtimes.h"
#include "worker/process/step.h"
#include "worker/python/import.h"
#include "worker/python/object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW(NAME, TYPE, ASKED, TEXT) +1
enum { N_RUNTIMES = 0 DEVICE_RUNTIME_LIST(ROW) };
#undef ROW

/* The outcome of loading a runtime. */
struct loaded_runtime {
	bool tried, loaded, lacks_package;
	struct err reason; /* unless loaded */
};

static int set_absent(struct err *err, const struct device_package *package, const char *where)
{
	return err_set(err, EXIT_UNAVAILABLE, "%s is not installed in %s", package->name, where);
}

/* The pending exception of an import as a reason. */
static int set_import_error(struct loaded_runtime *loaded, const struct device_package *package)
{
	struct arena arena = { 0 };
	struct fact_error error;

	loaded->lacks_package = object_is_missing_module(package->name);
	error = object_take_error(&arena);
	if (loaded->lacks_package)
		set_absent(&loaded->reason, package, "this interpreter");
	else
		err_set(&loaded->reason, EXIT_UNAVAILABLE, "importing %s raised %s: %s",
			package->name, fact_text_or(error.type, "an exception"),
			fact_text_or(error.message, ""));
	arena_free(&arena);
	return -1;
}

/* Loads the library in the directory of the package's __init__.py. */
static int load_from_module(const struct device_package *package, PyObject *module, struct err *err)
{
	PyObject *file = PyObject_GetAttrString(module, "__file__");
	const char *text =
		file && PyUnicode_Check(file) ? PyUnicode_AsUTF8AndSize(file, NULL) : NULL;
	char *directory = text ? strdup(text) : NULL;
	char *slash = directory ? strrchr(directory, '/') : NULL;
	int status;

	PyErr_Clear();
	if (slash) {
		*slash = 0;
		WITHOUT_GIL(status = package->load_from(directory, err));
	} else {
		status = err_set(
			err, EXIT_UNAVAILABLE, "the module %s has no __file__", package->name);
	}
	free(directory);
	Py_DecRef(file);
	return status;
}

static int load_from_package(struct loaded_runtime *loaded, const struct device_package *package)
{
	char step[64];
	PyObject *module;
	int status;

	snprintf(step, sizeof(step), "import %s", package->name);
	if (!worker_step(step))
		return err_set(&loaded->reason, EXIT_UNAVAILABLE,
			"importing %s terminated an earlier worker", package->name);
	module = import_for_suai(package->name);
	status = module ? load_from_module(package, module, &loaded->reason)
			: set_import_error(loaded, package);
	Py_DecRef(module);
	worker_step_done();
	return status;
}

/* Loads the runtime, once. */
static const struct loaded_runtime *load_runtime(const struct device_runtime *runtime)
{
	static struct loaded_runtime all[N_RUNTIMES];
	struct loaded_runtime *loaded;
	size_t i = 0;
	int rc;

	while (device_runtimes[i] != runtime)
		i++;
	loaded = &all[i];
	if (!loaded->tried) {
		WITHOUT_GIL(rc = runtime->load(&loaded->reason));
		if (rc && runtime->package)
			rc = load_from_package(loaded, runtime->package);
		loaded->loaded = !rc;
	}
	loaded->tried = true;
	return loaded;
}

int worker_load_runtime(const struct device_runtime *runtime, struct err *err)
{
	const struct loaded_runtime *loaded = load_runtime(runtime);

	if (!loaded->loaded)
		*err = loaded->reason;
	return loaded->loaded ? 0 : -1;
}

/* `suai devices` has no target whose interpreter the user knows: name it. */
static void name_interpreter(const struct device_package *package, struct err *err)
{
	PyObject *executable = PySys_GetObject("executable"); /* borrowed */
	const char *path = NULL;

	if (executable && PyUnicode_Check(executable))
		path = PyUnicode_AsUTF8AndSize(executable, NULL);
	PyErr_Clear();
	if (path)
		set_absent(err, package, path);
}

static void send_devices(const struct device_runtime *runtime)
{
	struct message message = { .kind = MESSAGE_DEVICES,
		.devices = { .present = true, .runtime = runtime->name, .devices.known = true } };
	struct fact_device_list *list = &message.devices;
	struct err err = { .message = "skipped: this step terminated an earlier worker" };
	struct arena arena = { 0 };
	int rc = -1;

	if (worker_step(arena_printf(&arena, "devices of %s", runtime->name))) {
		if (!worker_load_runtime(runtime, &err))
			WITHOUT_GIL(rc = runtime->list(&arena, &list->devices, &err));
		else if (load_runtime(runtime)->lacks_package)
			name_interpreter(runtime->package, &err);
	}
	worker_step_done();
	if (rc) {
		list->devices.n_items = 0;
		list->reason = err.message;
	}
	worker_send(&message);
	arena_free(&arena);
}

void worker_list_devices(void)
{
#define IN_WORKER(NAME) &NAME##_runtime,
#define PROBED(NAME)
#define ROW(NAME, TYPE, ASKED, TEXT) ASKED(NAME)
	static const struct device_runtime *const listed[] = { DEVICE_RUNTIME_LIST(ROW) };

	worker_at(-1);
	for (size_t i = 0; i < ARRAY_SIZE(listed); i++)
		send_devices(listed[i]);
}
