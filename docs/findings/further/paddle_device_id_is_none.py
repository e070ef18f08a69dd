# SPDX-License-Identifier: MIT
"""`__dlpack_device__()` of a tensor in host memory returns (1, None) instead of (1, 0).

Library: paddlepaddle 3.3
Rules: DLP003
Clause: Python array API standard, version 2025.12, array.__dlpack_device__ Returns
Impact: users who pass tensors to consumers that look up the device by its id: jax.dlpack.from_dlpack raises TypeError.
"""

import paddle

assert paddle.ones([2]).__dlpack_device__() == (1, None)
