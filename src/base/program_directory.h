// SPDX-License-Identifier: MIT
#ifndef BASE_PROGRAM_DIRECTORY_H
#define BASE_PROGRAM_DIRECTORY_H

/* The directory of the running program, without symbolic links and without a slash at the end (free
 * with free); NULL: unknown. */
char *program_directory(void);

#endif
