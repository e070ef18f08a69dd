// SPDX-License-Identifier: MIT
/* How --device and --dl-device spell a device: one table for both. */
#ifndef COMMANDS_DEVICE_NAME_H
#define COMMANDS_DEVICE_NAME_H

#include "base/arena.h"
#include "base/error.h"

#include <stdint.h>

#define DEVICE_NAMES \
	"cpu, cuda:N, oneapi:N, sycl:FILTER, opencl:P.D, or TYPE,ID with DLPack's numbers"

struct device_name {
	int64_t type, id;    /* DLPack's; type -1: its number is for the runtime to say */
	const char *runtime; /* whose memory it is: host, cuda, rocm, sycl, opencl; NULL: none that
			      * convert could make */
	const char *filter;  /* what the runtime calls it, in the text that was parsed; NULL: id */
};

/* EXIT_USAGE, with the spellings, for what is none of them. Keeps text. */
int device_name_parse(const char *text, struct device_name *name, struct err *err);

/* As a job says it (docs/facts.md): cpu, cuda:0, sycl:FILTER, ... Of a runtime that is not NULL. */
const char *device_name_place(struct arena *arena, const struct device_name *name);

#endif
