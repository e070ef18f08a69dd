"""Measurements between DuckDB, PyArrow, Polars, Shapely, SQLite, joblib and NumPy. Written before it was traced, without knowledge of the tracer."""
import sqlite3
import tempfile
from multiprocessing import shared_memory

import duckdb  # expect: any
import joblib  # expect: any
import numpy as np
import pyarrow as pa  # expect: any
import polars as pl  # expect: any
import shapely  # expect: any
import array_api_compat  # expect: any
import array_api_compat.numpy as xp  # expect: any


def store_blobs(values):
    database = sqlite3.connect(":memory:")
    database.execute("create table blobs (id integer primary key, data blob)")
    for i in range(20):
        database.execute("insert into blobs (data) values (?)", (values,))  # expect: buffer numpy>python 20
    for i in range(21):
        database.execute("insert into blobs (data) values (?)", (memoryview(values),))
    for (blob,) in database.execute("select data from blobs limit 22"):
        np.frombuffer(blob)  # expect: buffer python>numpy 22 shared
    with database.blobopen("blobs", "data", 1) as blob:
        for i in range(23):
            blob.seek(0)
            np.frombuffer(blob.read())  # expect: buffer python>numpy 23 shared


def share(values):
    memory = shared_memory.SharedMemory(create=True, size=values.nbytes)
    for i in range(24):
        view = np.frombuffer(memory.buf, dtype=np.float64)  # expect: buffer python>numpy 24 shared
        view[:] = values
    for i in range(25):
        view = np.ndarray(values.shape, values.dtype, buffer=memory.buf)  # expect: buffer python>numpy 25
    del view
    memory.close()
    memory.unlink()


def map_files(values, directory):
    joblib.dump(values, directory + "/values.joblib")  # expect: any
    for i in range(26):
        mapped = joblib.load(directory + "/values.joblib", mmap_mode="r")  # expect: any
        np.from_dlpack(np.asarray(mapped))  # expect: dlpack numpy>numpy 26 shared
    return mapped


def query(values):
    connection = duckdb.connect()
    readings = pa.table({"x": pa.array(values)})  # expect: any
    for i in range(27):
        result = connection.execute("select x from readings where x >= 0").fetchnumpy()["x"]  # expect: any
        np.from_dlpack(np.ascontiguousarray(result.data if isinstance(result, np.ma.MaskedArray) else result))  # expect: dlpack numpy>numpy 27 shared
    for i in range(28):
        np.from_dlpack(readings["x"].chunk(0))  # expect: dlpack pyarrow>numpy 28 shared
    for i in range(29):
        np.asarray(pl.from_arrow(readings)["x"].to_arrow().buffers()[1])  # expect: buffer pyarrow>numpy 29 shared


def outline(values):
    points = shapely.points(values, values)
    for i in range(30):
        np.from_dlpack(shapely.get_x(points))  # expect: dlpack numpy>numpy 30 shared
    for i in range(31):
        text = shapely.to_wkb(points[0])
        np.frombuffer(text, dtype=np.uint8)  # expect: buffer python>numpy 31 shared


def standard(values):
    for i in range(32):
        xp.from_dlpack(values)  # expect: dlpack numpy>numpy 32 shared
    for i in range(33):
        xp.asarray(values, copy=True)  # expect: numpy-api numpy>array_api_compat 33 copied
    for i in range(34):
        xp.asarray(memoryview(values))  # expect: buffer python>numpy 34 shared
    for i in range(35):
        array_api_compat.array_namespace(values)


def main():
    values = np.arange(200.0)
    store_blobs(values)
    share(values)
    with tempfile.TemporaryDirectory() as directory:
        map_files(values, directory)
    query(values)
    outline(values)
    standard(values)
    print(values.sum())


main()
