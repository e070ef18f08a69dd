# SPDX-License-Identifier: MIT
"""One object for each way to describe an array: every interface that convert reads, for every kind of memory.

Each exposes only one protocol and has its own address as `device`, which is written to $ADDRESSES.
Without the driver, device memory is simulated by host memory that claims to be on the device.
"""

import numpy as np

from producers import Buffer, Cuda, Dlpack, Numpy, NumpyStruct, Sycl, keep, tell_addresses

SHAPE = (3, 4)
VALUES = np.arange(12, dtype="f4").reshape(SHAPE)

numpy = Numpy(VALUES.copy())
numpy_struct = NumpyStruct(VALUES.copy())
buffer = Buffer(VALUES.copy())
dlpack_cpu = Dlpack(VALUES.copy())

try:
    import dpctl
    import dpctl.memory as usm

    _queue = dpctl.SyclQueue("cpu")
    for _kind in ["Device", "Shared", "Host"]:
        _memory = getattr(usm, "MemoryUSM" + _kind)(VALUES.nbytes, queue=_queue)
        _memory.copy_from_host(VALUES.view("u1").ravel())
        globals()["sycl_" + _kind.lower()] = Sycl(_memory, _queue, VALUES)
    dlpack_oneapi = Dlpack(VALUES, (14, 0), sycl_device.address)  # noqa: F821
except Exception:
    pass  # no dpctl, no device, or one without USM, as PoCL's

try:
    from opencl_buffer import make

    _handle = make(VALUES)
except OSError:
    pass
else:
    dlpack_opencl = Dlpack(VALUES, (4, 0), _handle)

try:
    from cuda_memory import make
except OSError:

    def make(kind, values):
        return keep(values.copy()).ctypes.data


_on_device = make("device", VALUES)
cuda = Cuda(VALUES, _on_device)
dlpack_cuda = Dlpack(VALUES, (2, 0), _on_device)
dlpack_cuda_host = Dlpack(VALUES, (3, 0), make("host", VALUES))
dlpack_cuda_managed = Dlpack(VALUES, (13, 0), make("managed", VALUES))

tell_addresses(globals())
