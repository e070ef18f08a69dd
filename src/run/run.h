// SPDX-License-Identifier: MIT
/* A run of a command: its job, its settings, and its output. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "base/error.h"
#include "cli/command.h"
#include "formats/format.h"
#include "model/job.h"
#include "model/value.h"
#include "output/result_file.h"
#include "supervisor/session.h"
#include "targets/targets.h"

struct run_counts {
	int64_t targets, failed_targets, errors, warnings, notes, skipped, ignored;
};

struct run {
	const char *command;
	const struct shared_settings *settings;
	struct arena *arena; /* of the whole run */
	struct job job;      /* what the options request; modules and protocols are set here */
	/* The command needs only facts, so that the judge reads FILE.yaml, "-" and the header of
	 * FILE.npy. Otherwise dumps are rejected, and the worker creates an object from
	 * FILE.npy. */
	bool from_dumps;
	/* Targets are pieces of distributed arrays, which become targets after them. */
	bool pieces;
	/* Why several targets are not allowed: the error reported before anything is printed. NULL:
	 * they are allowed. */
	const char *why_one;
	/*
	 * Called for each derived target (documents/document.h), which the command may add to.
	 * *code is the exit code of the target's status and may be made worse.
	 * Optional.
	 */
	int (*on_target)(struct run *run, struct arena *arena, struct fact_target *target,
		enum exit_code *code, struct err *err);
	/*
	 * The findings about the trials of a derived target as text: the ids of their rules and,
	 * with_messages, their messages. Empty: none. Required if the job requests trials.
	 */
	const char *(*trial_findings)(const struct run *run, struct arena *arena,
		const struct fact_target *target, bool with_messages);
	/* Called for each imported module without expressions: its targets' name before the colon,
	 * and what it defines. Optional. */
	void (*on_module)(
		struct run *run, const char *label, const struct fact_module_result *module);
	/* Completes the document's summary. Optional. */
	void (*summarise)(const struct run *run, struct arena *arena, struct fact_summary *summary);
	/* Replaces the format's printing of a document (--query). Optional. */
	int (*print)(struct run *run, FILE *out, const struct fact_target *target,
		enum exit_code *code, struct err *err);
	/* Called after the last target if print replaced the format. Optional. */
	int (*finish)(struct run *run, struct format_output *output,
		const struct run_counts *counts, struct err *err);
	enum severity fail_from;   /* findings of lower severity do not fail */
	bool no_summary;           /* --no-summary */
	bool no_hints;             /* --no-hints */
	bool skips_fail;           /* a rule that was skipped fails the target */
	const char *data_path;     /* a data file that the command writes; or NULL */
	const char *baseline_path; /* read by the run; or NULL */
	bool updates_baseline;     /* and written at its end */
	/* Replace the operands if set; otherwise run_targets() sets them. */
	const struct source_list *sources;
	void *context;         /* the command's own */
	struct fact_head head; /* keys of the document before `targets` */
};

/*
 * Runs a session over modules with run's job; the settings complete its options: python, host,
 * timeout_seconds and wrap, and jobs if that is 0. For commands without targets (`devices`) and for
 * run_targets.
 */
int run_session(struct run *run, const struct job_modules *modules, struct session *session,
	struct err *err);

/* How many workers may run at the same time: -j, by default 1, or with 0 the number of cores that
 * this process may use. */
int64_t run_jobs(const struct run *run);

/* The number of workers that repeat trials to confirm their results, which takes seconds: -j; by
 * default the number of cores, at most 4. */
int64_t run_jobs_to_confirm(const struct run *run);

/* The keys of the document before `targets`: run->head with suai and command. */
struct fact_head run_document_head(const struct run *run);

/* The `summary` of a document. */
struct fact_summary run_summary(const struct run *run, const struct run_counts *counts);

/* Opens the result file (path NULL: standard output) with the color and verbosity of the settings.
 */
int run_open_output(const struct run *run, const char *path, struct result_file *file,
	struct format_output *output, struct err *err);

/* If print replaced the format: reports on standard error why a target failed, and with --no-skips
 * which rules were skipped. */
void run_report_failure(
	const struct run *run, const struct fact_target *target, enum exit_code code);

/* Writes a document whose keys are all in its head, without targets. */
int run_print_head(struct run *run, struct format_output *output, const struct run_counts *counts,
	struct err *err);

/* run_print_head() to the output that the settings name. */
int run_print(struct run *run, struct err *err);

#endif
