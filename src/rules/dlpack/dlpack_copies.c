// SPDX-License-Identifier: MIT
/* The effect of dl_device and copy (array API). */
#include "rules/dlpack/dlpack_grid.h"

#include <string.h>

/* False if the grid is missing, or the address of the object's own memory is unknown. */
static bool read_grid_with_memory(
	struct dlpack_grid *grid, const struct subject *subject, struct report *report)
{
	if (!dlpack_grid_read(grid, subject, report))
		return false;
	if (!grid->knows_memory)
		rule_skip(report,
			"the address of the object's own memory, if it has any, is unknown");
	return grid->knows_memory;
}

static bool requests_copy(const struct fact_call *cell, bool wanted)
{
	const struct value *copy = dlpack_cell_argument(cell, "copy");

	return value_is(copy, VALUE_BOOL) && copy->boolean == wanted;
}

static bool is_on_device_type(const struct fact_call *cell, int64_t type)
{
	return cell->device.n_items && cell->device.items[0] == type;
}

/* With an exception other than BufferError, because of its keywords. Skips the rule for a call that
 * failed because of the state of the machine or array. */
static bool raised_wrong_exception(
	const struct dlpack_grid *grid, const struct fact_call *cell, struct report *report)
{
	if (cell->outcome == CALL_RETURNED || fact_text_is(cell->exception, "BufferError") ||
		dlpack_cell_raised_without_keywords(grid, cell))
		return false;
	if (!dlpack_failed_by_state(cell))
		return true;
	rule_skip(report,
		"%s failed for lack of memory or because of the state of the device or array",
		cell->step);
	return false;
}

/* A device that the grid requests and this producer cannot reach. */
static void dlp_check_impossible_device(const struct subject *subject, struct report *report)
{
	struct dlpack_cells wrong = { 0 }, ignored = { 0 };
	const struct fact_call *cell;
	struct dlpack_grid grid;
	size_t next = 0;

	if (!dlpack_grid_read(&grid, subject, report) || !grid.device.type)
		return;
	while ((cell = dlpack_grid_next(&grid, &next))) {
		const struct value *device = dlpack_cell_argument(cell, "dl_device");

		if (!value_is(device, VALUE_TUPLE) || dlpack_cell_keeps_device(&grid, cell) ||
			dlpack_cell_requests_host(cell) || requests_copy(cell, false) ||
			!dlpack_cell_omits(cell, "stream"))
			continue;
		if (cell->outcome == CALL_RETURNED && is_on_device_type(cell, grid.device.type))
			dlpack_cells_add(&ignored, cell);
		else if (raised_wrong_exception(&grid, cell, report))
			dlpack_cells_add(&wrong, cell);
	}
	dlpack_cells_report(
		&ignored, report, "dl_device", "returned a tensor of the array's own device type");
	if (!ignored.n)
		dlpack_cells_report_raised(&wrong, report, "dl_device", ", expected BufferError");
}

/* For a copy to the host that copy=False forbids, dl_device requires ValueError, and copy
 * BufferError. */
static bool refuses_host_copy(const struct fact_call *cell)
{
	return dlpack_cell_requests_host(cell) && requests_copy(cell, false) &&
	       fact_text_is(cell->exception, "ValueError");
}

/* Whether a call returned a tensor of another device type than the array's, as far as is known. */
static bool is_elsewhere(const struct fact_call *cell, const struct dlpack_grid *grid)
{
	return cell->device.n_items && !is_on_device_type(cell, grid->device.type);
}

/* Whether the call without dl_device, and otherwise with the same keywords, returned a tensor of
 * the array's device type; copies of some memory are elsewhere. */
static bool keeps_device_unasked(const struct dlpack_grid *grid, const struct fact_call *cell)
{
	const struct fact_call *other;
	size_t next = 0;

	while ((other = dlpack_grid_next(grid, &next)))
		if (!dlpack_cell_argument(other, "dl_device") &&
			dlpack_cell_omits(other, "stream") &&
			value_equal(dlpack_cell_argument(other, "max_version"),
				dlpack_cell_argument(cell, "max_version")) &&
			value_equal(dlpack_cell_argument(other, "copy"),
				dlpack_cell_argument(cell, "copy")) &&
			other->outcome == CALL_RETURNED && !is_elsewhere(other, grid))
			return true;
	return false;
}

