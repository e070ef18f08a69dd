"""Fusion of sensors: rows of NumPy, Arrow buffers, tensors of PyTorch and TVM FFI, and arrays of JAX, which lists and tuples combine.

The expectations were written from the documentation of the libraries, before this program was traced. One of them was wrong where a row was
aligned: JAX then shares its memory in spite of copy=True (docs/findings/jax_import_ignores_copy.py).
"""
import hashlib
import zlib

import numpy as np
import jax  # expect: any
import jax.numpy as jnp  # expect: any
import pyarrow as pa  # expect: any
import torch  # expect: any
import tvm_ffi  # expect: any

ROUNDS, CHANNELS = 48, 16
total = 0.0
digest = hashlib.sha256()
for number in range(ROUNDS):
    memory = np.empty(4 * CHANNELS + 128, dtype="u1")
    row = memory[-memory.ctypes.data % 64 + 4:][:4 * CHANNELS].view("f4")  # not aligned for JAX
    row[...] = np.arange(CHANNELS) + number
    # Rows of plain values are not exchanged, however they are nested.
    limits = np.array(((0.0, 1.0), (2.0, float(number))))
    names = np.array(["a", "b", str(number)])
    scaled = np.asarray((np.float64(number), np.float64(2)))
    stacked = np.array([row[:8], row[8:]])
    pairs = np.asarray([(row[:8], row[8:])], dtype="f8")
    tensor = torch.from_numpy(row)  # expect: numpy-api numpy>torch 48 shared
    view = np.from_dlpack(tensor)  # expect: dlpack torch>numpy 48 shared
    both = np.array([view, row])
    wide = torch.as_tensor(view, dtype=torch.float64)  # expect: numpy-api numpy>torch 48 copied
    buffer = pa.py_buffer(row)  # expect: buffer numpy>pyarrow 48
    again = np.frombuffer(buffer, dtype="f4")  # expect: buffer pyarrow>numpy 48 shared
    # Each buffer in a list or a tuple, at any depth, is read once.
    listed = np.array([buffer, buffer])  # expect: buffer pyarrow>numpy 96 copied
    nested = np.array([(buffer,), (buffer,)])  # expect: buffer pyarrow>numpy 96 copied
    mixed = np.array((row.view("i1"), buffer))  # expect: buffer pyarrow>numpy 48 copied
    foreign = tvm_ffi.from_dlpack(row)  # expect: dlpack numpy>tvm_ffi 48
    seen = np.from_dlpack(foreign)  # expect: dlpack tvm_ffi>numpy 48 shared
    device = jax.dlpack.from_dlpack(tensor, copy=True)  # expect: dlpack torch>jaxlib 48 copied
    same = jnp.asarray(device)
    back = np.from_dlpack(same)  # expect: dlpack jaxlib>numpy 48 shared
    digest.update(seen)  # expect: buffer numpy>python 48
    check = zlib.crc32(back)  # expect: buffer numpy>python 48
    total += float(back.sum() + both.sum() + listed.sum() + nested.sum() + mixed.sum() + wide.sum().item())
    total += limits.sum() + scaled.sum() + stacked.sum() + pairs.sum() + len(names) + again.sum() + check
print(total, digest.hexdigest())
