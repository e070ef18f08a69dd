"""Functions that PyTorch, pandas, Numba and xarray call: hooks of tensors, data loaders, windows, and blocks of Python in compiled code.

The expectations were written from the documentation of the libraries, before this program was traced.
"""
import array

import numpy as np
import numba  # expect: any
import pandas as pd  # expect: any
import torch  # expect: any
import xarray as xr  # expect: any

ROUNDS, N = 16, 32
buffers = [array.array("d", range(i, i + N)) for i in range(ROUNDS)]


class Records(torch.utils.data.Dataset):
    """Samples of which the loader makes tensors, or that are tensors already."""

    def __init__(self, as_tensors):
        self.as_tensors = as_tensors

    def __len__(self):
        return ROUNDS

    def __getitem__(self, i):
        if self.as_tensors:
            return torch.frombuffer(buffers[i], dtype=torch.float64)  # expect: buffer python>torch 16 shared
        return np.frombuffer(buffers[i])  # expect: buffer python>numpy 16 shared


def collate(samples):
    return [np.from_dlpack(sample) for sample in samples]  # expect: dlpack torch>numpy 16 shared


total = 0.0
for batch in torch.utils.data.DataLoader(Records(False), batch_size=4):  # expect: numpy-api numpy>torch 16 shared
    total += float(batch.sum())
for batch in torch.utils.data.DataLoader(Records(True), batch_size=4, collate_fn=collate):
    total += sum(view[0] for view in batch)
print("loaders", total)


class Scale(torch.autograd.Function):
    """Computes with NumPy in both directions."""

    @staticmethod
    def forward(context, x):
        return torch.from_numpy(np.from_dlpack(x.detach()) * 2)  # expect: dlpack torch>numpy 16 shared; numpy-api numpy>torch 16 shared

    @staticmethod
    def backward(context, gradient):
        return torch.from_dlpack(np.from_dlpack(gradient.contiguous()) * 3)  # expect: dlpack torch>numpy 16 shared; dlpack numpy>torch 16 shared


seen = []


def on_gradient(gradient):
    seen.append(np.from_dlpack(gradient)[0])  # expect: dlpack torch>numpy 16 shared


def pack(tensor):
    return np.from_dlpack(tensor.detach())  # expect: dlpack torch>numpy 16 shared


def unpack(values):
    return torch.as_tensor(values)  # expect: numpy-api numpy>torch 16 shared


total = 0.0
for raw in buffers:
    x = torch.frombuffer(raw, dtype=torch.float64).clone().requires_grad_()  # expect: buffer python>torch 16 shared
    x.register_hook(on_gradient)
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = Scale.apply(x).exp()
    (y * 0.5).sum().backward()
    total += float(x.grad[0])
print("gradients", np.isfinite(total), len(seen))

model = torch.nn.Identity()
model.register_forward_hook(lambda module, arguments, result: seen.append(np.from_dlpack(result)[0]))  # expect: dlpack torch>numpy 16 shared
for raw in buffers:
    model(torch.tensor(np.frombuffer(raw)))  # expect: buffer python>numpy 16 shared; numpy-api numpy>torch 16 copied
print("modules", len(seen))


# Windows and columns of pandas.
def first_of(values):
    return np.from_dlpack(values)[0]  # expect: dlpack numpy>numpy 29 shared


def range_of(column):
    values = column.to_numpy(copy=True)
    return float(np.ptp(np.from_dlpack(values)))  # expect: dlpack numpy>numpy 4 shared


def second_of(i):
    return np.frombuffer(buffers[i])[1]  # expect: buffer python>numpy 16 shared


# The compiled code of pandas requests buffers of its own arrays.
series = pd.Series(np.arange(float(N)))  # expect: any
rolled = series.rolling(4).apply(first_of, raw=True)  # expect: any
frame = pd.DataFrame({name: np.arange(float(N)) + i for i, name in enumerate("abcd")})  # expect: any
ranges = frame.apply(range_of, axis=0)  # expect: any
mapped = pd.Series(range(ROUNDS)).map(second_of)  # expect: any
print("pandas", rolled.sum(), ranges.sum(), mapped.sum())


# Python in compiled code, which has no frame.
@numba.njit
def compiled(i):
    with numba.objmode(y="f8"):
        y = read_in_python(i)
    return y + 1.0


def read_in_python(i):
    return float(np.frombuffer(buffers[i])[2])  # expect: buffer python>numpy 16 shared


total = sum(compiled(i) for i in range(ROUNDS))  # expect: any
print("numba", total)


# Functions that xarray applies to arrays.
def centre(values):
    own = np.from_dlpack(values, copy=True)  # expect: dlpack numpy>numpy 16 copied
    return own - own.mean()


total = 0.0
for raw in buffers:
    data = xr.DataArray(np.asarray(raw), dims="x")  # expect: buffer python>numpy 16 shared
    total += float(xr.apply_ufunc(centre, data)[-1])
print("xarray", total)
