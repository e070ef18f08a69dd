"""Columns in files and messages: Arrow IPC in mapped memory, pickles with buffers out of band, memory that processes share, structures of ctypes and
cffi. The expectations were written before the program was traced for the first time; one was wrong: cffi's module belongs to no package."""
import ctypes
import mmap
import os
import pickle
import socket
import struct
import tempfile
from multiprocessing import shared_memory

import numpy as np
import cffi  # expect: any
import pyarrow as pa  # expect: any
import pyarrow.ipc

N_BATCHES, N_ROWS = 25, 128
ffi = cffi.FFI()


class Record(ctypes.Structure):
    _fields_ = [("key", ctypes.c_int64), ("values", ctypes.c_double * 4)]


def write(path):
    schema = pa.schema([("key", pa.int64()), ("value", pa.float64())])
    with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, schema) as writer:
        for number in range(N_BATCHES):
            keys = pa.Array.from_buffers(pa.int64(), N_ROWS, [None, pa.py_buffer(np.arange(N_ROWS) + number)])  # expect: buffer numpy>pyarrow 25
            values = pa.Array.from_buffers(pa.float64(), N_ROWS, [None, pa.py_buffer(np.arange(N_ROWS) / 2)])  # expect: buffer numpy>pyarrow 25
            writer.write_batch(pa.record_batch([keys, values], schema))


def read(path):
    total = 0.0
    with pa.memory_map(path) as file:
        reader = pa.ipc.open_file(file)
        for number in range(reader.num_record_batches):
            batch = reader.get_batch(number)
            keys = np.frombuffer(batch.column(0).buffers()[1], dtype="i8", count=N_ROWS)  # expect: buffer pyarrow>numpy 25 shared
            values = np.from_dlpack(batch.column(1))  # expect: dlpack pyarrow>numpy 25 shared
            total += float(keys[-1] + values[-1])
    return total


def mapped(path):
    total = 0.0
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        for number in range(N_BATCHES):
            whole = np.frombuffer(memory, dtype="u1")  # expect: buffer python>numpy 25 shared
            part = np.asarray(memoryview(memory)[8 * number : 8 * number + 8].cast("B"))  # expect: buffer python>numpy 25 shared
            total += int(whole[:6].sum()) + int(part.sum()) % 2
            del whole, part
    return total


def sent(value):
    # Buffers out of band refer to the array, or to bytes.
    buffers = []
    head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    same = pickle.loads(head, buffers=buffers)  # expect: buffer python>numpy 25 shared
    copies = pickle.loads(head, buffers=[bytearray(b.raw()) for b in buffers])  # expect: buffer python>numpy 25 shared
    return float(same[1] + copies[2])


def received(value):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(value)
        target = np.empty_like(value)
        n = theirs.recv_into(memoryview(target).cast("B"), value.nbytes, socket.MSG_WAITALL)
        assert n == value.nbytes
    return float(target[3])


def packed(value):
    raw = bytearray(8 * len(value) + 8)
    struct.pack_into("<q", raw, 0, len(value))
    body = np.frombuffer(raw, dtype="<f8", offset=8)  # expect: buffer python>numpy 25 shared
    body[:] = value
    own = np.array(memoryview(raw)[8:].cast("d"))  # expect: buffer python>numpy 25 copied
    return float(own[1])


def described(value):
    record = Record(1, (ctypes.c_double * 4)(*value[:4]))
    view = np.ctypeslib.as_array(record.values)  # expect: buffer python>numpy 25 shared
    direct = np.asarray(record)["key"]  # expect: buffer python>numpy 25 shared
    names = (ctypes.c_double * len(value)).from_buffer(value)  # expect: buffer numpy>python 25
    cells = ffi.from_buffer("double[]", value)  # expect: buffer numpy>_cffi_backend 25
    again = np.frombuffer(ffi.buffer(cells), dtype="f8")  # expect: buffer _cffi_backend>numpy 25 shared
    return float(view[0] + direct + names[1] + cells[2] + again[3])


total = 0.0
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "columns.arrow")
    write(path)
    total += read(path) + mapped(path)
memory = shared_memory.SharedMemory(create=True, size=8 * N_ROWS)
for number in range(N_BATCHES):
    value = np.ndarray(N_ROWS, "f8", buffer=memory.buf)  # expect: buffer python>numpy 25
    value[:] = np.arange(N_ROWS) + number
    total += sent(value) + received(value) + packed(value)
    own = value.copy()
    total += described(own)
del value
memory.close()
memory.unlink()
print(round(total, 3))
