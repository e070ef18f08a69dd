"""A model server: requests of NumPy, PyTorch preprocesses, JAX computes, TVM FFI passes on, in threads. Written without knowledge of the tracer; corrected were
the exchange API, by which TVM FFI reads tensors of PyTorch, and the buffers of arrays of JAX."""
import threading
from concurrent.futures import ThreadPoolExecutor

import jax  # expect: any
import jax.numpy as jnp
import numpy as np
import torch  # expect: any
import tvm_ffi  # expect: any

jax.config.update("jax_platforms", "cpu")


def aligned(n, offset=0):
    raw = np.zeros(4 * n + 128, np.uint8)
    start = -raw.ctypes.data % 64 + offset
    return raw[start : start + 4 * n].view(np.float32)


def handle(request):
    t = torch.from_dlpack(request)  # expect: dlpack numpy>torch 80 shared
    f = tvm_ffi.from_dlpack(t)  # expect: dlpack-api torch>tvm_ffi 80
    n = np.from_dlpack(f)  # expect: dlpack tvm_ffi>numpy 80 shared
    return n


def main():
    a, b = aligned(2048), aligned(2048, 4)
    jnp.asarray(b)  # expect: any
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(handle, [a] * 40 + [b] * 40))
    results.clear()
    for i in range(41):
        j = jax.device_put(a)  # expect: numpy-api numpy>jaxlib 41 shared
    for i in range(42):
        j = jax.device_put(b)  # expect: numpy-api numpy>jaxlib 42 copied
    for i in range(43):
        j = jnp.from_dlpack(torch.from_numpy(a))  # expect: dlpack torch>jaxlib 43 shared; numpy-api numpy>torch 43 shared
    for i in range(44):
        t = torch.from_dlpack(j)  # expect: dlpack jaxlib>torch 44 shared
    for i in range(45):
        n = np.asarray(j)  # expect: buffer jaxlib>numpy 45 shared
    for i in range(46):
        n = np.from_dlpack(j)  # expect: dlpack jaxlib>numpy 46 shared
    for i in range(47):
        j2 = jnp.asarray(b)  # expect: numpy-api numpy>jaxlib 47 copied
    for i in range(48):
        f = tvm_ffi.from_dlpack(j)  # expect: dlpack jaxlib>tvm_ffi 48
    for i in range(49):
        t = torch.from_dlpack(f)  # expect: dlpack tvm_ffi>torch 49 shared
    for i in range(50):
        j3 = jax.device_put(np.ones(1000))  # expect: numpy-api numpy>jaxlib 50 copied
    print(len(results), n.shape)


main()
