# SPDX-License-Identifier: MIT
"""Producers that conform to the standard on four devices (good_*), and producers that violate one sentence each; the part
of a name before the underscore is the rule that reports it."""
import ctypes
import os
import sys
import warnings
from types import SimpleNamespace

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import spy
from spy import CPU, CUDA, ONEAPI, ROCM, Spy

good_cpu, good_cuda, good_rocm, good_oneapi = Spy(CPU), Spy(CUDA), Spy(ROCM), Spy(ONEAPI)


def liar(name, device=CPU, **methods):
    globals()[name] = type(name, (Spy,), methods)(device)


def any_order(self, stream=None, max_version=None, dl_device=None, copy=None):
    return Spy.__dlpack__(self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


def stream_alone(self, *, stream=None):
    return Spy.__dlpack__(self, stream=stream)


def swallows(self, *, stream=None, max_version=None, dl_device=None, copy=None, **others):
    return Spy.__dlpack__(self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


def no_none(self, **keywords):
    if "stream" in keywords and keywords["stream"] is None:
        raise ValueError("a stream is needed")
    return Spy.__dlpack__(self, **keywords)


def asserts(self, stream, dl_device):
    assert stream != 2
    Spy.check_stream(self, stream, dl_device)


def asserts_zero(self, stream, dl_device):
    assert stream != 0
    Spy.check_stream(self, stream, dl_device)


def asserts_handle(self, stream, dl_device):
    assert not isinstance(stream, int) or stream <= 2
    Spy.check_stream(self, stream, dl_device)


def refuses_streams(self, stream, dl_device):
    if stream is not None:
        raise BufferError("only stream=None is supported")


def host_value_error(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    if copy is False and dl_device is not None and tuple(dl_device) == (CPU, 0):
        raise ValueError("a copy is needed")
    return Spy.__dlpack__(self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


def lacks_memory(self, dl_device):
    if dl_device is not None and tuple(dl_device) == (CPU, 0):
        raise MemoryError("no memory for the copy")
    return Spy.find_device(self, dl_device)


def takes_text(self, stream, dl_device):
    if dl_device or not isinstance(stream, str):
        Spy.check_stream(self, stream, dl_device)


def versioned_anyway(self, max_version):
    return max_version is not None


def exact_version(self, max_version):
    return max_version is not None and max_version >= (1, 3)


def next_major(self, max_version):
    self.version = (2, 0) if max_version == (1, 0) else (1, 3)
    return Spy.asks_version(self, max_version)


def legacy_device(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    if max_version is None and dl_device == (CPU, 0):
        dl_device = None
    return Spy.__dlpack__(self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


def same_memory(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    return Spy.__dlpack__(self, stream=stream, max_version=max_version, dl_device=dl_device)


def unflagged(self, memory, device, versioned, flags):
    return Spy.export(self, memory, device, versioned, 0)


def value_error(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    if copy is False:
        raise ValueError("copy=False is not supported")
    return Spy.__dlpack__(self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


def copies_anyway(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    if copy is False:
        copy = True
    return Spy.__dlpack__(self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


def always_copies(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    copy = True if copy is None and (stream is None and max_version is not None and max_version[0] == 1) else copy
    return Spy.__dlpack__(self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


def copies_for_legacy(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    copy = True if copy is None and not Spy.asks_version(self, max_version) else copy
    return Spy.__dlpack__(self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


def warns(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    if max_version is None:
        warnings.warn("pass max_version", DeprecationWarning)
    return Spy.__dlpack__(self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


def nothing_for_old(self, *, max_version=None, **keywords):
    return None if max_version == (0, 8) else Spy.__dlpack__(self, max_version=max_version, **keywords)


def knows_versions(self, max_version):
    return max_version is not None and {0: False, 1: True, 99: True}[max_version[0] if max_version[1] != 8 else 7]


def refuses_newer(self, max_version):
    if max_version is not None and max_version[0] > 1:
        raise BufferError("unknown version")
    return Spy.asks_version(self, max_version)


def wrong_exception(self, dl_device):
    if dl_device is not None and tuple(dl_device) not in (self.device, (CPU, 0)):
        raise RuntimeError("unknown backend")
    return Spy.find_device(self, dl_device)


def deaf(self, dl_device):
    return self.device


def rejects_own_device(self, dl_device):
    if dl_device == self.device:
        raise BufferError("cannot copy to another device")
    return Spy.find_device(self, dl_device)


def misreads_devices(self, dl_device):
    if dl_device is not None:
        raise ValueError("dl_device must be a tuple")
    return self.device


def moves_to_host(self, dl_device):
    return Spy.find_device(self, None if dl_device is None else (CPU, 0))


class Whole(TypeError):
    """The error that such an object raises for every request."""


def exports_nothing(self, **keywords):
    raise Whole("there is nothing to export")


def nothing(self, stream, dl_device):
    pass


def host_stream(self, stream, dl_device):
    Spy.check_stream(self, stream, None)


def version_two(self, max_version):
    self.version = (2, 0) if max_version is not None and max_version[0] >= 2 else (1, 3)
    return Spy.asks_version(self, max_version)


def newer_minor(self, max_version):
    """Supports a minor version that suai does not know, and never exceeds max_version."""
    self.version = (1, 5) if max_version is not None and max_version[0] >= 2 else (1, 3)
    return Spy.asks_version(self, max_version)


def copy_accident(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    if copy is False:
        raise AttributeError("copy")
    return Spy.__dlpack__(self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


def no_stream(self, *, max_version=None, dl_device=None, copy=None):
    return Spy.__dlpack__(self, max_version=max_version, dl_device=dl_device, copy=copy)


def swapped(self, memory, device, versioned, flags):
    """From version 2 on its deleter is at the offset of the former context."""
    capsule = Spy.export(self, memory, device, versioned, flags)
    if self.version[0] == 2:
        managed = list(spy._kept.values())[-1][0]
        managed.context, managed.deleter = managed.deleter, ctypes.addressof(memory)
    return capsule


def refuses_silently(self, **keywords):
    raise BufferError


def refuses_gradients(self, **keywords):
    raise BufferError("detach it first")


good_exports_nothing = type("Refuser", (Spy,), {"__dlpack__": exports_nothing})()
good_version_two = type("Newer", (Spy,), {"asks_version": version_two})()
good_version_two_cuda = type("Newer", (Spy,), {"asks_version": version_two})(CUDA)
good_version_newer_minor = type("Newer", (Spy,), {"asks_version": newer_minor})()
good_gradients = type("Recorded", (Spy,), {"__dlpack__": refuses_gradients, "requires_grad": True})()
good_cuda_no_streams, good_rocm_no_streams, good_oneapi_no_streams = (
    type("Streamless", (Spy,), {"check_stream": refuses_streams})(device) for device in (CUDA, ROCM, ONEAPI))
good_host_value_error = type("CopyRefuser", (Spy,), {"__dlpack__": host_value_error})(CUDA)
good_host_value_error_cpu = type("CopyRefuser", (Spy,), {"__dlpack__": host_value_error})()
good_host_memory_error = type("Exhausted", (Spy,), {"find_device": lacks_memory})(CUDA)
good_readonly_copy = type("ReadOnly", (Spy,), {"__dlpack__": copies_for_legacy, "flags": SimpleNamespace(writeable=False), "own_flags": 1})()
liar("DLP004_by_position", __dlpack__=any_order)
liar("DLP005_stream_alone", __dlpack__=stream_alone)
liar("DLP006_swallows", __dlpack__=swallows)
liar("DLP103_versioned", asks_version=versioned_anyway)
liar("DLP104_exact_version", asks_version=exact_version)
liar("DLP107_next_major", asks_version=next_major)
liar("DLP505_wrong_exception", find_device=wrong_exception)
liar("DLP505_deaf", find_device=deaf)
liar("DLP506_deaf", CUDA, find_device=lambda self, device: self.device if device and device[0] == 1 else Spy.find_device(self, device))
liar("DLP507_legacy", ONEAPI, __dlpack__=legacy_device)
liar("DLP508_rejects", find_device=rejects_own_device)
liar("DLP508_rejects_cuda", CUDA, find_device=rejects_own_device)
liar("DLP508_misreads", find_device=misreads_devices)
liar("DLP508_moves", CUDA, find_device=moves_to_host)
liar("DLP601_no_none", __dlpack__=no_none)
liar("DLP601_no_stream", __dlpack__=no_stream)
liar("DLP602_any_stream", streams={CPU: (-1, 0, 1, 2, 0x1000)})
liar("DLP603_zero", CUDA, streams={CPU: (), CUDA: (-1, 0, 1, 2)})
liar("DLP604_asserts", CUDA, check_stream=asserts)
liar("DLP604_no_none", CUDA, __dlpack__=no_none)
liar("DLP604_no_stream", CUDA, __dlpack__=no_stream)
liar("DLP605_one", ROCM, streams={CPU: (), ROCM: (-1, 0, 1)})
liar("DLP605_two", ROCM, streams={CPU: (), ROCM: (-1, 0, 2)})
liar("DLP605_asserts_zero", ROCM, check_stream=asserts_zero)
liar("DLP605_asserts_handle", ROCM, check_stream=asserts_handle)
liar("DLP605_no_none", ROCM, __dlpack__=no_none)
liar("DLP606_text", CUDA, check_stream=takes_text)
liar("DLP606_text_rocm", ROCM, check_stream=takes_text)
liar("DLP610_host_stream", CUDA, check_stream=host_stream)
liar("DLP612_no_none", ONEAPI, __dlpack__=no_none)
liar("DLP801_same_memory", __dlpack__=same_memory)
liar("DLP802_unflagged", export=unflagged)
liar("DLP803_accident", __dlpack__=copy_accident)
liar("DLP803_value_error", __dlpack__=value_error)
liar("DLP803_copies", __dlpack__=copies_anyway)
liar("DLP804_copies", __dlpack__=always_copies, __array_interface__=property(lambda self: {
    "shape": (6,), "typestr": "<f8", "data": (self.memory and __import__("ctypes").addressof(self.memory), False), "version": 3}))
liar("DLP807_flag_alone", own_flags=1)
liar("DLP807_readonly", flags=SimpleNamespace(writeable=False), own_flags=1)
liar("DLP809_accident", asks_version=knows_versions)
liar("DLP809_nothing", __dlpack__=nothing_for_old)
liar("DLP810_refuses", asks_version=refuses_newer)
liar("DLP811_warns", __dlpack__=warns)
liar("DLP711_swapped", asks_version=version_two, export=swapped)
liar("DLP812_gradients", requires_grad=True)
liar("DLP812_shards", sharding=SimpleNamespace(device_set={"cpu:0", "cpu:1"}))
liar("DLP812_silent", requires_grad=True, __dlpack__=refuses_silently)
