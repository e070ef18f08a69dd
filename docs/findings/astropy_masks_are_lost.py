# SPDX-License-Identifier: MIT
"""Every protocol exports the elements of `Masked` arrays and quantities, but none exports the mask.

Library: astropy 8.0
Rules: DLP812
Clause: derived from Python array API standard, version 2025.12, array.__dlpack__ Raises
Impact: code that passes such an array on: masked elements, often -999 or nan, are treated as valid.
"""

import numpy
from astropy.utils.masked import Masked

masked = Masked([1.0, -999.0, 3.0], mask=[False, True, False])
assert masked.filled(0).sum() == 4.0
assert numpy.from_dlpack(masked).sum() == -995.0
assert "mask" not in masked.__array_interface__
