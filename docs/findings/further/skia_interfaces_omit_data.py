# SPDX-License-Identifier: MIT
"""`__array_interface__` of bitmaps, images and pixmaps has no data, but the objects export a buffer.

Library: skia-python 144
Rules: NAI114
Clause: NumPy array interface protocol, version 3, data
Impact: consumers that read only the dictionary: they find no memory. NumPy uses the buffer and ignores the dictionary.
"""

import skia

bitmap = skia.Bitmap()
bitmap.allocPixels(skia.ImageInfo.MakeN32Premul(5, 4))
assert "data" not in bitmap.__array_interface__ and memoryview(bitmap).nbytes == 80
