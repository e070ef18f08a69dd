# SPDX-License-Identifier: MIT
"""One false declaration each about device memory, and healthy arrays next to them."""

import ctypes
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver  # noqa: E402
from arrays import Cai, Dlpack  # noqa: E402

_device = driver.allocate_device(1000)
_mapped = driver.allocate_mapped(4 << 20, pieces=2)
_read_only = driver.allocate_mapped(1000, flags=1)
_managed = driver.allocate_managed(1000)
_pinned = driver.allocate_pinned(1000)
_host = (ctypes.c_float * 250)()
_freed = driver.allocate_device(64 << 20)
driver.free(_freed)
_stream = ctypes.c_void_p()
driver.call("cuStreamCreate", ctypes.byref(_stream), 0)
_dead = ctypes.c_void_p()
driver.call("cuStreamCreate", ctypes.byref(_dead), 0)
driver.call("cuStreamDestroy_v2", _dead)
_mapped_size = driver.address_range(_mapped)[1] * 2

healthy = Cai(_device, stream=_stream.value, device="cuda:0")
healthy_dlpack = Dlpack(_device, (2, 0))
healthy_managed = Dlpack(_managed, (13, 0))
healthy_pinned = Dlpack(_pinned, (3, 0))
healthy_joined = Cai(_mapped, shape=(_mapped_size // 4,))
freed = Cai(_freed)
freed_dlpack = Dlpack(_freed, (2, 0))
nobodys = Cai(0x7FFF00000000)
host = Cai(ctypes.addressof(_host))
host_dlpack = Dlpack(ctypes.addressof(_host), (2, 0))
past_the_end = Cai(_device + 400)
past_the_end_dlpack = Dlpack(_device + 400, (2, 0))
before_the_start = Cai(_device + 396, strides=(-4,), shape=(250,))
past_the_mapping = Cai(_mapped, shape=(_mapped_size // 4 + 1,))
wrong_device = Cai(_device, device="cuda:1")
wrong_ordinal = Dlpack(_device, (2, 1))
managed_called_device = Dlpack(_managed, (2, 0))
pinned_called_device = Dlpack(_pinned, (2, 0))
device_called_pinned = Dlpack(_device, (3, 0))
device_called_host = Dlpack(_device, (1, 0))
device_called_managed = Dlpack(_device, (13, 0))
read_only_called_writable = Cai(_read_only)
managed = Cai(_managed)
pinned = Cai(_pinned)
no_stream = Cai(_device, stream=0x1234567)
wild_stream = Cai(_device, stream=ctypes.addressof(_host))
dead_stream = Cai(_device, stream=_dead.value)
