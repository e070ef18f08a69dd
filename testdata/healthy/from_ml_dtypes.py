# SPDX-License-Identifier: MIT
"""ml_dtypes: NumPy's arrays and scalars of each element type that it adds, in each view."""

import ml_dtypes
import numpy as np
from views import views

TYPES = {
    name: kind
    for name, kind in vars(ml_dtypes).items()
    if isinstance(kind, type) and issubclass(kind, np.generic)
}


def make():
    for name, kind in TYPES.items():
        base = np.zeros((3, 4), kind)
        yield from views(name, base)
        yield name + "_fortran", np.asfortranarray(base)
        yield name + "_broadcast", np.broadcast_to(base[0], (5, 4))
        frozen = base.copy()
        frozen.flags.writeable = False
        yield name + "_readonly", frozen
        if base.itemsize > 1:
            yield name + "_unaligned", np.zeros(base.nbytes + 1, "u1")[1:].view(kind)
        yield name + "_scalar", kind(0)
    yield "record", np.zeros(3, [("a", ml_dtypes.bfloat16), ("b", "i4"), ("c", ml_dtypes.float8_e5m2)])


globals().update(make())
