# SPDX-License-Identifier: MIT
"""USM interfaces that are wrong in one way each. None may crash the process that reads them."""

import ctypes

import dpctl
import dpctl.memory

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_queue = dpctl.SyclQueue("cpu")
_memory = dpctl.memory.MemoryUSMShared(96, queue=_queue)
_host = (ctypes.c_float * 24)()
_queue_name, _other_name = b"SyclQueueRef", b"SyclPlatformRef"


class Wrong:
    def __init__(self, **changes):
        self.__sycl_usm_array_interface__ = {
            "version": 1,
            "shape": (24,),
            "typestr": "<f4",
            "data": (_memory._pointer, False),
            "strides": None,
            "syclobj": _queue,
        }
        self.__sycl_usm_array_interface__.update(changes)


class Giver:
    def __init__(self, call):
        self._get_capsule = call


class LookAlike:
    """Named like dpctl's class, with nothing else in common."""


LookAlike.__name__ = LookAlike.__qualname__ = "SyclQueue"


class Queue(dpctl.SyclQueue):
    """A subclass, which inherits _get_capsule()."""


class Hostile:
    def __getattribute__(self, name):
        raise RuntimeError("no attribute for you: " + name)


def raising():
    raise RuntimeError("no capsule today")


def used_capsule():
    capsule = _queue._get_capsule()
    dpctl.SyclQueue(capsule)
    return capsule


def freed_pointer():
    memory = dpctl.memory.MemoryUSMShared(1 << 20, queue=_queue)
    return memory._pointer


def foreign():
    """Memory of a sub-device's context; a machine with one core has no sub-device."""
    device = _queue.sycl_device.create_sub_devices(partition=1)[0]
    context = dpctl.SyclContext(device)
    return context, dpctl.SyclQueue(context, device)


filter_of_nothing = Wrong(syclobj="opencl:cpu:99")
filter_of_no_grammar = Wrong(syclobj="not a filter")
filter_with_zero = Wrong(syclobj="cpu\0")
filter_with_surrogate = Wrong(syclobj="\udc80")
filter_empty = Wrong(syclobj="")
capsule_of_other_name = Wrong(syclobj=_new_capsule(1, _other_name, None))
capsule_without_name = Wrong(syclobj=_new_capsule(1, None, None))
capsule_used = Wrong(syclobj=used_capsule())
capsule_of_nothing = Wrong(syclobj=_new_capsule(1, _queue_name, None))
get_capsule_raises = Wrong(syclobj=Giver(raising))
get_capsule_gives_rubbish = Wrong(syclobj=Giver(lambda: 42))
get_capsule_gives_other_name = Wrong(syclobj=Giver(lambda: _new_capsule(1, _other_name, None)))
get_capsule_is_no_function = Wrong(syclobj=Giver(7))
get_capsule_wants_argument = Wrong(syclobj=Giver(lambda stream: _queue._get_capsule()))
look_alike = Wrong(syclobj=LookAlike())
hostile = Wrong(syclobj=Hostile())
subclass = Wrong(syclobj=Queue("cpu"))
syclobj_none = Wrong(syclobj=None)
syclobj_integer = Wrong(syclobj=3)
syclobj_absent = Wrong()
del syclobj_absent.__sycl_usm_array_interface__["syclobj"]
host_memory = Wrong(data=(ctypes.addressof(_host), False))
freed_memory = Wrong(data=(freed_pointer(), False), shape=(1 << 18,))
null_pointer = Wrong(data=(0, False))
small_pointer = Wrong(data=(1, False))
largest_pointer = Wrong(data=(2**64 - 1, False))
wide_pointer = Wrong(data=(2**64, False))
negative_pointer = Wrong(data=(-1, False))
too_long = Wrong(shape=(25,))
far_too_long = Wrong(shape=(2**40,))
overflowing = Wrong(shape=(2**62, 2**62))
too_low = Wrong(strides=(-1,))
interior = Wrong(data=(_memory._pointer + 8, False), shape=(22,))
if _queue.sycl_device.max_compute_units > 1:
    _context, _sub_queue = foreign()
    foreign_context = Wrong(syclobj=_context)
    foreign_queue = Wrong(syclobj=_sub_queue)
    _foreign_memory = dpctl.memory.MemoryUSMDevice(96, queue=_sub_queue)
    foreign_pointer = Wrong(data=(_foreign_memory._pointer, False))
