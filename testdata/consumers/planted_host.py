# SPDX-License-Identifier: MIT
"""Consumers of __array_interface__, __array_struct__, buffers and the dictionaries of devices with one fault each, and healthy
ones, which have none: they return a NumPy array that shares the memory of the tensor, which the host can access.
bats/consumer_protocols.bats names the rule that each breaks."""

import ctypes
import functools

import numpy as np

get_buffer = ctypes.pythonapi.PyObject_GetBuffer
release_buffer = ctypes.pythonapi.PyBuffer_Release
FULL_RO = 0x11C


class Buffer(ctypes.Structure):
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.c_void_p), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
                ("strides", ctypes.POINTER(ctypes.c_ssize_t)), ("suboffsets", ctypes.c_void_p),
                ("internal", ctypes.c_void_p)]


class Owner:
    """Keeps the tensor; NumPy keeps it as the base of the array."""

    def __init__(self, tensor, interface):
        self.tensor, self.__array_interface__ = tensor, interface


class View:
    """Requests a buffer, and releases it when it is freed."""

    def __init__(self, x, fault):
        self.buffer, self.fault = Buffer(), fault
        get_buffer(ctypes.py_object(x), ctypes.byref(self.buffer), FULL_RO)

    def __del__(self):
        if self.fault != "leak":
            release_buffer(ctypes.byref(self.buffer))


def array_of(owner, interface, fault):
    typestr, (address, readonly) = interface["typestr"], interface["data"]
    if fault == "strides":
        interface["strides"] = None
    if fault == "byte order":
        interface["typestr"] = "|" + typestr[1:] if typestr[2:] == "1" else "<" + typestr[1:]
    if fault == "read-only":
        readonly = False
    interface["data"] = address, readonly
    array = np.asarray(Owner(owner, interface))
    if fault == "narrow" and array.dtype.itemsize == 8 and array.dtype.kind in "iuf":
        return array.astype(array.dtype.kind + "4")
    if fault == "bounds" and array.size and address:
        ctypes.string_at(np.lib.array_utils.byte_bounds(array)[1], 64)
    return array


def consume_interface(x, fault=None):
    interface = dict(x.__array_interface__)
    if fault == "trust" and interface["data"] == (0, False) and 0 not in interface["shape"]:
        ctypes.memset(0, 0, 1)
    np.asarray(Owner(x, interface))  # which rejects invalid items
    return array_of(None if fault == "early" else x, interface, fault)


def consume_struct(x, fault=None):
    array = np.asarray(x)
    if fault == "early":
        interface = array.__array_interface__
        return array_of(None, interface, fault)
    return array_of(array, array.__array_interface__, fault)


def consume_buffer(x, fault=None):
    if fault in ("leak", "early"):
        view = View(x, fault)
        array = np.asarray(memoryview(x))
        if fault == "leak":
            return array
        interface = array.__array_interface__
        del array, view
        return array_of(None, interface, fault)
    array = np.asarray(memoryview(x))
    return array_of(array, array.__array_interface__, fault)


def host_items(name, d, fault):
    """The items of __array_interface__ for the same elements."""
    items = {key: d[key] for key in ("typestr", "shape", "strides", "data")} | {"version": d["version"] + 0 and 3}
    if name == "__cuda_array_interface__":
        if d.get("stream") is not None and d["stream"] + 0 == 0:
            raise ValueError("stream 0 is ambiguous")
        return items
    itemsize = np.dtype(d["typestr"]).itemsize
    if d["strides"] is not None and fault != "unit":
        items["strides"] = tuple(itemsize * stride for stride in d["strides"])
    if fault != "offset" and 0 not in d["shape"]:
        items["data"] = d["data"][0] + itemsize * d["offset"], d["data"][1]
    return items


def consume_dictionary(x, name, fault=None):
    interface = host_items(name, getattr(x, name), fault)
    if not interface["data"][0] and 0 not in interface["shape"]:
        if fault == "trust":
            ctypes.memset(0, 0, 1)
        raise ValueError("data is 0")
    if name == "__sycl_usm_array_interface__" and 0 not in interface["shape"]:
        import dpctl.memory

        dpctl.memory.as_usm_memory(type("Probe", (), {name: getattr(x, name) | {"strides": None, "shape": (1,)}}))
    np.asarray(Owner(x, interface))  # which rejects invalid items
    return array_of(None if fault == "early" else x, interface, fault)


FAULTS = {"healthy": None, "ignores_strides": "strides", "ignores_byte_order": "byte order",
          "ignores_read_only": "read-only", "narrows": "narrow", "reads_past_end": "bounds",
          "releases_early": "early"}

buffer_leaks = functools.partial(consume_buffer, fault="leak")
interface_trusts_address = functools.partial(consume_interface, fault="trust")
for name, fault in FAULTS.items():
    for kind, function in ("interface", consume_interface), ("struct", consume_struct), ("buffer", consume_buffer):
        globals()[f"{kind}_{name}"] = functools.partial(function, fault=fault)


for kind, name in ("cuda", "__cuda_array_interface__"), ("sycl", "__sycl_usm_array_interface__"):
    for planted, fault in FAULTS.items() | {("ignores_offset", "offset"), ("mistakes_unit", "unit"), ("trusts_address", "trust")}:
        globals()[f"{kind}_{planted}"] = functools.partial(consume_dictionary, name=name, fault=fault)


def interface_returns_argument(x):
    x.__array_interface__
    return x


def interface_leaks(x):
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(x))
    return np.asarray(x)


def interface_reads_nothing(x):
    return np.zeros(3)


cuda_reads_nothing = sycl_reads_nothing = interface_reads_nothing
