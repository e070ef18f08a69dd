// SPDX-License-Identifier: MIT
/* Describes a worker's end by its wait status and its position. */
#include "supervisor/worker_exit.h"

#include "base/debug.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* "killed by SIGSEGV", "exited with status 0". */
static void describe_end(const struct shard *shard, char *out, size_t n_chars)
{
	int status = shard->worker.status;
	const char *name = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;

	if (name)
		snprintf(out, n_chars, "killed by SIG%s", name);
	else if (WIFSIGNALED(status))
		snprintf(out, n_chars, "killed by signal %d", WTERMSIG(status));
	else
		snprintf(out, n_chars, "exited with status %d", WEXITSTATUS(status));
}

/* Extends lists, replaces other values. */
static void merge_draft(struct arena *arena, struct fact_draft *into, const struct fact_draft *next)
{
	if (!into->present || next->whole == ANSWER_YES) {
		*into = *next;
		return;
	}
	into->type = next->type ? next->type : into->type;
	into->mro = next->mro.known ? next->mro : into->mro;
	into->aliases = next->aliases.known ? next->aliases : into->aliases;
	fact_list_extend(
		arena, &into->interfaces, &next->interfaces, sizeof(*into->interfaces.items));
	FACT_LIST_EXTEND(arena, &into->calls, &next->calls);
	FACT_LIST_EXTEND(arena, &into->planned, &next->planned);
}

/* The draft of its target that the worker left, in the arena. */
static struct fact_draft read_drafts(struct shard *shard, struct arena *arena)
{
	struct fact_draft merged = { 0 }, draft;
	struct value *value;
	uint64_t offset = 0;
	struct err ignored;

	while (channel_read_draft(&shard->worker.channel, &offset, arena, &value))
		if (!fact_read(&fact_draft_record, arena, value, FACT_WIRE, NULL, &draft, &ignored))
			merge_draft(arena, &merged, &draft);
	return merged;
}

int worker_exit_at_work(struct shard *shard, struct err *err)
{
	double limit_seconds = shard->session->options.timeout_seconds;
	struct worker_exit worker_exit = { .status = STATUS_CRASHED,
		.position = shard->position,
		.spent_ms = shard->spent_ms,
		.no_time = shard->hung && !shard->broken[0] };
	char end[64], message[512];
	int status;

	describe_end(shard, end, sizeof(end));
	worker_exit.message = message;
	snprintf(message, sizeof(message), "%s", end);
	if (shard->broken[0]) {
		snprintf(message, sizeof(message), "%s", shard->broken);
	} else if (shard->cut) {
		worker_exit.status = STATUS_OK;
	} else if (shard->hung) {
		worker_exit.status = STATUS_HUNG;
		snprintf(message, sizeof(message),
			(double)shard->step_ms >= limit_seconds * 750
				? "timed out after %g s"
				: "the time limit of %g s for the target was reached in this step",
			limit_seconds);
	} else if (channel_has_no_memory(&shard->worker.channel)) {
		snprintf(message, sizeof(message), "out of memory");
	} else if (WIFEXITED(shard->worker.status)) {
		worker_exit.status = STATUS_LEFT;
		snprintf(message, sizeof(message), "the process %s (os._exit, exit in C, or exec)",
			end);
	}
	if (!worker_exit.position.in_step && *worker_exit.position.step)
		snprintf(message + strlen(message), sizeof(message) - strlen(message),
			", after this step");
	if (!shard->broken[0])
		worker_exit.draft = read_drafts(shard, &worker_exit.draft_arena);
	DEBUG_LOG("supervisor", "worker ended at %zu.%d '%s': %s", shard->ledger.index,
		worker_exit.position.target, worker_exit.position.step, message);
	status = ledger_worker_exited(&shard->ledger, &worker_exit, err);
	arena_free(&worker_exit.draft_arena);
	return status;
}

int worker_exit_at_start(
	const struct shard *shard, const struct worker_options *options, struct err *err)
{
	char refusal[CHANNEL_REFUSAL_CHARS], end[64];

	channel_refusal(&shard->worker.channel, refusal);
	describe_end(shard, end, sizeof(end));
	if (*refusal)
		return err_set(err, EXIT_UNAVAILABLE, "cannot use python '%s': %s",
			options->python.executable, refusal);
	if (shard->hung)
		return err_set(err, EXIT_UNAVAILABLE,
			"cannot use python '%s': it did not start within %g s",
			options->python.executable, shard->session->options.timeout_seconds);
	if (options->wrap)
		return err_set(err, EXIT_UNAVAILABLE,
			"cannot run python under '%s': it %s before suai's module was loaded",
			options->wrap, end);
	return err_set(err, EXIT_UNAVAILABLE,
		"cannot use python '%s': it %s before suai's module was loaded",
		options->python.executable, end);
}
