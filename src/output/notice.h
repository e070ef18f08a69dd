// SPDX-License-Identifier: MIT
/* Messages of suai on standard error. Control sequences in quoted text have no effect. */
#ifndef OUTPUT_NOTICE_H
#define OUTPUT_NOTICE_H

/* Prints "suai: " and the message as one line, with unsafe characters escaped. */
void notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
