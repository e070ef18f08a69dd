"""Objects with the dummy protocol's dictionary: a good one, and one whose shape is a list."""
import array

_memory = array.array("f", range(6))


class Dummy:
    def __init__(self, **changes):
        address, _ = _memory.buffer_info()
        self.__dummy_array_interface__ = {
            "version": 7, "shape": (2, 3), "typestr": "<f4", "data": (address, False), **changes}


good = Dummy()
bad = Dummy(shape=[2, 3], typestr=4)
