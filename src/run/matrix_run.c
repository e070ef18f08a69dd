// SPDX-License-Identifier: MIT
/*
 * The sessions of a matrix. First, each library is imported in a separate worker. Then libraries
 * whose processes can be forked are imported once in each of -j workers, which fork a child per
 * pair; libraries that load the runtime of a device are imported in workers that run their pairs
 * one after another. Last, each lost process and each difference is repeated in processes that are
 * not forked, and only those that recur are reported.
 */
#include "run/matrix_run.h"

#include "base/array_size.h"
#include "base/cpu_name.h"
#include "base/plural.h"
#include "base/progress.h"
#include "documents/document.h"
#include "output/notice.h"
#include "protocols/protocol.h"

#include <string.h>

enum {
	STEP_LIMIT_SECONDS = 10,
	READS_OF_WRONG = 3, /* readings that must agree before elements are reported as different */
	/* The size of a module, of which VALUE_MAX_WIRE_BYTES reach a worker, and of an exchange in
	 * it without its texts: an estimate. */
	MAX_BATCH_BYTES = VALUE_MAX_WIRE_BYTES / 2,
	EXCHANGE_BYTES = 300,
};

/* An array of a cell, as a trial. */
struct exchange {
	struct matrix_cell *cell;
	size_t array;
};

/* The trials of one module. */
struct batch {
	struct exchange *items;
	size_t n_items;
};

struct matrix_run {
	struct run *run;
	struct matrix *matrix;
	struct batch *batches; /* of the modules of the current session */
	size_t n_batches;
	bool is_repeat;
	struct progress progress;
};

/* --- libraries --- */

/* The libraries of the modules of the session; after them comes NumPy. */
struct library_check {
	struct matrix *matrix;
	struct matrix_library **libraries;
	size_t n_libraries;
	bool has_numpy;
};

static void take_library(struct library_check *check, const struct fact_module_result *result)
{
	struct matrix *matrix = check->matrix;
	size_t index = (size_t)result->module.value;
	const char *version = result->versions.n_items ? result->versions.items[0] : "";
	bool is_missing = fact_text_is(result->error.type, "ModuleNotFoundError");

	if (*version)
		version = arena_copy(matrix->arena, version, strlen(version));
	else
		version = NULL;
	if (index == check->n_libraries) {
		check->has_numpy = result->status == STATUS_OK;
		matrix->python = version;
		return;
	}
	check->libraries[index]->version = version;
	if (result->device)
		check->libraries[index]->device = cell_stable_line(matrix->arena, result->device);
	if (result->status != STATUS_OK)
		check->libraries[index]->unavailable =
			is_missing ? LIBRARY_NOT_INSTALLED
				   : arena_printf(matrix->arena, "the import fails: %s",
					     cell_error_line(matrix->arena, &result->error, "?"));
}

static int on_library(void *context, struct arena *arena, struct message *message, struct err *err)
{
	(void)arena;
	(void)err;
	if (message->kind == MESSAGE_MODULE)
		take_library(context, &message->module);
	return 0;
}

static struct job_module *new_code_module(struct arena *arena, const char *code, const char *label)
{
	struct job_module *module = arena_alloc(arena, sizeof(*module));

	*module = (struct job_module){ .kind = JOB_MODULE_CODE, .name = code, .label = label };
	return module;
}

static struct session new_matrix_session(const struct run *run)
{
	return (struct session){ .options = { .silent = !run->settings->verbose,
					 .step_timeout_seconds = STEP_LIMIT_SECONDS,
					 .step_timeout_grows = true } };
}

/* The first module that the statements import: "mylib" of "import mylib.core". Empty: none. */
static const char *first_import(struct arena *arena, const char *statements)
{
	static const char *const keywords[] = { "import ", "from " };

	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++) {
		size_t n_chars = strlen(keywords[i]);

		if (strncmp(statements, keywords[i], n_chars) != 0)
			continue;
		statements += n_chars + strspn(statements + n_chars, " ");
		return arena_copy(arena, statements, strcspn(statements, " .,;\n"));
	}
	return "";
}

static struct job_module *library_module(
	struct arena *arena, const char *import, const char *distribution, const char *device)
{
	struct job_module *module = new_code_module(arena, import, "-c");

	module->device = device;
	job_words_add(arena, &module->distributions,
		distribution ? distribution : first_import(arena, import));
	return module;
}

