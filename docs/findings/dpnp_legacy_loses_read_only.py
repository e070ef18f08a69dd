"""Without `max_version`, `__dlpack__` returns a legacy capsule for a read-only array.

Library: dpnp
Rules: DLP807
Clause: derived from Python array API standard, version 2025.12, array.__dlpack__ Notes
Impact: consumers that pass no version: they get writable memory. NumPy raises BufferError in this case.
"""

import dpnp.tensor

constant = dpnp.tensor.arange(3)
constant.flags.writable = False
capsule = constant.__dlpack__()
exporter = {"__dlpack__": lambda self, **_: capsule, "__dlpack_device__": lambda self: constant.__dlpack_device__()}
dpnp.tensor.from_dlpack(type("Exporter", (), exporter)())[0] = 7
assert constant[0] == 7
