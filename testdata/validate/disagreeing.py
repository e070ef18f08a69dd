import numpy


class Mixed:
    """The array interface of one array, the DLPack export of another."""

    def __init__(self, dictionary, tensor):
        self.dictionary, self.tensor = dictionary, tensor

    @property
    def __array_interface__(self):
        return self.dictionary.__array_interface__

    def __dlpack__(self, **keywords):
        return self.tensor.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


rows = numpy.arange(12.0).reshape(3, 4)
frozen = rows[:]
frozen.flags.writeable = False

same = Mixed(rows, rows)
same_row = Mixed(rows[:1], rows[None, 0])
same_empty = Mixed(rows[:0], numpy.zeros((0, 4)))
moved = Mixed(rows, rows[::-1])
copied = Mixed(rows, rows.copy())
cast = Mixed(rows, rows.view("int64"))
transposed = Mixed(rows, rows.T)
opened = Mixed(frozen, rows)
