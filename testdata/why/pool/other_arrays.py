"""Objects of PyArrow, tvm-ffi and array-api-strict for testdata/why/draw.py."""
import array_api_strict
import numpy
import pyarrow
import tvm_ffi

column = pyarrow.array([1, 2, 3])
nulls = pyarrow.array([1.0, None])
strings = pyarrow.array(["a", "b"])
bits = pyarrow.array([True, False])
chunked = pyarrow.chunked_array([[1, 2], [3]])
tensor = pyarrow.Tensor.from_numpy(numpy.arange(6.0).reshape(2, 3))
block = pyarrow.py_buffer(b"abcdefgh")
strict = array_api_strict.arange(5)
strict_flags = array_api_strict.asarray([True, False])
foreign = tvm_ffi.from_dlpack(numpy.arange(4, dtype="f4"))
