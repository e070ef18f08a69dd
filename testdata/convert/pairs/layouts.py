# SPDX-License-Identifier: MIT
"""Layouts that a seed draws."""


def draw(rng, most):
    """As many dimensions as a key of most, which says how long each may be; strides of any sign and order with gaps,
    or 0: shape, strides in elements, and the first element."""
    n_dims = rng.randint(min(most), max(most))
    shape = tuple(rng.randint(1, most[n_dims]) for _ in range(n_dims))
    strides, stride, offset = [0] * n_dims, 1, rng.randint(0, 5)
    for dim in rng.sample(range(n_dims), n_dims):
        stride += rng.choice((0, 0, 1, 3))
        strides[dim] = rng.choice((1, 1, 1, -1, 0)) * stride
        offset += max(0, -strides[dim]) * (shape[dim] - 1)
        stride *= shape[dim]
    return shape, tuple(strides), offset
