class Array:
    """Lies on the host, and so has no memory of a GPU to show."""

    @property
    def __cuda_array_interface__(self):
        raise AttributeError("not on a GPU")

    __array_interface__ = {"version": 3, "shape": (0,), "typestr": "<f4", "data": (0, False)}


array = Array()
