// SPDX-License-Identifier: MIT
#include "matrix/cell.h"

#include "base/array_size.h"
#include "base/test.h"
#include "matrix/matrix.h"

#include <string.h>

/* What the worker reported of the consumer, and what the matrix shows. */
static const struct cell_case {
	const char *title;
	const char *step, *error_type, *error, *producer_error;
	const char *dtype, *result_dtype, *difference, *read_as;
	const char *reason;
	enum trial_outcome outcome;
	enum answer same_object, shared, first, second; /* of two readings */
	enum answer rounded;
	int64_t result_length; /* of the only dimension; 0: as passed */
	enum cell_state state;
	bool is_own_array;
} cell_cases[] = {
	{ .title = "equal elements in the same memory",
		.outcome = TRIAL_DONE,
		.first = ANSWER_YES,
		.second = ANSWER_YES,
		.shared = ANSWER_YES,
		.state = CELL_SHARED },
	{ .title = "equal elements in other memory",
		.outcome = TRIAL_DONE,
		.first = ANSWER_YES,
		.shared = ANSWER_NO,
		.state = CELL_COPIED },
	{ .title = "equal elements somewhere",
		.outcome = TRIAL_DONE,
		.first = ANSWER_YES,
		.state = CELL_UNKNOWN,
		.reason = "equal elements, whose address is unknown" },
	{ .title = "the object that was passed",
		.outcome = TRIAL_DONE,
		.same_object = ANSWER_YES,
		.first = ANSWER_YES,
		.shared = ANSWER_YES,
		.state = CELL_UNKNOWN,
		.reason = "the consumer returns the object that it was passed" },
	{ .title = "an array of the consumer's own library",
		.outcome = TRIAL_DONE,
		.is_own_array = true,
		.same_object = ANSWER_YES,
		.state = CELL_SHARED },
	{ .title = "other elements",
		.outcome = TRIAL_DONE,
		.first = ANSWER_NO,
		.second = ANSWER_NO,
		.shared = ANSWER_YES,
		.dtype = "int32",
		.result_dtype = "int32",
		.difference = "element (0,) is -94334478256800, expected 94334478256800",
		.state = CELL_WRONG,
		.reason = "element (0,) is -94334478256800, expected 94334478256800" },
	{ .title = "ignored strides",
		.outcome = TRIAL_DONE,
		.first = ANSWER_NO,
		.difference = "element (1,) is 1, expected 2",
		.read_as = "strides",
		.state = CELL_WRONG,
		.reason = "strides is ignored: element (1,) is 1, expected 2" },
	{ .title = "readings that disagree",
		.outcome = TRIAL_DONE,
		.first = ANSWER_YES,
		.second = ANSWER_NO,
		.shared = ANSWER_YES,
		.state = CELL_UNKNOWN,
		.reason = "equal elements by dlpack, but not by tolist" },
	{ .title = "a type of fewer values, with equal elements",
		.outcome = TRIAL_DONE,
		.first = ANSWER_YES,
		.dtype = "float64",
		.result_dtype = "float32",
		.shared = ANSWER_NO,
		.state = CELL_NARROWED,
		.reason = "float64 becomes float32" },
	{ .title = "a type of fewer values, with other elements",
		.outcome = TRIAL_DONE,
		.first = ANSWER_NO,
		.dtype = "int64",
		.result_dtype = "int32",
		.difference = "element (0,) is 1, expected 2",
		.state = CELL_NARROWED,
		.reason = "int64 becomes int32" },
	{ .title = "another type of as many values, with other elements",
		.outcome = TRIAL_DONE,
		.first = ANSWER_NO,
		.dtype = "int32",
		.result_dtype = "float32",
		.difference = "element (0,) is 1e-40, expected 2",
		.state = CELL_WRONG,
		.reason = "int32 becomes float32: element (0,) is 1e-40, expected 2" },
	{ .title = "the same with rounded elements",
		.outcome = TRIAL_DONE,
		.first = ANSWER_NO,
		.rounded = ANSWER_YES,
		.dtype = "int32",
		.result_dtype = "float32",
		.difference = "element (0,) is 16777216, expected 16777217",
		.state = CELL_NARROWED,
		.reason = "int32 becomes float32" },
	{ .title = "another shape",
		.outcome = TRIAL_DONE,
		.first = ANSWER_NO,
		.dtype = "float32",
		.result_dtype = "float32",
		.result_length = 3,
		.difference = "its shape is (3,), expected (1,)",
		.state = CELL_RESHAPED,
		.reason = "its shape is (3,), expected (1,)" },
	{ .title = "a type of more values",
		.outcome = TRIAL_DONE,
		.first = ANSWER_YES,
		.dtype = "bool",
		.result_dtype = "uint8",
		.shared = ANSWER_YES,
		.state = CELL_SHARED },
	{ .title = "an array of objects",
		.outcome = TRIAL_DONE,
		.first = ANSWER_NO,
		.dtype = "float32",
		.result_dtype = "object",
		.state = CELL_UNKNOWN,
		.reason = "the result is an array of Python objects" },
	{ .title = "no elements",
		.outcome = TRIAL_DONE,
		.state = CELL_UNKNOWN,
		.reason = "the result, mylib.Array, exposes no elements" },
	{ .title = "an exception",
		.outcome = TRIAL_RAISED,
		.error_type = "BufferError",
		.error = "no <capsule at 0x7f0012345678>\nsecond line",
		.state = CELL_REFUSED,
		.reason = "BufferError: no <capsule at 0x...>" },
	{ .title = "an exception with a decimal address, and other numbers",
		.outcome = TRIAL_RAISED,
		.error_type = "ValueError",
		.error = "Tensor(94334478256800) of 94334478256800 bytes, 4294967296 or 20261127",
		.state = CELL_REFUSED,
		.reason =
			"ValueError: Tensor(0x...) of 94334478256800 bytes, 4294967296 or 20261127" },
	{ .title = "a crash of the consumer",
		.outcome = TRIAL_CRASHED,
		.step = "the consumer",
		.error = "SIGSEGV",
		.state = CELL_CRASH,
		.reason = "the consumer: SIGSEGV" },
	{ .title = "a crash of the producer",
		.outcome = TRIAL_CRASHED,
		.step = "the producer",
		.error = "SIGSEGV",
		.state = CELL_ABSENT,
		.reason = "the producer: SIGSEGV" },
	{ .title = "a consumer that hangs",
		.outcome = TRIAL_HUNG,
		.step = "the consumer",
		.error = "timed out",
		.state = CELL_HANG,
		.reason = "the consumer: timed out" },
	{ .title = "a consumer that exits",
		.outcome = TRIAL_LEFT,
		.step = "the consumer",
		.error = "exited with status 0",
		.state = CELL_LEFT,
		.reason = "the consumer: exited with status 0" },
	{ .title = "a producer without such an array",
		.outcome = TRIAL_UNAVAILABLE,
		.producer_error = "no float16",
		.state = CELL_ABSENT,
		.reason = "no float16" },
};

