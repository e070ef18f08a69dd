"""Time and memory of suai for inputs that grow tenfold, as a Markdown table for docs/reliability.md.

Usage: load.py [--suai PROGRAM] [--only WORD]. Seconds are processor time of all processes (user and system), on which other
load has little effect; memory is the largest resident size of one process.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ARRAYS = """import numpy as np
for i in range({n}):
    globals()[f"a{{i}}"] = np.zeros(4)
"""
KEYS = """import numpy as np
array = np.zeros(4)
d = {{f"k{{i}}": array for i in range({n})}}
"""
SPARSE = """import mmap, tempfile
import numpy as np
file = tempfile.TemporaryFile()
file.truncate({n})
a = np.frombuffer(mmap.mmap(file.fileno(), {n}), "u1")
"""
OUTPUT = """import numpy as np
a = np.zeros(4)
for _ in range({n} // 1000):
    print("x" * 999)
"""
DIMENSIONS = """import numpy as np
a = np.zeros((1,) * {n})
"""

# Title, sizes, script, arguments after the script; "{i}" stands for each number below the size.
CASES = [
    ("arrays in a module, `validate`", (1_000, 10_000, 100_000), ARRAYS, ["validate", "{file}"]),
    ("arrays as targets of `validate`", (100, 1_000, 10_000), ARRAYS, ["validate", "{file}:a{i}"]),
    ("keys of a dictionary, `inspect`", (10_000, 100_000, 1_000_000), KEYS, ["inspect", "{file}:d"]),
    ("dimensions, `inspect`", (1, 8, 64), DIMENSIONS, ["inspect", "{file}:a"]),
    ("bytes of a sparse mapping, `validate`", (1 << 30, 1 << 35, 1 << 40), SPARSE, ["validate", "{file}"]),
    ("bytes of a sparse mapping, `inspect --values`", (1 << 30, 1 << 35, 1 << 40), SPARSE, ["inspect", "--values", "{file}:a"]),
    ("bytes that the script prints, `validate`", (2 << 20, 64 << 20, 2 << 30), OUTPUT, ["validate", "{file}"]),
]


def measure(command):
    """Processor seconds, seconds and MiB of a command and its processes, which has to succeed."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"load.py: exit status {process.returncode}: {' '.join(command[:4])}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss / 1024


def arguments_of(words, file, n):
    found = []
    for word in words:
        word = word.replace("{file}", str(file))
        found += [word.replace("{i}", str(i)) for i in range(n)] if "{i}" in word else [word]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suai", default="./suai")
    parser.add_argument("--only", default="", help="a word of the title")
    options = parser.parse_args()
    print("| input | size | processor s | s | MiB |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory) / "load.py"
        for title, sizes, script, words in CASES:
            if options.only not in title:
                continue
            for n in sizes:
                file.write_text(script.format(n=n))
                used, elapsed, size = measure([options.suai, *arguments_of(words, file, n)])
                print(f"| {title} | {n:,} | {used:.2f} | {elapsed:.1f} | {size:.0f} |", flush=True)


main()
