# SPDX-License-Identifier: MIT
"""`Surface.get_view('2')`, a Fortran-ordered view, is granted to consumers that require C order.

Library: pygame 2.6, pygame-ce 2.5.8
Rules: BUF301
Clause: Python C API Buffer Protocol, version 3, contiguity requests ("Without stride information, the buffer must be
    C-contiguous")
Impact: consumers that process the memory block unchanged: they get the pixels in an order other than memoryview's.
"""

import pygame

surface = pygame.Surface((4, 2), depth=8)
memoryview(surface.get_view("0"))[:] = bytes(range(8))
assert memoryview(surface.get_view("2")).tobytes() == bytes([0, 4, 1, 5, 2, 6, 3, 7])
assert b"".join([surface.get_view("2")]) == bytes(range(8))  # join requests PyBUF_SIMPLE
