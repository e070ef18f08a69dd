"""Arrays of libraries on the host (bats/why.bats)."""
import array_api_strict
import numpy
import pyarrow

nulls = pyarrow.array([1, None, 3])
column = pyarrow.array([1, 2, 3])
strict = array_api_strict.arange(5)
readonly = numpy.arange(4.0)
readonly.flags.writeable = False
swapped = numpy.arange(4, dtype=">f8")
strings = pyarrow.array(["a", "b"])
plain = numpy.arange(4.0)
masked = numpy.ma.masked_array([1.0, 2.0], [False, True])
