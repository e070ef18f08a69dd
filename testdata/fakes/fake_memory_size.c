// SPDX-License-Identifier: MIT
/* LD_PRELOAD: a machine with FAKE_MEMORY_BYTES bytes of memory. */
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

int sysinfo(struct sysinfo *machine)
{
	memset(machine, 0, sizeof(*machine));
	machine->totalram = strtoul(getenv("FAKE_MEMORY_BYTES"), NULL, 10);
	machine->mem_unit = 1;
	return 0;
}
