"""What `make demo` looks at: real arrays on a real SYCL device (this machine's CPU), and one liar."""
import dpctl
import dpctl.memory
import numpy as np

# NumPy on the host: a view that is transposed, strided and reversed.
table = np.arange(24, dtype=np.float32).reshape(4, 6)
view = table.T[::-1, ::2]

# Unified shared memory of a SYCL queue that is in order, allocated and described by dpctl.
usm = dpctl.memory.MemoryUSMShared(96, queue=dpctl.SyclQueue(property="in_order"))
np.frombuffer(usm, dtype=np.float32)[:] = range(24)


class Matrix:
    """A 4 x 6 float32 matrix in that memory, transposed: strides count elements here."""

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


class Liar(Matrix):
    """The same, wrong in four ways."""

    @property
    def __sycl_usm_array_interface__(self):
        said = super().__sycl_usm_array_interface__
        said.update(shape=[6, 4], typestr="f4", strides=(24,), version=None)
        return said


matrix = Matrix(usm)
liar = Liar(usm)
