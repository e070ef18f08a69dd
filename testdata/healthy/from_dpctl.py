# SPDX-License-Identifier: MIT
"""dpctl: USM memory of each kind and size, with queues of each kind, and made from each other."""

import copy
import pickle

import dpctl
import dpctl.memory
import numpy as np

KINDS = {
    "device": dpctl.memory.MemoryUSMDevice,
    "shared": dpctl.memory.MemoryUSMShared,
    "host": dpctl.memory.MemoryUSMHost,
}
SIZES = [1, 7, 64, 4096, 4097, 1 << 20, (1 << 22) + 1]


def make():
    queues = {
        "plain": dpctl.SyclQueue(),
        "in_order": dpctl.SyclQueue(property="in_order"),
        "profiling": dpctl.SyclQueue(property="enable_profiling"),
        "own_context": dpctl.SyclQueue(dpctl.SyclContext(dpctl.SyclDevice()), dpctl.SyclDevice()),
    }
    for kind, make_memory in KINDS.items():
        for size in SIZES:
            yield f"{kind}_{size}", make_memory(size)
        for name, queue in queues.items():
            yield f"{kind}_{name}", make_memory(96, queue=queue)
        yield f"{kind}_aligned", make_memory(96, alignment=4096)
        memory = make_memory(96)
        memory.copy_from_host(np.arange(96, dtype="u1"))
        yield f"{kind}_view", make_memory(memory)
        yield f"{kind}_copied", copy.copy(memory)
        yield f"{kind}_deep", copy.deepcopy(memory)
        yield f"{kind}_pickled", pickle.loads(pickle.dumps(memory))
        yield f"{kind}_imported", dpctl.memory.as_usm_memory(memory)


globals().update(make())
