"""Objects of NumPy and of Python for testdata/why/draw.py."""
import array

import ml_dtypes
import numpy

floats = numpy.arange(6, dtype="f4")
doubles = numpy.arange(6.0).reshape(2, 3)
fortran = numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3))
sliced = numpy.arange(12.0)[::3]
reverse = numpy.arange(6, dtype="i4")[::-1]
broadcast = numpy.broadcast_to(numpy.arange(3.0), (2, 3))
readonly = numpy.arange(6, dtype="f4")
readonly.flags.writeable = False
swapped = numpy.arange(4, dtype=">i4")
swapped_float = numpy.arange(4, dtype=">f8")
dates = numpy.array(["2026-01-01"], dtype="M8[s]")
durations = numpy.array([1, 2], dtype="m8[ms]")
words = numpy.array(["a", "bc"])
raw = numpy.array([b"a", b"bc"])
records = numpy.zeros(3, dtype=[("a", "i4"), ("b", "f8")])
objects = numpy.array([1, None], dtype=object)
flags = numpy.array([True, False, True])
half = numpy.arange(4, dtype="f2")
brain = numpy.arange(4).astype(ml_dtypes.bfloat16)
longs = numpy.arange(3, dtype="g")
complexes = numpy.arange(3, dtype="c8")
unsigned = numpy.arange(3, dtype="u8")
scalar = numpy.array(2.5)
empty = numpy.empty((0, 3), dtype="f4")
misaligned = numpy.frombuffer(bytearray(33), "u1")[1:].view("f8")
masked = numpy.ma.masked_array([1.0, 2.0], [False, True])
number = numpy.float32(1.5)
numbers = [[1, 2], [3, 4]]
text = b"abcdefgh"
plain_array = array.array("d", [1, 2, 3])
view = memoryview(bytearray(8)).cast("i")
