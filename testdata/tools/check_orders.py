#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_orders.py DOCUMENT SCRIPT: checks that each class of the script, a target of the document, violates exactly the
rules in its `expected`."""

import ast
import json
import pathlib
import sys

ORDER = {"CAI605", "CAI606", "CAI607", "CXA602", "CXA603", "DLP607", "DLP608", "DLP609", "DLP611", "DLP613"}


def expected(script):
    for node in ast.parse(pathlib.Path(script).read_text()).body:
        for line in node.body if isinstance(node, ast.ClassDef) else []:
            if isinstance(line, ast.Assign) and line.targets[0].id == "expected":
                yield node.name, line.value.value


document = json.loads(pathlib.Path(sys.argv[1]).read_text())
targets = {target["target"].rpartition(":")[2].removesuffix("()"): target for target in document["targets"]}
wrong = 0
for name, rules in expected(sys.argv[2]):
    target = targets[name]
    found = " ".join(sorted({finding["rule"] for finding in target["findings"] or []} & ORDER))
    print(name, found or "-")
    if target["status"] != "ok" or found != rules:
        wrong += 1
        print(f"  expected {rules or '-'}", target["error"], *target["trials"], sep="\n  ")
sys.exit(wrong > 0)
