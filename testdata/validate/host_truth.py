# SPDX-License-Identifier: MIT
"""NumPy arrays with correct interfaces to host memory: sizes from 1 byte to 300 MiB, each kind of mapping, views."""
import ctypes
import mmap
import os
import tempfile
from multiprocessing.shared_memory import SharedMemory

import numpy as np

for _n_bytes in (1, 2, 63, 64, 65, 4095, 4096, 4097, 100_000, 131_072, 5 << 20, (64 << 20) + 1, 300 << 20):
    globals()[f"bytes_{_n_bytes}"] = np.empty(_n_bytes, "u1")
    globals()[f"reversed_{_n_bytes}"] = np.empty(_n_bytes, "u1")[::-1]
    globals()[f"doubles_{_n_bytes}"] = np.empty(_n_bytes // 8, "f8")
    globals()[f"columns_{_n_bytes}"] = np.empty((_n_bytes // 16, 16), "u1").T[3:9:2, ::-1]

_folder = tempfile.TemporaryDirectory()
_path = os.path.join(_folder.name, "data")
with open(_path, "wb") as _file:
    _file.truncate(3 * 4096 + 100)
with open(_path, "r+b") as _file:
    mapped_shared = np.frombuffer(mmap.mmap(_file.fileno(), 0), "u1")
    mapped_private = np.frombuffer(mmap.mmap(_file.fileno(), 0, access=mmap.ACCESS_COPY), "u1")
    mapped_read_only = np.frombuffer(mmap.mmap(_file.fileno(), 0, access=mmap.ACCESS_READ), "u1")
    mapped_part = np.frombuffer(mmap.mmap(_file.fileno(), 4196, offset=8192), "u1")
memory_map = np.memmap(_path, "f4", "r+", 4, (3000,))
memory_map_read_only = np.memmap(_path, "f4", "r", 4, (3000,))[::7]
anonymous = np.frombuffer(mmap.mmap(-1, 1 << 20), "f8").reshape(256, 512)
huge_pages = mmap.mmap(-1, 4 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
huge_pages.madvise(mmap.MADV_HUGEPAGE)
in_huge_pages = np.frombuffer(huge_pages, "f4")[1:]
_file = os.fdopen(os.memfd_create("arrays"), "r+b")
_file.truncate(8192)
in_memfd = np.frombuffer(mmap.mmap(_file.fileno(), 8192), "i2")
_shared = SharedMemory(create=True, size=8192)
in_shared_memory = np.ndarray((2, 1024), "f4", _shared.buf)
_shared.unlink()
_guarded = mmap.mmap(-1, 3 * 4096)
_start = ctypes.addressof(ctypes.c_char.from_buffer(_guarded))
_libc = ctypes.CDLL(None)
for _page in 0, 2:
    _libc.mprotect(ctypes.c_void_p(_start + _page * 4096), 4096, 0)
between_guards = np.frombuffer(_guarded, "f4", 1024, 4096)
between_guards_reversed = between_guards[::-1]
_page = mmap.mmap(-1, 8192)
_libc.mprotect(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(_page))), 8192, mmap.PROT_READ)
of_read_only_pages = np.frombuffer(_page, "u1")
of_read_only_pages.flags.writeable = False
constant = np.frombuffer(b"of the interpreter", "u1")
in_heap = np.ndarray(5, "i4", (ctypes.c_int * 5)())
_stack = [line.split("-")[1].split()[0] for line in open("/proc/self/maps") if line.endswith("[stack]\n")]
on_stack = np.frombuffer((ctypes.c_char * 4096).from_address(int(_stack[0], 16) - 8192), "f8")
