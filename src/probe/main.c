// SPDX-License-Identifier: MIT
/*
 * suai-devices: queries one runtime for its devices, in a process that contains neither Python
 * nor the judge. `suai-devices cuda FD` writes a `devices` message (docs/facts.md) to the
 * descriptor.
 */
#include "base/array_size.h"
#include "base/environment.h"
#include "devices/runtimes.h"
#include "facts/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Named individually: the tables of runtimes would link the kernels. */
#define PROBED(NAME)                      \
	int NAME##_load(struct err *err); \
	int NAME##_list_devices(          \
		struct arena *arena, struct fact_device_entry_list *devices, struct err *err);
#define IN_WORKER(NAME)
#define ROW(NAME, TYPE, ASKED, TEXT) ASKED(NAME)
DEVICE_RUNTIME_LIST(ROW)
#undef PROBED

#define PROBED(NAME) { #NAME, NAME##_load, NAME##_list_devices },
static const struct lister {
	const char *runtime;
	int (*load)(struct err *err);
	int (*list)(struct arena *arena, struct fact_device_entry_list *devices, struct err *err);
} listers[] = { DEVICE_RUNTIME_LIST(ROW) };

static void list_devices(struct arena *arena, const struct lister *lister, struct text *wire)
{
	struct message message = { .kind = MESSAGE_DEVICES,
		.devices = { .present = true, .runtime = lister->runtime, .devices.known = true } };
	struct fact_device_list *list = &message.devices;
	struct err err = { 0 };

	if (lister->load(&err) || lister->list(arena, &list->devices, &err)) {
		list->devices.n_items = 0;
		list->reason = err.message;
	}
	message_write(wire, &message);
}

/* Drivers have their own threads and exit handlers; _exit() does not wait for them. */
_Noreturn static void answer(int fd, const struct lister *lister)
{
	struct arena arena = { 0 };
	struct text wire = { 0 };
	size_t done = 0;
	ssize_t n = 1;

	list_devices(&arena, lister, &wire);
	for (; done < wire.n_bytes && (n > 0 || errno == EINTR); done += n > 0 ? (size_t)n : 0)
		n = write(fd, wire.bytes + done, wire.n_bytes - done);
	_exit(n > 0 ? EXIT_DONE : EXIT_BUG);
}

int main(int argc, char **argv)
{
	/*
	 * Drivers search the working directory for libraries and settings: libintelocl.so has
	 * empty entries in its DT_RUNPATH, and reads cl.cfg.
	 */
	environment_make_absolute("OCL_ICD_VENDORS");
	if (argc == 3 && chdir("/"))
		return EXIT_UNAVAILABLE;
	for (size_t i = 0; argc == 3 && i < ARRAY_SIZE(listers); i++)
		if (!strcmp(argv[1], listers[i].runtime))
			answer(atoi(argv[2]), &listers[i]);
	fprintf(stderr, "suai-devices: internal program of suai; run 'suai devices' instead\n");
	return EXIT_USAGE;
}
