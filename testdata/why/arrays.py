"""Producers and consumers for bats/why.bats: each refusal has one planted cause."""
import ctypes
import os
import time

import numpy

plain = numpy.arange(6.0)
readonly = numpy.arange(6.0)
readonly.flags.writeable = False
swapped = numpy.arange(4, dtype=">f8")
dates = numpy.array(["2026-01-01", "2026-01-02"], dtype="M8[D]")
flags = numpy.array([True, False])
sliced = numpy.arange(12.0)[::2]
reverse = numpy.arange(6.0)[::-1]
misaligned = numpy.frombuffer(bytearray(numpy.arange(5.0).tobytes()), "u1")[4:-4].view("f8")
scalar = numpy.array(3.0)
empty = numpy.empty(0)
numbers = [1, 2, 3]
text = b"abcd"
masked = numpy.ma.masked_array([1.0, 2.0], [False, True])


class Wrapped:
    """Exports its array by DLPack only."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def tolist(self):
        return self.array.tolist()


class Legacy(Wrapped):
    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


class Closed(Wrapped):
    def __dlpack__(self, **keywords):
        raise RuntimeError("the pipeline is closed")


class Unsupported(Wrapped):
    """Its own exception cannot be made."""

    def __dlpack__(self, stream=None):
        raise Exception("elements of BYTES", stream=stream)


class Shut:
    """Nothing can be read of it."""

    def __dlpack__(self, **keywords):
        raise RuntimeError("the pipeline is shut")

    def __dlpack_device__(self):
        return 1, 0


class Tracked(Wrapped):
    """As PyTorch's tensors that require gradients."""

    requires_grad = True

    def __dlpack__(self, **keywords):
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")

    def detach(self):
        return Wrapped(self.array)


class Crashing(Wrapped):
    def __dlpack__(self, **keywords):
        ctypes.string_at(0)


class Hanging(Wrapped):
    def __dlpack__(self, **keywords):
        time.sleep(60)


class Spread(Wrapped):
    """As JAX's arrays whose shards are on several devices."""

    class sharding:
        device_set = {"cpu:0", "cpu:1"}

    def __dlpack__(self, **keywords):
        raise BufferError("to_dlpack can only pack a device array that is on one addressable device")

    def to_device(self, device):
        return Wrapped(self.array)


class LegacyOnly(Wrapped):
    """Ignores max_version."""

    def __dlpack__(self, *, max_version=None, **keywords):
        return self.array.__dlpack__()


class Once(Wrapped):
    """Can be exported once."""

    exported = False

    def __dlpack__(self, **keywords):
        if self.exported:
            raise RuntimeError("already exported")
        self.exported = True
        return self.array.__dlpack__(**keywords)


class Bare:
    """No interface, but a method that NumPy does not know."""

    def to_numpy(self):
        return plain


spread = Spread(numpy.arange(3.0))
legacy_only = LegacyOnly(numpy.arange(3.0))
once = Once(numpy.arange(3.0))
table = numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3))
huge = numpy.zeros((1 << 26, 8))  # pages that are never touched
legacy = Legacy(numpy.arange(3.0))
closed = Closed(numpy.arange(3.0))
unsupported = Unsupported(numpy.arange(3.0))
unsupported_cuda = Unsupported(numpy.arange(3.0))
unsupported_cuda.__dlpack_device__ = lambda: (2, 0)
shut = Shut()
crashing = Crashing(numpy.arange(3.0))
hanging = Hanging(numpy.arange(3.0))
tracked = Tracked(numpy.arange(3.0))
bare = Bare()


def needs(condition, message, error=ValueError):
    if not condition:
        raise error(message)


def aligned_only(x):
    array = numpy.asarray(x)
    needs(array.ctypes.data % 8 == 0, "data is not aligned to 8 bytes")
    return array


def writable_only(x):
    array = numpy.asarray(x)
    needs(array.flags.writeable, "output array is read-only")
    return array


def compact_only(x):
    array = numpy.asarray(x)
    needs(array.flags.c_contiguous, "ndarray is not C-contiguous")
    return array


def vectors_only(x):
    array = numpy.asarray(x)
    needs(array.ndim == 1, "expected a 1-D array, got 0 dimensions")
    return array


def filled_only(x):
    array = numpy.asarray(x)
    needs(array.size, "cannot process an empty array")
    return array


def bytes_only(x):
    array = numpy.asarray(x)
    needs(array.dtype != bool, "unsupported dtype bool", TypeError)
    return array


def silent(condition):
    """A consumer whose exception does not state what it requires of its array."""
    def consumer(x):
        array = numpy.asarray(x)
        needs(eval(f"array.{condition}", {"array": array, "x": x}), "failed")
        return array
    return consumer


