import numpy
from numpy.lib.stride_tricks import as_strided

memory = numpy.zeros(1000, "float32")


class Array:
    """Exports rows of the first 10 of every 100 elements."""

    data = as_strided(memory, (10, 10), (400, 4))

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **keywords):
        return self.data.__dlpack__(**keywords)


array = Array()
