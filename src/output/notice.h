// SPDX-License-Identifier: MIT
/* What suai itself says on standard error. Whatever the message quotes, a terminal obeys none of
 * it. */
#ifndef OUTPUT_NOTICE_H
#define OUTPUT_NOTICE_H

/* Prints "suai: " and the message as one line, with unsafe characters escaped. */
void notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
