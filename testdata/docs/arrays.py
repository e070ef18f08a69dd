"""The arrays of the help texts' examples."""
import array

try:
    import numpy

    a = numpy.arange(12, dtype="float32").reshape(3, 4)
except ImportError:
    a = array.array("f", range(12))
