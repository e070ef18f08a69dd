# SPDX-License-Identifier: MIT
"""Arrays of widely used libraries: with all work done, on the default stream and on their own current, non-blocking
stream; and late ones, whose elements a kernel writes a second after they are created."""

import os

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
N = 4096


def cupy_default():
    import cupy

    return cupy.arange(N, dtype="f4")


def cupy_own():
    import cupy

    cupy.cuda.Stream(non_blocking=True).use()
    return cupy.arange(N, dtype="f4")


def _spin():
    """A kernel that writes 7 after n cycles, launched once."""
    import cupy

    spin = cupy.RawKernel(
        'extern "C" __global__ void spin(long long n, float *x) { long long t = clock64(); while (clock64() - t < n) {}'
        " x[threadIdx.x] = 7; }", "spin")
    spin((1,), (64,), (1, cupy.zeros(64, "f4")))
    cupy.cuda.Device().synchronize()
    return spin


LATE = 2_000_000_000  # cycles, more than a second


def cupy_late():
    import cupy

    spin, a = _spin(), cupy.zeros(64, "f4")
    cupy.cuda.Device().synchronize()
    cupy.cuda.Stream(non_blocking=True).use()
    spin((1,), (64,), (LATE, a))
    return a


def torch_default():
    import torch

    return torch.arange(N, dtype=torch.float32, device="cuda")


def torch_own():
    import torch

    torch.cuda.set_stream(torch.cuda.Stream())
    return torch.arange(N, dtype=torch.float32, device="cuda")


def torch_late():
    import torch

    a = torch.zeros(64, device="cuda")
    a.fill_(1)
    torch.cuda.synchronize()
    torch.cuda.set_stream(torch.cuda.Stream())
    torch.cuda._sleep(LATE)
    return a.fill_(7)


def jax_default():
    import jax.numpy as jnp

    return jnp.arange(N, dtype="f4")


def jax_late():
    import time

    import jax
    import jax.numpy as jnp

    @jax.jit
    def work(x, last):
        y = jax.lax.fori_loop(0, 600, lambda i, y: jnp.tanh(x @ y), x)
        return jnp.where(jnp.arange(N) < 1e9 + y[0, 0], last, 0)

    x = jnp.full((N, N), 1e-4)
    for last in 1.0, 2.0:
        begin = time.monotonic()
        work(x, last).block_until_ready()
    print(f"JAX works for {time.monotonic() - begin:.3f} s")
    return work(x, 7.0)


def numba_default():
    import numba.cuda
    import numpy

    return numba.cuda.to_device(numpy.arange(N, dtype="f4"))


def numba_own():
    import numba.cuda
    import numpy

    return numba.cuda.to_device(numpy.arange(N, dtype="f4"), stream=numba.cuda.stream())


def numba_late():
    """Its kernel is CuPy's, on Numba's stream: only what the array reports matters."""
    import cupy
    import numba.cuda
    import numpy

    stream = numba.cuda.stream()
    spin, a = _spin(), numba.cuda.to_device(numpy.zeros(64, "f4"), stream=stream)
    stream.synchronize()
    with cupy.cuda.ExternalStream(int(stream)):
        spin((1,), (64,), (LATE, cupy.asarray(a)))
    return a


def numba_late_default():
    import cupy
    import numba.cuda
    import numpy

    spin, a = _spin(), numba.cuda.to_device(numpy.zeros(64, "f4"))
    numba.cuda.synchronize()
    spin((1,), (64,), (LATE, cupy.asarray(a)))
    return a
