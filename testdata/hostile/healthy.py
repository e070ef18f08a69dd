# SPDX-License-Identifier: MIT
"""Imported by every hostile file: the target that must still be reported."""
import ctypes


class Healthy:
    def __init__(self):
        self.memory = ctypes.create_string_buffer(16)
        self.__array_interface__ = {
            'version': 3,
            'shape': (4,),
            'typestr': '<f4',
            'data': (ctypes.addressof(self.memory), False),
        }


good = Healthy()
