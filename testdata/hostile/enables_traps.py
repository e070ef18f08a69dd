# SPDX-License-Identifier: MIT
"""Invalid floating-point operations, overflows and divisions by zero raise SIGFPE from now on, and numbers are rounded down."""
import ctypes

from healthy import good

libm = ctypes.CDLL('libm.so.6')
getattr(libm, 'feenableexcept', abs)(0x0D)
libm.fesetround(0x400)
bad = good
