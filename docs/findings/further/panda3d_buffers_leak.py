# SPDX-License-Identifier: MIT
"""Each buffer of a PointerToArray leaks 32 bytes when it is released.

Library: Panda3D 1.10.16
Rules: BUF702
Clause: Python C API Buffer Protocol, version 3, PyBuffer_Release; Py_buffer.obj
Impact: programs that pass an array to `memoryview`, NumPy or a file repeatedly, such as once for each frame.
"""

from panda3d.core import PTAFloat


def resident_pages():
    return int(open("/proc/self/statm").read().split()[1])


array = PTAFloat([1, 2, 3])
before = resident_pages()
for _ in range(500_000):
    memoryview(array).release()
assert (resident_pages() - before) * 4096 > 500_000 * 30
