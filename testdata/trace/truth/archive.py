"""Archive of pictures: Pillow and OpenCV, Arrow columns, files of h5py, and checksums, in a pool of threads.

The expectations were written from the documentation of the libraries, before this program was traced. Three of them were wrong: Pillow maps no
memory for RGB, and the interpreter requests the buffers of a pickle and of what is written to a file itself.
"""
import concurrent.futures
import io
import mmap
import pickle
import tempfile
import zlib

import numpy as np
import pyarrow as pa  # expect: any
from PIL import Image  # expect: any

PICTURES, SIZE = 40, 24


def scanned(number):
    pixels = np.full((SIZE, SIZE, 3), number, dtype="u1")
    picture = Image.fromarray(pixels)  # expect: numpy numpy>PIL 40
    # Pillow packs the picture in bytes, which NumPy copies for np.array and only reads for asarray.
    copy = np.asarray(picture.resize((12, 12)))  # expect: numpy PIL>numpy 40 copied; buffer python>numpy 40 shared
    return pixels, copy


def stored(pixels, out):
    kept = []
    data = pickle.dumps(pixels, protocol=5, buffer_callback=kept.append)
    loaded = pickle.loads(data, buffers=kept)  # expect: buffer python>numpy 40 shared
    out.write(loaded)
    return zlib.adler32(loaded)  # expect: buffer numpy>python 40


def columns(number):
    column = pa.array(range(number, number + 64), type=pa.int32())  # expect: any (it imports pandas if that exists)
    values = np.from_dlpack(column)  # expect: dlpack pyarrow>numpy 40 shared
    own = np.from_dlpack(values, copy=True)  # expect: dlpack numpy>numpy 40 copied
    bounds = np.array([(values.min(), values.max()), (own[0], own[-1])])
    return int(bounds.sum())


with tempfile.TemporaryFile() as file:
    checks = []
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for pixels, copy in pool.map(scanned, range(PICTURES)):
            checks.append(stored(pixels, file))
    file.flush()
    mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    sums = [int(np.frombuffer(mapped, dtype="u1", count=SIZE * SIZE * 3, offset=i * SIZE * SIZE * 3).sum()) for i in range(PICTURES)]  # expect: buffer python>numpy 40 shared
    totals = [columns(i) for i in range(PICTURES)]
print(sum(checks), sum(sums), sum(totals))
