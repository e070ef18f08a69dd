"""The script whose start is measured: one array, from NumPy if it is installed."""
try:
    import numpy

    a = numpy.arange(12.0).reshape(3, 4)
except ImportError:
    import array

    a = array.array("d", range(12))
