// SPDX-License-Identifier: MIT
#include "base/signal_name.h"

#include "base/array_size.h"

#include <signal.h>
#include <stdio.h>

#define NAME(signal) [signal] = #signal

static const char *const names[] = { NAME(SIGHUP), NAME(SIGINT), NAME(SIGQUIT), NAME(SIGILL),
	NAME(SIGTRAP), NAME(SIGABRT), NAME(SIGBUS), NAME(SIGFPE), NAME(SIGKILL), NAME(SIGUSR1),
	NAME(SIGSEGV), NAME(SIGUSR2), NAME(SIGPIPE), NAME(SIGALRM), NAME(SIGTERM), NAME(SIGSTKFLT),
	NAME(SIGCHLD), NAME(SIGCONT), NAME(SIGSTOP), NAME(SIGTSTP), NAME(SIGTTIN), NAME(SIGTTOU),
	NAME(SIGURG), NAME(SIGXCPU), NAME(SIGXFSZ), NAME(SIGVTALRM), NAME(SIGPROF), NAME(SIGWINCH),
	NAME(SIGPOLL), NAME(SIGPWR), NAME(SIGSYS) };

const char *signal_name(int number, char name[static SIGNAL_NAME_BYTES])
{
	if (number > 0 && number < (int)ARRAY_SIZE(names) && names[number])
		snprintf(name, SIGNAL_NAME_BYTES, "%s", names[number]);
	else
		snprintf(name, SIGNAL_NAME_BYTES, "signal %d", number);
	return name;
}
