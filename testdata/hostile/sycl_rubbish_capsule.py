# SPDX-License-Identifier: MIT
"""A capsule with the right name that points to bytes which are not a queue, and a syclobj that crashes."""

import ctypes
import os
import signal

import dpctl

_bytes = ctypes.create_string_buffer(b"\x55" * 4096)
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_name = b"SyclQueueRef"


class Exporter:
    def __init__(self, syclobj):
        self.__sycl_usm_array_interface__ = {
            "version": 1,
            "shape": (4,),
            "typestr": "<f4",
            "data": (ctypes.addressof(_bytes), False),
            "syclobj": syclobj,
        }


class Dying:
    def _get_capsule(self):
        os.kill(os.getpid(), signal.SIGSEGV)


rubbish = Exporter(_new_capsule(ctypes.addressof(_bytes), _name, None))
dying = Exporter(Dying())
after = Exporter(dpctl.SyclQueue("cpu"))
