// SPDX-License-Identifier: MIT
/*
 * The one list of runtimes that `suai devices` asks, in a worker: name, and what DLPack calls the
 * type of its devices. Adding one: a line here and x_list_devices() (worker/worker.h). Shown in
 * this order, after the host.
 */
#ifndef MODEL_RUNTIMES_H
#define MODEL_RUNTIMES_H

#define DEVICE_RUNTIME_LIST(EACH) EACH(sycl, oneapi) EACH(cuda, cuda)

/* Those whose arrays suai describes and whose devices it never asks; shown last. */
#define DESCRIBED_RUNTIME_LIST(EACH) EACH(rocm, rocm)
#define DESCRIBED_RUNTIME "described, not driven"

#endif
