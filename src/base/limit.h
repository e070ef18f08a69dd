// SPDX-License-Identifier: MIT
/* The limits of resources (setrlimit) behind the errors of system calls. */
#ifndef BASE_LIMIT_H
#define BASE_LIMIT_H

/* The end of a message about a call that creates a process, a descriptor or a mapping: the limit to
 * raise, such as "; raise the limit on open files (ulimit -n)"; "" if the error is not that of a
 * limit. */
const char *limit_advice(int code);

#endif
