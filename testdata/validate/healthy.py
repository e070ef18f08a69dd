import dpctl.memory
import dpnp
import numpy

matrix = numpy.arange(12, dtype="float32").reshape(3, 4)
columns = matrix[:, ::2]
reversed_rows = matrix[::-1]
broadcast = numpy.broadcast_to(matrix[0], (3, 4))
scalar_array = numpy.array(3.0)
empty = numpy.zeros((0, 3))
swapped = numpy.zeros(3, ">f8")
dates = numpy.zeros(3, "datetime64[s]")
texts = numpy.array(["x", "y"])
records = numpy.zeros(2, [("x", "i4"), ("y", "f8")])
masked = numpy.ma.zeros(3)
frozen = numpy.zeros(3)
frozen.flags.writeable = False

usm_matrix = dpnp.arange(12, dtype="float32").reshape(3, 4)
usm_columns = usm_matrix[:, ::2]
usm_transposed = usm_matrix.T
usm_reversed = usm_matrix[::-1]
usm_row = usm_matrix[0:1]
usm_scalar = dpnp.array(3)
usm_empty = dpnp.zeros((0, 3))
usm_bool = dpnp.ones(3, dtype=bool)
usm_complex = dpnp.ones((2, 2), dtype="complex64")
usm_tensor = dpnp.tensor.ones((2, 3))

shared_memory = dpctl.memory.MemoryUSMShared(96)
host_memory = dpctl.memory.MemoryUSMHost(96)
device_memory = dpctl.memory.MemoryUSMDevice(96)