/* Imports each library that has cells, then NumPy. */
static int check_all_libraries(struct run *run, struct matrix *matrix, struct err *err)
{
	struct library_check check = { .matrix = matrix };
	struct session session = new_matrix_session(run);
	struct job_modules modules = { 0 };

	session.on_message = on_library;
	session.context = &check;
	session.options.step_timeout_seconds = 0;
	check.libraries =
		arena_alloc(matrix->arena, (matrix->n_libraries + 1) * sizeof(*check.libraries));
	for (size_t i = 0; i < matrix->n_libraries; i++) {
		const struct adapter *adapter = matrix->libraries[i].adapter;

		if (!matrix->libraries[i].has_cells)
			continue;
		check.libraries[check.n_libraries++] = &matrix->libraries[i];
		job_modules_add(matrix->arena, &modules,
			library_module(matrix->arena, adapter->import, adapter->distribution,
				adapter->device));
	}
	job_modules_add(matrix->arena, &modules,
		library_module(matrix->arena, "import numpy", JOB_PYTHON, NULL));
	if (run_session(run, &modules, &session, err))
		return -1;
	if (!check.has_numpy)
		return err_set(err, EXIT_UNAVAILABLE,
			"the interpreter cannot import numpy, which makes the arrays");
	return 0;
}

/* --- modules --- */

static void add_import(struct arena *arena, const char **code, const struct adapter *adapter)
{
	const char *line = arena_printf(arena, "%s\n", adapter->import);

	if (!strstr(*code, arena_printf(arena, "\n%s", line)))
		*code = arena_printf(arena, "%s%s", *code, line);
}

/* Imports the libraries of the batch; ml_dtypes gives NumPy bfloat16. */
static const char *import_code(struct arena *arena, const struct batch *batch)
{
	const char *code = "try:\n    import ml_dtypes\nexcept ImportError:\n    pass\n";

	for (size_t i = 0; i < batch->n_items; i++) {
		const struct matrix_cell *cell = batch->items[i].cell;

		if (i && cell == batch->items[i - 1].cell)
			continue;
		if (cell->consumer_first)
			add_import(arena, &code, cell->library->adapter);
		add_import(arena, &code, cell->producer->adapter);
		add_import(arena, &code, cell->library->adapter);
	}
	return code;
}

static void add_exchange(
	const struct matrix *matrix, struct job_module *module, const struct exchange *exchange)
{
	const struct battery_array *array = &matrix->arrays[exchange->array];
	const struct matrix_cell *cell = exchange->cell;
	size_t index = module->expressions.n_items;

	job_words_add(matrix->arena, &module->expressions,
		arena_printf(matrix->arena, "%s[%s]", cell->id, array->name));
	module->trials[index] = (struct job_trial){ .name = array->row->id,
		.protocol = dlpack_protocol.name,
		.producer = cell->producer->adapter->producer,
		.consumer = cell->consumer->expression,
		.offset_bytes = array->placement->offset_bytes,
		.queue = cell->producer->adapter->has_queue ? array->placement->is_pending
								      ? JOB_QUEUE_PENDING
								      : JOB_QUEUE_WAITED
							    : JOB_QUEUE_NONE };
}

static struct job_module *batch_module(
	const struct matrix_run *state, const struct batch *batch, bool one_process)
{
	struct arena *arena = state->matrix->arena;
	struct job_module *module = new_code_module(arena, import_code(arena, batch), "-c");

	module->one_process = one_process;
	module->trials = arena_alloc(arena, (batch->n_items + 1) * sizeof(*module->trials));
	for (size_t i = 0; i < batch->n_items; i++)
		add_exchange(state->matrix, module, &batch->items[i]);
	return module;
}

static void batch_add(struct arena *arena, struct batch *batch, struct exchange exchange)
{
	batch->items = arena_grow(arena, batch->items, batch->n_items, sizeof(*batch->items));
	batch->items[batch->n_items++] = exchange;
}

static void batch_add_cell(
	const struct matrix *matrix, struct batch *batch, struct matrix_cell *cell)
{
	for (size_t i = 0; i < matrix->n_arrays; i++)
		if (matrix_has_array(cell, &matrix->arrays[i]))
			batch_add(matrix->arena, batch, (struct exchange){ cell, i });
}

static bool is_usable(const struct matrix_cell *cell)
{
	return !cell->producer->unavailable && !cell->library->unavailable;
}

/* The adapter whose own workers run the pairs of the cell; NULL: a worker that forks runs them. */
static const struct adapter *find_owner(const struct matrix_cell *cell)
{
	const struct adapter *producer = cell->producer->adapter,
			     *consumer = cell->library->adapter;

	if (producer->own_process)
		return producer;
	return consumer->own_process ? consumer : NULL;
}

