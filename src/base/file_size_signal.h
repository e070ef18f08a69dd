// SPDX-License-Identifier: MIT
/* SIGXFSZ, by which a process ends that exceeds the limit for the size of files. */
#ifndef BASE_FILE_SIZE_SIGNAL_H
#define BASE_FILE_SIZE_SIGNAL_H

/* Makes it an error of the call: EFBIG. */
void file_size_signal_ignore(void);

/* Ignores it, in a child, only if suai's parent did. */
void file_size_signal_restore(void);

#endif
