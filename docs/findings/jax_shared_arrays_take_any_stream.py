"""`__dlpack__` of an array that shares NumPy's memory takes any stream; of others it is refused.

Library: jax
Rules: DLP602
Clause: Python array API standard, version 2025.12, array.__dlpack__ stream (for a CPU only None is accepted)
Hurts: who mixes up devices: whether a wrong stream is told depends on how NumPy's memory happened to be aligned.
"""

import jax
import numpy

raw = numpy.zeros(192, "uint8")
aligned = raw[-raw.ctypes.data % 64 :][:64].view("float32")  # what device_put shares
assert '"dltensor"' in repr(jax.device_put(aligned).__dlpack__(stream=-1))
try:
    jax.numpy.arange(3).__dlpack__(stream=-1)
    raise AssertionError("all take it")
except RuntimeError as error:
    assert "only implemented for GPU" in str(error)
