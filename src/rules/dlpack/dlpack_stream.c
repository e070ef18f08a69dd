// SPDX-License-Identifier: MIT
/* The streams that __dlpack__ accepts on each device (array API, stream). */
#include "model/cuda_streams.h"
#include "rules/dlpack/dlpack_grid.h"

#include <string.h>

static bool is_on(const struct dlpack_grid *grid, int64_t type)
{
	return grid->device.type == type ||
	       (type == DLPACK_CUDA && grid->device.type == DLPACK_CUDA_MANAGED);
}

/* False if the grid is missing, or the device is another. */
static bool read_stream_grid(struct dlpack_grid *grid, const struct subject *subject,
	struct report *report, int64_t type)
{
	if (!dlpack_grid_read(grid, subject, report))
		return false;
	if (!grid->device.type) {
		rule_skip(report, "__dlpack_device__() did not return a device");
		return false;
	}
	return is_on(grid, type);
}

/* The next call on the producer's own device that passes a stream, or NULL. */
static const struct fact_call *next_stream(const struct dlpack_grid *grid, size_t *next)
{
	const struct fact_call *cell;

	while ((cell = dlpack_grid_next(grid, next)))
		if (dlpack_cell_argument(cell, "stream") && dlpack_cell_keeps_device(grid, cell) &&
			dlpack_cell_omits(cell, "copy"))
			return cell;
	return NULL;
}

/* The integer that was passed, or the handle that suai created; other objects have no number. */
static bool read_stream_number(const struct fact_call *cell, int64_t *number)
{
	const struct value *stream = dlpack_cell_argument(cell, "stream");

	return value_is(stream, VALUE_INT) && value_to_int64(stream, number);
}

/* stream=None raised, although a call without it did not. */
static void dlp_check_none_accepted(const struct dlpack_grid *grid, struct report *report)
{
	struct dlpack_cells wrong = { 0 };
	const struct fact_call *cell = dlpack_grid_find(grid, "__dlpack__(stream=None)");

	if (!cell || !grid->plain_returned || cell->outcome == CALL_RETURNED)
		return;
	dlpack_cells_add(&wrong, cell);
	dlpack_cells_report_raised(&wrong, report, "stream", ", but __dlpack__() did not");
}

static void dlp_check_cpu_none(const struct subject *subject, struct report *report)
{
	struct dlpack_grid grid;

	if (read_stream_grid(&grid, subject, report, DLPACK_CPU))
		dlp_check_none_accepted(&grid, report);
}

static void dlp_check_cpu_streams(const struct subject *subject, struct report *report)
{
	struct dlpack_cells wrong = { 0 };
	const struct fact_call *cell;
	struct dlpack_grid grid;
	size_t next = 0;

	if (!read_stream_grid(&grid, subject, report, DLPACK_CPU))
		return;
	while ((cell = next_stream(&grid, &next)))
		if (!value_is_null(dlpack_cell_argument(cell, "stream")) &&
			cell->outcome == CALL_RETURNED)
			dlpack_cells_add(&wrong, cell);
	dlpack_cells_report(&wrong, report, "stream", "returned although a CPU has no streams");
}

/* Support for streams other than None is optional: a refusal is legal, an accident is not. */
static bool is_stream_accident(const struct dlpack_grid *grid, const struct fact_call *cell)
{
	return dlpack_cell_is_accident(cell) && !dlpack_cell_raised_without_keywords(grid, cell);
}

static void dlp_report_accidents(const struct dlpack_cells *accidents, struct report *report)
{
	dlpack_cells_report_raised(accidents, report, "stream",
		", expected a capsule, or a refusal such as BufferError");
}

/* The calls that passed this number must not have returned. */
static void dlp_check_refused(
	const struct dlpack_grid *grid, struct report *report, int64_t wanted, const char *what)
{
	struct dlpack_cells wrong = { 0 };
	const struct fact_call *cell;
	int64_t number;
	size_t next = 0;

	while ((cell = next_stream(grid, &next)))
		if (read_stream_number(cell, &number) && number == wanted &&
			cell->outcome == CALL_RETURNED)
			dlpack_cells_add(&wrong, cell);
	dlpack_cells_report(&wrong, report, "stream", what);
}

static void dlp_check_cuda_zero(const struct subject *subject, struct report *report)
{
	struct dlpack_grid grid;

	if (read_stream_grid(&grid, subject, report, DLPACK_CUDA))
		dlp_check_refused(&grid, report, 0, "returned although 0 could mean None, 1 or 2");
}

