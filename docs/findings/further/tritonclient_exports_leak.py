# SPDX-License-Identifier: MIT
"""Each DLPack export of a tensor in shared memory leaks the objects that it allocated.

Library: tritonclient 2.73
Rules: DLP710
Clause: dlpack.h, version 1.3, DLManagedTensor.deleter
Impact: clients that import the results of requests in shared memory through DLPack: the memory use grows with each one.
"""

import sys

import numpy
from tritonclient.utils._shared_memory_tensor import SharedMemoryTensor

array = numpy.arange(3.0)
tensor = SharedMemoryTensor("FP64", [3], array.ctypes.data, offset=0, byte_size=24, device_id=-1)
n_blocks = sys.getallocatedblocks()
for _ in range(1000):
    numpy.from_dlpack(tensor)
assert sys.getallocatedblocks() - n_blocks > 5000
