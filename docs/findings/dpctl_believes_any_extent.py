# SPDX-License-Identifier: MIT
"""`as_usm_memory` takes a `shape` that leaves the allocation, and wraps at 2^64 bytes.

Library: dpctl
Rules: SUAI306 and SUAI304 tell who exports such a dictionary
Clause: dpctl __sycl_usm_array_interface__, version 1, shape; data
Hurts: who imports from an exporter with a wrong shape: the memory object says 8 MB where 96 bytes are, and
    reading it reads, or writing it destroys, what lies behind.
"""

import dpctl.memory

memory = dpctl.memory.MemoryUSMShared(96)
for shape, nbytes in (((10**6,), 8 * 10**6), ((2**31, 2**31, 8), 8)):
    words = {**memory.__sycl_usm_array_interface__, "shape": shape, "typestr": "<f8"}
    liar = type("Liar", (), {"__sycl_usm_array_interface__": words})()
    assert dpctl.memory.as_usm_memory(liar).nbytes == nbytes
