# SPDX-License-Identifier: MIT
"""mmap: anonymous and of a file, with each kind of access, complete, from an offset and to an odd end."""

import mmap
import tempfile

PAGE = mmap.PAGESIZE
KINDS = {"read": mmap.ACCESS_READ, "write": mmap.ACCESS_WRITE, "copy": mmap.ACCESS_COPY}


def make():
    yield "anonymous", mmap.mmap(-1, 3 * PAGE)
    yield "anonymous_private", mmap.mmap(-1, PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    yield "anonymous_odd", mmap.mmap(-1, 100)
    yield "anonymous_readonly", mmap.mmap(-1, PAGE, prot=mmap.PROT_READ)
    yield "grown", GROWN
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"x" * (2 * PAGE + 100))
        file.flush()
        for kind, access in KINDS.items():
            yield kind, mmap.mmap(file.fileno(), 0, access=access)
            yield kind + "_part", mmap.mmap(file.fileno(), 50, access=access, offset=PAGE)
            yield kind + "_tail", mmap.mmap(file.fileno(), 0, access=access, offset=2 * PAGE)
            yield kind + "_view", memoryview(mmap.mmap(file.fileno(), 0, access=access))[5:-5:3]


GROWN = mmap.mmap(-1, PAGE)
GROWN.resize(5 * PAGE)
globals().update(make())
