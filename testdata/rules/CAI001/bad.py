class Array:
    """An array on the host, without GPU memory to export."""

    @property
    def __cuda_array_interface__(self):
        raise TypeError("not on a GPU")


array = Array()
