// SPDX-License-Identifier: MIT
/*
 * The device runtimes, one line each: name, which is that of its directory in devices/; DLPack's
 * type of its devices; who lists them, the worker, which has Python, or suai-devices; and the
 * argument after the colon of --device: a device's ordinal, a filter string, or clinfo's numbers.
 * Shown in this order, after the host. A runtime defines NAME_runtime (devices/device.h).
 */
#ifndef MODEL_RUNTIMES_H
#define MODEL_RUNTIMES_H

/* The runtime of memory that belongs to no device. */
#define RUNTIME_HOST "host"

#define DEVICE_RUNTIME_LIST(EACH)             \
	EACH(sycl, oneapi, IN_WORKER, FILTER) \
	EACH(cuda, cuda, PROBED, ORDINAL)     \
	EACH(opencl, opencl, PROBED, NUMBERS)

/* Runtimes whose arrays suai describes but whose devices it cannot query; shown last. */
#define DESCRIBED_RUNTIME_LIST(EACH) EACH(rocm, rocm, DESCRIBED, ORDINAL)
#define DESCRIBED_RUNTIME "described but not queried"

#endif
