# SPDX-License-Identifier: MIT
"""Objects whose legacy capsule, versioned capsule or both violate one rule: NAME_legacy, NAME_versioned, NAME_both.
A name begins with the rule that must report it."""
import ctypes
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import spy
from spy import Spy


class Matrix(Spy):
    """2 x 3 doubles; `edit` is called with the DLTensor of each capsule of `kinds` (True: versioned)."""

    def __init__(self, edit=None, kinds=(), wraps=None):
        super().__init__()
        self.edit, self.kinds, self.wraps = edit, kinds, wraps

    def export(self, memory, device, versioned, flags):
        self.versioned = versioned
        capsule = super().export(memory, device, versioned, flags)
        managed, _, _, _ = record = list(spy._kept.values())[-1]
        tensor = managed.tensor
        shape, strides = (ctypes.c_int64 * 2)(2, 3), (ctypes.c_int64 * 2)(3, 1)
        tensor.ndim, tensor.shape, tensor.strides = 2, shape, strides
        spy._kept[ctypes.addressof(managed)] = (*record, shape, strides)
        if self.edit and versioned in self.kinds:
            self.edit(tensor)
        return capsule

    def wrap(self, address, name):
        if self.wraps and self.versioned in self.kinds:
            return self.wraps(address, name)
        return super().wrap(address, name)


def sets(**fields):
    def edit(tensor):
        for name, value in fields.items():
            setattr(tensor, name, value)
    return edit


def sets_item(name, index, value):
    def edit(tensor):
        getattr(tensor, name)[index] = value
    return edit


def swaps(tensor):
    tensor.shape[0], tensor.shape[1] = 3, 2


_elsewhere = (ctypes.c_double * 6)()
_far = ctypes.cast(8, ctypes.POINTER(ctypes.c_int64))
healthy = Matrix()

EDITS = {
    "DLP105_unmapped_shape": sets(shape=_far),
    "DLP201_code": sets(code=99),
    "DLP202_bits": sets(bits=33),
    "DLP203_lanes": sets(lanes=0),
    "DLP301_ndim": sets(ndim=-1),
    "DLP302_no_shape": sets(shape=None),
    "DLP305_extent": sets_item("shape", 0, -2),
    "DLP307_too_long": sets_item("shape", 0, 1 << 40),
    "DLP310_overflow": sets_item("shape", 0, 1 << 62),
    "DLP402_null": sets(data=None),
    "DLP407_not_mapped": sets(data=4096),
    "DLP501_device": sets(device_type=2),
    "DLP901_type": sets(code=0),
    "DLP901_shape": swaps,
    "DLP901_strides": sets_item("strides", 0, 0),
    "DLP901_address": sets(data=ctypes.addressof(_elsewhere)),
}
KINDS = {"legacy": (False,), "versioned": (True,), "both": (False, True)}

for name, edit in EDITS.items():
    for kind, kinds in KINDS.items():
        globals()[f"{name}_{kind}"] = Matrix(edit, kinds)
for kind, kinds in KINDS.items():
    globals()[f"DLP106_no_destructor_{kind}"] = Matrix(
        None, kinds, lambda address, name: spy._api.PyCapsule_New(address, name, None))
