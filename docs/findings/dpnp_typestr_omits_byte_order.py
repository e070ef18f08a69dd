# SPDX-License-Identifier: MIT
"""`typestr` of multi-byte numbers begins with '|', which means that byte order is not applicable.

Library: dpnp
Rules: SUAI205
Clause: NumPy array interface protocol, version 3, typestr ('|' where byte order does not matter)
Impact: strict readers of typestr, which reject '|f8' or treat it as raw bytes.
"""

import dpnp

assert dpnp.ones(3, dtype="f8").__sycl_usm_array_interface__["typestr"] == "|f8"
assert dpnp.asnumpy(dpnp.ones(3, dtype="f8")).__array_interface__["typestr"] == "<f8"
