// SPDX-License-Identifier: MIT
#include "base/file_size_signal.h"

#include <signal.h>
#include <stddef.h>

static struct sigaction inherited;

void file_size_signal_ignore(void)
{
	const struct sigaction ignored = { .sa_handler = SIG_IGN };

	sigaction(SIGXFSZ, &ignored, &inherited);
}

void file_size_signal_restore(void)
{
	sigaction(SIGXFSZ, &inherited, NULL);
}
