class Array:
    """An array on a device, without host memory to export."""

    @property
    def __array_interface__(self):
        raise AttributeError("not in host memory")

    def __array__(self, dtype=None, copy=None):
        raise TypeError("copy it to the host first")

    __sycl_usm_array_interface__ = {"version": 1, "shape": (0,), "typestr": "<f4",
                                    "data": (4096, False), "syclobj": "cpu"}


array = Array()