static void dlp_check_cuda_streams(const struct subject *subject, struct report *report)
{
	struct dlpack_cells wrong = { 0 };
	const struct fact_call *cell;
	struct dlpack_grid grid;
	int64_t number;
	size_t next = 0;

	if (!read_stream_grid(&grid, subject, report, DLPACK_CUDA))
		return;
	dlp_check_none_accepted(&grid, report);
	while ((cell = next_stream(&grid, &next)))
		if (read_stream_number(cell, &number) && number >= -1 && number != 0 &&
			is_stream_accident(&grid, cell))
			dlpack_cells_add(&wrong, cell);
	dlp_report_accidents(&wrong, report);
}

static void dlp_check_rocm_streams(const struct subject *subject, struct report *report)
{
	struct dlpack_cells wrong = { 0 };
	const struct fact_call *cell;
	struct dlpack_grid grid;
	int64_t number;
	size_t next = 0;

	if (!read_stream_grid(&grid, subject, report, DLPACK_ROCM))
		return;
	dlp_check_refused(&grid, report, 1, "returned although ROCm has no stream 1");
	dlp_check_refused(&grid, report, 2, "returned although ROCm has no stream 2");
	dlp_check_none_accepted(&grid, report);
	while ((cell = next_stream(&grid, &next)))
		if (read_stream_number(cell, &number) &&
			(number == 0 || number == -1 || number >= CUDA_STREAM_FIRST_HANDLE) &&
			is_stream_accident(&grid, cell))
			dlpack_cells_add(&wrong, cell);
	dlp_report_accidents(&wrong, report);
}

static void dlp_check_odd_streams(const struct subject *subject, struct report *report)
{
	struct dlpack_cells wrong = { 0 };
	const struct fact_call *cell;
	struct dlpack_grid grid;
	size_t next = 0;

	if (!dlpack_grid_read(&grid, subject, report) ||
		!(is_on(&grid, DLPACK_CUDA) || is_on(&grid, DLPACK_ROCM)))
		return;
	while ((cell = next_stream(&grid, &next)))
		if (value_is(dlpack_cell_argument(cell, "stream"), VALUE_TEXT) &&
			cell->outcome == CALL_RETURNED)
			dlpack_cells_add(&wrong, cell);
	dlpack_cells_report(&wrong, report, "stream",
		"returned although stream is neither None nor an integer");
}

static void dlp_check_host_stream(const struct subject *subject, struct report *report)
{
	struct dlpack_cells wrong = { 0 };
	const struct fact_call *cell;
	struct dlpack_grid grid;
	size_t next = 0;

	if (!dlpack_grid_read(&grid, subject, report) || is_on(&grid, DLPACK_CPU))
		return;
	while ((cell = dlpack_grid_next(&grid, &next)))
		if (dlpack_cell_requests_host(cell) && !dlpack_cell_omits(cell, "stream") &&
			cell->outcome == CALL_RETURNED)
			dlpack_cells_add(&wrong, cell);
	dlpack_cells_report(
		&wrong, report, "stream", "returned although host memory has no stream");
}

static void dlp_check_queue(const struct subject *subject, struct report *report)
{
	struct dlpack_cells wrong = { 0 };
	const struct fact_call *cell;
	struct dlpack_grid grid;
	size_t next = 0;

	if (!read_stream_grid(&grid, subject, report, DLPACK_ONEAPI))
		return;
	dlp_check_none_accepted(&grid, report);
	while ((cell = next_stream(&grid, &next))) {
		const struct value *stream = dlpack_cell_argument(cell, "stream");

		/* A queue is captured as an opaque value. */
		if (stream && !value_is_null(stream) && !value_is(stream, VALUE_INT) &&
			!value_is(stream, VALUE_TEXT) && is_stream_accident(&grid, cell))
			dlpack_cells_add(&wrong, cell);
	}
	dlp_report_accidents(&wrong, report);
}

#define CLAUSE_STREAM CLAUSE_ARRAY_API "array.__dlpack__ stream"