def flat_aligned_only(x):
    return aligned_only(x).reshape(-1)


def flat_compact_only(x):
    return compact_only(x).reshape(-1)


def capsule_name(capsule):
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return name(capsule)


def new_capsules_only(x):
    needs(capsule_name(x.__dlpack__(max_version=(1, 0))) == b"dltensor_versioned",
          "expected a versioned capsule, got dltensor", BufferError)
    return numpy.from_dlpack(x)


def old_capsules_only(x):
    needs(capsule_name(x.__dlpack__(max_version=(1, 0))) == b"dltensor", "unsupported dlpack version 1", BufferError)
    return numpy.from_dlpack(x)


def versioned_only(x):
    return x.__dlpack__(max_version=(1, 0)) and numpy.from_dlpack(x)


def streams(x):
    return x.__dlpack__(stream=None, flavor=1)


def exports(x):
    return x.__dlpack__()


def without_nulls(x):
    raise ValueError("arrays with nulls are not supported")


def copies(x):
    return numpy.array(x)


def copies_unaligned(x):
    array = numpy.asarray(x)
    return array if array.ctypes.data % 64 == 0 else array.copy()


def copies_one_type(x):
    array = numpy.asarray(x)
    if array.dtype != plain.dtype:
        raise TypeError("incompatible function arguments")
    return array.copy()


def copies_strided(x):
    return numpy.ascontiguousarray(x)


def copies_readonly(x):
    array = numpy.asarray(x)
    return array if array.flags.writeable else array.copy()


def narrows(x):
    return numpy.asarray(x, dtype="f4")


def crashes(x):
    ctypes.string_at(0)


def exits(x):
    raise SystemExit(3)


def prints(x):
    print("from the consumer")


def forks(x):
    if os.fork():
        return os.wait() and numpy.asarray(x)
    raise SystemExit(1)


def counts(x):
    """Changes the array, and accepts only what it has changed before."""
    was_seen = x[0] > 0
    x += 1
    needs(was_seen, "the array is new")
    return x


def leaves(x):
    os._exit(0)


def hangs(x):
    time.sleep(60 if x is plain else 0)
    return numpy.asarray(x)


def cache_lines_only(x):
    needs(numpy.asarray(x).ctypes.data % 64 == 0, "data must be aligned to 64 bytes")
    return numpy.asarray(x)


def writes(x):
    array = numpy.asarray(x)
    array += 0
    return array


def matrices_only(x):
    needs(numpy.asarray(x).ndim == 2, "expected 2D array, got 1D array instead")


def two(x, y):
    return x


def never_returns(x):
    time.sleep(60)


def calls_module(x):
    return numpy.linalg(x)


def raises(message):
    """A consumer that raises an exception with the message."""
    def consumer(x):
        raise ValueError(message)
    return consumer


class Malformed:
    __array_interface__ = {"version": 3, "shape": (3,), "typestr": "<f8", "data": "here"}


class WithoutType:
    __array_interface__ = {"version": 3, "shape": (3,), "data": (16, False)}


class Failing(Wrapped):
    def __init__(self, message):
        self.message = message

    def __dlpack__(self, **keywords):
        raise BufferError(self.message)

    def __dlpack_device__(self):
        return 1, 0


class Plane(bytearray):
    """Has a buffer, and refuses DLPack, as PyAV's planes of big-endian formats do."""

    def __dlpack__(self, stream=None):
        raise NotImplementedError("big-endian formats are not supported for DLPack export")

    def __dlpack_device__(self):
        return 1, 0


class PartlyMalformed:
    """Only one of its interfaces can be read."""

    data = numpy.arange(3.0)

    @property
    def __array_interface__(self):
        return self.data.__array_interface__ | {"shape": [3]}

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **keywords):
        return self.data.__dlpack__(**keywords)


class Decompressed:
    """Each read of the interface returns new memory, as for arrays of blosc2."""

    @property
    def __array_interface__(self):
        return {"shape": (5,), "typestr": "<f4", "data": numpy.arange(5, dtype="<f4"), "version": 3}


decompressed = Decompressed()
malformed = Malformed()
without_type = WithoutType()
partly_malformed = PartlyMalformed()
plane = Plane(12)
raw = bytearray(12)
opaque = type("Opaque", (), {})()
strings = ["a", "b"]
unaligned = (lambda a: a[65 - a.ctypes.data % 64:][:64])(numpy.zeros(200, "u1"))
sharded = Failing("array is sharded over several devices")
big_endian = Failing("DLPack only supports native byte order.")
gradients = Failing("Can't export tensors that require gradient, use tensor.detach()")
uncopied = Failing("a copy is needed")
huge_columns = huge.T
no_rows = numpy.empty((0, 3))


