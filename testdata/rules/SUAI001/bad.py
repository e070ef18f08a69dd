class Array:
    """An array on the host, without USM memory to export."""

    @property
    def __sycl_usm_array_interface__(self):
        raise RuntimeError("not in USM memory")


array = Array()
