"""Catalogue ETL: product shots -> previews and features -> Arrow -> pandas -> model.

Synthetic photographs are encoded to PNG, decoded again by a pool of threads,
reduced with OpenCV, stored as Arrow columns and finally clustered.
The expectations are those of an author who did not know the tracer, but for the copies that NumPy's C API and Pillow make.
"""
import io
from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np
import pandas as pd  # expect: any
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from PIL import Image
from sklearn.neighbors import KDTree  # expect: any
from sklearn.preprocessing import StandardScaler

N_IMAGES = 48
WIDTH, HEIGHT = 128, 96
N_QUERIES = 12
N_THREADS = 4


def photograph(rng, k):
    """One synthetic product on a noisy backdrop, as H x W x 3 bytes."""
    scene = rng.integers(0, 60, (HEIGHT, WIDTH, 3), dtype=np.uint8)
    colour = (80 + 3 * k, 240 - 4 * k, 40 + 2 * k)
    cv2.circle(scene, (WIDTH // 2, HEIGHT // 2), 10 + k % 30, colour, -1)
    return scene


def encode(scene):
    picture = Image.fromarray(scene)  # expect: numpy numpy>PIL 48
    out = io.BytesIO()
    picture.save(out, format="PNG")
    return out.getvalue()


def flipped_preview(rgb):
    """A mirrored preview: Pillow receives a view with negative strides."""
    preview = Image.fromarray(rgb[:, ::-1])  # expect: numpy numpy>PIL 48
    preview.thumbnail((32, 24))
    return preview.getextrema()


def features(png):
    with Image.open(io.BytesIO(png)) as picture:
        picture.load()
        rgb = np.asarray(picture)  # expect: numpy PIL>numpy 48 copied; buffer python>numpy 48 shared

    gray = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    small = cv2.resize(gray, (64, 48), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (3, 3), 0)

    mask = Image.fromarray(small)  # expect: numpy numpy>PIL 48; buffer numpy>PIL 48
    histogram = np.array(mask.histogram(), dtype=np.float64)
    extrema = flipped_preview(rgb)
    edges = cv2.Canny(small, 50, 120)
    return histogram, float(edges.mean()), extrema[0][1]


def to_arrow(histogram):
    """A histogram becomes an Arrow column over the same memory."""
    column = pa.py_buffer(histogram)  # expect: buffer numpy>pyarrow 48
    return pa.Array.from_buffers(pa.float64(), len(histogram), [None, column])


def entropy(column):
    counts = np.frombuffer(column.buffers()[1], dtype=np.float64)  # expect: buffer pyarrow>numpy 48 shared
    p = counts[counts > 0] / counts.sum()
    return float(-(p * np.log2(p)).sum())


def centroid(column):
    weights = np.from_dlpack(column)  # expect: dlpack pyarrow>numpy 48 shared
    return float((weights * np.arange(weights.size)).sum() / weights.sum())


def main():
    rng = np.random.default_rng(20240229)
    files = [encode(photograph(rng, k)) for k in range(N_IMAGES)]

    with ThreadPoolExecutor(N_THREADS) as pool:
        rows = list(pool.map(features, files))

    columns = [to_arrow(row[0]) for row in rows]
    table = pa.table({
        "edges": [row[1] for row in rows],
        "peak": [row[2] for row in rows],
        "entropy": [entropy(column) for column in columns],
        "centroid": [centroid(column) for column in columns],
        "total": [pc.sum(column).as_py() for column in columns],
    })

    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    frame = pq.read_table(pa.BufferReader(sink.getvalue())).to_pandas()  # expect: buffer numpy>pandas 8
    frame["grade"] = np.arange(len(frame)) % 3  # expect: buffer numpy>pandas 8; buffer python>pandas 4
    means = frame.groupby("grade")["entropy"].mean()  # expect: buffer numpy>pandas 14
    smooth = frame["edges"].rolling(5, min_periods=1).mean()  # expect: buffer numpy>pandas 8

    model = np.column_stack([frame[c].to_numpy() for c in ("edges", "peak", "entropy", "centroid")])
    scaled = StandardScaler().fit_transform(model)  # expect: numpy-api numpy>sklearn 2 copied
    tree = KDTree(scaled, leaf_size=8)  # expect: buffer numpy>sklearn 12
    nearest = 0.0
    for q in range(N_QUERIES):
        distance, _ = tree.query(scaled[q:q + 1], k=3)  # expect: buffer numpy>sklearn 60
        nearest += float(distance[0, 1])

    print("grades", [round(float(m), 4) for m in means])
    print("smooth %.4f" % float(smooth.sum()))
    print("nearest %.4f" % nearest)
    print("pixels", int(table["total"].to_pandas().sum()))


if __name__ == "__main__":
    main()
