// SPDX-License-Identifier: MIT
/*
 * The module _suai: run(channel, host) is called once by the bootstrap (supervisor/bootstrap.py),
 * in an embedded or an executed interpreter alike, and never returns.
 */
#include "worker/capture/capture.h"
#include "worker/capture_object.h"
#include "worker/convert/convert.h"
#include "worker/export/exported.h"
#include "worker/process/crash_notice.h"
#include "worker/process/fork.h"
#include "worker/process/process.h"
#include "worker/process/report.h"
#include "worker/process/stack.h"
#include "worker/process/step.h"
#include "worker/python/import.h"
#include "worker/python/object.h"
#include "worker/trials/trials.h"
#include "worker/worker.h"

#include "model/device_name.h"
#include "protocols/protocol.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The script sees sys.argv as under `python -c`, without the bootstrap's own arguments. */
static void set_arguments(void)
{
	PyObject *arguments = Py_BuildValue("[s]", "-c");

	if (!arguments || PySys_SetObject("argv", arguments))
		PyErr_Clear();
	Py_XDECREF(arguments);
}

static void send_hello(const char *host)
{
	struct arena arena = { 0 };
	const struct message message = { .kind = MESSAGE_HELLO,
		.hello = worker_hello(&arena, host) };

	worker_send(&message);
	arena_free(&arena);
}

/*
 * Returns the job of a channel, with this process as its writer; NULL with err set. A process that
 * must not write to the channel ends here.
 */
static const struct value *open_job(struct arena *arena,
	int (*open_channel)(const char *channel, struct err *err), const char *channel,
	struct err *err)
{
	if (open_channel(channel, err))
		return NULL;
	if (!report_claim())
		worker_end();
	return report_read_job(arena, err);
}

static PyObject *run_channel(PyObject *self, PyObject *arguments)
{
	static struct job job; /* the trial at interpreter exit reads it */
	struct arena arena = { 0 };
	const struct value *wire;
	const char *channel, *host;
	char own_channel[64];
	struct err err = { 0 };

	(void)self;
	if (!PyArg_ParseTuple(arguments, "ss", &channel, &host))
		return NULL;
	trial_prepare_exit();
	wire = open_job(&arena, report_open, channel, &err);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (value_is_text(value_get(wire, "command"), "fork")) {
		if (!forkserver_serve(wire, own_channel, sizeof(own_channel)))
			_exit(0);
		arena_free(&arena);
		wire = open_job(&arena, report_reopen, own_channel, &err);
	}
	if (!wire) {
		fprintf(stderr, "suai: %s\n", err.message);
		_exit(EXIT_BUG);
	}
	stack_trace_ends();
	set_arguments();
	send_hello(host);
	worker_at(-1);
	job = job_from_value(&arena, wire);
	report_skip_steps(&job);
	worker_run(&job);
	if (trial_waits_for_exit()) {
		PyErr_SetNone(PyExc_SystemExit);
		return NULL;
	}
	report_done();
	worker_finish();
}

/* Converts for scripts whose results are checked: trials of `validate` convert again in each
 * worker. */
static PyObject *module_convert(PyObject *self, PyObject *arguments)
{
	struct arena arena = { 0 };
	const struct job job = { 0 };
	struct fact_target target = { .present = true };
	struct capture_context context = { .arena = &arena, .job = &job, .target = &target };
	struct crash_notice notice;
	struct job_notice destination;
	struct job_convert options;
	const struct value *value;
	PyObject *object, *settings, *made = NULL;

	(void)self;
	if (PyArg_ParseTuple(arguments, "OO!", &object, &PyDict_Type, &settings)) {
		value = object_to_value(&arena, settings);
		options = job_convert_from_value(&arena, value);
		object_begin_interruptible();
		destination = job_notice_from_value(value);
		crash_notice_begin(&notice, &arena, &destination,
			arena_printf(&arena, "the conversion of an object of type %s",
				object_type_name(&arena, object)),
			NULL);
		made = convert_new(&context, object, &options);
		crash_notice_end(&notice);
		if (object_end_interruptible()) {
			Py_DecRef(made);
			made = NULL;
			PyErr_SetNone(PyExc_KeyboardInterrupt);
		}
	}
	arena_free(&arena);
	return made;
}

