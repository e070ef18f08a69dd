// SPDX-License-Identifier: MIT
/* Whether a program is a Python at all, asked of those whose name does not say so. */
#ifndef SUPERVISOR_ASK_PYTHON_H
#define SUPERVISOR_ASK_PYTHON_H

#include <stdbool.h>

/* True where its name contains python or pypy, or the program answers `-c 'print(6 * 7)'` as Python
 * does. What else it prints is not shown. */
bool ask_is_python(const char *executable);

#endif
