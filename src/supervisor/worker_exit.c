// SPDX-License-Identifier: MIT
/* The words for a worker's end, by its wait status and by what was under way. */
#include "supervisor/worker_exit.h"

#include "base/trace.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* "killed by SIGSEGV", "left with exit status 0". */
static void describe_end(const struct part *part, char *out, size_t n_chars)
{
	int status = part->worker.status;
	const char *name = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;

	if (name)
		snprintf(out, n_chars, "killed by SIG%s", name);
	else if (WIFSIGNALED(status))
		snprintf(out, n_chars, "killed by signal %d", WTERMSIG(status));
	else
		snprintf(out, n_chars, "left with exit status %d", WEXITSTATUS(status));
}

static const struct value *read_drafts(struct part *part, struct arena *arena)
{
	struct value *drafts = value_list(arena), *draft;
	uint64_t offset = 0;

	while (channel_read_draft(&part->worker.channel, &offset, arena, &draft))
		value_append(arena, drafts, draft);
	return drafts;
}

int lost_at_work(struct part *part, struct err *err)
{
	double limit_seconds = part->session->options.timeout_seconds;
	struct loss loss = { .status = "crashed",
		.place = part->place,
		.spent_ms = part->spent_ms,
		.no_time = part->hung && !part->broken[0] };
	struct arena arena = { 0 };
	char end[64], message[512];
	int lost;

	describe_end(part, end, sizeof(end));
	loss.message = message;
	snprintf(message, sizeof(message), "%s", end);
	if (part->broken[0]) {
		snprintf(message, sizeof(message), "%s", part->broken);
	} else if (part->cut) {
		loss.status = "ok";
	} else if (part->hung) {
		loss.status = "hung";
		snprintf(message, sizeof(message),
			(double)part->step_ms >= limit_seconds * 750
				? "timed out after %g s"
				: "the time limit of %g s for the target was reached in this step",
			limit_seconds);
	} else if (channel_has_no_memory(&part->worker.channel)) {
		snprintf(message, sizeof(message), "out of memory");
	} else if (WIFEXITED(part->worker.status)) {
		loss.status = "left";
		snprintf(message, sizeof(message), "the process %s (os._exit, exit in C, or exec)",
			end);
	}
	if (!loss.place.in_step && *loss.place.step)
		snprintf(message + strlen(message), sizeof(message) - strlen(message),
			", after this step");
	if (!part->broken[0])
		loss.drafts = read_drafts(part, &arena);
	TRACE("host", "lost at %zu.%d '%s': %s", part->ledger.index, loss.place.target,
		loss.place.step, message);
	lost = ledger_lose(&part->ledger, &loss, err);
	arena_free(&arena);
	return lost;
}

int lost_at_start(const struct part *part, const struct worker_options *options, struct err *err)
{
	char refusal[CHANNEL_REFUSAL_CHARS], end[64];

	channel_refusal(&part->worker.channel, refusal);
	describe_end(part, end, sizeof(end));
	if (*refusal)
		return err_set(err, EXIT_UNAVAILABLE, "cannot use python '%s': %s",
			options->python.executable, refusal);
	if (part->hung)
		return err_set(err, EXIT_UNAVAILABLE,
			"cannot use python '%s': no start within %g s", options->python.executable,
			part->session->options.timeout_seconds);
	if (options->wrap)
		return err_set(err, EXIT_UNAVAILABLE,
			"cannot run python under '%s': it %s before suai's module was loaded",
			options->wrap, end);
	return err_set(err, EXIT_UNAVAILABLE,
		"cannot use python '%s': it %s before suai's module was loaded",
		options->python.executable, end);
}
