import os


class Raises:
    """Two interfaces raise, one refuses, and one has two mistakes."""

    @property
    def __array_interface__(self):
        raise RuntimeError("no host memory")

    @property
    def __cuda_array_interface__(self):
        raise KeyError("device")

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **keywords):
        raise BufferError("not now")

    @property
    def __sycl_usm_array_interface__(self):
        return {"shape": [3], "typestr": "<f4", "data": (4096, False), "version": 1, "syclobj": "cpu"}


class Leaves:
    @property
    def __array_interface__(self):
        os._exit(0)


class Nothing:
    pass


raises = Raises()
leaves = Leaves()
nothing = Nothing()
