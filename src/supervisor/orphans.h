// SPDX-License-Identifier: MIT
/* Processes that a target's code leaves behind: they become children of the judge, which ends them.
 */
#ifndef SUPERVISOR_ORPHANS_H
#define SUPERVISOR_ORPHANS_H

#include <stdbool.h>
#include <sys/types.h>

/* From now on processes that lose their parent become ours. Children that exist at the first call
 * are not the targets' and are spared; later calls, of further sessions, change nothing. */
void orphans_adopt(void);

/* A child that is no target's, from now on or no longer. */
void orphans_spare(pid_t pid, bool on);

/* Once its leader is reaped: gives what is left of a session a moment to end by itself, then kills
 * it. 0: all that is left, whatever session it moved to; only while no worker runs. */
void orphans_end(pid_t session);

#endif
