# SPDX-License-Identifier: MIT
"""`soundfile.write` stores the bytes of an array of the other byte order as samples in the machine's order.

Library: soundfile 0.14
Rules: DLC305
Clause: NumPy array interface protocol, version 3, typestr
Impact: samples of big-endian files, such as AIFF: the sound file contains other numbers.
"""

import io

import numpy
import soundfile

file = io.BytesIO()
soundfile.write(file, numpy.array([1], ">i4"), 8000, format="WAV", subtype="PCM_32")
file.seek(0)
assert soundfile.read(file, dtype="int32")[0].tolist() == [1 << 24]
