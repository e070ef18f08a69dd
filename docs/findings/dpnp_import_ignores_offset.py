# SPDX-License-Identifier: MIT
"""`asarray` of a reversed array through SUAI fails because it ignores `offset`.

Library: dpnp
Rules: DLC807
Clause: dpctl __sycl_usm_array_interface__, version 1, offset
Impact: code that passes on views with negative strides: dpnp cannot import its own export.
"""

import dpnp.tensor

backward = dpnp.tensor.arange(12)[::-1]
copied = type("Copied", (), {"__sycl_usm_array_interface__": backward.__sycl_usm_array_interface__})()
assert copied.__sycl_usm_array_interface__["offset"] == 11
try:
    dpnp.tensor.asarray(copied)
    raise AssertionError("imported")
except ValueError as error:
    assert "can not accommodate" in str(error)
