# SPDX-License-Identifier: MIT
"""Random layouts."""


def draw(rng, most):
    """A random layout: shape, strides in elements, and the first element. most maps numbers of dimensions to their maximum
    length; strides are 0, or have any sign and order with gaps."""
    n_dims = rng.randint(min(most), max(most))
    shape = tuple(rng.randint(1, most[n_dims]) for _ in range(n_dims))
    strides, stride, offset = [0] * n_dims, 1, rng.randint(0, 5)
    for dim in rng.sample(range(n_dims), n_dims):
        stride += rng.choice((0, 0, 1, 3))
        strides[dim] = rng.choice((1, 1, 1, -1, 0)) * stride
        offset += max(0, -strides[dim]) * (shape[dim] - 1)
        stride *= shape[dim]
    return shape, tuple(strides), offset
