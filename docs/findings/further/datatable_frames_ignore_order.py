# SPDX-License-Identifier: MIT
"""The buffer of a frame, whose columns are in memory one after another, is granted to consumers that require C order.

Library: datatable 1.1
Rules: BUF301
Clause: Python C API Buffer Protocol, version 3, contiguity requests ("Without stride information, the buffer must be C-contiguous")
Impact: consumers of plain bytes, such as file.write: they write the columns instead of the rows.
"""

import array

import datatable

frame = datatable.Frame(a=[1.0, 2.0, 3.0], b=[4.0, 5.0, 6.0])
assert memoryview(frame).strides == (8, 24) and memoryview(frame).shape == (3, 2)
assert array.array("d", b"".join([frame])).tolist() == [1, 2, 3, 4, 5, 6]  # the rows are 1 4, 2 5 and 3 6
