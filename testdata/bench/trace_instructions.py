"""How many instructions suai trace adds to calls that are not exchanges, and to three that are, by callgrind: unlike times, they do not depend on
what else runs. Those of the other libraries depend on where memory is, in NumPy's loops for instance, so that those of suai's library are the
ones that a limit concerns. Exits with 1 if a call has more than its limit.

Usage: trace_instructions.py [NAME...]   (SUAI: the program; needs valgrind, a C compiler and NumPy)"""

import collections
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
    "np.array(list)": (27, "x = [1.0, 2.0, 3.0, 4.0]", "np.array(x)"),
    "np.array(list, dtype)": (30, "x = [1.0, 2.0, 3.0, 4.0]", "np.array(x, dtype=np.float32)"),
    "np.array(list of lists)": (80, "x = [[1.0, 2.0], [3.0, 4.0]]", "np.array(x)"),
    "np.array(array)": (31, "x = np.arange(4.0)", "np.array(x)"),
    "np.array(array, dtype)": (39, "x = np.arange(4.0)", "np.array(x, dtype=np.float32)"),
    "np.array(list of 20)": (27, "x = [1.0] * 20", "np.array(x)"),
    "np.array(array) in exec()": (31, "x = np.arange(4.0)", "np.array(x)"),
    "np.asarray(array, dtype)": (39, "x = np.arange(4.0)", "np.asarray(x, dtype=np.float64)"),
    "np.array(tuple)": (36, "x = (1.0, 2.0)", "np.array(x)"),
    "np.array(list of strings)": (27, "x = ['a', 'b']", "np.array(x)"),
    "np.array(list of arrays)": (80, "x = [np.arange(4.0)] * 2", "np.array(x)"),
    "np.array(list of tuples)": (80, "x = [(1.0, 2.0), (3.0, 4.0)]", "np.array(x)"),
    "np.array(list of None)": (27, "x = [None] * 4", "np.array(x)"),
    "np.asarray(array)": (10, "x = np.arange(4.0)", "np.asarray(x)"),
    "np.asarray(scalar)": (20, "x = 1.0", "np.asarray(x)"),
    "np.ascontiguousarray(array)": (31, "x = np.zeros((4, 4)).T", "np.ascontiguousarray(x)"),
    "np.copy(array)": (39, "x = np.arange(4.0)", "np.copy(x)"),
    "np.sum(array)": (16, "x = np.arange(4.0)", "np.sum(x)"),
    "np.sum(array), without the GIL": (16, "x = np.arange(4000.0)", "np.sum(x)"),
    "astype": (0, "x = np.arange(4.0)", "x.astype('f4')"),
    "array.shape": (0, "x = np.arange(4.0)", "x.shape"),
    "memoryview(array)": (0, "x = np.arange(4.0)", "memoryview(x)"),
    "memoryview(bytes)": (0, "x = bytes(100)", "memoryview(x)"),
    "hashlib.sha256(bytes)": (17, "import hashlib; x = bytes(100)", "hashlib.sha256(x)"),
    "zlib.crc32(bytes)": (17, "import zlib; x = bytes(100)", "zlib.crc32(x)"),
    "struct.pack": (0, "import struct; x = struct.Struct('4d')", "x.pack(1.0, 2.0, 3.0, 4.0)"),
    "pickle.dumps(list)": (0, "import pickle; x = [1.0, 2.0]", "pickle.dumps(x)"),
    # Exchanges.
    "np.from_dlpack(array)": (4200, "x = np.arange(4.0)", "np.from_dlpack(x)"),
    "np.from_dlpack(array) in exec()": (4600, "x = np.arange(4.0)", "np.from_dlpack(x)"),
    "np.frombuffer(array)": (3000, "import array; x = array.array('d', [1.0])", "np.frombuffer(x)"),
}
# From CPython 3.14 on, arguments are on the native stack, so that the calls between Python code and the function are compared.
LIMITS_OF_NATIVE_STACK = {"np.array(array)": 46, "np.array(array, dtype)": 54, "np.array(array) in exec()": 46, "np.ascontiguousarray(array)": 46, "np.asarray(array, dtype)": 54, "np.copy(array)": 54}


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


def instructions_by_object(text):
    """Instructions of the functions of each object file, without those that they call."""
    counts, names, current, is_call = collections.Counter(), {}, None, False
    for line in text.splitlines():
        found = re.match(r"(c?)ob=(\(\d+\))(?: (.*))?$", line)
        if found:
            names[found[2]] = found[3] or names[found[2]]
            current = current if found[1] else names[found[2]]
        elif line.startswith("calls="):
            is_call = True
        elif re.match(r"[-+*\d]\S* \d+$", line):
            if not is_call:
                counts[current] += int(line.split()[1])
            is_call = False
    return counts


def count(prefix, names, library):
    """Instructions of each call: all of them, and those of suai's library."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*prefix, "valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", sys.executable, __file__, "--program", library, *names]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "0"}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        dumps = [path.read_text() for path in pathlib.Path(folder).iterdir()]
    counts = {}
    for text in dumps:
        named = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
        if named:
            of_objects = instructions_by_object(text)
            counts[named[1]] = sum(of_objects.values()), sum(n for name, n in of_objects.items() if name and name.endswith("libsuai_trace.so"))
    # The difference, so that neither the marks nor the start of a loop count.
    return {name: [(a - b) / (2 * ROUNDS) for a, b in zip(counts[name], counts[name + " once"])] for name in names}


def main():
    names = sys.argv[1:] or list(CALLS)
    suai = os.environ.get("SUAI", "./suai")
    with tempfile.TemporaryDirectory() as folder:
        source, library = f"{folder}/mark.c", f"{folder}/mark.so"
        pathlib.Path(source).write_text("#include <valgrind/callgrind.h>\nvoid mark(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }\n")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
        plain = count([], names, library)
        traced = count([suai, "trace", "-q", "-o", "/dev/null", "--"], names, library)
    print("| instructions of a call | plain | with suai trace | of its library | limit |\n|---|---|---|---|---|")
    for name in names:
        print("| %s | %.0f | %.0f | %.0f | %d |" % (name, plain[name][0], traced[name][0], traced[name][1], limit(name)))
    sys.exit(any(traced[name][1] > limit(name) for name in names))


if sys.argv[1:2] == ["--program"]:
    program(sys.argv[3:], sys.argv[2])
else:
    main()
