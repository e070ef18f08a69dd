# SPDX-License-Identifier: MIT
"""USM memory of each kind behind each of the six forms of syclobj, and dpnp's views.

check, for --call, compares the new object with what dpctl or dpnp itself copies to the host.
"""

import dpctl
import dpctl.memory
import numpy as np

KINDS = {
    "device": dpctl.memory.MemoryUSMDevice,
    "shared": dpctl.memory.MemoryUSMShared,
    "host": dpctl.memory.MemoryUSMHost,
}
N_BYTES = 96
_expected = []  # the content of each target, in the order in which check sees them


class Giver:
    """An object of no dpctl class with _get_capsule()."""

    def __init__(self, inner):
        self._get_capsule = inner._get_capsule


class Exporter:
    """Half of the memory, backwards, as float32."""

    def __init__(self, memory, make_syclobj):
        self.memory = memory
        self.make_syclobj = make_syclobj

    @property
    def __sycl_usm_array_interface__(self):
        return {
            "version": 1,
            "shape": (3, 4),
            "typestr": "<f4",
            "data": (self.memory._pointer, False),
            "strides": (-8, 2),
            "offset": 16,
            "syclobj": self.make_syclobj(),
        }

    def on_host(self):
        whole = self.memory.copy_to_host().view("f4")
        return np.lib.stride_tricks.as_strided(whole[16:], (3, 4), (-32, 8))


def forms(queue):
    context = queue.sycl_context
    return {
        "filter": lambda: queue.sycl_device.filter_string,
        "context": lambda: context,
        "context_capsule": context._get_capsule,
        "queue": lambda: queue,
        "queue_capsule": queue._get_capsule,
        "get_capsule": lambda: Giver(queue),
    }


def fill(memory):
    memory.copy_from_host(np.arange(N_BYTES // 4, dtype="f4").view("u1"))
    return memory


queue = dpctl.SyclQueue("cpu")
for kind, make in KINDS.items():
    memory = globals()["memory_" + kind] = fill(make(N_BYTES, queue=queue))
    _expected.append(memory.copy_to_host())
    for form, make_syclobj in forms(queue).items():
        exporter = globals()[f"{form}_{kind}"] = Exporter(memory, make_syclobj)
        _expected.append(exporter.on_host())

try:
    import dpnp
except ImportError:
    pass
else:
    whole = dpnp.arange(24, dtype="f4", device="cpu").reshape(2, 3, 4)
    views = {
        "plain": whole,
        "transposed": whole.T,
        "sliced": whole[:, 1:, ::2],
        "reverse": whole[::-1, :, ::-1],
        "scalar": whole[1, 2, 3],
        "empty": whole[:, :0],
        "broadcast": dpnp.broadcast_to(whole[0, 0], (3, 4)),
        "boolean": whole > 5,
        "complexes": whole.astype("c8"),
        "in_shared": dpnp.arange(5, dtype="i8", usm_type="shared", device="cpu"),
        "in_host": dpnp.arange(5, dtype="i2", usm_type="host", device="cpu"),
    }
    for name, view in views.items():
        globals()["dpnp_" + name] = view
        _expected.append(dpnp.asnumpy(view))
    del view, whole

del memory, exporter, make, make_syclobj
_index = 0


def check(new):
    global _index
    want = _expected[_index]
    _index += 1
    got = np.from_dlpack(new) if hasattr(new, "__dlpack__") else np.asarray(new)
    assert got.shape == want.shape and got.dtype == want.dtype, (got, want)
    assert (got == want).all(), (got, want)
    return got
