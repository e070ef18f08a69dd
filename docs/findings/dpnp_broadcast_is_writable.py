# SPDX-License-Identifier: MIT
"""`broadcast_to` returns a writable view whose rows share the same memory.

Library: dpnp
Clause: derived from dpctl __sycl_usm_array_interface__, version 1, strides; data
Impact: code that writes to one element and changes all rows, and kernels that write the rows in parallel. NumPy's
    broadcast_to returns a read-only view.
"""

import dpnp

rows = dpnp.broadcast_to(dpnp.zeros(3), (4, 3))
assert rows.flags.writable and not rows.__sycl_usm_array_interface__["data"][1]
rows[0, 0] = 7
assert rows[3, 0] == 7
