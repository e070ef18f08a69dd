# SPDX-License-Identifier: MIT
"""The capsule of __dlpack__ points to address 8."""
from healthy import Exporter, good

bad = Exporter(8)