const struct rule dlpack_stream_rules[] = {
	{
		DLPACK_CALLS("DLP601", "cpu-none", ERROR, MUST),
		.clause = CLAUSE_STREAM " (\"only None is accepted\")",
		.summary = "on the CPU, stream=None is accepted",
		.why = "consumers such as JAX pass stream=None for CPU memory, and cannot import the array",
		.fix = "declare the parameter as stream=None, and treat None like an omitted stream",
		.check = dlp_check_cpu_none,
	},
	{
		DLPACK_CALLS("DLP602", "cpu-stream", WARNING, MUST),
		.subsumed_by = { "DLP101" },
		.clause = CLAUSE_STREAM " (\"only None is accepted\")",
		.summary = "on the CPU, a stream other than None is refused",
		.why = "a consumer whose stream is accepted assumes that the array is in device memory and ready for work on that stream",
		.fix = "raise BufferError or ValueError if stream is not None",
		.check = dlp_check_cpu_streams,
	},
	{
		DLPACK_CALLS("DLP603", "cuda-stream-0", ERROR, MUST),
		.subsumed_by = { "DLP101" },
		.clause = CLAUSE_STREAM " (\"0 is disallowed due to its ambiguity\")",
		.summary = "on CUDA, stream 0 is refused",
		.why = "0 means the legacy default stream in one library and the per-thread default stream in another: the consumer may read elements before the producer has written them",
		.fix = "if stream == 0: raise ValueError(stream)",
		.check = dlp_check_cuda_zero,
	},
	{
		DLPACK_CALLS("DLP604", "cuda-streams", ERROR, MUST),
		.clause = CLAUSE_STREAM " (\"optional and implementation-dependent\")",
		.summary =
			"on CUDA, None is accepted, and -1, 1, 2 and handles are accepted or explicitly refused",
		.why = "a consumer that passes None cannot import the array if None is refused; one that passes its stream gets an exception that does not name the cause, such as AttributeError",
		.fix = "accept None; for -1, 1, 2 and any handle, return a capsule or raise BufferError",
		.check = dlp_check_cuda_streams,
	},
	{
		DLPACK_CALLS("DLP605", "rocm-streams", ERROR, MUST),
		.subsumed_by = { "DLP101" },
		.clause = CLAUSE_STREAM
		" (\"Using 1 and 2 is not supported\"; \"optional and implementation-dependent\")",
		.summary =
			"on ROCm, None is accepted, 1 and 2 are refused, and 0, -1 and handles are accepted or explicitly refused",
		.why = "1 and 2 have a meaning only on CUDA: if they are accepted, the wrong stream is synchronized, or none; a consumer that passes another stream gets an exception, which may not name the cause",
		.fix = "accept None, and treat 0 as the default stream; raise BufferError or ValueError for 1 and 2, and for other streams that the library does not support",
		.check = dlp_check_rocm_streams,
	},
	{
		DLPACK_CALLS("DLP606", "non-integer-stream", ERROR, MUST),
		.subsumed_by = { "DLP101" },
		.clause = CLAUSE_STREAM " (\"an integer larger than or equal to -1\")",
		.summary =
			"on CUDA and ROCm, a stream that is neither None nor an integer is refused",
		.why = "a producer that ignores such a stream synchronizes nothing, and the consumer gets no error",
		.fix = "raise TypeError if stream is neither None nor an integer",
		.check = dlp_check_odd_streams,
	},
	{
		DLPACK_CALLS("DLP610", "host-stream", ERROR, MUST),
		.subsumed_by = { "DLP101" },
		.clause = CLAUSE_ARRAY_API "array.__dlpack__ dl_device; array.__dlpack__ stream",
		.since = "array-api=2023.12",
		.summary = "if dl_device requests host memory, a stream other than None is refused",
		.why = "the consumer assumes that the copy is ordered on its stream, and may read host memory before the copy is complete",
		.fix = "if dl_device is (1, 0), raise ValueError unless stream is None, and wait for the copy before returning",
		.check = dlp_check_host_stream,
	},
	{
		DLPACK_CALLS("DLP612", "sycl-queue", ERROR, MUST),
		.clause = CLAUSE_STREAM
		" (\"for SYCL one may want to use an object containing an in-order cl::sycl::queue\")",
		.summary =
			"on oneAPI devices, stream=None is accepted, and a SyclQueue is accepted or explicitly refused",
		.why = "a consumer that passes None cannot import the array if None is refused; one that passes its queue gets an exception that does not name the cause, such as AttributeError",
		.fix = "accept None; if stream is a dpctl.SyclQueue, make it wait for the array's pending work, or raise BufferError",
		.check = dlp_check_queue,
	},
	{ .id = NULL },
};
