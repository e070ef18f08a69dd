"""What suai trace costs: nanoseconds of processor time of a call with and without it, and with one layer less; start of programs. Runs
alternate.

Usage: trace.py [ROUNDS [STARTS]]   (rounds of calls, none with 0; starts of each program, 8 for each round unless stated)"""

import resource
import statistics
import subprocess
import sys

from paired_runs import in_turns, run

CALLS = """
import array, time, zlib
import dpctl.memory
import dpnp.tensor
import numpy as np
import scipy.linalg.lapack
import tvm_ffi
a, small, text, usm = np.arange(100.0), np.eye(4), bytes(100), dpnp.tensor.zeros(64, device="cpu")
for function, argument in (np.from_dlpack, a), (tvm_ffi.from_dlpack, a), (np.frombuffer, array.array("d", [1.0] * 100)), \\
        (scipy.linalg.lapack.dgetrf, small), (dpctl.memory.as_usm_memory, usm), (zlib.crc32, text), (np.sum, a), (np.array, a), (np.asarray, a), (np.array, [1.0, 2.0, 3.0, 4.0]), \\
        (np.asarray, 1.0):
    best = 1e9
    for _ in range(5):
        began = time.thread_time_ns()
        for _ in range(20000):
            function(argument)
        best = min(best, (time.thread_time_ns() - began) / 20000)
    print(best)
"""
LABELS = ["np.from_dlpack(x)", "tvm_ffi.from_dlpack(x)", "np.frombuffer(array)", "dgetrf(x), which copies", "dpctl.memory.as_usm_memory(x)", "zlib.crc32(100 bytes)", "np.sum(x)", "np.array(x)", "np.asarray(x)", "np.array(list)", "np.asarray(number)"]
TRACE = ["./suai", "trace", "-q", "-o", "/dev/null"]
COLUMNS = {
    "plain": [],
    "plain again": [],
    "traced": [*TRACE, "--"],
    "without lines": [*TRACE, "--without", "lines", "--"],
    "without results": [*TRACE, "--without", "results", "--"],
    "without attributes": [*TRACE, "--without", "attributes", "--"],
    "without deleters": [*TRACE, "--without", "deleters", "--"],
    "without all": [*TRACE, "--without", "capsules,deleters,buffers,lines,numpy-api,results,exchange-api,driver,attributes", "--"],
}
STARTS = {"python -c pass": "pass", "import numpy": "import numpy", "import numpy, scipy.linalg": "import numpy, scipy.linalg"}


def print_row(label, values, form):
    print("| %s | %s |" % (label, " | ".join(form % value for value in values)))


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def print_calls(rounds):
    lowest = {name: [1e9] * len(LABELS) for name in COLUMNS}
    for _ in range(rounds):
        for name, prefix in COLUMNS.items():
            done = subprocess.run([*prefix, sys.executable, "-c", CALLS], check=True, capture_output=True, text=True)
            lowest[name] = [min(a, float(b)) for a, b in zip(lowest[name], done.stdout.split())]
    print("| ns a call | %s |" % " | ".join(COLUMNS))
    print("|---|" + "---|" * len(COLUMNS))
    for i, label in enumerate(LABELS):
        print_row(label, [lowest[name][i] for name in COLUMNS], "%.1f")
    print()


def start_ms(label, prefix):
    """The processor time of a program and of what traces it. OpenBLAS starts no threads, whose time varies."""
    began = processor_seconds()
    run(label, prefix, [STARTS[label]])
    return 1e3 * (processor_seconds() - began)


def median_and_quartiles(values):
    low, median, high = statistics.quantiles(values)
    return "%.1f (%.1f to %.1f)" % (median, low, high)


def print_starts(count):
    print("| start: processor time in ms, median and quartiles of %d | without | with suai trace | difference | without, twice |" % count)
    print("|---|---|---|---|---|")
    for label in STARTS:
        first, traced, second = in_turns(count, [*TRACE, "--"], lambda prefix, label=label: start_ms(label, prefix))
        more = [b - (a + c) / 2 for a, b, c in zip(first, traced, second)]
        noise = [c - a for a, c in zip(first, second)]
        print_row(label, [median_and_quartiles(values) for values in (first + second, traced, more, noise)], "%s")


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    if rounds:
        print_calls(rounds)
    print_starts(int(sys.argv[2]) if len(sys.argv) > 2 else 8 * rounds)


if __name__ == "__main__":
    main()
