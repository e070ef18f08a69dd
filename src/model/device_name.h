// SPDX-License-Identifier: MIT
/* The forms of a device that --device and --dl-device accept. */
#ifndef MODEL_DEVICE_NAME_H
#define MODEL_DEVICE_NAME_H

#include "base/error.h"
#include "model/job.h"

#define DEVICE_NAMES \
	"cpu, cuda:N, oneapi:N, sycl:FILTER, opencl:P.D, or TYPE,ID with DLPack's numbers"

/* EXIT_USAGE, listing the forms, if text has none of them. Keeps text. */
int device_name_parse(const char *text, struct job_device *device, struct err *err);

/* The same for a device in whose memory suai can allocate, if this machine has it; others are
 * EXIT_USAGE, too. */
int device_name_parse_allocatable(const char *text, struct job_device *device, struct err *err);

/* Whether suai describes arrays of the device's runtime but does not call its driver. */
bool device_is_described(const struct job_device *device);

#endif
