# SPDX-License-Identifier: MIT
"""check_objects.py DOCUMENT TRUTH: checks that every interface of every target equals what its library reports.

An entry `memory.…` applies to the interface that queries a runtime; one under `but` applies to one protocol.
"""

import json
import math
import sys


def seen_at(array, path):
    for key in path.split("."):
        array = array[key] if array else None
    return array


def array_differences(interface, truth):
    array, protocol = interface["array"], interface["protocol"]
    truth = {**truth, **truth.get("but", {}).get(protocol, {})}
    for key in truth.keys() - {"values", "checksum", "but"}:
        seen, expected = seen_at(array, key), truth[key]
        if key == "pointer":
            seen = int(seen or "0", 16)
        if expected is None or (key == "strides_bytes" and 0 in truth["shape"]):
            continue
        if seen != expected:
            yield f"{protocol}: {key} is {seen}, not {expected}"


def same(a, b):
    if isinstance(a, list):
        return all(map(same, a, b))
    return a == b or math.isclose(float(a), b)


def data_differences(data, truth):
    ends = [data["values"][at] for at in (0, -1)] if data["values"] else []
    if truth.get("values") and not same(ends, truth["values"]):
        yield f"first and last value are {ends}, not {truth['values']}"
    if truth.get("checksum") and data["checksum"] != truth["checksum"]:
        yield f"checksum is {data['checksum']}, not {truth['checksum']}"


def differences(target, truth):
    for interface in target["interfaces"]:
        if interface["array"]:
            yield from array_differences(interface, truth)
    if any(interface["status"] == "ok" for interface in target["interfaces"]) and target["data"]:
        yield from data_differences(target["data"], truth)


def main(document, truths):
    with open(document) as file:
        targets = json.load(file)["targets"]
    with open(truths) as file:
        truths = json.load(file)
    n_checked = n_wrong = 0
    for target in targets:
        names = [target["target"].split(":", 1)[1], *target["aliases"]]
        n_checked += sum(1 for each in target["interfaces"] if each["array"])
        for each in differences(target, truths[names[0]]):
            print(f"{names[0]}: {each}")
            n_wrong += 1
        for name in names:
            truths.pop(name)
    print(f"{n_checked} interfaces, {n_wrong} differences, {len(truths)} not seen: {list(truths)}")
    return 1 if n_wrong or truths or not n_checked else 0


sys.exit(main(*sys.argv[1:]))
