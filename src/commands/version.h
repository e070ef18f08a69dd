// SPDX-License-Identifier: MIT
/* `suai --version`: the build, the DLPack header, the interpreter and the drivers found. */
#ifndef COMMANDS_VERSION_H
#define COMMANDS_VERSION_H

/* Returns the exit code. */
int version_print(void);

#endif
