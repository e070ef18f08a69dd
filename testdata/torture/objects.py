"""Two objects that need only the standard library."""
import array

numbers = array.array("f", [1, 2, 3, 4])


class Thing:
    @property
    def __array_interface__(self):
        data = (numbers.buffer_info()[0], False)
        return {"shape": (4,), "typestr": "<f4", "data": data, "version": 3}


thing = Thing()
