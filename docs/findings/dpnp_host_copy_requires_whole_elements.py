"""`dl_device=(1, 0)` raises ValueError if the size of the allocation is not a multiple of the element size.

Library: dpnp
Rules: DLP506
Clause: Python array API standard, version 2025.12, array.__dlpack__ Raises
Impact: consumers that request host memory and catch only BufferError. `asnumpy` raises ValueError as well.
"""

import dpctl.memory
import dpnp.tensor

array = dpnp.tensor.usm_ndarray(3, "f4", buffer=dpctl.memory.MemoryUSMDevice(17))
try:
    array.__dlpack__(max_version=(1, 0), dl_device=(1, 0))
    raise AssertionError("copied")
except ValueError as error:
    assert "size must be a divisor" in str(error)
