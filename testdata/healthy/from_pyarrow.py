# SPDX-License-Identifier: MIT
"""PyArrow: arrays of types that it exports or refuses, tensors, buffers."""

import datetime
import decimal
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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
    column = pa.array([1.5, 2.0, 3.0, 4.0])
    yield "array_of_array", pa.array(np.arange(10.0)[3:])
    yield "array_of_strided_array", pa.array(np.arange(10.0)[::2])
    yield "array_part_of_part", column.slice(1).slice(1, 1)
    yield "array_reversed", column[::-1]
    yield "array_viewed", column.view(pa.int64())
    yield "array_filtered", column.filter(pa.array([True, False, True, True]))
    yield "array_computed", pc.add(column, 1)
    yield "array_run_ends", pa.RunEndEncodedArray.from_arrays([2, 4], [1.0, 2.0])
    yield "array_uuid", pa.ExtensionArray.from_storage(pa.uuid(), pa.array([bytes(16)], pa.binary(16)))
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
    yield "tensor_0d", pa.Tensor.from_numpy(np.array(1.0))
    yield "tensor_permuted", pa.Tensor.from_numpy(np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1))
    yield "tensor_broadcast", pa.Tensor.from_numpy(np.broadcast_to(np.zeros(4), (3, 4)))
    yield "tensor_unaligned", pa.Tensor.from_numpy(np.zeros(13, "u1")[1:].view("f4"))
    yield "tensor_from_dlpack", pa.Tensor.from_dlpack(np.arange(6.0).reshape(2, 3))
    sink = pa.BufferOutputStream()
    pa.ipc.write_tensor(pa.Tensor.from_numpy(np.arange(6.0)), sink)
    yield "tensor_of_message", pa.ipc.read_tensor(pa.BufferReader(sink.getvalue()))


def buffers():
    yield "buffer_of_bytes", pa.py_buffer(b"some bytes")
    yield "buffer_of_bytearray", pa.py_buffer(bytearray(b"some bytes"))
    yield "buffer_part", pa.py_buffer(b"some bytes").slice(3, 4)
    yield "buffer_empty", pa.py_buffer(b"")
    yield "buffer_allocated", pa.allocate_buffer(100)
    yield "buffer_resizable", pa.allocate_buffer(100, resizable=True)
    yield "buffer_resized", pa.compress(bytes(1000), "lz4")
    yield "buffer_of_stream", pa.BufferReader(b"some bytes").read_buffer(4)
    yield "buffer_of_validity", pa.array([1, None]).buffers()[0]
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
