// SPDX-License-Identifier: MIT
/* Processes that a target's code leaves behind: they become the judge's children, and are ended. */
#ifndef HOST_ORPHANS_H
#define HOST_ORPHANS_H

/* From now on processes that lose their parent become ours. Children we have already are not the
 * targets' and are spared. */
void orphans_adopt(void);

/* Once the worker is reaped: gives what is left a moment to end by itself, then kills it. */
void orphans_end(void);

#endif
