# SPDX-License-Identifier: MIT
"""array-api-strict: each element type in each view, for each edition and on each of its devices."""

import warnings

import array_api_strict as xp
import numpy as np
from views import views

warnings.simplefilter("ignore")

DTYPES = list(xp.__array_namespace_info__().dtypes().values())
EDITIONS = ["2021.12", "2022.12", "2023.12", "2024.12", "2025.12"]


def frozen():
    base = np.arange(12.0).reshape(3, 4)
    base.flags.writeable = False
    return base


def make():
    for dtype in DTYPES:
        base = xp.reshape(xp.astype(xp.arange(12), dtype), (3, 4))
        name = str(dtype).split(".")[-1]
        yield from views(name, base)
        yield name + "_broadcast", xp.broadcast_to(base[0, :], (5, 4))
        yield name + "_permuted", xp.permute_dims(xp.reshape(base, (3, 2, 2)), (2, 0, 1))
        yield name + "_unit", xp.asarray(1, dtype=dtype)
    yield "readonly", xp.asarray(frozen(), copy=False)
    for device in xp.__array_namespace_info__().devices():
        name = str(device).split("'")[1]
        yield name, xp.ones((2, 3), dtype=xp.float32, device=device)
        yield name + "_int", xp.ones((2, 3), dtype=xp.int32, device=device)


globals().update(make())
