# SPDX-License-Identifier: MIT
"""`paddle.to_tensor` of an array of uint16 has elements of bfloat16: the bits of the integers as numbers.

Library: paddlepaddle 3.3
Rules: DLC306
Clause: NumPy array interface protocol, version 3, typestr
Impact: users of images and sensor data of 16 bits: 16256 becomes 1.0.
Known: seen on 2026-11-26.
"""

import numpy
import paddle

tensor = paddle.to_tensor(numpy.array([16256], "u2"))
assert tensor.dtype == paddle.bfloat16 and tensor.astype("float32").tolist() == [1.0]
