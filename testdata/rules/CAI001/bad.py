class Array:
    """Lies on the host, and so has no memory of a GPU to show."""

    @property
    def __cuda_array_interface__(self):
        raise TypeError("not on a GPU")


array = Array()