static PyObject *device_from_text(PyObject *self, PyObject *arguments)
{
	struct arena arena = { 0 };
	struct job_device device;
	PyObject *map = NULL;
	const struct protocol *protocol;
	const char *text, *to;
	struct err err;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "ss:device_from_text", &text, &to))
		return NULL;
	protocol = protocol_find(to);
	if (device_name_parse_allocatable(text, &device, &err) ||
		(protocol && protocol_check_device(protocol, &device, &err)))
		PyErr_Format(err.code == EXIT_UNAVAILABLE ? PyExc_BufferError : PyExc_ValueError,
			"device: %s", err.message);
	else
		map = object_from_value(job_device_to_value(&arena, &device));
	arena_free(&arena);
	return map;
}

static PyObject *module_capture(PyObject *self, PyObject *arguments)
{
	PyObject *object, *options;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "OO!:capture", &object, &PyDict_Type, &options))
		return NULL;
	return capture_object(object, options);
}

static PyObject *read_hellos(PyObject *self, PyObject *bytes)
{
	(void)self;
	return capture_read_hellos(bytes);
}

/* The module's state is that of the process, and Python gives it to other interpreters, too. */
static PyObject *require_main_interpreter(PyObject *self, PyObject *ignored)
{
	(void)self;
	(void)ignored;
	if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
		PyErr_SetString(PyExc_ImportError,
			"suai does not support subinterpreters: import it in the main interpreter");
		return NULL;
	}
	Py_IncRef(Py_None);
	return Py_None;
}

static int add_constant(PyObject *module, const char *name, const struct value *value)
{
	PyObject *object = object_from_value(value);
	int status = object ? PyObject_SetAttrString(module, name, object) : -1;

	Py_DecRef(object);
	return status;
}

static struct value *list_versions(struct arena *arena, const struct protocol *protocol)
{
	struct value *versions = value_list(arena);

	for (int64_t version = protocol->lowest_version;
		protocol->highest_version && version <= protocol->highest_version; version++)
		value_append(arena, versions, value_int(arena, version));
	return versions;
}

/* `protocols`: the names of those of objects; `exported`: of those that convert() exports, the
 * versions by name. */
static int add_protocols(PyObject *module)
{
	struct arena arena = { 0 };
	struct value *names = value_tuple(&arena), *exported = value_map(&arena);
	int status;

	for (size_t i = 0; captures[i]; i++) {
		const struct protocol *protocol = captures[i]->protocol;

		value_append(&arena, names, value_text(&arena, protocol->name));
		if (exporter_find(protocol->name))
			value_add(
				&arena, exported, protocol->name, list_versions(&arena, protocol));
	}
	status = add_constant(module, "protocols", names) ||
				 add_constant(module, "exported", exported)
			 ? -1
			 : 0;
	arena_free(&arena);
	return status;
}

PyMODINIT_FUNC PyInit__suai(void);

__attribute__((visibility("default"))) PyMODINIT_FUNC PyInit__suai(void)
{
	static PyMethodDef methods[] = {
		{ "run", run_channel, METH_VARARGS,
			"Run the job of a channel and exit the process." },
		{ "convert", module_convert, METH_VARARGS,
			"convert(object, options): the object that suai convert makes of it; options as in a job." },
		{ "require_main_interpreter", require_main_interpreter, METH_NOARGS,
			"Raise ImportError in a subinterpreter." },
		{ "device_from_text", device_from_text, METH_VARARGS,
			"device_from_text(text, to): the device of --device, as in the options of convert()." },
		{ "capture", module_capture, METH_VARARGS,
			"capture(object, options): its facts as bytes (facts/capture_stream.h); options as in a job." },
		{ "read_hellos", read_hellos, METH_O,
			"read_hellos(captures): how each of them was made." },
		{ 0 },
	};
	static struct PyModuleDef definition = {
		PyModuleDef_HEAD_INIT,
		.m_name = "_suai",
		.m_size = -1,
		.m_methods = methods,
	};

	PyObject *module = PyModule_Create(&definition);

#ifdef Py_GIL_DISABLED
	/*
	 * The GIL stays disabled: a checker must not hide the races of what it checks. A fork has
	 * one thread. In the process, the package lets one thread at a time into capture() and
	 * convert(), which alone use state of the module; deleters of exports attach their thread
	 * and use none. Dictionaries of the object are read with borrowed references: as for reads
	 * in Python, no other thread may change them meanwhile.
	 */
	if (module)
		PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED);
#endif
	process_note_descriptors();
	if (module && (PyModule_AddStringConstant(module, "version", SUAI_VERSION) ||
			      add_protocols(module))) {
		Py_DecRef(module);
		return NULL;
	}
	return module;
}
