// SPDX-License-Identifier: MIT
/* The forked child: from the fork to Python. */
#ifndef SUPERVISOR_CHILD_H
#define SUPERVISOR_CHILD_H

#include "base/proc_path.h"
#include "supervisor/worker_options.h"

#include <sys/types.h>

struct child_plan {
	const struct worker_options *options;
	pid_t judge;
	int channel_fd;
	char channel_path[PROC_PATH_CHARS];
	bool shares_session; /* the judge's, and its terminal */
	bool no_proc_fd;
};

/* Sets up the process as a user's shell would, and becomes Python. On failure it writes the reason
 * into the channel. */
_Noreturn void child_main(const struct child_plan *plan);

#endif
