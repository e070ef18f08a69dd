# SPDX-License-Identifier: MIT
"""ttc_choices.py KERNEL_CHOICES: how each of TTC's 57 transpositions is copied on a device, for five types, with whole
extents as tools/bench-cuda measures them: a line "TYPE AXES of SHAPE: KERNEL, N launches (N with few arguments)"."""
import subprocess
import sys

import layouts


def line(name, typestr, shape, axes):
    item_bytes = layouts.ITEM_BYTES[typestr]
    strides, step = [], item_bytes
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= extent
    numbers = [item_bytes, len(shape), *(shape[axis] for axis in axes), *(strides[axis] for axis in axes)]
    return " ".join([name.replace(" ", "_"), *map(str, numbers)])


class Axes:
    """Records what a view of it is."""

    def transpose(self, axes):
        return axes


rows = layouts.ttc(["u1", "u2", "f4", "f8", "c16"], lambda typestr: layouts.ITEM_BYTES[typestr] / 4)
lines = [line(name, typestr, shape, view(Axes())) for name, (typestr, shape, view) in rows.items()]
ran = subprocess.run([sys.argv[1]], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
print(ran.stdout.replace("_", " ").replace(" small", "_small"), end="")
