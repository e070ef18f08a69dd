# SPDX-License-Identifier: MIT
"""`typestr` of numbers of several bytes begins with '|', which says that byte order does not matter.

Library: dpnp
Rules: SUAI205
Clause: NumPy array interface protocol, version 3, typestr ('|' where byte order does not matter)
Hurts: strict readers of typestr, which refuse '|f8', or take it for raw bytes.
"""

import dpnp

assert dpnp.ones(3, dtype="f8").__sycl_usm_array_interface__["typestr"] == "|f8"
assert dpnp.asnumpy(dpnp.ones(3, dtype="f8")).__array_interface__["typestr"] == "<f8"
