# SPDX-License-Identifier: MIT
"""`as_usm_memory` accepts a `shape` that exceeds the allocation, and wraps at 2^64 bytes.

Library: dpctl
Rules: SUAI306 and SUAI304 report exporters of such a dictionary
Clause: dpctl __sycl_usm_array_interface__, version 1, shape; data
Impact: consumers of an exporter with a wrong shape: the memory object reports 8 MB for an allocation of 96 bytes, and
    accessing it reads or overwrites unrelated memory.
"""

import dpctl.memory

memory = dpctl.memory.MemoryUSMShared(96)
for shape, nbytes in (((10**6,), 8 * 10**6), ((2**31, 2**31, 8), 8)):
    interface = {**memory.__sycl_usm_array_interface__, "shape": shape, "typestr": "<f8"}
    exporter = type("Exporter", (), {"__sycl_usm_array_interface__": interface})()
    assert dpctl.memory.as_usm_memory(exporter).nbytes == nbytes