/* The array's own device, which is where it is exported without dl_device. */
static void dlp_check_own_device(const struct subject *subject, struct report *report)
{
	struct dlpack_cells elsewhere = { 0 }, raised = { 0 };
	const struct fact_call *cell;
	struct dlpack_grid grid;
	size_t next = 0;

	if (!dlpack_grid_read(&grid, subject, report) || !grid.device.type)
		return;
	while ((cell = dlpack_grid_next(&grid, &next))) {
		if (dlpack_cell_omits(cell, "dl_device") ||
			!dlpack_cell_keeps_device(&grid, cell) ||
			!dlpack_cell_omits(cell, "stream"))
			continue;
		if (cell->outcome == CALL_RETURNED) {
			if (is_elsewhere(cell, &grid))
				dlpack_cells_add(&elsewhere, cell);
		} else if (keeps_device_unasked(&grid, cell) && !dlpack_failed_by_state(cell) &&
			   !refuses_host_copy(cell)) {
			dlpack_cells_add(&raised, cell);
		}
	}
	dlpack_cells_report(
		&elsewhere, report, "dl_device", "returned a tensor of another device type");
	if (!elsewhere.n)
		dlpack_cells_report_raised(
			&raised, report, "dl_device", ", although that is the device of the array");
}

/* Calls that requested host memory of an array on another device, for a versioned capsule or a
 * legacy one. */
static void dlp_check_host(const struct subject *subject, struct report *report, bool versioned)
{
	struct dlpack_cells elsewhere = { 0 }, wrong = { 0 };
	const struct fact_call *cell;
	struct dlpack_grid grid;
	size_t next = 0;

	if (!dlpack_grid_read(&grid, subject, report) || grid.device.type == DLPACK_CPU ||
		!grid.device.type)
		return;
	while ((cell = dlpack_grid_next(&grid, &next))) {
		if (!dlpack_cell_requests_host(cell) ||
			versioned != (dlpack_max_major(cell) >= 1) ||
			!dlpack_cell_omits(cell, "stream"))
			continue;
		if (cell->outcome == CALL_RETURNED && cell->device.n_items &&
			cell->device.items[0] != DLPACK_CPU)
			dlpack_cells_add(&elsewhere, cell);
		else if (versioned && raised_wrong_exception(&grid, cell, report) &&
			 !refuses_host_copy(cell))
			dlpack_cells_add(&wrong, cell);
	}
	dlpack_cells_report(&elsewhere, report, "dl_device",
		"returned a tensor whose device type is not kDLCPU");
	dlpack_cells_report_raised(&wrong, report, "dl_device", ", expected BufferError");
}

static void dlp_check_host_versioned(const struct subject *subject, struct report *report)
{
	dlp_check_host(subject, report, true);
}

static void dlp_check_host_legacy(const struct subject *subject, struct report *report)
{
	dlp_check_host(subject, report, false);
}

/* All calls with the same defect are one finding. */
static void dlp_check_cells(const struct subject *subject, struct report *report,
	bool (*is_wrong)(const struct dlpack_grid *grid, const struct fact_call *cell),
	const char *what)
{
	struct dlpack_cells wrong = { 0 };
	const struct fact_call *cell;
	struct dlpack_grid grid;
	size_t next = 0;

	if (!read_grid_with_memory(&grid, subject, report))
		return;
	while ((cell = dlpack_grid_next(&grid, &next)))
		if (is_wrong(&grid, cell))
			dlpack_cells_add(&wrong, cell);
	dlpack_cells_report(&wrong, report, "copy", what);
}

static bool shares_despite_copy_request(
	const struct dlpack_grid *grid, const struct fact_call *cell)
{
	return requests_copy(cell, true) && dlpack_cell_shares(grid, cell);
}

static void dlp_check_copy_made(const struct subject *subject, struct report *report)
{
	dlp_check_cells(
		subject, report, shares_despite_copy_request, "returned the array's own memory");
}

static bool lacks_copy_flag(const struct dlpack_grid *grid, const struct fact_call *cell)
{
	return requests_copy(cell, true) && dlpack_cell_copied(grid, cell) && cell->flags.known &&
	       !(cell->flags.value & DLPACK_IS_COPIED);
}

static void dlp_check_copy_flag(const struct subject *subject, struct report *report)
{
	dlp_check_cells(
		subject, report, lacks_copy_flag, "returned a copy that is not flagged as one");
}

