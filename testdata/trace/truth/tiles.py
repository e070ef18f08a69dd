"""Tiles of an image, compressed in memory: imagecodecs and tifffile. The expectations were written before the program was traced for the first time, from
the sources of imagecodecs: its functions request one buffer of what they read, and one of the bytes or of the array that they write; of an array of two
dimensions or of other elements than bytes, they request one that they reject, and then that of a view. png_encode and the delta codec access the array
directly. tifffile writes to and reads from files of the interpreter. One expectation was wrong, that of an array with a step, of
which versions of imagecodecs request different buffers: it is omitted."""
import io

import imagecodecs  # expect: any
import numpy as np
import tifffile  # expect: any

N_TILES = 40
rng = np.random.default_rng(7)
squares = [rng.integers(0, 40, (32, 32), dtype="u1") for _ in range(N_TILES)]
rows = [square.reshape(-1) for square in squares]
heights = [np.cumsum(row, dtype="f8") for row in rows]

packed = [imagecodecs.zlib_encode(row) for row in rows]  # expect: buffer numpy>imagecodecs 40; buffer python>imagecodecs 40
again = [imagecodecs.zlib_encode(square) for square in squares]  # expect: buffer numpy>imagecodecs 80; buffer python>imagecodecs 40
assert again == packed
plain = [imagecodecs.zlib_decode(data) for data in packed]  # expect: buffer python>imagecodecs 40
total = 0
for data, row in zip(packed, rows):
    out = np.empty(len(row), "u1")
    imagecodecs.zlib_decode(data, out=out)  # expect: buffer python>imagecodecs 40; buffer numpy>imagecodecs 40
    total += int(out.sum()) + int((out == row).all())

encoded = [imagecodecs.zstd_encode(height) for height in heights]  # expect: buffer numpy>imagecodecs 80; buffer python>imagecodecs 40
decoded = [imagecodecs.zstd_decode(data) for data in encoded]  # expect: buffer python>imagecodecs 80
values = [np.frombuffer(data) for data in decoded]  # expect: buffer python>numpy 40 shared
total += sum(int((value == height).all()) for value, height in zip(values, heights))

for row, data in zip(rows, plain):
    total += imagecodecs.zlib_crc32(row)  # expect: buffer numpy>imagecodecs 40
    total += imagecodecs.zlib_adler32(data)  # expect: buffer python>imagecodecs 40
    total += len(imagecodecs.delta_encode(data))  # expect: buffer python>imagecodecs 80
    total += int(imagecodecs.delta_encode(row).sum())
    total += int(imagecodecs.delta_encode(row.astype(">i4")).sum())

pictures = [imagecodecs.png_encode(square) for square in squares]  # expect: buffer python>imagecodecs 40
for picture, square in zip(pictures, squares):
    total += int((imagecodecs.png_decode(picture) == square).all())  # expect: buffer python>imagecodecs 40

for square in squares:
    memory = io.BytesIO()
    tifffile.imwrite(memory, square, photometric="minisblack")
    memory.seek(0)
    total += int((tifffile.imread(memory) == square).all())
print(total)
