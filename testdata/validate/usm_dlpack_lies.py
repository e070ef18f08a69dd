# SPDX-License-Identifier: MIT
"""DLPack exports of real USM with the number of a SYCL device, and others with one false field."""
import ctypes

import dpctl
import dpctl.memory

from dlpack_lies import Array as _Array

_KDLONEAPI = 14
_queue = dpctl.SyclQueue("cpu")
_position = dpctl.get_devices().index(_queue.sycl_device)
_memories = [kind(96, queue=_queue) for kind in (
    dpctl.memory.MemoryUSMShared, dpctl.memory.MemoryUSMDevice, dpctl.memory.MemoryUSMHost)]
_shared = _memories[0]._pointer
_host = (ctypes.c_float * 24)()
_part = dpctl.SyclQueue(_queue.sycl_device.create_sub_devices(partition=1)[0])
_foreign = dpctl.memory.MemoryUSMShared(96, queue=_part)


def _export(data=_shared, device_id=_position, **fields):
    fields = {"shape": (24,), "strides": (1,)} | fields
    return _Array(data=data, told=(_KDLONEAPI, device_id), device_type=_KDLONEAPI, device_id=device_id, **fields)


truth_shared, truth_device, truth_host = [_export(memory._pointer) for memory in _memories]
truth_reversed = _export(strides=(-1,), byte_offset=92)
truth_empty = _export(shape=(0,), data=0)
data_of_host = _export(ctypes.addressof(_host))
data_nowhere = _export(4096)
data_last = _export(2**64 - 4)
data_missing = _export(0)
data_of_other_context = _export(_foreign._pointer)
data_too_far = _export(_shared + 4)
shape_too_far = _export(shape=(25,))
shape_far_too_far = _export(shape=(1 << 40,))
strides_too_far = _export(shape=(6, 4), strides=(5, 1))
strides_below = _export(strides=(-1,))
strides_of_bytes = _export(shape=(6, 4), strides=(16, 4))
bits_too_wide = _export(bits=64)
lanes_too_wide = _export(lanes=2)
offset_too_far = _export(byte_offset=4)
offset_behind = _export(byte_offset=96)
offset_out_of_memory = _export(byte_offset=1 << 42)
device_id_of_no_device = _export(device_id=99)
