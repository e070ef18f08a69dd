# SPDX-License-Identifier: MIT
"""reproductions.py DOCUMENT: runs DIRECTORY/CASE.py for each case of a document of --consumer in a forked process, and
compares its outcome with the document's: elements equal, the type of the exception, or the signal."""

import json
import os
import pathlib
import signal
import sys
import traceback

import numpy as np  # noqa: F401, imported once for all scripts

MAX_LINES = 10  # of code, without imports
MAX_WIDTH = 110


def outcome_of(code, path):
    """What the script does: "equal", "different", the name of an exception or a signal."""
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        os.close(reads)
        sys.stdout = open(os.devnull, "w")
        word = "equal"
        try:
            exec(compile(code, path, "exec"), {"__name__": "__main__"})
        except AssertionError:
            word = "different"
        except BaseException as error:
            word = type(error).__name__
            if os.environ.get("VERBOSE"):
                traceback.print_exc()
        os.write(writes, word.encode())
        os._exit(0)
    os.close(writes)
    with open(reads) as answer:
        word = answer.read()
    _, status = os.waitpid(child, 0)
    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else word


def expected_of(target):
    consumption = target.get("consumption", {})
    if consumption["outcome"] == "crashed":
        return consumption["error"]["message"].split()[-1]
    if consumption["outcome"] == "raised":
        return consumption["error"]["type"].rsplit(".")[-1]
    if any(each["rule"] == "DLC308" for each in target["findings"]):  # a script compares whether it is writable, too
        return "different"
    return "equal" if all(each.get("equal") is not False for each in consumption.get("readings", [])) else "different"


def complaints(directory, target):
    name = target["consumption"]["id"]
    path = directory / f"{name}.py"
    code = path.read_text()
    lines = [line for line in code.splitlines() if line.strip() and not line.startswith(("import ", "from ", "#"))]
    if len(lines) > MAX_LINES:
        yield f"{len(lines)} lines"
    if max(map(len, code.splitlines())) > MAX_WIDTH or "\n\n\n\n" in code or not code.endswith("\n") or " \n" in code:
        yield "format"
    expected, found = expected_of(target), outcome_of(code, str(path))
    if expected != found:
        yield f"expected {expected}, got {found}"


def main():
    directory = pathlib.Path(sys.argv[1])
    targets = json.loads(pathlib.Path(sys.argv[2]).read_text())["targets"]
    n_wrong = 0
    for target in targets:
        for complaint in complaints(directory, target):
            print(f"{target['consumption']['id']}: {complaint}")
            n_wrong += 1
    print(f"{len(targets)} cases, {n_wrong} complaints")
    sys.exit(n_wrong != 0 or not targets)


main()
