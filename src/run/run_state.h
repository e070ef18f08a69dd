// SPDX-License-Identifier: MIT
/* The state of run_targets(), and how its parts take targets: from sessions of workers
 * (run_modules.c), from files that the judge reads (run_files.c), and to the output
 * (run_targets.c). */
#ifndef RUN_RUN_STATE_H
#define RUN_RUN_STATE_H

#include "base/progress.h"
#include "run/consumer_outcome.h"
#include "run/pieces.h"
#include "run/run.h"
#include "run/trials.h"

struct run_state {
	struct run *run;
	const struct format *format;
	struct result_file file;
	struct format_output output;
	const struct job_modules *modules; /* of the current session */
	struct trial_queue queue;          /* its targets, if trials follow */
	struct fact_module_result
		found; /* the module whose found targets are being received; null: none */
	struct arena found_arena;
	size_t n_found_shown; /* those of them that expose something */
	enum exit_code code;
	struct run_counts counts;
	struct piece_collector pieces;
	struct consumer_outcome consumer;
	struct fact_texts last_notices; /* for standard error, after the results */
	int64_t n_waiting;              /* finished targets that wait to be printed */
	struct progress targets;
	struct progress trials; /* after them */
	struct progress work;   /* of one target that takes long: the bytes copied */
	bool shares_terminal;   /* output goes to the terminal that shows the progress */
};

/* Completes the document of a target and prints it; context is the run_state. Adds to its counts,
 * and sets its exit code. */
int run_take_target(
	void *context, struct arena *arena, struct fact_target *target, struct err *err);

void run_show_progress(struct run_state *state);

/* Runs a session over modules, then one of the trials of their targets. */
int run_take_modules(struct run_state *state, const struct job_modules *modules,
	struct session_options options, struct err *err);

/* FILE.npy as an object that a worker makes: the only target of a module. */
int run_take_npy_object(struct run_state *state, const char *path, struct err *err);

/* FILE.npy by its header. If the file cannot be read, that is the outcome of its target. */
int run_take_npy_header(struct run_state *state, const char *path, struct err *err);

/* The targets of a dump, or the pieces that a list names. If a file cannot be read, the other
 * sources still run. */
int run_take_dump(struct run_state *state, const char *path, struct err *err);

#endif
