// SPDX-License-Identifier: MIT
/* Trials that call a deleter: in this thread, and in one of their own, also if it takes the GIL.
 * `make test-tsan` runs this. */
#include "base/memory.h"
#include "worker/python/embedded_test.h"
#include "worker/trials/trials.h"

#include <dlpack/dlpack.h>
#include <pthread.h>
#include <string.h>

/* What deleters leave; not atomic, so that ThreadSanitizer sees who does not wait for them. */
static struct {
	int n_calls, n_with_gil;
	pthread_t thread;
} deleted;

static bool takes_gil;

static void delete_tensor(DLManagedTensorVersioned *tensor)
{
	PyGILState_STATE state;

	if (takes_gil) {
		state = PyGILState_Ensure();
		deleted.n_with_gil++;
		PyGILState_Release(state);
	}
	deleted.n_calls++;
	deleted.thread = pthread_self();
	free(tensor);
}

static void destroy_capsule(PyObject *capsule)
{
	DLManagedTensorVersioned *tensor = PyCapsule_GetPointer(capsule, "dltensor_versioned");

	PyErr_Clear();
	if (tensor)
		tensor->deleter(tensor);
}

/* Elements that no one reads. */
static PyObject *new_capsule(PyObject *module, PyObject *unused)
{
	static int64_t shape[] = { 3 };
	static float elements[3];
	DLManagedTensorVersioned *tensor = mem_alloc(sizeof(*tensor));

	(void)module;
	(void)unused;
	tensor->version = (DLPackVersion){ DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION };
	tensor->deleter = delete_tensor;
	tensor->dl_tensor = (DLTensor){ .data = elements,
		.device = { kDLCPU, 0 },
		.ndim = 1,
		.dtype = { kDLFloat, 32, 1 },
		.shape = shape };
	return PyCapsule_New(tensor, "dltensor_versioned", destroy_capsule);
}

static void run_trial(const char *name, struct fact_trial *record)
{
	struct arena arena = { 0 };
	struct capture_context context = { .arena = &arena };
	const struct job_trial id = { .name = name, .protocol = "dlpack" };

	memset(&deleted, 0, sizeof(deleted));
	trial_run(&context, python_object("Exporter()"), &id, record);
	CHECK(record->outcome == TRIAL_DONE, "%s: outcome %d, %s", name, (int)record->outcome,
		record->error.present ? record->error.message : "");
	arena_free(&arena);
}

static void test_thread(void)
{
	struct fact_trial record;

	for (int with_gil = 0; with_gil < 2; with_gil++) {
		takes_gil = with_gil;
		run_trial("thread", &record);
		CHECK(deleted.n_calls == 1 && deleted.n_with_gil == with_gil,
			"%d calls, %d with the GIL", deleted.n_calls, deleted.n_with_gil);
		CHECK(!pthread_equal(deleted.thread, pthread_self()), "called in this thread");
	}
	takes_gil = false;
}

static void test_deleter(void)
{
	struct fact_trial record;

	run_trial("deleter", &record);
	CHECK(record.counts.dropped_calls.value == 1, "%lld calls",
		(long long)record.counts.dropped_calls.value);
	CHECK(record.counts.used_calls.value == 0, "%lld calls",
		(long long)record.counts.used_calls.value);
	CHECK(pthread_equal(deleted.thread, pthread_self()), "called in another thread");
}

int main(void)
{
	static PyMethodDef method = { "make", new_capsule, METH_NOARGS, NULL };

	python_start("class Exporter:\n"
		     "    def __dlpack__(self, **keywords):\n"
		     "        return make()\n"
		     "    def __dlpack_device__(self):\n"
		     "        return (1, 0)\n");
	PyDict_SetItemString(test_names, "make", PyCFunction_NewEx(&method, NULL, NULL));
	test_thread();
	test_deleter();
	return test_end();
}
