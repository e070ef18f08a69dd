# SPDX-License-Identifier: MIT
"""array-api-strict: arrays for --calls and --lifetime."""

import array_api_strict as xp


def plain():
    return xp.reshape(xp.arange(12, dtype=xp.float64), (3, 4))


def view():
    return plain()[1:, ::2]


def zero_d():
    return xp.asarray(1.5)


def empty():
    return xp.zeros((0, 3))


def broadcast():
    return xp.broadcast_to(xp.arange(3), (4, 3))


def elsewhere():
    return xp.asarray([1.0], device=xp.Device("device1"))
