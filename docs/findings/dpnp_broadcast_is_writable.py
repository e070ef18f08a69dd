# SPDX-License-Identifier: MIT
"""`broadcast_to` gives a writable view, all of whose rows are the same memory.

Library: dpnp
Clause: derived from dpctl __sycl_usm_array_interface__, version 1, strides; data
Hurts: whoever writes to one element and finds it in all rows, and kernels that write the rows in parallel.
    NumPy's broadcast_to, which it stands for, gives a read-only view.
"""

import dpnp

rows = dpnp.broadcast_to(dpnp.zeros(3), (4, 3))
assert rows.flags.writable and not rows.__sycl_usm_array_interface__["data"][1]
rows[0, 0] = 7
assert rows[3, 0] == 7
