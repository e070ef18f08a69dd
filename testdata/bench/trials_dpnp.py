# SPDX-License-Identifier: MIT
"""20 objects of dpnp and dpctl, for tools/bench-trials."""
import dpctl.memory
import dpnp

a0, a1, a2, a3, a4 = dpnp.arange(12), dpnp.ones((3, 4), dtype="f4"), dpnp.ones((3, 4)).T, dpnp.arange(10)[::2], dpnp.asarray(3.0)
a5, a6, a7, a8, a9 = dpnp.zeros((0, 3)), dpnp.ones(4, dtype=bool), dpnp.arange(4) + 1j, dpnp.zeros((2, 3), order="F"), dpnp.arange(9)[::-1]
b0, b1, b2, b3, b4 = [dpnp.zeros(n, dtype="i4") for n in range(1, 6)]
b5, b6, b7 = [dpnp.zeros(3, dtype="f4", usm_type=kind) for kind in ("device", "shared", "host")]
b8, b9 = dpctl.memory.MemoryUSMShared(64), dpctl.memory.MemoryUSMDevice(96)
