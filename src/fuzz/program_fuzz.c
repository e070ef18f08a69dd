// SPDX-License-Identifier: MIT
/* Any bytes as the program of an interpreter: what its ELF headers name is a libpython, and ends
 * within its array. */
#include "fuzz/edits.h"
#include "supervisor/elf.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct elf_python program;

	elf_read_python(fuzz_file(bytes, n_bytes), &program);
	if (!memchr(program.soname, 0, sizeof(program.soname)) ||
		!memchr(program.run_path, 0, sizeof(program.run_path)))
		abort();
	if (program.soname[0] && strncmp(program.soname, "libpython3.", 11) != 0)
		abort();
	if (!program.is_elf && (program.soname[0] || program.run_path[0]))
		abort();
	return 0;
}
