# SPDX-License-Identifier: MIT
"""Memory objects say read-only: `data[1]` is always True, and meant as writable.

Library: dpctl
Rules: SUAI109
Clause: dpctl __sycl_usm_array_interface__, version 1, data (the second item is True for read-only data)
Hurts: who imports USM memory as an array: it comes out read-only, as in dpnp below, with no way to say otherwise.
"""

import dpctl.memory
import dpnp.tensor

memory = dpctl.memory.MemoryUSMShared(96)
memory.copy_from_host(bytes(96))
assert memory.__sycl_usm_array_interface__["data"][1] is True
assert not dpnp.tensor.asarray(memory).flags.writable
