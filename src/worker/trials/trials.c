// SPDX-License-Identifier: MIT
/* The table of trials, from the list in model/trials.h, and what they share. */
#include "worker/trials/trials.h"

#include "base/array_size.h"
#include "base/clock.h"
#include "worker/process/report.h"
#include "worker/python/object.h"

#include <dlpack/dlpack.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	int flags; /* of enum trial_flags */
	void (*run)(struct trial *trial);
} trials[] = {
#define ROW(NAME, WORD, FACT, FLAGS) { WORD, FLAGS, trial_##NAME },
	TRIAL_LIST(ROW)
};

enum {
	CHURNED_BYTE = 0xA5,
	N_CHURNED = 64,
	MAX_CHURNED_BYTES = 1 << 16,
	N_SMALL_CHURNED = 16, /* more than a tcache bin holds */
	MAX_SMALL_BYTES = 2048,
	PYMALLOC_MAX_BYTES = 512,
	PYMALLOC_CHURNED_BYTES = 16 << 14, /* of each size: as many as its first 16 pools contain */
};

/* Keeps nothing in the trial's arena: a trial may measure memory. */
void trial_step(struct trial *trial, const char *format, ...)
{
	struct arena arena = { 0 };
	struct message message = { .kind = MESSAGE_TRIAL,
		.trial = { .present = true, .counts = *trial->counts } };
	char step[128];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(step, sizeof(step), format, arguments);
	va_end(arguments);
	/* Ends the steps that captures announced within a trial. */
	worker_step(job_trial_step(&arena, trial->record->trial, trial->record->protocol));
	message.trial.step = step;
	worker_send(&message);
	report_visit();
	arena_free(&arena);
}

void trial_skip(struct trial *trial, const char *reason)
{
	trial->record->outcome = TRIAL_SKIPPED;
	trial->record->error = (struct fact_error){ .present = true,
		.message = arena_printf(trial->context->arena, "%s", reason) };
}

void trial_exclude(struct trial *trial, const char *reason)
{
	trial_skip(trial, reason);
	trial->is_excluded = true;
}

void trial_raised(struct trial *trial)
{
	trial->record->outcome = TRIAL_RAISED;
	trial->record->error = object_take_error(trial->context->arena);
}

/* volatile: the compiler may leave out a block that is neither read nor freed. */
static void *(*volatile allocate_churned)(size_t n_bytes) = malloc;

/* Blocks of malloc and of pymalloc, each overwritten: one of them reuses a block that was freed. */
static void churn_blocks(void *(*allocate)(size_t n_bytes), size_t n_bytes, size_t n_blocks)
{
	for (size_t i = 0; i < n_blocks; i++) {
		void *block = allocate(n_bytes);

		if (block)
			memset(block, CHURNED_BYTE, n_bytes);
	}
}

/* NumPy keeps up to 7 freed blocks of each size under 1 KiB, which no other allocator sees. */
static void churn_numpy(void)
{
	static const char take_all[] =
		"[mark[:n].copy() for n in range(1, 1024) for _ in range(7)]";
	PyObject *numpy = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy"); /* borrowed */
	PyObject *mark = NULL, *names = NULL, *code = NULL, *taken = NULL;

	if (numpy)
		mark = PyObject_CallMethod(numpy, "full", "iis", 1024, CHURNED_BYTE, "u1");
	if (mark)
		names = Py_BuildValue(
			"{s:O,s:O}", "mark", mark, "__builtins__", PyEval_GetBuiltins());
	if (names)
		code = Py_CompileString(take_all, "<suai>", Py_eval_input);
	if (code)
		taken = PyEval_EvalCode(code, names, names);
	PyErr_Clear();
	Py_DecRef(taken);
	Py_DecRef(code);
	Py_DecRef(names);
	Py_DecRef(mark);
}

void trial_churn(void)
{
	object_collect_garbage();
	for (size_t n_bytes = 16; n_bytes <= PYMALLOC_MAX_BYTES; n_bytes += 16)
		churn_blocks(PyObject_Malloc, n_bytes, PYMALLOC_CHURNED_BYTES / n_bytes);
	for (size_t n_bytes = 16; n_bytes <= MAX_SMALL_BYTES; n_bytes += 16)
		churn_blocks(allocate_churned, n_bytes, N_SMALL_CHURNED);
	for (size_t n_bytes = 16; n_bytes <= MAX_CHURNED_BYTES; n_bytes *= 2)
		churn_blocks(allocate_churned, n_bytes, N_CHURNED);
	churn_numpy();
}

struct fact_interface *trial_read_interface(struct trial *trial)
{
	struct fact_interface *interface = trial->capture->read(trial->context, trial->object);

	Py_DecRef(trial->context->syclobj_handle);
	trial->context->syclobj_handle = NULL;
	return interface;
}

PyObject *trial_export(PyObject *object)
{
	PyObject *method = PyObject_GetAttrString(object, "__dlpack__");
	PyObject *nothing = PyTuple_New(0), *export = NULL;
	PyObject *keywords = Py_BuildValue(
		"{s:(ii)}", "max_version", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION);

	if (method && nothing && keywords) {
		export = PyObject_Call(method, nothing, keywords);
		if (!export && PyErr_ExceptionMatches(PyExc_TypeError)) {
			PyErr_Clear();
			export = PyObject_CallNoArgs(method);
		}
	}
	Py_DecRef(method);
	Py_DecRef(nothing);
	Py_DecRef(keywords);
	return export;
}

static size_t find_trial(const char *name)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(trials) && strcmp(trials[i].name, name) != 0)
		i++;
	return i;
}

bool trial_misuses_driver(const struct job_trial *id)
{
	size_t i = find_trial(id->name);

	return i < ARRAY_SIZE(trials) && trials[i].flags & TRIAL_OF_DRIVER_MISUSE;
}

bool trial_run(struct capture_context *context, PyObject *object, const struct job_trial *id,
	struct fact_trial *record)
{
	struct arena *arena = context->arena;
	const char *name = id->name, *protocol = id->protocol;
	struct trial trial = { .context = context,
		.object = object,
		.capture = capture_find(protocol),
		.record = record,
		.counts = &record->counts,
		.end_ms = id->limit_ms ? clock_ms() + id->limit_ms : INT64_MAX };
	int64_t references = object_references(object);
	size_t i = find_trial(name);
	bool is_known, keeps_object;

	*record = (struct fact_trial){ .present = true,
		.trial = name,
		.protocol = protocol,
		.outcome = TRIAL_DONE,
		.counts.present = true };
	is_known = trial.capture && i < ARRAY_SIZE(trials);
	keeps_object = !is_known || !(trials[i].flags & TRIAL_OF_LAST_REFERENCE);
	if (keeps_object)
		trial_add_references(object);
	if (is_known && worker_step(job_trial_step(arena, name, protocol))) {
		trial_step(&trial, TRIAL_STEP_START);
		trials[i].run(&trial);
	}
	PyErr_Clear();
	if (keeps_object)
		trial_drop_references(object, references);
	if (!trial.waits_for_exit)
		trial_step(&trial, TRIAL_STEP_RELEASE);
	Py_DecRef(trial.object);
	PyErr_Clear();
	mallopt(M_PERTURB, 0); /* of this trial only */
	if (!trial.waits_for_exit)
		worker_step_done();
	return record->outcome != TRIAL_SKIPPED || trial.is_excluded;
}
