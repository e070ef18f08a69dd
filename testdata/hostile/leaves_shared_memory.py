# SPDX-License-Identifier: MIT
"""Leaves shared memory to the resource tracker."""
from multiprocessing import shared_memory

from healthy import Healthy, good

memory = shared_memory.SharedMemory(create=True, size=16)

bad = Healthy()
