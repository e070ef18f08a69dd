// SPDX-License-Identifier: MIT
/*
 * Reads an interface repeatedly: whether the object's references, the memory of the process and the
 * values read stay the same.
 */
#include "base/clock.h"
#include "base/dynlib.h"
#include "worker/capture/dlpack_read.h"
#include "worker/capture/keepalive.h"
#include "worker/trials/trials.h"

#include <dlfcn.h>
#include <malloc.h>
#include <string.h>

enum {
	N_WARM = 64,
	N_ROUNDS = 512,
	MAX_SERIES = 8,
	MIN_ROUNDS = 64, /* fewer cannot distinguish a leak from a cache */
	WARM_MS = 5000,  /* of a first series; a longer one ends there */
	SERIES_MS = 10000,
	PARTS_OF_TIME = 3, /* a series has at most one part of the time that remains */
	MARGIN = 2 * (N_WARM + MAX_SERIES * N_ROUNDS) + 16
};

static int64_t count_python_blocks(void)
{
	PyObject *function = PySys_GetObject("getallocatedblocks"); /* borrowed */
	PyObject *number = function ? PyObject_CallNoArgs(function) : NULL;
	int64_t n = number ? PyLong_AsLongLong(number) : -1;

	Py_DecRef(number);
	PyErr_Clear();
	return n;
}

/* The bytes that malloc has handed out. Unknown before glibc 2.33: mallinfo() counts in ints. */
static struct fact_int count_malloc_bytes(void)
{
	struct mallinfo2 (*measure)(void) = NULL;
	struct mallinfo2 info;

	*(void **)&measure = dlsym(RTLD_DEFAULT, "mallinfo2");
	if (!measure)
		return (struct fact_int){ 0 };
	info = measure();
	return fact_int((int64_t)(info.uordblks + info.hblkhd));
}

static struct fact_level measure_level(const struct trial *trial)
{
	return (struct fact_level){
		.present = true,
		.references = fact_int(object_references(trial->object)),
		.malloc_bytes = count_malloc_bytes(),
		.python_blocks = fact_int(count_python_blocks()),
	};
}

/* One export, consumed and released. */
static int consume_once(struct trial *trial, struct arena *arena)
{
	PyObject *export = trial_export(trial->object);

	if (export)
		dlpack_consume(arena, export);
	Py_DecRef(export);
	return export ? 0 : -1;
}

/* One export, dropped unused. */
static int drop_once(struct trial *trial, struct arena *arena)
{
	PyObject *export = trial_export(trial->object);

	(void)arena;
	Py_DecRef(export);
	return export ? 0 : -1;
}

static int request_once(struct trial *trial, struct arena *arena)
{
	Py_buffer view;

	(void)arena;
	if (PyObject_GetBuffer(trial->object, &view, PyBUF_FULL_RO))
		return -1;
	PyBuffer_Release(&view);
	return 0;
}

static int read_once(struct trial *trial, struct arena *arena)
{
	PyObject *read = PyObject_GetAttrString(trial->object, trial->capture->protocol->attribute);

	(void)arena;
	Py_DecRef(read);
	return read ? 0 : -1;
}

/* The time of a series, which leaves time for other trials. */
static int64_t limit_series(const struct trial *trial, int64_t limit_ms)
{
	int64_t part_ms = (trial->end_ms - clock_ms()) / PARTS_OF_TIME;

	return limit_ms < part_ms ? limit_ms : part_ms;
}

/* One series: how many rounds it had, fewer than requested if they are slow; -1 if one failed.
 * *n_before counts the rounds of all series. */
static int go_rounds(struct trial *trial, const struct trial_rounds *rounds, int n_rounds,
	int64_t limit_ms, int *n_before)
{
	int64_t end_ms = clock_ms() + limit_series(trial, limit_ms);
	int n = 0, failed = 0;

	while (n < n_rounds && !failed && clock_ms() < end_ms) {
		struct arena arena = { 0 };

		trial_step(trial, "%s %d", rounds->doing, ++*n_before);
		failed = rounds->round(trial, &arena);
		arena_free(&arena);
		n++;
	}
	return failed ? -1 : n;
}

/* The paths at which two readings differ: keys of the dictionary, or "" for the whole value. */
static struct fact_texts compare_readings(
	struct arena *arena, const struct value *a, const struct value *b)
{
	struct fact_texts paths = { .known = true };

	if (!value_is(a, VALUE_MAP) || !value_is(b, VALUE_MAP)) {
		if (!value_equal(a, b))
			fact_texts_add(arena, &paths, "");
		return paths;
	}
	for (size_t i = 0; i < a->n_items; i++)
		if (!value_equal(a->items[i], value_get(b, a->keys[i])))
			fact_texts_add(arena, &paths, a->keys[i]);
	for (size_t i = 0; i < b->n_items; i++)
		if (!value_get(a, b->keys[i]))
			fact_texts_add(arena, &paths, b->keys[i]);
	return paths;
}

/* The latest syclobj, a new reference; NULL: none. */
static PyObject *take_kept(const struct trial *trial)
{
	PyObject *kept = trial->context->syclobj_handle, *syclobj = NULL;

	trial->context->syclobj_handle = NULL;
	if (kept && PyTuple_Check(kept) && PyTuple_Size(kept) == 2)
		syclobj = PyTuple_GetItem(kept, 1);
	Py_XINCREF(syclobj);
	Py_XDECREF(kept);
	PyErr_Clear();
	return syclobj;
}

