"""The arrays of `make demo`: NumPy and SYCL memory on this machine's CPU, and an exporter with four mistakes."""
import dpctl
import dpctl.memory
import numpy as np

# A transposed, strided and reversed view of a NumPy array.
table = np.arange(24, dtype=np.float32).reshape(4, 6)
view = table.T[::-1, ::2]

# USM shared memory of an in-order SYCL queue, allocated by dpctl.
usm = dpctl.memory.MemoryUSMShared(96, queue=dpctl.SyclQueue(property="in_order"))
np.frombuffer(usm, dtype=np.float32)[:] = range(24)


class Matrix:
    """A transposed 4 x 6 float32 matrix in that memory. This interface counts strides in elements."""

    def __init__(self, memory):
        self.memory = memory

    @property
    def __sycl_usm_array_interface__(self):
        return {
            "shape": (6, 4),
            "typestr": "<f4",
            "data": (self.memory._pointer, False),
            "strides": (1, 6),
            "offset": 0,
            "syclobj": self.memory.sycl_queue,
            "version": 1,
        }


class Broken(Matrix):
    """The same matrix with four mistakes."""

    @property
    def __sycl_usm_array_interface__(self):
        interface = super().__sycl_usm_array_interface__
        interface.update(shape=[6, 4], typestr="f4", strides=(24,), version=None)
        return interface


matrix = Matrix(usm)
broken = Broken(usm)
