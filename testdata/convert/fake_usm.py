# SPDX-License-Identifier: MIT
"""USM of the fake dpctl that acts as that of a GPU: the host cannot read it at its address."""

import dpctl
import numpy as np


class Strided:
    """Every other float of rows 2 and 3 of 6 x 4, or the whole, through another layout."""

    def __init__(self, shape, strides, offset):
        self.array = dpctl.FakeArray(24)
        self.layout = dict(shape=shape, strides=strides, offset=offset)

    @property
    def __sycl_usm_array_interface__(self):
        return dict(self.array.__sycl_usm_array_interface__, **self.layout)

    def on_host(self):
        values = np.arange(24, dtype="f4")
        strides = [4 * s for s in self.layout["strides"]]
        return np.lib.stride_tricks.as_strided(
            values[self.layout["offset"]:], self.layout["shape"], strides
        )


dense = Strided((4, 6), (6, 1), 0)
strided = Strided((2, 2), (4, 2), 16)
backwards = Strided((3, 4), (-8, 2), 16)
scalar = Strided((), (), 5)
_sources = iter([dense, strided, backwards, scalar])


def check(new):
    got, want = np.asarray(new), next(_sources).on_host()
    assert got.shape == want.shape and (got == want).all(), (got, want)
    return got
