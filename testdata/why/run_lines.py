"""run_lines.py DOCUMENT...: executes each line that `suai why -f json` offers, in the names of its target's module; of commands the first
two of the documents in one directory."""
import ast
import collections
import concurrent.futures
import importlib
import json
import os
import pathlib
import runpy
import subprocess
import sys


def flat(x):
    """The numbers of an array, of bytes or of nested lists."""
    if isinstance(x, (bytes, bytearray)):
        return list(x)
    for dense in ("toarray", "todense", "to_dense"):  # sparse arrays, which have no other list of all elements
        if hasattr(x, dense):
            x = getattr(x, dense)()
            break
    if isinstance(x, memoryview):
        x = importlib.import_module("numpy").asarray(x)
    if hasattr(x, "_length_") or (hasattr(x, "__array_interface__") and not hasattr(x, "tolist") and not hasattr(x, "__dlpack__")):  # ctypes, Pillow
        x = importlib.import_module("numpy").array(x)
    x = x.tolist() if hasattr(x, "tolist") else x.to_numpy().tolist() if hasattr(x, "to_numpy") else x
    if type(x).__name__ == "Buffer":
        return list(bytes(x))
    if not isinstance(x, (list, tuple)):
        try:
            return flat(importlib.import_module("numpy").from_dlpack(x)) if hasattr(x, "__dlpack__") else [x]
        except (RuntimeError, BufferError, TypeError):
            return None
    return [number for item in x for number in flat(item)]


def execute_command(line):
    """The command of suai, which must have a result."""
    program = os.environ.get("SUAI") or pathlib.Path(__file__).parents[2] / "suai"
    done = subprocess.run(line.replace("suai", str(program), 1) + " -f json", shell=True, capture_output=True, text=True,
                          env={**os.environ, "SUAI_PYTHON": sys.executable})
    assert done.returncode == 0, (line, done.stdout, done.stderr)
    assert json.loads(done.stdout)["targets"][0]["copy"]["result"], line


n_lines, commands = 0, collections.defaultdict(list)
for name in sys.argv[1:]:
    document = json.loads(pathlib.Path(name).read_text())
    path, expression = document["targets"][0]["target"].rsplit(".py:", 1)
    module = document["why"]["consumer"].rsplit(":", 1)
    if len(module) == 2 and ".py" not in module[0] and "(" not in module[0]:
        importlib.import_module(module[0])
    for remedy in document["why"]["remedies"]:
        if not remedy["works"]:
            continue
        n_lines += 1
        if remedy["line"].startswith("suai convert "):
            if "libraries" not in path:  # their imports take long
                commands[pathlib.Path(name).parent].append(remedy["line"])
            continue
        names = runpy.run_path(path + ".py")
        for node in ast.walk(ast.parse(remedy["line"])):
            if isinstance(node, ast.Name) and node.id not in names:
                if not hasattr(__builtins__, node.id):
                    names[node.id] = importlib.import_module(node.id)
        result = eval(remedy["line"], names)
        expected = eval(expression, names)
        if not remedy["note"]:
            got, want = flat(result), flat(expected)
            assert got is None or want is None or got == want, (remedy["line"], got, want)
with concurrent.futures.ThreadPoolExecutor(2) as workers:
    list(workers.map(execute_command, dict.fromkeys(line for lines in commands.values() for line in lines[:2])))
print(n_lines)
