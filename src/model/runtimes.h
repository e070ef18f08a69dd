// SPDX-License-Identifier: MIT
/*
 * The device runtimes, one line each: name, which is that of its directory in devices/; DLPack's
 * type of its devices; who asks for them, the worker, which holds Python, or suai-devices; and what
 * follows the colon of --device: a device's ordinal, a filter string, or clinfo's numbers. Shown in
 * this order, after the host. A runtime defines NAME_runtime (devices/device.h).
 */
#ifndef MODEL_RUNTIMES_H
#define MODEL_RUNTIMES_H

#define DEVICE_RUNTIME_LIST(EACH)             \
	EACH(sycl, oneapi, IN_WORKER, FILTER) \
	EACH(cuda, cuda, PROBED, ORDINAL)     \
	EACH(opencl, opencl, PROBED, NUMBERS)

/* Those whose arrays suai describes and whose devices it never asks; shown last. */
#define DESCRIBED_RUNTIME_LIST(EACH) EACH(rocm, rocm, DESCRIBED, ORDINAL)
#define DESCRIBED_RUNTIME "described, not driven"

#endif