/* --- outcomes --- */

static bool is_same_reason(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The outcome after a repetition: another state replaces the first one; elements that differ in
 * other ways each time prove nothing (unknown). */
static struct cell_outcome confirm_outcome(struct cell_outcome first, struct cell_outcome again)
{
	bool is_wrong = first.state == CELL_WRONG || again.state == CELL_WRONG;

	if (is_wrong && (first.state != again.state || !is_same_reason(first.reason, again.reason)))
		return (struct cell_outcome){ CELL_UNKNOWN,
			"the elements differ, but not in the same way each time" };
	return again;
}

static void take_outcome(struct matrix_run *state, struct fact_target *target)
{
	const struct batch *batch = &state->batches[target->module.value];
	const struct exchange *exchange = &batch->items[target->index.value];
	struct cell_outcome *outcome = &exchange->cell->outcomes[exchange->array];
	struct arena scratch = { 0 };
	struct cell_outcome found;

	document_derive(&scratch, target);
	found = cell_judge(
		state->matrix->arena, target, exchange->cell->producer == exchange->cell->library);
	arena_free(&scratch);
	*outcome = state->is_repeat ? confirm_outcome(*outcome, found) : found;
	progress_step(&state->progress, 1);
}

/* Handles a failed import of libraries that could be imported separately. */
static void take_failed_import(struct matrix_run *state, const struct fact_module_result *result)
{
	const struct batch *batch = &state->batches[result->module.value];
	const char *reason = cell_error_line(state->matrix->arena, &result->error, "?");

	for (size_t i = 0; i < batch->n_items; i++) {
		batch->items[i].cell->lost_import = true;
		batch->items[i].cell->outcomes[batch->items[i].array] =
			(struct cell_outcome){ CELL_UNKNOWN,
				arena_printf(state->matrix->arena,
					"the libraries cannot be imported together: %s", reason) };
	}
}

static int on_exchange(void *context, struct arena *arena, struct message *message, struct err *err)
{
	struct matrix_run *state = context;

	(void)arena;
	(void)err;
	if (message->kind == MESSAGE_MODULE && message->module.status != STATUS_OK)
		take_failed_import(state, &message->module);
	if (message->kind == MESSAGE_TARGET && message->target.index.known)
		take_outcome(state, &message->target);
	return 0;
}

/* --- sessions --- */

static int run_exchanges(struct matrix_run *state, bool one_process, struct err *err)
{
	struct session session = new_matrix_session(state->run);
	struct job_modules modules = { 0 };
	uint64_t n_exchanges = 0;
	int status;

	session.on_message = on_exchange;
	session.context = state;
	for (size_t i = 0; i < state->n_batches; i++) {
		const struct batch *batch = &state->batches[i];
		const struct adapter *owner = find_owner(batch->items[0].cell);

		job_modules_add(state->matrix->arena, &modules,
			batch_module(state, batch, one_process || owner));
		n_exchanges += batch->n_items;
	}
	if (!modules.n_items)
		return 0;
	progress_begin(&state->progress, !state->run->settings->quiet, n_exchanges,
		state->is_repeat ? "repetitions" : "exchanges");
	status = run_session(state->run, &modules, &session, err);
	progress_end(&state->progress);
	return status;
}

/* The batch of cells that an adapter owns; cells without an owner are distributed among the batches
 * of the -j workers. */
static struct batch *find_batch(
	struct matrix_run *state, const struct matrix_cell *cell, size_t n_shared, size_t n_cells)
{
	const struct adapter *owner = find_owner(cell);
	size_t i = 0;

	if (!owner)
		return &state->batches[n_cells % n_shared];
	while (state->matrix->libraries[i].adapter != owner)
		i++;
	return &state->batches[n_shared + i];
}

static size_t exchange_bytes(const struct exchange *exchange)
{
	const struct matrix_cell *cell = exchange->cell;

	return EXCHANGE_BYTES + strlen(cell->id) + strlen(cell->producer->adapter->producer) +
	       strlen(cell->consumer->expression);
}

static struct batch *begin_batch(struct matrix_run *state, struct exchange *items)
{
	struct batch *batch;

	state->batches = arena_grow(
		state->matrix->arena, state->batches, state->n_batches, sizeof(*state->batches));
	batch = &state->batches[state->n_batches++];
	*batch = (struct batch){ .items = items };
	return batch;
}

/* Divides batches that are too large for one module, and drops those without exchanges, which need
 * none. */
static void fit_batches(struct matrix_run *state)
{
	const struct batch *batches = state->batches;
	const size_t n_batches = state->n_batches;

	state->batches = NULL;
	state->n_batches = 0;
	for (size_t i = 0; i < n_batches; i++) {
		struct batch *part = NULL;
		size_t n_bytes = 0;

		for (size_t k = 0; k < batches[i].n_items; k++) {
			n_bytes += exchange_bytes(&batches[i].items[k]);
			if (!part || n_bytes > MAX_BATCH_BYTES) {
				n_bytes = exchange_bytes(&batches[i].items[k]);
				part = begin_batch(state, &batches[i].items[k]);
			}
			part->n_items++;
		}
	}
}

static int run_all_cells(struct matrix_run *state, struct err *err)
{
	struct matrix *matrix = state->matrix;
	int64_t n_jobs = run_jobs(state->run);
	size_t n_shared = n_jobs < 1 ? 1 : (size_t)n_jobs, n_forking = 0;

	state->n_batches = n_shared + matrix->n_libraries;
	state->batches = arena_alloc(matrix->arena, state->n_batches * sizeof(*state->batches));
	for (size_t i = 0; i < matrix->n_cells; i++) {
		struct matrix_cell *cell = &matrix->cells[i];
		struct batch *batch;

		if (!is_usable(cell))
			continue;
		batch = find_batch(state, cell, n_shared, n_forking);
		n_forking += !find_owner(cell);
		batch_add_cell(matrix, batch, cell);
	}
	fit_batches(state);
	return run_exchanges(state, false, err);
}

/* A batch for each pair of libraries that could not be imported together with others, or in the
 * other order. */
static int repeat_lost_imports(struct matrix_run *state, bool consumer_first, struct err *err)
{
	struct matrix *matrix = state->matrix;
	const struct matrix_cell *cells = matrix->cells;

	state->n_batches = matrix->n_cells;
	state->batches =
		arena_alloc(matrix->arena, (matrix->n_cells + 1) * sizeof(*state->batches));
	for (size_t i = 0; i < matrix->n_cells; i++) {
		size_t first = 0;

		while (cells[first].producer != cells[i].producer ||
			cells[first].library != cells[i].library)
			first++;
		if (!cells[i].lost_import)
			continue;
		batch_add_cell(matrix, &state->batches[first], &matrix->cells[i]);
		matrix->cells[i].lost_import = false;
		matrix->cells[i].consumer_first = consumer_first;
	}
	fit_batches(state);
	return run_exchanges(state, false, err);
}

/* A batch for each cell that has outcomes to prove. */
static int repeat_doubtful(struct matrix_run *state, bool only_wrong, struct err *err)
{
	struct matrix *matrix = state->matrix;

	state->is_repeat = true;
	state->n_batches = matrix->n_cells;
	state->batches =
		arena_alloc(matrix->arena, (matrix->n_cells + 1) * sizeof(*state->batches));
	for (size_t i = 0; i < matrix->n_cells; i++)
		for (size_t k = 0; k < matrix->n_arrays; k++) {
			enum cell_state cell_state = matrix->cells[i].outcomes[k].state;

			if (only_wrong ? cell_state == CELL_WRONG : cell_needs_proof(cell_state))
				batch_add(matrix->arena, &state->batches[i],
					(struct exchange){ &matrix->cells[i], k });
		}
	fit_batches(state);
	return run_exchanges(state, true, err);
}

/* --- adapters of suai.yaml --- */

/* Whether the array has no elements, so that any producer's array of it is equal. */
static bool has_no_elements(struct arena *arena, const struct battery_array *array)
{
	struct array layout;
	int64_t n_bytes;

	return consumer_case_describe(
		       consumer_case_find(arena, array->row->id), &layout, &n_bytes) &&
	       !array_elements(&layout);
}

/* Why the producer of an adapter makes no array with elements: the reason of its first outcome.
 * NULL: it makes one. */
static const char *find_reason_of_absence(
	const struct matrix *matrix, const struct adapter *adapter)
{
	const char *reason = NULL;

	for (size_t i = 0; i < matrix->n_cells; i++) {
		const struct matrix_cell *cell = &matrix->cells[i];

		for (size_t k = 0; cell->producer->adapter == adapter && k < matrix->n_arrays;
			k++) {
			const struct cell_outcome *outcome = &cell->outcomes[k];

			if (outcome->state == CELL_ABSENT && outcome->reason)
				reason = reason ? reason : outcome->reason;
			else if (outcome->state != CELL_NOT_PLANNED &&
				 (outcome->state == CELL_ABSENT ||
					 !has_no_elements(matrix->arena, &matrix->arrays[k])))
				return NULL;
		}
	}
	return reason;
}

/* Why a consumer rejects every array. NULL: it accepts one, or the reasons differ. */
static const char *find_reason_of_refusal(
	const struct matrix *matrix, const struct adapter_consumer *consumer)
{
	const char *reason = NULL;

	for (size_t i = 0; i < matrix->n_cells; i++) {
		const struct matrix_cell *cell = &matrix->cells[i];

		for (size_t k = 0; cell->consumer == consumer && k < matrix->n_arrays; k++) {
			const struct cell_outcome *outcome = &cell->outcomes[k];

			if (outcome->state == CELL_NOT_PLANNED || outcome->state == CELL_ABSENT)
				continue;
			if (outcome->state != CELL_REFUSED || !outcome->reason ||
				(reason && strcmp(reason, outcome->reason) != 0))
				return NULL;
			reason = outcome->reason;
		}
	}
	return reason;
}

/* Reports wrong arrays of an adapter's producer, which the pairs cannot show. */
static void report_wrong_arrays(const struct matrix *matrix, const struct adapter *adapter)
{
	const char *name = NULL, *reason = NULL;
	size_t n_wrong = 0;

	for (size_t k = 0; k < matrix->n_arrays; k++)
		for (size_t i = 0; i < matrix->n_cells; i++) {
			const struct cell_outcome *outcome = &matrix->cells[i].outcomes[k];

			if (matrix->cells[i].producer->adapter != adapter ||
				outcome->state != CELL_ABSENT || !outcome->reason ||
				strncmp(outcome->reason, PRODUCER_DIFFERS,
					strlen(PRODUCER_DIFFERS)) != 0)
				continue;
			name = name ? name : matrix->arrays[k].name;
			reason = reason ? reason : outcome->reason;
			n_wrong++;
			break;
		}
	if (n_wrong)
		notice("suai.yaml: adapters: 'producer' of '%s' makes %zu wrong array%s, such as %s: %s",
			adapter->library, n_wrong, plural((long long)n_wrong), name, reason);
}

/* Reports an adapter whose producer makes nothing or whose consumer accepts nothing: a misspelled
 * name has that effect. */
static void report_adapter(const struct matrix *matrix, const struct matrix_library *library)
{
	const struct adapter *adapter = library->adapter;
	const char *reason;

	if (library->unavailable) {
		notice("suai.yaml: adapters: 'import' of '%s': %s; install the library, or correct the statement",
			adapter->library, library->unavailable);
		return;
	}
	if (adapter->distribution && *adapter->distribution && !library->version)
		notice("suai.yaml: adapters: 'distribution' of '%s': neither a package nor an imported module '%s'",
			adapter->library, adapter->distribution);
	reason = adapter->producer ? find_reason_of_absence(matrix, adapter) : NULL;
	if (reason)
		notice("suai.yaml: adapters: 'producer' of '%s' makes no array: %s; correct the expression",
			adapter->library, reason);
	else if (adapter->producer)
		report_wrong_arrays(matrix, adapter);
	for (size_t k = 0; k < ADAPTER_MAX_CONSUMERS && adapter->consumers[k].name; k++) {
		reason = find_reason_of_refusal(matrix, &adapter->consumers[k]);
		if (reason)
			notice("suai.yaml: adapters: consumer '%s' of '%s' accepts no array: %s",
				adapter->consumers[k].name, adapter->library, reason);
	}
}

static void report_adapters(const struct matrix *matrix, const struct matrix_choice *choice)
{
	for (size_t i = 0; i < matrix->n_libraries; i++)
		for (const struct adapter *added = choice->added; added && added->library; added++)
			if (matrix->libraries[i].adapter == added && matrix->libraries[i].has_cells)
				report_adapter(matrix, &matrix->libraries[i]);
}

int matrix_run(
	struct run *run, struct matrix *matrix, const struct matrix_choice *choice, struct err *err)
{
	struct matrix_run state = { .run = run, .matrix = matrix };

	matrix->cpu = cpu_name(matrix->arena);
	if (check_all_libraries(run, matrix, err))
		return -1;
	matrix_drop_unavailable(matrix, choice);
	if (run_all_cells(&state, err) || repeat_lost_imports(&state, false, err) ||
		repeat_lost_imports(&state, true, err))
		return -1;
	for (int n_reads = 1; n_reads < READS_OF_WRONG; n_reads++)
		if (repeat_doubtful(&state, n_reads > 1, err))
			return -1;
	report_adapters(matrix, choice);
	return 0;
}
