# SPDX-License-Identifier: MIT
"""Without `max_version`, `__dlpack__` ignores `copy=True` and returns the same memory.

Library: dpnp
Rules: DLP801
Clause: Python array API standard, version 2025.12, array.__dlpack__ copy (True: the producer always copies)
Impact: consumers that request a copy in order to write to it: they overwrite the original.
"""

import dpnp

original = dpnp.zeros(3)
capsule = original.__dlpack__(copy=True)
exporter = {"__dlpack__": lambda self, **_: capsule, "__dlpack_device__": lambda self: original.__dlpack_device__()}
copied = dpnp.from_dlpack(type("Exporter", (), exporter)())
original[0] = 7
assert copied[0] == 7
