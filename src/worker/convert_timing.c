// SPDX-License-Identifier: MIT
/* --timing: what was measured, and a plain copy between the same places to compare it with. */
#include "worker/convert.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The share of memcpy is taken over at most so many bytes, the best of a few rounds. */
enum { MEMCPY_BYTES = 64 << 20, MEMCPY_ROUNDS = 5 };

double convert_clock_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* One side of the plain copy: a block of a place, or of the host. */
struct side {
	struct device_place *place;
	struct device_pointer pointer;
	void *bytes;
};

static int open_side(struct side *side, struct device_place *place, size_t n_bytes)
{
	struct err ignored;

	*side = (struct side){ 0 };
	if (place && place->runtime->allocate(
			     place, place->runtime->device_kind, n_bytes, &side->pointer, &ignored))
		return -1;
	side->place = place;
	if (!place)
		side->bytes = malloc(n_bytes);
	if (side->bytes)
		memset(side->bytes, 1, n_bytes);
	return place || side->bytes ? 0 : -1;
}

static void close_side(struct side *side)
{
	if (side->place)
		side->place->runtime->release(side->place, side->pointer);
	free(side->bytes);
}

static int copy_plainly(const struct side *from, const struct side *to, size_t n_bytes)
{
	struct err ignored;

	if (!from->place && !to->place) {
		memcpy(to->bytes, from->bytes, n_bytes);
		__asm__ volatile("" : : "r"(to->bytes) : "memory");
		return 0;
	}
	if (!from->place)
		return to->place->runtime->write(
			to->place, to->pointer, from->bytes, n_bytes, &ignored);
	if (!to->place)
		return from->place->runtime->read(
			from->place, to->bytes, from->pointer, n_bytes, &ignored);
	return to->place->runtime->move(to->place, to->pointer, from->pointer, n_bytes, &ignored);
}

/* Bytes a second; 0: it cannot be told. */
static double plain_rate(struct device_place *from_place, struct device_place *to_place, size_t n)
{
	struct side from = { 0 }, to = { 0 };
	double start, seconds, best = 0;

	if (!open_side(&from, from_place, n) && !open_side(&to, to_place, n) &&
		!copy_plainly(&from, &to, n)) /* the first one touches the memory */
		for (int i = 0; i < MEMCPY_ROUNDS; i++) {
			start = convert_clock_seconds();
			if (copy_plainly(&from, &to, n))
				break;
			seconds = convert_clock_seconds() - start;
			if (seconds > 0 && (double)n / seconds > best)
				best = (double)n / seconds;
		}
	close_side(&from);
	close_side(&to);
	return best;
}

/* Between two places every byte travels twice: to the host and from it. */
static double memcpy_rate(const struct conversion *conversion, int64_t n_bytes)
{
	const struct site from = convert_source_site(conversion), *to = &conversion->result.site;
	struct device_place *from_place = from.host_reaches ? NULL : from.place;
	struct device_place *to_place = to->host_reaches ? NULL : to->place;
	size_t n = (size_t)(n_bytes < MEMCPY_BYTES ? n_bytes : MEMCPY_BYTES);
	double down, up;

	if (value_is_text(value_get(conversion->facts, "path"), "kernel")) {
		from_place = from.place;
		to_place = to->place;
	}
	if (!from_place || !to_place || from_place == to_place)
		return plain_rate(from_place, to_place, n);
	down = plain_rate(from_place, NULL, n);
	up = plain_rate(NULL, to_place, n);
	return down > 0 && up > 0 ? 1 / (1 / down + 1 / up) : 0;
}

void convert_tell_timing(struct conversion *conversion, double seconds, int64_t n_bytes)
{
	struct arena *arena = conversion->context->arena;

	if (!value_bool_or(value_get(conversion->settings, "timing"), false))
		return;
	value_set(arena, conversion->facts, "seconds", value_real(arena, seconds));
	if (seconds > 0 && n_bytes)
		value_set(arena, conversion->facts, "gb_per_s",
			value_real(arena, (double)n_bytes / seconds * 1e-9));
}

void convert_tell_share(struct conversion *conversion)
{
	const struct value *rate = value_get(conversion->facts, "gb_per_s");
	int64_t n_bytes = array_nbytes(&conversion->result.array);
	double reference;

	if (conversion->is_file || !value_is(rate, VALUE_REAL))
		return;
	WITHOUT_GIL(reference = memcpy_rate(conversion, n_bytes));
	if (reference > 0)
		value_set(conversion->context->arena, conversion->facts, "share_of_memcpy",
			value_real(conversion->context->arena, rate->real * 1e9 / reference));
}