/* DLP809 checks accidents that max_version may cause. */
static void dlp_check_no_copy(const struct subject *subject, struct report *report)
{
	struct dlpack_cells copied = { 0 }, wrong = { 0 };
	const struct fact_call *cell;
	struct dlpack_grid grid;
	size_t next = 0;

	if (!read_grid_with_memory(&grid, subject, report))
		return;
	while ((cell = dlpack_grid_next(&grid, &next))) {
		if (!requests_copy(cell, false) || !dlpack_cell_omits(cell, "stream"))
			continue;
		if (dlpack_cell_copied(&grid, cell))
			dlpack_cells_add(&copied, cell);
		else if (dlpack_cell_keeps_device(&grid, cell) && grid.plain_returned &&
			 cell->outcome != CALL_RETURNED &&
			 !fact_text_is(cell->exception, "BufferError") &&
			 !(dlpack_cell_is_accident(cell) &&
				 !dlpack_cell_omits(cell, "max_version")) &&
			 !refuses_host_copy(cell))
			dlpack_cells_add(&wrong, cell);
	}
	dlpack_cells_report(&copied, report, "copy", "returned a copy");
	dlpack_cells_report_raised(&wrong, report, "copy", ", expected BufferError");
}

/* The legacy capsule of a read-only array may be a copy, because it cannot express the access
 * (docs/rules.md, Agreement between interfaces). */
static bool copies_without_request(const struct dlpack_grid *grid, const struct fact_call *cell)
{
	bool may_copy =
		grid->subject->target->own.readonly == ANSWER_YES && !dlpack_call_major(cell);

	return dlpack_cell_omits(cell, "copy") && dlpack_cell_keeps_device(grid, cell) &&
	       !may_copy && dlpack_cell_copied(grid, cell);
}

static void dlp_check_shared(const struct subject *subject, struct report *report)
{
	dlp_check_cells(subject, report, copies_without_request,
		"returned memory other than the array's own");
}

/* Whether the export is at another address than the tensor shown, which is not a copy. */
static bool is_separate_copy(const struct subject *subject, const struct fact_call *call)
{
	return subject->array && !(dlpack_flags(subject) & DLPACK_IS_COPIED) &&
	       call->pointer.known && call->pointer.value != subject->array->pointer;
}

/* Another interface that declares the elements read-only ("buffer"); NULL: there is none. */
static const char *find_readonly_interface(const struct subject *subject)
{
	for (size_t i = 0; i < subject->n_interfaces; i++) {
		const struct subject *other = &subject->interfaces[i];

		if (other->protocol && other->protocol != &dlpack_protocol &&
			interface_was_read(other->interface) && other->array &&
			other->array->readonly == READONLY_YES &&
			(!subject->array || other->array->pointer == subject->array->pointer) &&
			array_elements(other->array) > 0)
			return other->protocol->attribute;
	}
	return NULL;
}

static void dlp_check_readonly_legacy(const struct subject *subject, struct report *report)
{
	const enum answer own = subject->target->own.readonly;
	const struct fact_call *call = dlpack_held_call(subject, 0);
	bool is_flagged = dlpack_flags(subject) & DLPACK_READ_ONLY;
	const char *elsewhere =
		own == ANSWER_UNKNOWN && !is_flagged ? find_readonly_interface(subject) : NULL;

	if (own == ANSWER_UNKNOWN && !is_flagged && !elsewhere)
		rule_skip(report, "the object does not report whether it is writable");
	else if (own != ANSWER_NO && call && dlpack_cell_omits(call, "max_version") &&
		 fact_text_is(call->capsule, "dltensor") && !is_separate_copy(subject, call))
		rule_fail(report, NULL,
			"%s returned a legacy capsule, which cannot express that the array is read-only%s%s",
			call->step, elsewhere ? " in " : "", elsewhere ? elsewhere : "");
}

#define CLAUSE_COPY CLAUSE_ARRAY_API "array.__dlpack__ copy"
#define CLAUSE_DEVICE CLAUSE_ARRAY_API "array.__dlpack__ dl_device"

