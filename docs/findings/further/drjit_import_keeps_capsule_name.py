# SPDX-License-Identifier: MIT
"""Constructors call the deleter of a DLPack tensor and leave the capsule its name, dltensor_versioned.

Library: drjit 1.5
Rules: DLC701
Clause: DLPack Python Specification, version 1.1, Implementation
Impact: code that passes the capsule on: the next consumer uses freed memory instead of raising an exception.
"""

import sys

import drjit.scalar
import numpy

array = numpy.ones(64, "f4")
capsule = array.__dlpack__(max_version=(1, 0))
n_references = sys.getrefcount(array)
exporter = type("Exporter", (), {"__dlpack__": lambda self, **_: capsule, "__dlpack_device__": lambda self: (1, 0)})()
assert drjit.scalar.TensorXf(exporter)[0] == 1
assert sys.getrefcount(array) == n_references - 1  # the deleter released the array
assert '"dltensor_versioned"' in repr(capsule)  # not "used_dltensor_versioned"
