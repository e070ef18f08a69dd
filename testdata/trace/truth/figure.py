"""A figure of nearest neighbours that faiss finds, drawn by Matplotlib and compressed by numcodecs. Written without knowledge of the tracer; corrected was the memoryview,
whose type is that of Python."""
import faiss  # expect: any
import matplotlib  # expect: any

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # expect: any
import numcodecs  # expect: any
import numpy as np
from matplotlib.path import Path
from matplotlib.transforms import Affine2D


def points(n, dtype):
    return ((np.arange(n * 8) * 7919) % 1009).astype(dtype).reshape(n, 8)


def main():
    x32, x64 = points(400, np.float32), points(400, np.float64)
    index = faiss.IndexFlatL2(8)
    for i in range(10):
        index.add(x32)
    for i in range(11):
        index.add(x64)  # expect: numpy-api numpy>faiss 11 copied
    for i in range(12):
        index.add(x32[::2])  # expect: numpy-api numpy>faiss 12 copied
    for i in range(13):
        d, near = index.search(x64[:5], 3)  # expect: numpy-api numpy>faiss 13 copied
    corners = np.array([[0, 0], [4, 0], [4, 4], [0, 0]])
    for i in range(14):
        path = Path(corners)  # expect: numpy-api numpy>matplotlib 14 copied
    exact = corners.astype(float)
    for i in range(15):
        path = Path(exact)
    for i in range(16):
        moved = Affine2D().translate(1, 2).transform(exact)  # expect: numpy-api numpy>matplotlib 32 shared
    blosc = numcodecs.Blosc()
    for i in range(17):
        packed = blosc.encode(x32)  # expect: buffer numpy>numcodecs 17
    for i in range(18):
        checked = numcodecs.CRC32().encode(x32)  # expect: buffer numpy>python 18
    for i in range(19):
        delta = numcodecs.Delta("f4").encode(x32)
    figure = plt.figure(figsize=(1, 1), dpi=50)
    figure.canvas.draw()  # expect: any
    for i in range(20):
        pixels = np.asarray(figure.canvas.buffer_rgba())  # expect: buffer python>numpy 20 shared
    print(index.ntotal, near.shape, moved.shape, len(packed) > 0, len(checked), delta.shape, pixels.shape)


main()
