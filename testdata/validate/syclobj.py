import ctypes

import dpctl
import dpctl.memory

_memory = dpctl.memory.MemoryUSMShared(96)
_queue = _memory.sycl_queue


class Array:
    def __init__(self, syclobj):
        self.__sycl_usm_array_interface__ = {
            "shape": (96,), "typestr": "|u1", "data": (_memory._pointer, False), "version": 1, "syclobj": syclobj}


class Holder:
    def _get_capsule(self):
        return _queue._get_capsule()


class Subclass(dpctl.SyclQueue):
    pass


class Hidden(dpctl.SyclQueue):
    @property
    def _get_capsule(self):
        raise AttributeError("_get_capsule")


class Giver:
    def __init__(self, call):
        self._get_capsule = call


def _raise():
    raise RuntimeError("no capsule today")


def _capsule(name):
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(1, name, None)


def _used():
    capsule = _queue._get_capsule()
    dpctl.SyclQueue(capsule)
    return capsule


def _used_context():
    capsule = _queue.sycl_context._get_capsule()
    dpctl.SyclContext(capsule)
    return capsule


right_filter = Array("opencl:cpu:0")
right_context = Array(_queue.sycl_context)
right_context_capsule = Array(_queue.sycl_context._get_capsule())
right_queue = Array(_queue)
right_queue_capsule = Array(_queue._get_capsule())
right_get_capsule = Array(Holder())
right_subclass = Array(Subclass())
wrong_form = Array(_queue.sycl_device.max_compute_units)
wrong_look_alike = Array(object())
wrong_filter = Array("CPU")
wrong_name = Array(_capsule(b"SyclEventRef"))
wrong_nameless = Array(_capsule(None))
wrong_used = Array(_used())
wrong_used_context = Array(_used_context())
wrong_subclass = Array(Hidden())
wrong_context = Array(dpctl.SyclContext(_queue.sycl_device.create_sub_devices(partition=1)))
wrong_get_capsule = Array(Giver(_raise))
wrong_get_capsule_rubbish = Array(Giver(dict))
wrong_get_capsule_name = Array(Giver(lambda: _capsule(b"SyclEventRef")))