static void check_cell_case(const struct cell_case *row)
{
	struct fact_reading readings[] = {
		{ .present = true,
			.how = "dlpack",
			.equal = row->first,
			.rounded = row->rounded,
			.difference = row->difference },
		{ .present = true,
			.how = "tolist",
			.equal = row->second,
			.difference = row->difference },
	};
	struct fact_target target = { .present = true, .status = STATUS_OK };
	int64_t length = 1, result_length = row->result_length ? row->result_length : 1;
	struct arena arena = { 0 };
	struct cell_outcome outcome;

	target.consumption = (struct fact_consumption){ .present = true,
		.outcome = row->outcome,
		.step = row->step,
		.error = { .present = row->error != NULL,
			.type = row->error_type,
			.message = row->error },
		.producer_error = { .present = row->producer_error != NULL,
			.message = row->producer_error },
		.same_object = row->same_object,
		.shared = row->shared,
		.type = "mylib.Array",
		.dtype = row->dtype,
		.result_dtype = row->result_dtype,
		.shape = { .known = true, .n_items = 1, .items = &length },
		.result_shape = { .known = true, .n_items = 1, .items = &result_length },
		.read_as = row->read_as,
		.readings = { .known = true, .items = readings } };
	while (target.consumption.readings.n_items < 2 &&
		readings[target.consumption.readings.n_items].equal != ANSWER_UNKNOWN)
		target.consumption.readings.n_items++;
	outcome = cell_judge(&arena, &target, row->is_own_array);
	CHECK(outcome.state == row->state, "%s: %s", row->title, cell_state_name(outcome.state));
	CHECK(!strcmp(outcome.reason ? outcome.reason : "", row->reason ? row->reason : ""),
		"%s: %s", row->title, outcome.reason ? outcome.reason : "no reason");
	arena_free(&arena);
}

/* Cells are worse than those of later states, and every state has a name of its own. */
static void check_cell_states(void)
{
	for (int state = 0; state < CELL_N_STATES; state++)
		CHECK((int)cell_state_from_name(cell_state_name((enum cell_state)state)) == state,
			"state %d", state);
	CHECK(cell_state_from_name("better") == CELL_N_STATES, "no state");
}

static void check_battery(void)
{
	struct arena arena = { 0 };
	size_t n_rows = 0;

	for (const struct battery_row *row = battery; row->id; row++, n_rows++)
		CHECK(consumer_case_find(&arena, row->id) &&
				consumer_case_is_legal(consumer_case_find(&arena, row->id)),
			"%s is a legal case", row->id);
	arena_free(&arena);
	CHECK(n_rows == 23, "%zu arrays", n_rows);
}

static void check_plan(void)
{
	const char *const libraries[] = { "numpy", "jax" }, *const pairs[] = {
		"jax:numpy.asarray"
	};
	const char *const unknown[] = { "nunpy" };
	struct arena arena = { 0 };
	struct matrix matrix = { .arena = &arena };
	struct matrix_choice choice = {
		.libraries = libraries, .n_libraries = 2, .placement = "all"
	};
	struct err err = { 0 };

	CHECK(!matrix_plan(&matrix, &choice, &err), "%s", err.message);
	CHECK(matrix.n_cells == 8 && matrix.n_arrays == 69, "%zu cells, %zu arrays", matrix.n_cells,
		matrix.n_arrays);
	CHECK(!strcmp(matrix.cells[0].id, "numpy>numpy.from_dlpack"), "%s", matrix.cells[0].id);
	matrix.cells[0].outcomes[3].state = CELL_COPIED;
	matrix.cells[0].outcomes[4].state = CELL_REFUSED;
	CHECK(matrix_cell_state(&matrix, &matrix.cells[0]) == CELL_REFUSED, "the worst state");
	matrix = (struct matrix){ .arena = &arena };
	choice.pairs = pairs;
	choice.n_pairs = 1;
	CHECK(!matrix_plan(&matrix, &choice, &err) && matrix.n_cells == 1 &&
			!strcmp(matrix.cells[0].id, "jax>numpy.asarray"),
		"one pair");
	matrix = (struct matrix){ .arena = &arena };
	choice.libraries = unknown;
	choice.n_libraries = 1;
	CHECK(matrix_plan(&matrix, &choice, &err) && strstr(err.message, "did you mean 'numpy'?"),
		"%s", err.message);
	arena_free(&arena);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cell_cases); i++)
		check_cell_case(&cell_cases[i]);
	check_cell_states();
	check_battery();
	check_plan();
	return test_end();
}
