# SPDX-License-Identifier: MIT
"""The cost of suai's module, for docs/python.md: PYTHONPATH=python python3 testdata/bench/module.py

It measures a NumPy array, or without NumPy one of the module array.
"""

import array
import resource
import time

import suai

ROUNDS = 500


def processor_ms():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used) * 1000


def measure(text, function):
    function()
    begun_ms, began_s = processor_ms(), time.perf_counter()
    for _ in range(ROUNDS):
        function()
    used_ms = (processor_ms() - begun_ms) / ROUNDS
    wall_ms = (time.perf_counter() - began_s) * 1000 / ROUNDS
    print(f"| `{text}` | {used_ms:.1f} ms | {wall_ms:.1f} ms |", flush=True)


try:
    import numpy

    a = numpy.zeros((3, 4))
except ImportError:
    a = array.array("d", range(12))
print("| call | processor time | time |\n|---|---|---|")
measure("suai.capture(a, isolate=False)", lambda: suai.capture(a, isolate=False))
measure("suai.capture(a)", lambda: suai.capture(a))
measure("suai.check(a, isolate=False)", lambda: suai.check(a, isolate=False))
measure("suai.check(a)", lambda: suai.check(a))
for isolate in False, None:
    begun_ms, began_s = processor_ms(), time.perf_counter()
    assert suai.validate([suai.capture(a, isolate=isolate) for _ in range(1000)]).ok
    used_ms, wall_ms = processor_ms() - begun_ms, (time.perf_counter() - began_s) * 1000
    option = ", isolate=False" if isolate is False else ""
    print(f"| `suai.validate([suai.capture(a{option}) for ...])`, each of 1,000 | {used_ms / 1000:.1f} ms | {wall_ms / 1000:.1f} ms |")
