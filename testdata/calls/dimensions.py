# SPDX-License-Identifier: MIT
"""Exports of many dimensions, most of extent 1."""
import ctypes
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import spy
from spy import Spy


class Many(Spy):
    """n_entries entries of shape and strides, the last of them 6 and 1; `shape` sets some by index."""

    def __init__(self, n_entries, ndim=None, shape={}, strides={}, **fields):
        super().__init__()
        self.ndim, self.fields = n_entries if ndim is None else ndim, fields
        self.arrays = [(ctypes.c_int64 * n_entries)(*[1]) for _ in range(2)]
        for array, items in zip(self.arrays, ({n_entries - 1: 6, **shape}, strides)):
            ctypes.memmove(array, (1).to_bytes(8, "little") * n_entries, 8 * n_entries)
            for index, value in items.items():
                array[index] = value

    def export(self, memory, device, versioned, flags):
        capsule = super().export(memory, device, versioned, flags)
        tensor = list(spy._kept.values())[-1][0].tensor
        tensor.ndim, tensor.shape, tensor.strides = self.ndim, *self.arrays
        for name, value in self.fields.items():
            setattr(tensor, name, value)
        return capsule


most = 2**31 - 1
_unmapped = ctypes.cast(8, ctypes.POINTER(ctypes.c_int64))
just_64 = Many(64)
DLP313 = Many(65)
DLP313_empty = Many(70, shape={3: 0}, data=None)
DLP313_DLP402 = Many(70, data=None)
DLP305_DLP313 = Many(70, shape={69: -2})
DLP305_DLP313_far = Many(1000000, shape={999998: -7})
DLP307_DLP313 = Many(70, shape={66: 1 << 30}, strides={66: 1 << 10})
DLP310_DLP313 = Many(70, shape={0: 1 << 40, 69: 1 << 40})
DLP310_DLP313_strides = Many(70, shape={66: 2}, strides={66: 1 << 62})
DLP310_DLP313_all_twos = Many(90, shape=dict.fromkeys(range(90), 2))
DLP313_DLP407 = Many(70, data=4096)
DLP105_DLP313_short = Many(4000, ndim=most)
DLP105_DLP313_unmapped = Many(70, ndim=most, shape={}, strides={})
DLP105_DLP313_unmapped.fields = {"shape": _unmapped}
DLP302_DLP313 = Many(70)
DLP302_DLP313.fields = {"shape": None}
DLP313_beyond_the_limit = Many(1 << 21)
