// SPDX-License-Identifier: MIT
/* Finds the libpython that an ELF program loads; nothing in the file is trusted. */
#ifndef SUPERVISOR_ELF_H
#define SUPERVISOR_ELF_H

#include <limits.h>
#include <stdbool.h>

struct elf_python {
	bool is_elf;             /* a 64-bit program for this machine and this loader */
	char soname[64];         /* the needed libpython3.N.so..., or "" */
	char run_path[PATH_MAX]; /* DT_RUNPATH or DT_RPATH, as written; or "" */
};

/* Reads the program at path; is_elf is false if it is not an ELF program. */
void elf_read_python(const char *path, struct elf_python *out);

#endif
