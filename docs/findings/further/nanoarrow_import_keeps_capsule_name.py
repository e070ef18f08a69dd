# SPDX-License-Identifier: MIT
"""`nanoarrow.c_buffer` uses the tensor of a DLPack capsule and leaves the capsule its name, dltensor.

Library: nanoarrow 0.9
Rules: DLC701
Clause: DLPack Python Specification, version 1.1, Implementation
Impact: exporters that keep their capsules: a second consumer accepts a capsule whose tensor is in use.
"""

import nanoarrow
import numpy

array = numpy.arange(3.0)
capsule = array.__dlpack__()
exporter = type("Exporter", (), {"__dlpack__": lambda self, **_: capsule, "__dlpack_device__": lambda self: (1, 0)})()
buffer = nanoarrow.c_buffer(exporter)
assert buffer.size_bytes == 24 and '"dltensor"' in repr(capsule)
