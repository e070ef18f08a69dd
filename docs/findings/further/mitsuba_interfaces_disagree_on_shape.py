# SPDX-License-Identifier: MIT
"""A bitmap with one channel has two dimensions through the array interface, and three through DLPack.

Library: mitsuba 3.9
Rules: NAI901
Clause: suai docs/rules.md, version 1, Agreement between interfaces
Impact: code that imports a bitmap through DLPack in one place and through NumPy in another: expressions broadcast to other shapes.
"""

import mitsuba
import numpy

mitsuba.set_variant("scalar_rgb")
bitmap = mitsuba.Bitmap(mitsuba.Bitmap.PixelFormat.Y, mitsuba.Struct.Type.UInt8, [4, 3])
assert numpy.asarray(bitmap).shape == (3, 4) and numpy.from_dlpack(bitmap).shape == (3, 4, 1)
