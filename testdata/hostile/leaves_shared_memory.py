# SPDX-License-Identifier: MIT
"""Leaves shared memory to the resource tracker, with the name of its run."""
import os
from multiprocessing import shared_memory

from healthy import Healthy, good

run = os.environ.get("SUAI_HOSTILE", "").rpartition("bats-run-")[2].replace("/", "_")
memory = shared_memory.SharedMemory(f"psm_{os.getpid()}_{run}", create=True, size=16)

bad = Healthy()
