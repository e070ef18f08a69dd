"""Columns between PyArrow, Polars, NumPy and the standard library. Written without knowledge of the tracer; one expectation was missing: numpy.array converts
the bytes of a buffer of PyArrow."""
import array
import numpy as np
import pyarrow as pa  # expect: any
import polars as pl  # expect: any


def main():
    amounts = array.array("d", range(500))
    raw = np.frombuffer(amounts)  # expect: buffer python>numpy 1 shared
    for i in range(50):
        buffer = pa.py_buffer(raw)  # expect: buffer numpy>pyarrow 50
    for i in range(51):
        column = pa.Array.from_buffers(pa.float64(), 500, [None, buffer])
        back = np.from_dlpack(column)  # expect: dlpack pyarrow>numpy 51 shared
    for i in range(52):
        view = np.frombuffer(buffer, dtype=np.float64)  # expect: buffer pyarrow>numpy 52 shared
    for i in range(53):
        view = np.asarray(buffer)  # expect: buffer pyarrow>numpy 53 shared
    for i in range(54):
        tensor = pa.Tensor.from_numpy(raw.reshape(20, 25))
    for i in range(55):
        view = np.asarray(memoryview(tensor))  # expect: buffer python>numpy 55 shared
    for i in range(56):
        view = np.asarray(tensor)  # expect: buffer pyarrow>numpy 56 shared
    for i in range(57):
        view = np.array(buffer, dtype="S8")  # expect: buffer pyarrow>numpy 57 copied
    series = pl.Series("x", raw)
    for i in range(58):
        view = series.to_numpy()
    for i in range(59):
        view = np.asarray(series)
    for i in range(60):
        sink = pa.BufferOutputStream()
        sink.write(raw)  # expect: buffer numpy>pyarrow 60
    for i in range(61):
        reader = pa.BufferReader(sink.getvalue())
    for i in range(62):
        reader = pa.BufferReader(raw)  # expect: buffer numpy>pyarrow 62
    print(view.dtype, back.sum())


main()
