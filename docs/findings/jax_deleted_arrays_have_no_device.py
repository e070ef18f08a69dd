"""`__dlpack_device__()` of an array that was deleted or donated raises TypeError from within.

Library: jax
Clause: Python array API standard, version 2025.12, array.__dlpack_device__; array.__dlpack__ Raises
Hurts: consumers that ask for the device first: they take TypeError for an object without DLPack, and try other ways.
"""

import jax

array = jax.numpy.ones(3)
jax.jit(lambda x: x + 1, donate_argnums=0)(array)
assert array.is_deleted()
try:
    array.__dlpack_device__()
    raise AssertionError("it is somewhere")
except TypeError as error:
    assert "NoneType" in str(error)
