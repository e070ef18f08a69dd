"""ray_array.py RECIPE: runs it on an array of nine blocks, of which seven have faults, and which lacks a row."""

import sys
import time

import numpy as np
import ray

import faults

recipe = compile(open(sys.argv[1]).read(), sys.argv[1], "exec")


class array:
    shape, chunks, dtype, name = (13, 9), ((4, 4, 4), (3, 3, 3)), np.dtype("f4"), "x"


FAULTS = faults.place_faults((i // 3, i % 3) for i in range(9))


def make_block(index):
    return faults.make_block((4, 3), FAULTS.get(index))


ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
began = time.perf_counter()
exec(recipe)
n_bytes = sum(map(len, ray.get(captures)))
print(f"ray: {(time.perf_counter() - began) / 9 * 1e3:.0f} ms, mostly to start an actor, and {n_bytes // 9} bytes per piece")
faults.check(report, "x", FAULTS, [("x", "PCS306")])
