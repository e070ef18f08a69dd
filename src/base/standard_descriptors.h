// SPDX-License-Identifier: MIT
/* Standard input, output and error that were closed when suai started. */
#ifndef BASE_STANDARD_DESCRIPTORS_H
#define BASE_STANDARD_DESCRIPTORS_H

/*
 * A closed standard descriptor would be reused by the first file opened. Writing to a closed
 * standard output remains an error; messages to a closed standard error are lost.
 */
void standard_descriptors_fill(void);

/* Closes those that were, in a child. */
void standard_descriptors_restore(void);

#endif
