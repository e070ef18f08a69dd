# SPDX-License-Identifier: MIT
"""Elements and layouts that some protocols cannot express, each behind one protocol."""

import numpy as np

from producers import Dlpack, Numpy, tell_addresses

BFLOAT16, FLOAT8 = 4, 10
_numbers = np.arange(24, dtype="f4").reshape(2, 3, 4)
_records = np.zeros(4, dtype=[("a", "i2"), ("b", "f4"), ("c", "u1")])

bfloat16 = Dlpack(np.arange(12, dtype="u2").reshape(3, 4), code=BFLOAT16)
float8 = Dlpack(np.arange(12, dtype="u1"), code=FLOAT8)
half = Numpy(np.arange(12, dtype="f2"))
longdouble = Numpy(np.arange(4, dtype="g"))
complex64 = Numpy(np.arange(4, dtype="c8"))
boolean = Numpy(np.array([True, False]))
structured = Numpy(_records.copy())
dates = Numpy(np.array(["2026-11-21"], dtype="M8[D]"))
text = Numpy(np.array(["abc", "de"]))
objects = Numpy(np.array([1, "two"], dtype=object))
big_endian = Numpy(np.arange(4, dtype=">f4"))
field = Numpy(_records["b"])
reverse = Numpy(_numbers[::-1, :, ::-1])
repeated = Numpy(np.broadcast_to(np.arange(4, dtype="f4"), (3, 4)))
readonly = Numpy(np.arange(4, dtype="f4"))
readonly.values.flags.writeable = False
empty = Numpy(np.zeros((0, 3), dtype="f4"))
scalar = Numpy(np.array(2.5, dtype="f4"))

tell_addresses(globals())
