import numpy, pyarrow, dpnp, dpnp.tensor as dpt

np_vector = numpy.arange(12, dtype="f4")
np_matrix = numpy.ones((3, 4))
np_t = numpy.ones((3, 4)).T
np_strided = numpy.arange(20)[::2]
np_rev = numpy.arange(20)[::-1]
np_mask = numpy.zeros((4, 4), bool)
np_c = numpy.zeros(8, "c16")
np_big = numpy.zeros(8, ">i4")
np_rec = numpy.zeros(3, [("a", "i4"), ("b", "f8")])
np_ro = numpy.broadcast_to(numpy.arange(3), (2, 3))
np_dt = numpy.array(["2020-01-01"], "M8[D]")

pa_ints = pyarrow.array([1, 2, 3])
pa_floats = pyarrow.array([1.5, 2.5], type=pyarrow.float32())
pa_i8 = pyarrow.array([1, 2, 3], type=pyarrow.int8())
pa_u64 = pyarrow.array([1, 2, 3], type=pyarrow.uint64())
pa_slice = pyarrow.array([1, 2, 3, 4])[1:3]
pa_buffer = pyarrow.py_buffer(b"hello")
pa_tensor = pyarrow.Tensor.from_numpy(np_matrix)
pa_f16 = pyarrow.array(numpy.ones(3, "f2"))
pa_empty = pyarrow.array([], type=pyarrow.int64())

dp_vector = dpnp.arange(12, dtype="f4")
dp_matrix = dpnp.ones((3, 4))
dp_t = dpnp.ones((3, 4)).T
dp_strided = dpnp.arange(20)[::2]
dp_mask = dpnp.zeros((4, 4), dtype=bool)
dp_c = dpnp.zeros(8, dtype="c16")
dpt_vector = dpt.arange(12, dtype="f4")
dpt_matrix = dpt.ones((3, 4))
dpt_rev = dpt.arange(20)[::-1]
dpt_scalar = dpt.asarray(3.0)
dpt_host = dpt.ones(4, usm_type="host")
dpt_shared = dpt.ones((2, 2), usm_type="shared")


class Wrapped:
    def __init__(self, array):
        self.array = array

    @property
    def __sycl_usm_array_interface__(self):
        d = dict(self.array.__sycl_usm_array_interface__)
        d["strides"] = (4,)
        return d


dp_wrapped = Wrapped(dp_matrix)
