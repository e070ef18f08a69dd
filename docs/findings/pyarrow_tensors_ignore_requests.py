"""The buffer of a tensor is granted to consumers that require C order, whatever the order of its elements.

Library: pyarrow
Rules: BUF301
Clause: Python C API Buffer Protocol, version 3, contiguity requests ("Without stride information, the buffer must be
    C-contiguous")
Impact: consumers that process the memory block unchanged (files, sockets, checksums): they get elements in the wrong
    order, or wrong bytes, as `torch.asarray` of a strided tensor does with PyTorch 2.15.
"""

import io

import numpy
import pyarrow

sink = io.BytesIO()
sink.write(pyarrow.Tensor.from_numpy(numpy.arange(6.0)[::2]))
assert numpy.frombuffer(sink.getvalue()).tolist() == [0, 1, 2]  # not 0, 2, 4
sink.seek(0)
sink.write(pyarrow.Tensor.from_numpy(numpy.arange(4.0).reshape(2, 2).T))
assert numpy.frombuffer(sink.getvalue()).tolist() == [0, 1, 2, 3]  # not 0, 2, 1, 3
