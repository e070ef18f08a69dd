# SPDX-License-Identifier: MIT
"""Memory of every kind, each as an array; what the driver reports for it is printed to standard error as JSON lines."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver  # noqa: E402
from arrays import Cai, Dlpack  # noqa: E402

KINDS = {"device": "device", "pool": "device", "mapped": "device", "ipc": "device", "managed": "managed",
         "pinned": "pinned", "registered": "registered", "read_only": "device"}
ORIGINS = {"device": "cuMemAlloc", "pool": "cuMemAllocAsync", "mapped": "cuMemMap", "managed": "cuMemAllocManaged",
           "pinned": "cuMemHostAlloc", "registered": "cuMemHostRegister", "ipc": None, "read_only": "cuMemMap"}
CODES = {"managed": (13, 0), "pinned": (3, 0), "registered": (3, 0)}


def expect(name, kind, pointer):
    found = driver.attributes(pointer)
    extent = driver.address_range(pointer)
    if len(extent) != 2:
        extent = [found["range_start"], found["range_size"]]
    host = kind in ("managed", "pinned", "registered")
    print(json.dumps({"name": name, "kind": KINDS[kind], "origin": ORIGINS[kind], "base": extent[0], "size": extent[1],
                      "device_pointer": found["device_pointer"], "host_accessible": host, "managed": kind == "managed",
                      "access": driver.access(pointer), "context": found["context"] or None,
                      "device": [driver.device_name(), 0]}), file=sys.stderr)


def allocate_read_only(n):
    return driver.allocate_mapped(n, flags=1)


for _kind, _allocate in [*driver.ALLOCATORS.items(), ("read_only", allocate_read_only)]:
    try:
        _pointer = _allocate(1000)
    except driver.CudaError as _error:
        print(json.dumps({"name": _kind, "skipped": str(_error)}), file=sys.stderr)
        continue
    globals()[_kind] = Cai(_pointer)
    globals()[_kind + "_inside"] = Cai(_pointer + 400, shape=(10,))
    globals()[_kind + "_dlpack"] = Dlpack(_pointer, CODES.get(_kind, (2, 0)))
    expect(_kind, _kind, _pointer)
    expect(_kind + "_dlpack", _kind, _pointer)
joined = Cai(driver.allocate_mapped(4 << 20, pieces=2), shape=(1 << 20,))
