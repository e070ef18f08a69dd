# SPDX-License-Identifier: MIT
"""`mmap.resize` of anonymous memory succeeds, but an access to the added bytes kills the process with SIGBUS.

Library: CPython
Rules: BUF401
Clause: derived from Python C API Buffer Protocol, version 3, Py_buffer.buf
Impact: programs that grow shared memory: the mapping and its buffer become longer, but not the memory that they show.
"""

import mmap
import os

memory = mmap.mmap(-1, mmap.PAGESIZE)
memory.resize(2 * mmap.PAGESIZE)
assert memoryview(memory).nbytes == 2 * mmap.PAGESIZE
os.fork() or os._exit(memory[-1])
assert os.WTERMSIG(os.wait()[1]) == 7