static void read_twice(struct trial *trial)
{
	struct capture_context *context = trial->context;
	const struct fact_interface *first = trial->capture->read(context, trial->object);
	PyObject *first_kept = take_kept(trial);
	const struct fact_interface *second = trial->capture->read(context, trial->object);
	PyObject *second_kept = take_kept(trial);
	bool is_same = first_kept && PyCapsule_CheckExact(first_kept) && first_kept == second_kept;

	trial->counts->differs = compare_readings(
		context->arena, first ? first->declared : NULL, second ? second->declared : NULL);
	trial->counts->same_capsule = answer_of(is_same);
	Py_DecRef(first_kept);
	Py_DecRef(second_kept);
	keepalive_release(context);
}

/* A table that doubles now and then grows in some series of rounds, a leak in all of them. */
static bool has_grown(const struct fact_level *before, const struct fact_level *after, int n_rounds)
{
	return after->malloc_bytes.value - before->malloc_bytes.value >=
		       n_rounds * (int64_t)sizeof(void *) ||
	       after->python_blocks.value - before->python_blocks.value >= n_rounds / 2;
}

/* The rounds that load and fill caches, at least one. How many rounds a series may have after them,
 * fewer than N_ROUNDS if they are slow; -1 if one failed. */
static int warm_up(struct trial *trial, const struct trial_rounds *rounds, int *n_before)
{
	int n_first = go_rounds(trial, rounds, 1, WARM_MS, n_before); /* may import or compile */
	int64_t begun_ms = clock_ms();
	int n = n_first < 0 ? -1 : go_rounds(trial, rounds, N_WARM - 1, WARM_MS, n_before);
	int64_t spent_ms = clock_ms() - begun_ms;
	int64_t n_possible;

	if (n < 0)
		return -1;
	n_possible = spent_ms > 0 ? n * limit_series(trial, SERIES_MS) / spent_ms : N_ROUNDS;
	return n_possible < N_ROUNDS ? (int)n_possible : N_ROUNDS;
}

int trial_measure(struct trial *trial, const struct trial_rounds *rounds)
{
	int n_before = 0, n_rounds = warm_up(trial, rounds, &n_before);
	struct fact_level before, after;

	if (n_rounds < 0)
		return -1;
	after = measure_level(trial);
	for (int i = 0; i < MAX_SERIES && (!i || has_grown(&before, &after, n_rounds)); i++) {
		before = after;
		if (n_rounds >= MIN_ROUNDS)
			n_rounds = go_rounds(trial, rounds, n_rounds, SERIES_MS, &n_before);
		if (n_rounds < 0)
			return -1;
		after = measure_level(trial);
		if (n_rounds < MIN_ROUNDS) {
			trial_skip(trial,
				"rounds take too long to run enough of them to detect a leak");
			return 0;
		}
	}
	*rounds->n_rounds = fact_int(n_rounds);
	*rounds->before = before;
	*rounds->after = after;
	return 0;
}

void trial_add_references(PyObject *object)
{
	for (int i = 0; i < MARGIN; i++)
		Py_IncRef(object);
}

/* If references were lost, none are left over. */
void trial_drop_references(PyObject *object, int64_t before)
{
	if (object_references(object) < before + MARGIN)
		return;
	for (int i = 0; i < MARGIN; i++)
		Py_DecRef(object);
}

/* What type.NAME is if that is an int, such as __basicsize__; otherwise 0. */
static long long size_of_type(PyTypeObject *type, const char *name)
{
	PyObject *number = PyObject_GetAttrString((PyObject *)type, name);
	long long size = number && PyLong_Check(number) ? PyLong_AsLongLong(number) : 0;

	PyErr_Clear();
	Py_DecRef(number);
	return size;
}

/* Whether objects of the type can refer to something by other means than their __dict__: by slots,
 * items, or what a type of C, such as those of pybind11, has in its structure. */
static bool type_has_storage(PyTypeObject *type)
{
	const long long n_pointers = (size_of_type(type, "__dictoffset__") > 0) +
				     (size_of_type(type, "__weakrefoffset__") > 0);

	return size_of_type(type, "__itemsize__") > 0 ||
	       size_of_type(type, "__basicsize__") >
		       size_of_type(&PyBaseObject_Type, "__basicsize__") +
			       n_pointers * (long long)sizeof(void *);
}

/* If the object's own __dict__ contains the interface and is all that the object has, the number of
 * its other items. */
static void count_beside(struct trial *trial)
{
	PyObject *dictionary = NULL;

	if (type_has_storage(Py_TYPE(trial->object)))
		return;
	if (object_attribute(trial->object, "__dict__", &dictionary) > 0 &&
		PyDict_Check(dictionary) &&
		PyDict_GetItemString(dictionary, trial->capture->protocol->attribute))
		trial->counts->beside = fact_int(PyDict_Size(dictionary) - 1);
	PyErr_Clear();
	Py_DecRef(dictionary);
}

void trial_rounds(struct trial *trial)
{
	const struct capture *capture = trial->capture;
	struct trial_rounds rounds = { .round = read_once,
		.doing = "read",
		.n_rounds = &trial->counts->rounds,
		.before = &trial->counts->before,
		.after = &trial->counts->after };
	const struct trial_rounds dropped = { .round = drop_once,
		.doing = "dropped export",
		.n_rounds = &trial->counts->rounds_dropped,
		.before = &trial->counts->before_dropped,
		.after = &trial->counts->after_dropped };
	bool exports = capture == &dlpack_capture;

	if (exports) {
		rounds.round = consume_once;
		rounds.doing = "export";
	} else if (capture == &buffer_capture) {
		rounds.round = request_once;
		rounds.doing = "buffer request";
	}
	if (capture == &cuda_capture)
		count_beside(trial);
	read_twice(trial);
	if (trial_measure(trial, &rounds) || (exports && trial_measure(trial, &dropped)))
		trial_raised(trial);
}
