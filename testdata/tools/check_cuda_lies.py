#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_cuda_lies.py DOCUMENT: checks that each defect of testdata/cuda/lies.py is found, and nothing healthy is accused."""

import json
import sys

TRUTH = {"CAI307", "CAI403", "CAI404", "CAI407", "CAI501", "CAI502", "CAI603", "CAI604", "DLP307", "DLP406", "DLP407",
         "DLP503", "NAI501", "BUF501"}
CAUGHT = {
    "freed": {"CAI403"}, "freed_dlpack": {"DLP406"}, "nobodys": {"CAI403"}, "host": {"CAI403"}, "host_dlpack": {"DLP406"},
    "past_the_end": {"CAI307"}, "past_the_end_dlpack": {"DLP307"}, "before_the_start": {"CAI307"},
    "past_the_mapping": {"CAI307"}, "wrong_device": {"CAI501"}, "wrong_ordinal": {"DLP503"},
    "managed_called_device": {"DLP406"}, "pinned_called_device": {"DLP406"}, "device_called_pinned": {"DLP406"},
    "device_called_host": {"DLP406"}, "device_called_managed": {"DLP406"}, "read_only_called_writable": {"CAI407"},
    "managed": {"CAI404"}, "pinned": {"CAI404"}, "no_stream": {"CAI603"}, "wild_stream": {"CAI603"},
    "healthy": set(), "healthy_dlpack": set(), "healthy_managed": set(), "healthy_pinned": set(), "healthy_joined": set(),
}


def main(path):
    with open(path, encoding="utf-8") as file:
        targets = {t["target"].split(":")[-1]: t for t in json.load(file)["targets"]}
    n_wrong = 0
    for name, target in targets.items():
        if target["status"] != "ok":
            print(f"{name}: {target['status']} at {target['step']}")
            n_wrong += 1
    for name, wanted in CAUGHT.items():
        target = targets[name]
        seen = {f["rule"] for f in target["findings"]} & TRUTH
        pageable = any((i["details"] or {}).get("driver", {}).get("pageable_access") for i in target["interfaces"]
                       if i["protocol"] == "cuda" and i["details"])
        if name == "host" and pageable:
            wanted = {"CAI404"}
        if seen != wanted:
            print(f"{name}: {sorted(seen)}, not {sorted(wanted)}: {[f['message'] for f in target['findings']]}")
            n_wrong += 1
    print(f"{len(CAUGHT)} arrays, {n_wrong} wrong; dead_stream: {[f['rule'] for f in targets['dead_stream']['findings']]}")
    return 1 if n_wrong else 0


sys.exit(main(*sys.argv[1:]))
