# SPDX-License-Identifier: MIT
"""Reversed arrays are exported with negative strides, which JAX and PyArrow refuse.

Library: numpy, apache-tvm-ffi, array-api-strict, dpnp
Clause: dlpack.h, version 1.3, DLTensor.strides (a signed number)
Hurts: who hands a reversed array to another library: it is legal, and yet refused; a copy has to be made first.
"""

import jax
import numpy
import pyarrow

for take in jax.dlpack.from_dlpack, pyarrow.Tensor.from_dlpack:
    try:
        take(numpy.arange(3.0)[::-1])
        raise AssertionError("taken")
    except (RuntimeError, ValueError) as error:
        assert "strid" in str(error)
