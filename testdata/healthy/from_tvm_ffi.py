# SPDX-License-Identifier: MIT
"""tvm-ffi: tensors of each element type that NumPy and JAX can pass to it, in each view."""

import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import tvm_ffi  # noqa: E402
from views import views  # noqa: E402

NUMBERS = "?bBhHiIlLqQefdFD"
SMALL = "bfloat16 float8_e3m4 float8_e4m3 float8_e4m3fn float8_e5m2 float8_e8m0fnu".split()


def make():
    for code in NUMBERS:
        base = np.arange(12).astype(code).reshape(3, 4)
        for name, view in views(f"tensor_{code.replace('?', 'b1')}", base):
            yield name, tvm_ffi.from_dlpack(view)
        yield f"tensor_{code.replace('?', 'b1')}_fortran", tvm_ffi.from_dlpack(np.asfortranarray(base))
    for name in SMALL:
        yield "tensor_" + name, tvm_ffi.from_dlpack(jnp.zeros((3, 4), name))
    yield "tensor_unaligned", tvm_ffi.from_dlpack(np.zeros(97, "u1")[1:].view("f8"))
    yield "tensor_large", tvm_ffi.from_dlpack(np.ones((1 << 20) + 1)[1:])


globals().update(make())
