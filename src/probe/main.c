// SPDX-License-Identifier: MIT
/* Picks the runtime, asks it, writes the answer. */
#include "probe/probe.h"

#include "base/environment.h"
#include "model/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *runtime;
	struct value *(*list)(struct arena *arena, struct err *err);
} listers[] = {
#define ROW(NAME, TYPE) { #NAME, NAME##_list_devices },
	PROBED_RUNTIME_LIST(ROW)
};

static struct value *ask(struct arena *arena, size_t which)
{
	struct value *message = value_map(arena), *devices;
	struct err err = { 0 };

	devices = listers[which].list(arena, &err);
	value_set(arena, message, "kind", value_text(arena, "devices"));
	value_set(arena, message, "runtime", value_text(arena, listers[which].runtime));
	value_set(arena, message, "reason", value_text(arena, devices ? NULL : err.message));
	value_set(arena, message, "devices", devices ? devices : value_list(arena));
	return message;
}

/* Drivers have threads and handlers of their own at exit: nothing of theirs is waited for. */
_Noreturn static void answer(int fd, const struct value *message)
{
	struct text wire = { 0 };
	size_t done = 0;
	ssize_t n = 1;

	wire_write(&wire, message);
	for (; done < wire.n_bytes && n > 0; done += (size_t)n)
		n = write(fd, wire.bytes + done, wire.n_bytes - done);
	_exit(n > 0 ? EXIT_DONE : EXIT_BUG);
}

int main(int argc, char **argv)
{
	struct arena arena = { 0 };

	/* Drivers look for libraries and settings in the working directory: libintelocl.so has
	 * empty entries in its DT_RUNPATH, and reads cl.cfg. */
	environment_make_absolute("OCL_ICD_VENDORS");
	if (argc == 3 && chdir("/"))
		return EXIT_UNAVAILABLE;
	for (size_t i = 0; argc == 3 && i < sizeof(listers) / sizeof(listers[0]); i++)
		if (!strcmp(argv[1], listers[i].runtime))
			answer(atoi(argv[2]), ask(&arena, i));
	fprintf(stderr, "suai-devices: this is a part of suai: run 'suai devices'\n");
	return EXIT_USAGE;
}
