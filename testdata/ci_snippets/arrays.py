"""What a project would check: an array as its library exports it."""
import array


class Array:
    def __init__(self):
        self.memory = array.array("f", range(6))

    @property
    def __array_interface__(self):
        return {"shape": (2, 3), "typestr": "<f4", "data": (self.memory.buffer_info()[0], False), "version": 3}


table = Array()
