"""Training data: NumPy arrays that PyTorch's loader collates, memory of the standard library, functions of TVM FFI.

The expectations were written from the documentation and the sources of the libraries, before this program was traced and
without knowledge of the layer for DLPack's exchange API.
"""
import array
import mmap

import numpy as np
import torch  # expect: any
import tvm_ffi  # expect: any
from torch.utils.data import DataLoader, Dataset, default_collate  # expect: any

ITEMS, BATCH, WIDTH = 64, 8, 300


class Recordings(Dataset):
    """Items of two arrays and a number, as most data sets return."""

    def __init__(self):
        self.values = np.sin(np.arange(ITEMS * WIDTH, dtype="f4")).reshape(ITEMS, WIDTH)
        self.labels = np.arange(ITEMS * 4).reshape(ITEMS, 4)

    def __len__(self):
        return ITEMS

    def __getitem__(self, i):
        return self.values[i], self.labels[i], float(i)


def load(recordings):
    n_seen = 0
    # Each array of an item becomes a tensor that shares it, before the batch is stacked.
    for values, labels, numbers in DataLoader(recordings, batch_size=BATCH):  # expect: numpy-api numpy>torch 128 shared
        assert values.shape == (BATCH, WIDTH) and labels.dtype == torch.int64 and numbers.dtype == torch.float64
        n_seen += len(numbers)
    return n_seen


def collate(recordings):
    pairs = [{"values": recordings[i][0], "reversed": recordings[i][0][::2]} for i in range(ITEMS)]
    return default_collate(pairs)  # expect: numpy-api numpy>torch 128 shared


def convert(row):
    shared = torch.from_numpy(row)  # expect: numpy-api numpy>torch 64 shared
    own = torch.tensor(row)  # expect: numpy-api numpy>torch 64 copied
    wide = torch.as_tensor(row, dtype=torch.float64)  # expect: numpy-api numpy>torch 64 copied
    passed = torch.from_dlpack(row)  # expect: dlpack numpy>torch 64 shared
    back = np.from_dlpack(passed)  # expect: dlpack torch>numpy 64 shared
    capsule = torch.utils.dlpack.to_dlpack(shared)
    again = torch.utils.dlpack.from_dlpack(capsule)  # expect: dlpack torch>torch 64 shared
    assert np.shares_memory(back, row) and own.shape == wide.shape == again.shape
    return shared


def read_buffers(mapped, samples):
    page = torch.frombuffer(mapped, dtype=torch.float32)  # expect: buffer python>torch 64 shared
    values = torch.asarray(samples)  # expect: buffer python>torch 64 shared
    return float(page.sum()) + float(values[1])


# TVM FFI calls functions of Python with its own tensors, unless they ask for those of PyTorch.
identity = tvm_ffi.convert(lambda tensor: tensor)
doubled = tvm_ffi.convert_func(lambda tensor: tensor * 2, tensor_cls=torch.Tensor)


def call(tensor, row):
    # PyTorch's exchange API converts the argument and the result.
    returned = identity(tensor)  # expect: dlpack-api torch>tvm_ffi 64; dlpack-api tvm_ffi>torch 64
    # The same for the call, and again for the function.
    twice = doubled(tensor)  # expect: dlpack-api torch>tvm_ffi 128; dlpack-api tvm_ffi>torch 128
    # NumPy has none: a capsule for the argument, and a tensor of TVM FFI as the result.
    foreign = identity(row)  # expect: dlpack numpy>tvm_ffi 64
    # A call with both.
    both = tvm_ffi.convert([tensor, row])  # expect: dlpack-api torch>tvm_ffi 64; dlpack numpy>tvm_ffi 64
    own = tvm_ffi.from_dlpack(tensor)  # expect: dlpack-api torch>tvm_ffi 64
    view = torch.from_dlpack(own)  # expect: dlpack tvm_ffi>torch 64 shared
    seen = np.from_dlpack(foreign)  # expect: dlpack tvm_ffi>numpy 64 shared
    assert returned.data_ptr() == view.data_ptr() == tensor.data_ptr() and np.shares_memory(seen, row)
    return type(returned), type(twice), len(both)


recordings = Recordings()
assert load(recordings) == ITEMS
batch = collate(recordings)
mapped = mmap.mmap(-1, 4096)
samples = array.array("f", range(WIDTH))
total, types = 0.0, set()
for row in recordings.values:
    tensor = convert(row)
    total += read_buffers(mapped, samples)
    types.add(call(tensor, row))
print(batch["values"].shape, batch["reversed"].shape, total, [(t.__name__, u.__name__, n) for t, u, n in types])
