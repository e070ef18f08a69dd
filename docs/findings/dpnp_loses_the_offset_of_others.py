# SPDX-License-Identifier: MIT
"""`asarray` of a reversed array through SUAI fails: `offset` of the dictionary is dropped.

Library: dpnp
Rules: consumers are not judged yet
Clause: dpctl __sycl_usm_array_interface__, version 1, offset
Hurts: who hands views with negative strides over: dpnp cannot import its own export.
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
