# SPDX-License-Identifier: MIT
"""module_differential.py SUAI DIRECTORY FILE...: compares suai.capture with the program's captures.

Each FILE runs in a worker of `suai inspect`, where suai.capture reads its objects, in forks where
that is possible, before the worker does. Both documents must be equal but for the target's name,
its source and time. Prints the differences, and how many objects were compared. DIRECTORY is
where it writes.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

MODULE = """
import os, sys
sys.path[:0] = [{directory!r}, {package!r}]
import suai as _suai_package
exec(compile(open({path!r}, "rb").read(), {path!r}, "exec"))
def _capture_all(names):
    attributes = {{"__sycl_usm_array_interface__", "__cuda_array_interface__", "__dlpack__",
                   "__array_interface__", "__array_struct__"}}
    captures = b""
    for name, object_ in names.items():
        kind = type(object_)
        if name.startswith("_") or kind is type or not isinstance(name, str) or name in {crashing!r}:
            continue
        exposed = any(attributes & vars(base).keys() for base in type.mro(kind) if base is not object)
        if exposed or kind in (bytearray, memoryview) or kind.__module__ == "array":
            captures += _suai_package.capture(object_, name=name, timeout=5)
    with open({captures!r}, "wb") as file:
        file.write(captures)
_capture_all(dict(globals()))
"""

# Objects whose __dlpack__ crashes in a process that cannot be forked: NumPy divides by the size of an element, 0.
CRASHING = ("void_25_fortran", "record_no_fields_fortran")

# Objects that the program finds without being given their names lack "instead".
IGNORED = ("target", "aliases", "source", "ignores", "instead", "traceback", "long_layout")
MAX_DIMENSIONS = 32


def without_heap(value):
    """The value without names, temporary ones too, and what changes as the heap grows: addresses, sizes of mappings."""
    if isinstance(value, dict):
        is_memory = {"how", "asked", "origin"} <= value.keys()
        return {
            key: None if is_memory and key in ("base", "size") else without_heap(item)
            for key, item in value.items()
            if key not in IGNORED
        }
    if isinstance(value, list) and len(value) > MAX_DIMENSIONS and isinstance(value[0], int):
        return None  # the layout of too many dimensions is what follows it in memory
    if isinstance(value, list):
        return [without_heap(item) for item in value]
    if isinstance(value, int) and value > 1 << 20:
        return "large"
    return re.sub("0x[0-9a-f]{5,}|tmp[a-z0-9_]{8}/", "VARIES", value) if isinstance(value, str) else value


def differences(path, a, b):
    """The paths at which two JSON values differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            yield from differences(f"{path}.{key}", a.get(key), b.get(key))
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from differences(f"{path}[{i}]", x, y)
    elif a != b:
        yield f"{path}: {json.dumps(a)[:100]} in the module, {json.dumps(b)[:100]} in the program"


def inspect(suai, *arguments):
    command = [suai, "inspect", "-f", "json", "--timeout", "30", "-j", "2", *arguments]
    output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return json.loads(output)["targets"]


def main(suai, directory, *files):
    directory = Path(directory)
    sources = {}
    for i, file in enumerate(files):
        module = directory / f"module_{i}.py"
        captures = directory / f"captures_{i}"
        path = Path(file).resolve()
        module.write_text(
            MODULE.format(
                directory=str(path.parent), package=str(ROOT / "python"), path=str(path), captures=str(captures),
                crashing=CRASHING,
            )
        )
        sources[str(module)] = (file, captures)
    n_compared = n_different = 0
    expected = inspect(suai, *sources)
    for module, (file, captures) in sources.items():
        if not captures.is_file() or not captures.stat().st_size:
            continue
        captured = {target["target"]: target for target in inspect(suai, str(captures))}
        for target in expected:
            label, _, name = target["target"].partition(":")
            if label != module or name not in captured:
                continue
            n_compared += 1
            found = list(differences("", without_heap(captured[name]), without_heap(target)))
            n_different += bool(found)
            for line in found:
                print(f"{file}:{name}{line}")
    print(f"{n_compared} objects, {n_different} differences")
    return n_different != 0


sys.exit(main(*sys.argv[1:]))
