// SPDX-License-Identifier: MIT
/* Makes the new object: over the source's memory or over a copy by the first engine that reaches
 * it. */
#include "worker/convert.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ENGINE_LIST(EACH) \
	EACH(host)        \
	EACH(memcpy)

#define DECLARE(NAME) extern const struct engine NAME##_engine;
ENGINE_LIST(DECLARE)

#define ROW(NAME) &NAME##_engine,
static const struct engine *const engines[] = { ENGINE_LIST(ROW) NULL };

/* The share of memcpy is taken over at most so many bytes, the best of a few rounds. */
enum { MEMCPY_BYTES = 64 << 20, MEMCPY_ROUNDS = 5 };

const struct engine *engine_for(const struct conversion *conversion, struct err *err)
{
	const struct source *source = &conversion->source;
	const char *wanted = value_text_or(value_get(conversion->settings, "engine"), "auto");
	bool only_kernels = !strcmp(wanted, "kernel"), is_kernel;

	for (size_t i = 0; engines[i]; i++) {
		is_kernel = !strcmp(engines[i]->path, "kernel");
		if (engines[i]->reaches(source) && (is_kernel || !only_kernels) &&
			(!is_kernel || strcmp(wanted, "host") != 0))
			return engines[i];
	}
	err_set(err, EXIT_UNAVAILABLE, "this build has no %s engine that reaches %s memory", wanted,
		memory_kind_name(source->memory.kind));
	return NULL;
}

double convert_clock_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Bytes a second of memcpy in this process, between two blocks that were touched before; 0: no
 * memory for them. */
static double memcpy_rate(int64_t n_bytes)
{
	size_t n = (size_t)(n_bytes < MEMCPY_BYTES ? n_bytes : MEMCPY_BYTES);
	char *from = malloc(n), *to = malloc(n);
	double start, seconds, best = 0;

	if (from && to && n) {
		memset(from, 1, n);
		memset(to, 2, n);
		for (int i = 0; i < MEMCPY_ROUNDS; i++) {
			start = convert_clock_seconds();
			memcpy(to, from, n);
			__asm__ volatile("" : : "r"(to) : "memory");
			seconds = convert_clock_seconds() - start;
			if (seconds > 0 && (double)n / seconds > best)
				best = (double)n / seconds;
		}
	}
	free(from);
	free(to);
	return best;
}

void convert_tell_timing(
	struct conversion *conversion, double seconds, int64_t n_bytes, bool compare)
{
	struct arena *arena = conversion->context->arena;
	double rate, reference;

	if (!value_bool_or(value_get(conversion->settings, "timing"), false))
		return;
	value_set(arena, conversion->facts, "seconds", value_real(arena, seconds));
	if (seconds <= 0 || !n_bytes)
		return;
	rate = (double)n_bytes / seconds;
	value_set(arena, conversion->facts, "gb_per_s", value_real(arena, rate * 1e-9));
	WITHOUT_GIL(reference = compare ? memcpy_rate(n_bytes) : 0);
	if (reference > 0)
		value_set(arena, conversion->facts, "share_of_memcpy",
			value_real(arena, rate / reference));
}

/* SUAI_FAULT=copy-flip: what --verify must find. */
static void flip_byte(const struct conversion *conversion)
{
	const struct array *array = &conversion->result.array;

	if (value_is_text(value_get(conversion->settings, "fault"), "copy-flip") &&
		array_nbytes(array) > 0)
		*(unsigned char *)(uintptr_t)array->pointer ^= 1;
}

/* Gives the owner of a copy. */
static PyObject *make_copy(struct conversion *conversion, struct err *err)
{
	const struct source *source = &conversion->source;
	struct array *array = &conversion->result.array;
	const struct engine *engine = engine_for(conversion, err);
	int64_t n_bytes = array_nbytes(array);
	double start;
	PyObject *owner;

	if (!engine)
		return NULL;
	owner = exported_allocate(n_bytes, &array->pointer);
	if (!owner) {
		source_fail(conversion->context->arena, err, "allocating the result");
		return NULL;
	}
	start = convert_clock_seconds();
	if (engine->copy(source, &source->elements.array, array, err)) {
		Py_DecRef(owner);
		return NULL;
	}
	convert_tell_timing(conversion, convert_clock_seconds() - start, n_bytes, true);
	flip_byte(conversion);
	return owner;
}

int convert_make_object(struct conversion *conversion, struct err *err)
{
	int64_t version = value_int_or(value_get(conversion->settings, "interface_version"), -1);
	PyObject *owner = conversion->source.owner;

	if (conversion->reason)
		owner = make_copy(conversion, err);
	else
		Py_IncRef(owner);
	if (!owner)
		return -1;
	conversion->object = exported_new(conversion->exporter, &conversion->result,
		conversion->source.protocol, version, owner);
	Py_DecRef(owner);
	if (!conversion->object)
		return source_fail(conversion->context->arena, err, "making the object");
	return 0;
}
