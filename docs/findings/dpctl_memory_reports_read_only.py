# SPDX-License-Identifier: MIT
"""`data[1]` of memory objects is always True, which means read-only, although they are writable.

Library: dpctl
Rules: SUAI109
Clause: dpctl __sycl_usm_array_interface__, version 1, data (the second item is True for read-only data)
Impact: code that imports USM memory as an array: the array is read-only, for example in dpnp, until its user sets the
    flag `writable`.
"""

import dpctl.memory
import dpnp.tensor

memory = dpctl.memory.MemoryUSMShared(96)
memory.copy_from_host(bytes(96))
assert memory.__sycl_usm_array_interface__["data"][1] is True
assert not dpnp.tensor.asarray(memory).flags.writable
