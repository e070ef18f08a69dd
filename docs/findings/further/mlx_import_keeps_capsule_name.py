# SPDX-License-Identifier: MIT
"""`mlx.core.array` calls the deleter of a DLPack tensor and leaves the capsule its name, dltensor.

Library: mlx 0.32
Rules: DLC701
Clause: DLPack Python Specification, version 1.1, Implementation
Impact: code that passes the capsule on: the next consumer uses freed memory instead of raising an exception.
"""

import sys

import mlx.core
import numpy

array = numpy.arange(6, dtype="f4")
capsule = array.__dlpack__()
n_references = sys.getrefcount(array)
exporter = type("Exporter", (), {"__dlpack__": lambda self, **_: capsule, "__dlpack_device__": lambda self: (1, 0)})()
assert mlx.core.array(exporter).tolist() == array.tolist()
assert sys.getrefcount(array) == n_references - 1  # the deleter released the array
assert '"dltensor"' in repr(capsule)  # not "used_dltensor"
