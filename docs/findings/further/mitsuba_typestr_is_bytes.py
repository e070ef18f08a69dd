# SPDX-License-Identifier: MIT
"""`typestr` of the array interface of a bitmap is a bytes object instead of a string.

Library: mitsuba 3.9
Rules: NAI201
Clause: NumPy array interface protocol, version 3, typestr
Impact: consumers other than NumPy, which accepts bytes: `PIL.Image.fromarray` raises TypeError.
"""

import mitsuba

mitsuba.set_variant("scalar_rgb")
bitmap = mitsuba.Bitmap(mitsuba.Bitmap.PixelFormat.Y, mitsuba.Struct.Type.UInt8, [4, 3])
assert bitmap.__array_interface__["typestr"] == b"<u1"
