"""Copies with the text of a fix that suai trace states for them ("# fix: TEXT"), each followed by the same line with that fix, which copies nothing ("# fixed")."""
import array

import numpy as np

N = 4096
doubles = np.arange(float(N)).reshape(64, 64)


class Exporter:
    """Exports by DLPack only."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def numpy_fixes():
    samples = array.array("d", range(N))
    np.array(samples)  # fix: call numpy.asarray(a), without copy=True
    np.asarray(samples)  # fixed
    np.from_dlpack(doubles, copy=True)  # fix: drop copy=True
    np.from_dlpack(doubles)  # fixed
    np.asarray(samples, dtype="f4")  # fix: create the array with the type that the consumer uses, such as numpy.zeros(n, dtype='float32')
    np.asarray(array.array("f", range(N)), dtype="f4")  # fixed


def scipy_fixes():
    import scipy.linalg
    import scipy.linalg.lapack

    scipy.linalg.lapack.dgetrf(np.eye(64, order="F"))  # fix: use the argument of the function that avoids the copy, such as overwrite_a=True
    scipy.linalg.lapack.dgetrf(np.eye(64, order="F"), overwrite_a=True)  # fixed
    scipy.linalg.lapack.dgetrf(np.eye(64) + 1, overwrite_a=True)  # fix: numpy.asfortranarray(a) for Fortran code such as LAPACK
    scipy.linalg.lapack.dgetrf(np.asfortranarray(np.eye(64)), overwrite_a=True)  # fixed
    scipy.linalg.lapack.dgetrf(np.eye(64, dtype="f4", order="F"), overwrite_a=True)  # fix: create the array with the type that the consumer uses, such as numpy.zeros(n, dtype='float64')
    scipy.linalg.lapack.dgetrf(np.eye(64, dtype="f8", order="F"), overwrite_a=True)  # fixed
    swapped = np.eye(64, dtype=">f8", order="F")
    scipy.linalg.lapack.dgetrf(swapped, overwrite_a=True)  # fix: a = a.astype(a.dtype.newbyteorder('='))
    native = swapped.astype(swapped.dtype.newbyteorder("="))
    scipy.linalg.lapack.dgetrf(native, overwrite_a=True)  # fixed
    offset = np.frombuffer(bytes(64 * 8 + 1), "f8", offset=1)
    scipy.linalg.blas.dasum(offset)  # fix: a = numpy.require(a, requirements='A')
    scipy.linalg.blas.dasum(np.require(offset, requirements="A"))  # fixed


def jax_fixes():
    import jax
    import jax.numpy as jnp

    def aligned(dtype, shape):
        nbytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
        m = np.zeros(nbytes + 64, "u1")
        return m[-m.ctypes.data % 64:][:nbytes].view(dtype).reshape(shape)

    singles = aligned("f4", (64, 64))
    jnp.array(singles)  # fix: call jax.device_put(a) or jax.numpy.from_dlpack(a)
    jax.device_put(singles)  # fixed
    jnp.from_dlpack(singles)  # fixed
    memory = np.zeros(singles.nbytes + 128, "u1")
    memory = memory[-memory.ctypes.data % 64 + 16:][:singles.nbytes].view("f4").reshape(64, 64)
    jax.device_put(memory)  # fix: create the array in aligned memory
    jax.device_put(singles)  # fixed
    doubles = aligned("f8", (64, 64))
    jax.device_put(doubles)  # fix: create the array with the type that the consumer uses, such as numpy.zeros(n, dtype='float32')
    jax.device_put(aligned("f4", (64, 64)))  # fixed
    jax.device_put(singles.T)  # fix: a = numpy.ascontiguousarray(a)
    ordered = aligned("f4", (64, 64))
    ordered[:] = np.ascontiguousarray(singles.T)
    jax.device_put(ordered)  # fixed
    result = jnp.ones((64, 64), "float32")
    np.asarray(result, dtype="f8")  # fix: create the array in jaxlib with the type that the consumer uses, such as float64, instead of converting it at each call; or leave out the argument dtype of the call
    np.asarray(result)  # fixed
    np.asarray(jnp.ones((64, 64), "int32"), dtype="i4")  # fixed
    jnp.array([singles, singles])  # fix: compute the items in one array, and pass that
    both = aligned("f4", (2, 64, 64))
    np.add(singles, 1, out=both[0])
    np.add(singles, 2, out=both[1])
    jax.device_put(both)  # fixed
    jax.device_put(doubles)  # fix: jax.config.update('jax_enable_x64', True)
    jax.config.update("jax_enable_x64", True)
    jax.device_put(doubles)  # fixed
    jax.config.update("jax_enable_x64", False)
    exported = jnp.ones(N)
    np.from_dlpack(exported, copy=True)  # fix: call numpy.asarray(a), without copy=True
    np.asarray(exported)  # fixed
    np.array(exported)  # fix: call numpy.asarray(a), without copy=True
    np.asarray(exported)  # fixed


def torch_fixes():
    import torch

    torch.tensor(doubles)  # fix: call torch.from_numpy(a) or torch.as_tensor(a)
    torch.from_numpy(doubles)  # fixed
    torch.as_tensor(doubles)  # fixed
    torch.as_tensor(doubles, dtype=torch.float32)  # fix: create the array with the type that the consumer uses, such as numpy.zeros(n, dtype='float32')
    torch.as_tensor(np.zeros(N, dtype="float32"), dtype=torch.float32)  # fixed
    torch.asarray(doubles, copy=True)  # fix: call torch.from_numpy(a)
    torch.asarray(doubles)  # fixed
    torch.tensor((doubles[0], doubles[1]))  # fix: compute the items in one array, and pass that
    both = np.empty((2, 64))
    np.add(doubles[0], 1, out=both[0])
    np.add(doubles[1], 1, out=both[1])
    torch.from_numpy(both)  # fixed
    torch.from_dlpack(doubles, copy=True)  # fix: drop copy=True
    torch.from_dlpack(doubles)  # fixed
    np.from_dlpack(torch.ones(9), copy=True)  # fix: drop copy=True
    np.from_dlpack(torch.ones(9))  # fixed
    torch.tensor(Exporter(doubles))  # fix: call torch.from_numpy(a) or torch.as_tensor(a)
    torch.as_tensor(Exporter(doubles))  # fixed


def pandas_fixes():
    import pandas as pd

    pd.DataFrame(doubles)  # fix: pass copy=False, as in pandas.DataFrame(a, copy=False)
    pd.DataFrame(doubles, copy=False)  # fixed


def pillow_fixes():
    from PIL import Image

    image = Image.new("L", (64, 64))
    for i in range(5):
        np.asarray(image)  # fix: read the interface once, and keep the array that results
    values = image.__array_interface__
    once = np.frombuffer(values["data"], values["typestr"])  # fixed


def sklearn_fixes():
    from sklearn.utils import check_array

    check_array(doubles, copy=True)  # fix: copy=False
    check_array(doubles)  # fixed
    check_array(doubles, dtype="f4")  # fix: create the array with the type that the consumer uses, such as numpy.zeros(n, dtype='float32')
    check_array(doubles.astype("f4"), dtype="f4")  # fixed
    check_array(doubles, order="F")  # fix: numpy.asfortranarray(a)
    check_array(np.asfortranarray(doubles), order="F")  # fixed


for fixes in numpy_fixes, scipy_fixes, jax_fixes, torch_fixes, pandas_fixes, pillow_fixes, sklearn_fixes:
    try:
        fixes()
    except ModuleNotFoundError as error:
        print("skipped:", error)
