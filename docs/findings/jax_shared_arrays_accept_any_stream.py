"""`__dlpack__` of an array that shares NumPy memory accepts any stream, which other arrays refuse.

Library: jax
Rules: DLP602
Clause: Python array API standard, version 2025.12, array.__dlpack__ stream (for a CPU only None is accepted)
Impact: code that confuses devices: whether a wrong stream is reported depends on the alignment of the NumPy memory.
"""

import jax
import numpy

raw = numpy.zeros(192, "uint8")
aligned = raw[-raw.ctypes.data % 64 :][:64].view("float32")  # device_put shares this
assert '"dltensor"' in repr(jax.device_put(aligned).__dlpack__(stream=-1))
try:
    jax.numpy.arange(3).__dlpack__(stream=-1)
    raise AssertionError("accepted")
except RuntimeError as error:
    assert "only implemented for GPU" in str(error)
