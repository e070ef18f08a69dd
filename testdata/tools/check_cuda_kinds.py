#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_cuda_kinds.py FIELD DOCUMENT EXPECTED: compares one field of `memory` with what the driver itself reports.

EXPECTED is the standard error of `suai inspect -f json testdata/cuda/kinds.py`.
"""

import json
import sys


def address(value):
    return int(value, 16) if value else None


READ = {
    "kind": lambda m: m["kind"],
    "origin": lambda m: m["origin"],
    "base": lambda m: address(m["base"]),
    "size": lambda m: m["size"],
    "device_pointer": lambda m: address(m["device_pointer"]),
    "host_accessible": lambda m: m["host_accessible"],
    "managed": lambda m: m["managed"],
    "access": lambda m: [m["readable"], m["writable"]],
    "context": lambda m: address(m["context"]),
    "device": lambda m: [m["device"]["name"], m["device"]["id"]],
}


def main(field, document, expected):
    with open(document, encoding="utf-8") as file:
        targets = {t["target"].split(":")[-1]: t for t in json.load(file)["targets"]}
    with open(expected, encoding="utf-8") as file:
        facts = [json.loads(line) for line in file if line.startswith("{")]
    n_checked = n_wrong = 0
    for fact in facts:
        if "skipped" in fact:
            print(f"{fact['name']}: not here: {fact['skipped']}")
            continue
        interface = targets[fact["name"]]["interfaces"][0]
        memory = (interface["array"] or {}).get("memory")
        seen = READ[field](memory) if memory else interface["memory_reason"]
        n_checked += 1
        if seen != fact[field] or not memory or memory["by"] != "cuda":
            print(f"{fact['name']}: {field} is {seen}, not {fact[field]}")
            n_wrong += 1
    print(f"{n_checked} arrays, {n_wrong} differences in {field}")
    return 1 if n_wrong or n_checked < 8 else 0


sys.exit(main(*sys.argv[1:]))
