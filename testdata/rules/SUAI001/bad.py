class Array:
    """Lies on the host, and so has no USM memory to show."""

    @property
    def __sycl_usm_array_interface__(self):
        raise RuntimeError("not in USM memory")


array = Array()