const struct rule dlpack_copies_rules[] = {
	{
		DLPACK_CALLS("DLP508", "own-device", ERROR, MUST),
		.requires = { "DLP501" },
		.clause = CLAUSE_DEVICE,
		.since = "array-api=2023.12",
		.summary =
			"with dl_device equal to what __dlpack_device__() returns, a capsule is of that device type, and a call that returns one of it without dl_device returns one with it, too",
		.why = "np.from_dlpack(x, device=\"cpu\") requests the CPU even of an array that is on it, and fails",
		.fix = "treat dl_device=self.__dlpack_device__() like dl_device=None; compare it as a tuple of integers",
		.check = dlp_check_own_device,
	},
	{
		DLPACK_CALLS("DLP505", "impossible-device", ERROR, MUST),
		.subsumed_by = { "DLP508" },
		.clause = CLAUSE_DEVICE "; " CLAUSE_ARRAY_API "array.__dlpack__ Raises",
		.since = "array-api=2023.12",
		.summary =
			"a dl_device to which the producer cannot export is refused with BufferError",
		.why = "dpnp.from_dlpack copies by way of the host after BufferError, but not after RuntimeError, for example; a consumer that gets memory on the wrong device fails far from the cause",
		.fix = "raise BufferError unless dl_device is the array's own device or one to which the library copies",
		.check = dlp_check_impossible_device,
	},
	{
		DLPACK_CALLS("DLP506", "host-device", ERROR, MUST),
		.clause = CLAUSE_DEVICE,
		.since = "array-api=2023.12",
		.summary =
			"for an array that is not on the CPU, dl_device=(1, 0) with max_version=(1, 0) or above returns a kDLCPU tensor, or raises BufferError or MemoryError; with copy=False, ValueError is accepted as well",
		.why = "consumers request CPU memory to read arrays of other devices: np.from_dlpack(x, device=\"cpu\") fails if it gets device memory",
		.fix = "copy the elements to the host, and return a kDLCPU tensor; if copy=False, or if the library does not support the copy, raise BufferError",
		.check = dlp_check_host_versioned,
	},
	{
		DLPACK_CALLS("DLP507", "host-device-legacy", WARNING, HAZARD),
		.requires = { "DLP506" },
		.clause = "derived from " CLAUSE_DEVICE,
		.since = "array-api=2023.12",
		.summary =
			"for an array that is not on the CPU, dl_device=(1, 0) returns a kDLCPU tensor or raises an exception even if max_version is absent, None or below (1, 0)",
		.why = "a consumer of legacy capsules that requested CPU memory gets other memory, and may crash when it reads that memory on the host",
		.fix = "evaluate dl_device for legacy capsules as well",
		.check = dlp_check_host_legacy,
	},
	{
		DLPACK_CALLS("DLP801", "copy-true", ERROR, MUST),
		.clause = CLAUSE_COPY,
		.since = "array-api=2023.12",
		.summary = "copy=True returns a copy, or raises an exception",
		.why = "a consumer treats the memory as its own copy, and its writes change the producer's array",
		.fix = "return a copy, for legacy capsules as well, or raise BufferError",
		.check = dlp_check_copy_made,
	},
	{
		DLPACK_CALLS("DLP802", "copied-flag-missing", ERROR, MUST),
		.clause = CLAUSE_COPY "; " CLAUSE_DLPACK_H "DLPACK_FLAG_BITMASK_IS_COPIED",
		.since = "array-api=2023.12",
		.summary =
			"a copy that copy=True requested is flagged as a copy if its capsule is versioned",
		.why = "the consumer makes a second, unnecessary copy, or treats its own memory as shared",
		.fix = "set DLPACK_FLAG_BITMASK_IS_COPIED on a tensor that was allocated for this export",
		.check = dlp_check_copy_flag,
	},
	{
		DLPACK_CALLS("DLP803", "copy-false", ERROR, MUST),
		.clause = CLAUSE_COPY "; " CLAUSE_ARRAY_API "array.__dlpack__ Raises",
		.since = "array-api=2023.12",
		.summary =
			"copy=False returns the array's own memory, or raises BufferError; with dl_device=(1, 0), ValueError is accepted as well",
		.why = "writes through the export are not visible to the producer, or a consumer that falls back to another protocol on BufferError fails instead",
		.fix = "raise BufferError if a copy would be needed",
		.check = dlp_check_no_copy,
	},
	{
		DLPACK_CALLS("DLP804", "copy-none", WARNING, MUST),
		.subsumed_by = { "DLP508" },
		.clause = CLAUSE_COPY,
		.since = "array-api=2023.12",
		.summary =
			"with copy=None, the default, the memory is shared if possible; the legacy capsule of a read-only array may be a copy",
		.why = "every export costs a copy that was not requested, and writes through it are not visible to the producer",
		.fix = "export the array's own memory unless copy=True or another device is requested",
		.check = dlp_check_shared,
	},
	{
		DLPACK_CALLS("DLP807", "readonly-legacy", WARNING, HAZARD),
		.subsumed_by = { "DLP104" },
		.clause = "derived from " CLAUSE_ARRAY_API "array.__dlpack__ Notes",
		.summary =
			"a read-only array is not exported in a legacy capsule, unless the export is a copy",
		.why = "a legacy capsule cannot express read-only access: a consumer may return a writable array over memory that must not change",
		.fix = "raise BufferError, or export a copy, if the array is read-only and max_version is None or below (1, 0)",
		.check = dlp_check_readonly_legacy,
	},
	{ .id = NULL },
};
