# SPDX-License-Identifier: MIT
"""array: each type code, full, empty, large."""

import array


def make():
    for code in array.typecodes:
        items = "abc" if code in "uw" else [1, 2, 3]
        yield "array_" + code, array.array(code, items)
        yield f"array_{code}_empty", array.array(code)
        yield f"array_{code}_one", array.array(code, items[:1])
        yield f"array_{code}_large", array.array(code, items[:1]) * 1_000_000


globals().update(make())
