# SPDX-License-Identifier: MIT
"""ml_dtypes: arrays and a scalar for --calls and --lifetime."""

import ml_dtypes
import numpy as np


def bfloat16():
    return np.ones((2, 3), ml_dtypes.bfloat16)


def bfloat16_reversed():
    return bfloat16()[::-1]


def float8():
    return np.ones(3, ml_dtypes.float8_e4m3fn)


def int4():
    return np.ones(3, ml_dtypes.int4)


def scalar():
    return ml_dtypes.bfloat16(1.5)
