# SPDX-License-Identifier: MIT
"""20 arrays of NumPy, for tools/bench-trials."""
import numpy as np

a0, a1, a2, a3, a4 = np.arange(6.0), np.zeros((3, 4), "f4"), np.zeros((3, 4), "f4").T, np.arange(10)[::2], np.array(3.0)
a5, a6, a7, a8, a9 = np.zeros((0, 3)), np.ones(4, bool), np.arange(4) + 1j, np.broadcast_to(np.arange(3.0), (4, 3)), np.zeros(3, "i2")
b0, b1, b2 = np.zeros(3, ">f8"), np.zeros(2, [("x", "f4"), ("y", "i4")]), np.array(["a", "bb"])
b3, b4, b5 = np.ma.masked_array([1, 2, 3], [0, 1, 0]), np.matrix([[1, 2]]), np.zeros((2, 3, 4), order="F")
b6, b7, b8, b9 = np.frombuffer(b"12345678", "u1"), np.zeros(1 << 20), np.ones((50, 50)) @ np.ones((50, 50)), np.zeros(3, "M8[s]")
