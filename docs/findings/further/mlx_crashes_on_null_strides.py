# SPDX-License-Identifier: MIT
"""`mlx.core.array` of a ctypes array, whose buffer has no strides, ends the process with SIGSEGV.

Library: mlx 0.32
Rules: DLC001
Clause: Python C API Buffer Protocol, version 3, PyBUF_STRIDES (strides: yes)
Impact: programs that pass ctypes arrays: the process ends. The importing code is that of nanobind.
Known: seen on 2026-11-26.
"""

import ctypes
import os

import mlx.core

os.fork() or os._exit(mlx.core.array((ctypes.c_float * 3)(1, 2, 3)) is None)
assert os.WTERMSIG(os.wait()[1]) == 11
