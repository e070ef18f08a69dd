# SPDX-License-Identifier: MIT
"""`__dlpack__` of a tensor in host memory takes any stream, even text.

Library: apache-tvm-ffi
Rules: DLP602
Clause: Python array API standard, version 2025.12, array.__dlpack__ stream (for a CPU only None is accepted)
Hurts: who mixes up devices: a stream that should be refused is silently ignored.
"""

import numpy
import tvm_ffi

assert '"dltensor"' in repr(tvm_ffi.from_dlpack(numpy.zeros(3)).__dlpack__(stream="x"))
