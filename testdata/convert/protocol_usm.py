# SPDX-License-Identifier: MIT
"""The results of a new object over USM: DLPack's keywords on oneAPI, and the requirements on the dictionary."""

import gc
import sys
import weakref

import dpctl
import dpctl.memory
import dpnp
import dpnp.tensor
import numpy as np

from protocol import LEGACY, VERSIONED, api, name, raises, resident_kib, tensor

queue = dpctl.SyclQueue("cpu")
a = dpnp.arange(12, dtype="f4", sycl_queue=queue).reshape(3, 4)
shared = dpnp.arange(12, dtype="f4", sycl_queue=queue, usm_type="shared")
readonly = dpnp.arange(12, dtype="f4", sycl_queue=queue)
readonly.flags.writable = False
host = np.arange(12, dtype="f4")
ADDRESS = a.__sycl_usm_array_interface__["data"][0]
CPU, ONEAPI = (1, 0), (14, 0)


def dlpack_keywords(new):
    call = new.__dlpack__
    assert new.__dlpack_device__() == ONEAPI
    assert name(call()) == name(call(max_version=(0, 8))) == LEGACY
    for stream in [None, queue, dpctl.SyclQueue("cpu", property="in_order")]:
        for device in [None, ONEAPI]:
            capsule = call(max_version=(1, 3), stream=stream, dl_device=device)
            assert name(capsule) == VERSIONED
            assert tensor(capsule).data == ADDRESS and tensor(capsule).flags == 0
    for wrong in [-1, 0, 1, 2, 1 << 40, "x", object()]:
        raises(TypeError, call, stream=wrong)
    for device in [(2, 0), (14, 1), (1, 1)]:
        raises(BufferError, call, dl_device=device)
    copied = call(max_version=(1, 3), copy=True)
    assert tensor(copied).data != ADDRESS and tensor(copied).flags == 2
    assert (tensor(copied).device_type, tensor(copied).device_id) == ONEAPI
    assert (dpnp.asnumpy(dpnp.from_dlpack(new, copy=True)) == dpnp.asnumpy(a)).all()
    on_cpu = call(max_version=(1, 3), dl_device=CPU)
    assert (tensor(on_cpu).device_type, tensor(on_cpu).flags) == (1, 2)
    raises(BufferError, call, dl_device=CPU, copy=False)
    raises(ValueError, call, dl_device=CPU, stream=queue)
    assert (np.from_dlpack(new, device="cpu") == dpnp.asnumpy(a)).all()
    return dpnp.from_dlpack(new)


def shared_keywords(new):
    """The host may use shared memory in place, so the CPU gets the same bytes."""
    at = shared.__sycl_usm_array_interface__["data"][0]
    for copy in [None, False]:
        capsule = new.__dlpack__(max_version=(1, 3), dl_device=CPU, copy=copy)
        assert (tensor(capsule).device_type, tensor(capsule).data) == (1, at)
        assert tensor(capsule).flags == 0
    assert np.from_dlpack(new, device="cpu").ctypes.data == at
    return new


def readonly_keywords(new):
    assert tensor(new.__dlpack__(max_version=(1, 3))).flags == 1
    raises(BufferError, new.__dlpack__)
    assert name(new.__dlpack__(copy=True)) == LEGACY
    return new


def dictionary(new):
    """__sycl_usm_array_interface__ exactly as specified, with a new capsule of the queue at each call."""
    assert [n for n in dir(new) if "dlpack" in n or "interface" in n] == ["__sycl_usm_array_interface__"]
    told = new.__sycl_usm_array_interface__
    assert told.pop("syclobj") is new
    assert told == {
        "version": 1, "shape": (3, 4), "typestr": a.dtype.str, "strides": None, "offset": 0,
        "data": (ADDRESS, False),
    }
    first, second = new._get_capsule(), new._get_capsule()
    assert name(first) == name(second) == b"SyclQueueRef"
    pointers = [api.PyCapsule_GetPointer(c, b"SyclQueueRef") for c in (first, second)]
    assert pointers[0] != pointers[1]
    memory = dpctl.memory.as_usm_memory(new)
    assert memory._pointer == ADDRESS and memory.sycl_queue.sycl_context == queue.sycl_context
    again = dpnp.tensor.asarray(new, copy=False)
    assert again.__sycl_usm_array_interface__["data"][0] == ADDRESS
    return new


def many(new):
    """10,000 exports, half of them consumed: no reference and no memory is leaked."""
    start = sys.getrefcount(new)
    use = use_dlpack if hasattr(new, "__dlpack__") else use_sycl
    for round in range(3):
        for _ in range(2500):
            use(new)
        gc.collect()
        assert sys.getrefcount(new) == start
        if round == 0:
            begun = resident_kib()
    assert resident_kib() - begun < 512, resident_kib() - begun
    return new


def use_dlpack(new):
    new.__dlpack__(max_version=(1, 3))
    new.__dlpack__()
    dpnp.from_dlpack(new)
    dpnp.tensor.from_dlpack(new)


def use_sycl(new):
    new.__sycl_usm_array_interface__
    new._get_capsule()
    dpctl.memory.as_usm_memory(new)
    dpnp.tensor.asarray(new)


held = {}


def made():
    """An array that only the new object can keep."""
    return dpnp.arange(1000, dtype="i8", sycl_queue=queue) * 3


def hold(new):
    """Keeps only the first object, through what a consumer made of it."""
    if held:
        return new
    held["new"] = weakref.ref(new)
    held["array"] = dpnp.from_dlpack(new) if hasattr(new, "__dlpack__") else dpnp.tensor.asarray(new)
    return held["array"]


def held_is_alive():
    gc.collect()
    assert held["new"]() is not None
    assert (dpnp.asnumpy(held["array"]) == np.arange(1000) * 3).all()
    return host


def dropped_is_dead():
    del held["array"]
    gc.collect()
    assert held["new"]() is None
    return host


def ordered(new):
    """The result's queue is the one that the user passed, and its context has the memory."""
    memory = dpctl.memory.as_usm_memory(new)
    assert memory.sycl_queue == queue, (memory.sycl_queue, queue)
    return memory


class Pending:
    """Work pending on the queue writes its memory when the interface is read."""

    def __init__(self):
        self.left = dpnp.ones((1500, 1500), dtype="f4", sycl_queue=queue)
        self.out = dpnp.zeros((1500, 1500), dtype="f4", sycl_queue=queue)
        queue.wait()

    @property
    def __sycl_usm_array_interface__(self):
        told = dict(self.out.__sycl_usm_array_interface__)
        dpnp.matmul(self.left, self.left, out=self.out)
        return told


pending = Pending()


def is_finished(new):
    values = np.asarray(new) if hasattr(new, "__array_interface__") else dpnp.asnumpy(dpnp.tensor.asarray(new))
    assert (values == 1500).all(), values
    return new
