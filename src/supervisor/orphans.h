// SPDX-License-Identifier: MIT
/* Processes that a target's code leaves behind become children of the judge, which ends them.
 */
#ifndef SUPERVISOR_ORPHANS_H
#define SUPERVISOR_ORPHANS_H

#include <stdbool.h>
#include <sys/types.h>

/* From now on the judge adopts processes that lose their parent. Children that exist at the first
 * call are not the targets' and are spared; later calls have no effect. */
void orphans_adopt(void);

/* Whether the judge adopts processes: emulators and sandboxes may lack PR_SET_CHILD_SUBREAPER. */
bool orphans_are_adopted(void);

/* Sets whether orphans_end() spares a child, because it does not belong to a target. */
void orphans_spare(pid_t pid, bool on);

/* Ends the remaining processes of a session whose leader was reaped, after a grace period. 0: those
 * of all sessions; only while no worker runs. */
void orphans_end(pid_t session);

#endif
