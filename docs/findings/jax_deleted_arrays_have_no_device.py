"""`__dlpack_device__()` of a deleted or donated array raises an unrelated TypeError.

Library: jax
Clause: Python array API standard, version 2025.12, array.__dlpack_device__
Impact: consumers that query the device first: because of the TypeError, they treat the array as an object
    without DLPack and try other protocols.
"""

import jax

array = jax.numpy.ones(3)
jax.jit(lambda x: x + 1, donate_argnums=0)(array)
assert array.is_deleted()
try:
    array.__dlpack_device__()
    raise AssertionError("returned a device")
except TypeError as error:
    assert "NoneType" in str(error)
