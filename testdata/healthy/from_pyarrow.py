# SPDX-License-Identifier: MIT
"""PyArrow: arrays of types that it exports and of those that it refuses, tensors, buffers."""

import datetime
import decimal
import tempfile

import numpy as np
import pyarrow as pa

NUMBERS = "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split()


def arrays():
    for name in NUMBERS:
        column = pa.array(np.arange(5).astype(name))
        yield "array_" + name, column
        yield f"array_{name}_part", column.slice(1, 3)
        yield f"array_{name}_empty", column.slice(5)
        yield f"array_{name}_allocated_empty", pa.array([], getattr(pa, name)())
        yield f"array_{name}_missing", pa.array([1, None], pa.int8()).cast(getattr(pa, name)())
    yield "array_bool", pa.array([True, False])
    yield "array_null", pa.nulls(3)
    yield "array_text", pa.array(["a", "bc"])
    yield "array_binary", pa.array([b"a", b"bc"])
    yield "array_fixed_binary", pa.array([b"ab", b"cd"], pa.binary(2))
    yield "array_date", pa.array([datetime.date(2026, 1, 1)])
    yield "array_time", pa.array([datetime.time(1, 2)])
    yield "array_timestamp", pa.array([1, 2], pa.timestamp("ns"))
    yield "array_duration", pa.array([1, 2], pa.duration("s"))
    yield "array_decimal", pa.array([decimal.Decimal("1.5")])
    yield "array_dictionary", pa.array(["a", "b", "a"]).dictionary_encode()
    yield "array_list", pa.array([[1], [2, 3]])
    yield "array_fixed_list", pa.array([[1, 2], [3, 4]], pa.list_(pa.int32(), 2))
    yield "array_struct", pa.array([{"a": 1}])
    yield "array_tensors", pa.ExtensionArray.from_storage(
        pa.fixed_shape_tensor(pa.int32(), (2,)), pa.array([[1, 2]], pa.list_(pa.int32(), 2)))


def tensors():
    for name in NUMBERS:
        base = np.arange(12).astype(name).reshape(3, 4)
        for part, view in (("", base), ("_fortran", np.asfortranarray(base)), ("_part", base[1:, ::2]),
                           ("_empty", base[:0]), ("_one_row", base[1:2])):
            yield f"tensor_{name}{part}", pa.Tensor.from_numpy(view)
    frozen = np.ones((2, 3))
    frozen.flags.writeable = False
    yield "tensor_readonly", pa.Tensor.from_numpy(frozen)


def buffers():
    yield "buffer_of_bytes", pa.py_buffer(b"some bytes")
    yield "buffer_of_bytearray", pa.py_buffer(bytearray(b"some bytes"))
    yield "buffer_part", pa.py_buffer(b"some bytes").slice(3, 4)
    yield "buffer_empty", pa.py_buffer(b"")
    yield "buffer_allocated", pa.allocate_buffer(100)
    yield "buffer_resizable", pa.allocate_buffer(100, resizable=True)
    yield "buffer_of_column", pa.array([1, 2, 3]).buffers()[1]
    yield "buffer_foreign", pa.foreign_buffer(pa.py_buffer(KEPT).address, len(KEPT), KEPT)
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"x" * 5000)
        file.flush()
        yield "buffer_of_map", pa.memory_map(file.name).read_buffer(4000)


def make():
    yield from arrays()
    yield from tensors()
    yield from buffers()


KEPT = b"kept alive by the module"
globals().update(make())
