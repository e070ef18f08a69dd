// SPDX-License-Identifier: MIT
/*
 * The runtimes that `suai devices` asks: name, and what DLPack calls the type of its devices. Shown
 * in this order, after the host. Adding one: a line here and x_list_devices(), of worker/worker.h
 * where it needs Python, else of probe/probe.h.
 */
#ifndef MODEL_RUNTIMES_H
#define MODEL_RUNTIMES_H

#define DEVICE_RUNTIME_LIST(EACH) EACH(sycl, oneapi)
#define PROBED_RUNTIME_LIST(EACH) EACH(cuda, cuda) EACH(opencl, opencl)

/* Those whose arrays suai describes and whose devices it never asks; shown last. */
#define DESCRIBED_RUNTIME_LIST(EACH) EACH(rocm, rocm)
#define DESCRIBED_RUNTIME "described, not driven"

#endif