def copies_large(x):
    """Returns other memory, whose pages are not touched, for what is not contiguous."""
    array = numpy.asarray(x)
    return array if array.flags.c_contiguous else numpy.zeros(array.shape)


class Fillable:
    """Read-only, as pandas' arrays; its copies are writable."""

    def __init__(self, numbers, missing=()):
        self.array = numpy.array(numbers)
        self.missing = numpy.isin(numpy.arange(len(numbers)), missing)

    def __array__(self, dtype=None, copy=None):
        view = self.array.view()
        view.flags.writeable = False
        return view

    def isnull(self):
        return self.missing

    def fillna(self, value):
        return numpy.where(self.missing, value, self.array)

    def copy(self, deep=True):
        return Fillable(self.array, numpy.flatnonzero(self.missing))


without_missing = Fillable([1.0, 2.0])
with_missing = Fillable([1.0, 2.0], [0])


def complete_only(x):
    needs(isinstance(x, numpy.ndarray) or not x.isnull().any(), "failed")
    return numpy.asarray(x)


def copies_vectors(x):
    return x.copy() if x.ndim == 1 else x


def writes_in_place(x):
    x += 1


class Bare1D(Fillable):
    """Without interfaces: only __array__() shows its strides."""

    def __array__(self, dtype=None, copy=None):
        return self.array


bare_sliced = Bare1D(numpy.arange(8.0))
bare_sliced.array = bare_sliced.array[::2]


def doubles_aligned(x):
    """Changes an aligned array in place, and a copy of another one."""
    array = numpy.asarray(x)
    array = array if array.flags.aligned else array.copy()
    array *= 2
    return array


class Table:
    """As tables of pandas: only a copy is an array."""

    def __array__(self, dtype=None, copy=None):
        needs(copy is not False, "unable to avoid copy")
        return numpy.array([[1.0, 2.0], [3.0, 4.0]])

    def to_numpy(self):
        return self.__array__()


class Image:
    """As Pillow's images: the memory is released with the dictionary."""

    @property
    def __array_interface__(self):
        return {"version": 3, "shape": (4096,), "typestr": "|u1", "data": bytes(range(256)) * 16}


columns = Table()
image = Image()


def arrays_only(x):
    needs(isinstance(x, numpy.ndarray), "expected an array", TypeError)
    return x


def doubles_contiguous(x):
    return compact_only(x) * 2.0


def flips(x):
    raise RuntimeError("Overload resolution failed:\n>  - flips() missing required argument 'code' (pos 2)")


class Wrapper:
    """An array of a library that exposes no interface: the method returns NumPy's, and data is another one."""

    def __init__(self, array, data):
        self.array, self.data, self.shape = array, data, array.shape

    def numpy(self):
        return self.array


wrapper_method = Wrapper(numpy.arange(6.0).reshape(2, 3), b"six")
wrapper_data = Wrapper(numpy.arange(6.0).reshape(2, 3), numpy.arange(6.0).reshape(2, 3))
wrapper_data.numpy = None
wrapper_of_parts = Wrapper(numpy.arange(6.0).reshape(2, 3), numpy.arange(4.0))
wrapper_of_parts.numpy = None


class Sparse:
    """As sparse matrices of SciPy: data has only the elements that are not zero."""

    def __init__(self, array):
        self.array, self.data = array, array[array != 0]
        self.shape, self.dtype = array.shape, array.dtype

    def toarray(self):
        return self.array


class Items:
    """As tensors of tinygrad: a sequence of tensors, without an interface."""

    shape, dtype = (2,), "float64"

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return [Bare(), Bare()][index]


items = Items()
sparse = Sparse(numpy.eye(3))
halves = numpy.arange(4, dtype="f2").reshape(2, 2)
with_none = numpy.array([1, None, 3], dtype=object)


def used_in_place(x, copy):
    needs(copy or x.flags.c_contiguous, "a copy is needed")
    return x


def single_only(x):
    array = numpy.asarray(x)
    needs(array.dtype == "f4", f"kernel expects float32, not {array.dtype}")
    return array


class Quantity(numpy.ndarray):
    """As those of Astropy, with a unit."""


quantity = numpy.arange(3.0).view(Quantity)


def unitless_only(x):
    needs(not isinstance(x, Quantity), "can only be applied to dimensionless quantities", TypeError)
    return x


singular = numpy.ones((3, 3))


def of_full_rank(x):
    needs(numpy.linalg.matrix_rank(x) == len(x), "the rank is too small")
    return x
