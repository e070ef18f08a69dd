# SPDX-License-Identifier: MIT
"""A few buffers and views of cuda.core for --calls and --lifetime, which call each of them many times, in separate
workers."""

import cuda.core as core
import numpy as np
from cuda.core.utils import StridedMemoryView

_device = core.Device(0)
_device.set_current()
_stream = _device.create_stream()
buffer = _device.allocate(48, stream=_stream)
pinned = core.PinnedMemoryResource().allocate(48, stream=_stream)
managed = core.ManagedMemoryResource().allocate(48, stream=_stream)
view = StridedMemoryView.from_buffer(buffer, (4, 3), (1, 4), dtype=np.dtype("f4"))
_stream.sync()
