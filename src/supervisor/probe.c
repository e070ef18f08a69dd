// SPDX-License-Identifier: MIT
/* Runs suai-devices, and reads its message. */
#include "supervisor/probe.h"

#include "base/signal_name.h"
#include "facts/message.h"
#include "model/wire.h"
#include "supervisor/answer.h"
#include "supervisor/worker_options.h"

#include <stdlib.h>
#include <sys/wait.h>

static int set_end_error(const char *runtime, bool in_time, int status, struct err *err)
{
	char name[SIGNAL_NAME_BYTES];

	if (!in_time)
		return err_set(err, EXIT_UNAVAILABLE, "querying %s exceeded --timeout", runtime);
	if (WIFSIGNALED(status))
		return err_set(err, EXIT_UNAVAILABLE,
			"the process that queried %s was killed by %s", runtime,
			signal_name(WTERMSIG(status), name));
	return err_set(err, EXIT_UNAVAILABLE, "the process that queried %s exited with status %d",
		runtime, WEXITSTATUS(status));
}

int probe_run(const char *runtime, double timeout_seconds, struct arena *arena,
	struct fact_device_list *answer, struct err *err)
{
	const char *const arguments[] = { runtime, NULL };
	struct child_answer read = { 0 };
	const struct value *value;
	struct message message;
	char *program = NULL;
	int result = -1;

	if (worker_find_part("suai-devices", NULL, &program, err))
		return -1;
	if (answer_read(program, arguments, timeout_seconds, &read, err))
		goto out;
	/* A driver that exits with status 0 leaves no answer. */
	if (!answer_is_complete(&read) || !read.text.n_bytes) {
		set_end_error(runtime, read.in_time, read.status, err);
		goto out;
	}
	value = wire_read(arena, read.text.bytes, read.text.n_bytes, err);
	result = value ? message_read(arena, value, &message, err) : -1;
	if (!result && message.kind == MESSAGE_DEVICES)
		*answer = message.devices;
	else if (!result)
		result = err_set(err, EXIT_BUG,
			"the process that queried %s sent an unexpected message", runtime);
out:
	text_free(&read.text);
	free(program);
	return result;
}
