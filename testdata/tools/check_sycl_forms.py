#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_sycl_forms.py DOCUMENT EXPECTED: compares inspect's JSON with what dpctl itself reports.

EXPECTED is the standard error of `suai inspect -f json testdata/inspect/sycl_forms.py`.
"""

import json
import sys


def differences(target, expected):
    found = [i for i in target["interfaces"] if i["protocol"] == "sycl"]
    if not found:
        return ["no sycl interface"]
    array, syclobj = found[0]["array"], found[0]["details"]["syclobj"]
    memory = array["memory"] or {}
    pairs = {
        "kind": memory.get("kind"),
        "base": int(memory.get("base") or "0", 16),
        "size": memory.get("size"),
        "pointer": int(array["pointer"], 16),
        "form": syclobj["form"],
        "capsule": syclobj["capsule"],
    }
    wrong = [f"{k} is {v}, not {expected[k]}" for k, v in pairs.items() if v != expected[k]]
    if memory.get("how") != "exact":
        wrong.append(f"how is {memory.get('how')}")
    elif array["elements"] and not (memory["low_inside"] and memory["high_inside"]):
        wrong.append("the extent is not inside")
    if syclobj["resolved"] is not True or syclobj["default_context"] is not True:
        wrong.append("syclobj is not resolved to the default context")
    return wrong


def main(document_path, expected_path):
    with open(document_path, encoding="utf-8") as file:
        targets = {t["target"].split(":")[-1]: t for t in json.load(file)["targets"]}
    with open(expected_path, encoding="utf-8") as file:
        expected = [json.loads(line) for line in file if line.startswith("{")]
    failures = 0
    for fact in expected:
        target = targets.get(fact["name"])
        for line in differences(target, fact) if target else ["no such target"]:
            print(f"{fact['name']}: {line}")
            failures += 1
    print(f"{len(expected)} objects, {failures} differences")
    return failures or len(expected) < 18


sys.exit(1 if main(*sys.argv[1:]) else 0)
