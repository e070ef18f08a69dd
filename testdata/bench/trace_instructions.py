"""How many instructions suai trace adds to calls that are not exchanges, by callgrind: unlike times, they do not depend on what else runs. Exits
with 1 if a call has more than its limit.

Usage: trace_instructions.py [NAME...]   (SUAI: the program; needs valgrind, a C compiler and NumPy)"""

import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROUNDS = 400
# Name: limit of instructions, setup, call.
CALLS = {
    "np.array(list)": (76, "x = [1.0, 2.0, 3.0, 4.0]", "np.array(x)"),
    "np.array(array)": (42, "x = np.arange(4.0)", "np.array(x)"),
    "np.array(array, dtype)": (55, "x = np.arange(4.0)", "np.array(x, dtype=np.float32)"),
    "np.array(list of 20)": (128, "x = [1.0] * 20", "np.array(x)"),
    "np.array(array) in exec()": (42, "x = np.arange(4.0)", "np.array(x)"),
    "np.asarray(array)": (14, "x = np.arange(4.0)", "np.asarray(x)"),
    "np.asarray(scalar)": (26, "x = 1.0", "np.asarray(x)"),
    "np.ascontiguousarray(array)": (42, "x = np.zeros((4, 4)).T", "np.ascontiguousarray(x)"),
    "np.copy(array)": (60, "x = np.arange(4.0)", "np.copy(x)"),
    "np.sum(array)": (40, "x = np.arange(4.0)", "np.sum(x)"),
    "np.sum(array), without the GIL": (40, "x = np.arange(4000.0)", "np.sum(x)"),
    "astype": (20, "x = np.arange(4.0)", "x.astype('f4')"),
    "array.shape": (20, "x = np.arange(4.0)", "x.shape"),
    "memoryview(array)": (20, "x = np.arange(4.0)", "memoryview(x)"),
    "memoryview(bytes)": (20, "x = bytes(100)", "memoryview(x)"),
    "hashlib.sha256(bytes)": (46, "import hashlib; x = bytes(100)", "hashlib.sha256(x)"),
    "zlib.crc32(bytes)": (60, "import zlib; x = bytes(100)", "zlib.crc32(x)"),
    "struct.pack": (60, "import struct; x = struct.Struct('4d')", "x.pack(1.0, 2.0, 3.0, 4.0)"),
    "pickle.dumps(list)": (60, "import pickle; x = [1.0, 2.0]", "pickle.dumps(x)"),
}
# From CPython 3.14 on, arguments are on the native stack, so that the calls between Python code and the function are compared.
LIMITS_OF_NATIVE_STACK = {"np.array(array)": 70, "np.array(array, dtype)": 92, "np.array(array) in exec()": 70, "np.ascontiguousarray(array)": 70, "np.copy(array)": 92}


def limit(name):
    return LIMITS_OF_NATIVE_STACK.get(name, CALLS[name][0]) if sys.version_info >= (3, 14) else CALLS[name][0]


def program(names, library):
    mark = ctypes.CDLL(library).mark
    import numpy as np

    for name in names:
        _, setup, call = CALLS[name]
        space = globals()
        if name.endswith("in exec()"):
            space = space.copy()
        space["np"] = np
        exec(setup + "\ndef repeat(n):\n    for _ in range(n): " + call, space)
        space["repeat"](50)
        for n, label in (0, "before"), (ROUNDS, name + " once"), (3 * ROUNDS, name):
            space["repeat"](n)
            mark(label.encode())


def count(prefix, names, library):
    """Instructions of each call."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*prefix, "valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", sys.executable, __file__, "--program", library, *names]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "0"}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        dumps = [path.read_text() for path in pathlib.Path(folder).iterdir()]
    counts = {}
    for text in dumps:
        named = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
        if named:
            counts[named[1]] = int(re.search(r"^(?:totals|summary): (\d+)", text, re.M)[1])
    # The difference, so that neither the marks nor the start of a loop count.
    return {name: (counts[name] - counts[name + " once"]) / (2 * ROUNDS) for name in names}


def main():
    names = sys.argv[1:] or list(CALLS)
    suai = os.environ.get("SUAI", "./suai")
    with tempfile.TemporaryDirectory() as folder:
        source, library = f"{folder}/mark.c", f"{folder}/mark.so"
        pathlib.Path(source).write_text("#include <valgrind/callgrind.h>\nvoid mark(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }\n")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
        plain = count([], names, library)
        traced = count([suai, "trace", "-q", "-o", "/dev/null", "--"], names, library)
    print("| instructions of a call | plain | added by suai trace | limit |\n|---|---|---|---|")
    for name in names:
        print("| %s | %.0f | %.0f | %d |" % (name, plain[name], traced[name] - plain[name], limit(name)))
    sys.exit(any(traced[name] - plain[name] > limit(name) for name in names))


if sys.argv[1:2] == ["--program"]:
    program(sys.argv[3:], sys.argv[2])
else:
    main()
