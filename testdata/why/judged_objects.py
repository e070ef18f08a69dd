"""The objects and consumers of judge.py, drawn with a seed: ordinary arrays of a library, and objects that deviate from them in one
property, which is the cause if a consumer takes the former and not the latter."""

# Objects that export an array by DLPack, and deviate in what they do.
BOX = '''
class Box:
    """Exports an array by DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return self.array.__dlpack__(max_version=max_version)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Without(Box):
    """Of an edition of the array API without keywords."""

    def __dlpack__(self):
        return self.array.__dlpack__()


class Failing(Box):
    def __init__(self, error):
        self.error = error

    def __dlpack__(self, **keywords):
        raise self.error

    def __dlpack_device__(self):
        return 1, 0


class Ending(Box):
    def __dlpack__(self, **keywords):
        ctypes.string_at(0) if self.array.size % 2 else os._exit(4)


class Elsewhere(Box):
    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        raise BufferError("memory of a GPU cannot be exported to this device")


'''

# At most 1 KB, of zeros.
FILE = '''
import tempfile
FILE = tempfile.NamedTemporaryFile().name
open(FILE, "wb").write(bytes(1024))
'''

IMPORTS = {
    "builtins": "import array, ctypes, decimal, datetime, fractions, numpy, os", "box": BOX,
    "pyarrow": "import pyarrow, pyarrow.compute", "scipy": "import scipy.fft, scipy.interpolate, scipy.linalg, scipy.ndimage, scipy.signal, scipy.sparse, scipy.spatial, scipy.stats",
    "memmap": FILE, "stdlib": "import base64, binascii, collections, hashlib, io, pickle, statistics, struct, zlib",
    "networkx": "import networkx", "sympy": "import sympy", "safetensors": "import safetensors.numpy", "opt_einsum": "import opt_einsum",
    "warp": "import warp\nwarp.config.quiet = True\nwarp.init()", "ml_dtypes": "import ml_dtypes",
    "jax": "os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=2'\nimport jax, jax.numpy", "PIL": "import PIL.Image",
    "sklearn": "import sklearn.cluster, sklearn.metrics, sklearn.preprocessing, sklearn.utils", "astropy": "import astropy.stats, astropy.table, astropy.units",
    "dask": "import dask.array", "numcodecs": "import numcodecs", "ducc0": "import ducc0.fft", "tinygrad": "import tinygrad",
    "skimage": "import skimage.exposure, skimage.filters, skimage.measure, skimage.transform, skimage.util", "lz4": "import lz4.frame",
    "statsmodels": "import statsmodels.api, statsmodels.tsa.stattools", "pyfftw": "import pyfftw.interfaces.numpy_fft", "h5py": "import h5py, io",
    "numba": "import numba\ntotal = numba.njit(lambda a: a.sum())\nset_first = numba.njit(lambda a: a.fill(1))\n"
             "typed = numba.njit('f8(f8[:])')(lambda a: a.sum())\ncompact = numba.njit('f8(f8[::1])')(lambda a: a.sum())\n"
             "vectorized = numba.vectorize(['f8(f8)', 'i8(i8)'])(lambda a: a + 1)",
}

ITEM_BYTES = {"i2": 2, "i4": 4, "i8": 8, "f4": 4, "f8": 8, "u1": 1, "c16": 16}
NUMPY_TYPES = ("U3", "S4", "m8[s]", "M8[D]", "c8", "c16", "g", "f2", "f4", "f8", "?", "u2", "u4", "u8", "i1", "i2", "i8", "V5", "O", "i4,f8",
               "G")
NOT_ARRAYS = ("list({0})", "set({0})", "dict.fromkeys({0})", "{0}", "'text'", "object()", "None", "decimal.Decimal(3)", "iter({0})",
              "datetime.date(2026, 3, 4)", "fractions.Fraction(1, 3)", "(lambda: 3)", "bytearray({0})", "bytes({0})", "[list({0}), [1]]",
              "tuple({0})", "array.array('h', {0})", "memoryview(bytes({0}))", "ctypes", "(ctypes.c_int * 4)()", "numpy.dtype('i4')")


def product(shape):
    total = 1
    for extent in shape:
        total *= extent
    return total


def other_shapes(shape, rng):
    """Shapes of as many elements, as far as possible, with other numbers of dimensions."""
    n = product(shape)
    shapes = [(), (n,), (1, n), (n, 1, 1), (1, 1, n), (n, 1, 1, 1, 1), (1, 2, n)]
    return [other for other in rng.sample(shapes, len(shapes)) if len(other) != len(shape)]


def draw_numpy(rng, kind):
    kind = kind or rng.choice(("i2", "i4", "i8", "f4", "f8", "u1", "c16"))
    shape = rng.choice(((rng.randrange(3, 13),), (rng.randrange(3, 13),), (rng.randrange(2, 5), rng.randrange(2, 5)), (3, 3)))
    n, item = product(shape), ITEM_BYTES[kind]

    def filled(shape, kind=kind):
        return f"numpy.arange(1, {product(shape) + 1}, dtype='{kind}').reshape({shape})"
    base = filled(shape)
    rows = [("strides", f"numpy.repeat({base}, {step}, axis=-1)[..., ::{step}]") for step in (2, 3)]
    rows += [("strides", f"{base}[..., ::-1].copy()[..., ::-1]"), ("strides", f"{base}[::-1].copy()[::-1]"), ("strides",
             f"numpy.asfortranarray({base})" if len(shape) > 1 else f"numpy.repeat({base}.reshape(1, -1), 2, axis=0).copy('F')[0]"),
            ("readonly", f"numpy.frombuffer({base}.tobytes(), '{kind}').reshape({shape})"),
            ("readonly", f"(lambda a: (a.setflags(write=False), a)[1])({base})"),
            ("empty", filled((0, *shape[1:])), ), ("empty", filled((*shape[:-1], 0))), ("pending-operation",
             f"numpy.ma.masked_array({base}, mask=numpy.arange({n}).reshape({shape}) % 2 == 0)")]
    if item > 1:
        rows += [("byte-order", base + f".astype('>{kind}')")] * 3
        rows += [("alignment", f"numpy.frombuffer(bytearray(bytes({shift}) + {base}.tobytes()), 'u1')[{shift}:].view('{kind}').reshape({shape})")
                 for shift in rng.sample(range(1, item), min(2, item - 1))]
    rows += [("dimensions", filled(other)) for other in other_shapes(shape, rng)[:3]]
    rows += [("element-type", f"{base}.astype('{other}')") for other in rng.sample(NUMPY_TYPES, 6) if other != kind]
    # One property differs only if the sequence has as many dimensions, and numbers of the same type.
    same = {"i8": ("list", "set", "dict", "{0}", "iter", "tuple"), "u1": ("bytearray", "bytes", "memoryview"), "i2": ("array.array",)}
    rows += [("no-protocol", text.format(f"range(1, {n + 1})")) for text in rng.sample(NOT_ARRAYS, 6)
             if "{0}" not in text or (len(shape) == 1 and text.startswith(same.get(kind, ("[",))))]
    return base, rows


def draw_ml_dtypes(rng, kind):
    n = rng.randrange(2, 9)
    return f"numpy.arange({n}, dtype='f4')", [("element-type", f"numpy.arange({n}).astype(ml_dtypes.{other})") for other in
                                              ("bfloat16", "float8_e4m3fn", "float8_e5m2", "int4", "float6_e2m3fn")]


def draw_box(rng, kind):
    n = rng.randrange(2, 9)
    errors = ("RuntimeError('the pipeline is closed')", "ValueError('handle 7 was released')", "KeyError('frame')",
              "OSError(5, 'Input/output error')", "BufferError('the frame is being written')", "IndexError('no such stage')")
    array = f"numpy.arange({n}, dtype='{rng.choice(('f4', 'i8', 'f8'))}')"
    return f"Box({array})", [("keyword", f"Without({array})"), ("producer-error", f"Failing({rng.choice(errors)})"),
                             ("producer-error", f"Failing({rng.choice(errors)})"), ("producer-lost", f"Ending({array})"),
                             ("device", f"Elsewhere({array})"),
                             ("element-type", f"Box({array}.astype('{rng.choice(('U', 'O', 'm8[s]'))}'))"),
                             ("byte-order", f"Box({array}.astype({array}.dtype.newbyteorder()))")]


def draw_buffers(rng, kind):
    n, code = rng.randrange(3, 9), rng.choice("ihfdBq")
    return f"array.array('{code}', range({n}))", [
        ("readonly", f"memoryview(array.array('{code}', range({n}))).toreadonly()"), ("strides", f"memoryview(array.array('{code}', range({2 * n})))[::2]"),
        ("strides", f"memoryview(array.array('{code}', range({n})))[::-1]"), ("empty", f"array.array('{code}')"),
        ("element-type", "array.array('u', 'abc')"), ("no-protocol", f"list(range({n}))"), ("no-protocol", f"range({n})"),
        ("dimensions", f"memoryview(bytearray({n * 8})).cast('B', ({n}, 8))"), ("no-protocol", "object()")]


def draw_pyarrow(rng, kind):
    numbers, kind = [rng.randrange(100) for _ in range(rng.randrange(3, 7))], rng.choice(("int32", "int64", "float32", "float64"))
    nulls = [None if i == 1 else number for i, number in enumerate(numbers)]
    return f"pyarrow.array({numbers}, pyarrow.{kind}())", [
        ("nulls", f"pyarrow.array({nulls}, pyarrow.{kind}())"), ("nulls", f"pyarrow.array({nulls[::-1]}, pyarrow.{kind}())"),
        ("element-type", "pyarrow.array(['x', 'yz'])"), ("element-type", "pyarrow.array([[1], [2, 3]])"),
        ("element-type", "pyarrow.array([{'k': 1}, {'k': 2}, {'k': 3}])"), ("element-type", "pyarrow.array([True, False])"), ("element-type",
         f"pyarrow.array([1, 2], pyarrow.timestamp('{rng.choice(('s', 'ns'))}'))"), ("element-type", "pyarrow.array([b'ab', b'c'])"),
        ("element-type", "pyarrow.array(['p', 'q', 'p']).dictionary_encode()"), ("element-type", "pyarrow.array([1, 2], pyarrow.decimal128(5))"),
        ("empty", f"pyarrow.array([], pyarrow.{kind}())"), ("element-type", "pyarrow.array([1, 2], pyarrow.date32())")]


def draw_pandas(rng, kind):
    numbers, maker = [rng.randrange(100) for _ in range(rng.randrange(3, 7))], rng.choice(("pandas.Series", "pandas.Index"))
    return f"{maker}({numbers})", [
        ("element-type", f"{maker}(['p', 'q'])"), ("element-type", f"{maker}([1, 'a', None], dtype=object)"), ("element-type",
         f"{maker}(pandas.to_datetime(['2026-03-04', '2025-01-01']))"), ("element-type", f"{maker}(['u', 'v', 'u'], dtype='category')"),
        ("element-type", f"{maker}(pandas.to_timedelta([1, 2], 's'))"),
        ("element-type", f"{maker}(pandas.date_range('2026-01-01', periods=3, tz='UTC'))"), ("empty", f"{maker}([], dtype='int64')")]


def draw_nullable(rng, kind):
    numbers, kind = [rng.randrange(100) for _ in range(rng.randrange(3, 7))], rng.choice(("Int64", "Int32", "Float64", "boolean"))
    numbers = [number % 2 == 1 for number in numbers] if kind == "boolean" else numbers
    return f"pandas.Series({numbers}, dtype='{kind}')", [("nulls", f"pandas.Series({[None, *numbers[1:]]}, dtype='{kind}')"),
                                                         ("nulls", f"pandas.Series({[*numbers[1:], None]}, dtype='{kind}')")]


def draw_xarray(rng, kind):
    kind, n = rng.choice(("i4", "i8", "f4", "f8")), rng.randrange(3, 9)
    values = f"numpy.arange({n}, dtype='{kind}')"
    return f"xarray.DataArray({values})", [
        ("element-type", "xarray.DataArray(numpy.array(['u', 'v']))"), ("dimensions", f"xarray.DataArray({values}[1])"),
        ("dimensions", f"xarray.DataArray({values}.reshape(1, 1, {n}))"), ("byte-order", f"xarray.DataArray({values}.astype('>{kind}'))"),
        ("element-type", f"xarray.DataArray({values}.astype('M8[ns]'))"), ("element-type", f"xarray.DataArray({values} + 1j)"),
        ("empty", f"xarray.DataArray({values}[:0])"),
        ("strides", f"xarray.DataArray(numpy.repeat({values}, 2)[::2])"), ("readonly", f"xarray.DataArray(numpy.frombuffer({values}.tobytes(), '{kind}'))")]


def draw_jax(rng, kind):
    n, kind = 2 * rng.randrange(2, 5), rng.choice(("int32", "float32"))
    values = f"jax.numpy.arange({n}, dtype='{kind}')"
    return values, [
        *(("element-type", f"{values}.astype('{other}')") for other in rng.sample(("bfloat16", "float16", "bool", "complex64", "float8_e4m3fn",
                                                                                     "int4", "uint16", "int8"), 4)),
        ("element-type", f"jax.random.key({n})"), ("dimensions", f"{values}[1]"), ("dimensions", f"{values}.reshape(1, 2, -1)"),
        ("producer-error", f"(lambda a: (a.delete(), a)[1])({values} + 1)"), ("empty", f"{values}[:0]"),
        ("several-devices", f"jax.device_put({values}, jax.sharding.NamedSharding(jax.make_mesh((2,), ('i',)), jax.sharding.PartitionSpec('i')))")]


def draw_torch(rng, kind):
    kind, n = rng.choice(("float32", "float64", "int32", "int64", "complex64")), rng.randrange(3, 9)
    shape = rng.choice(((n,), (2, n)))

    def filled(shape, kind=kind):
        return f"torch.arange({product(shape)}).reshape({shape}).to(torch.{kind})"
    base = filled(shape)
    rows = [("element-type", filled(shape, other)) for other in rng.sample(("bfloat16", "float16", "bool", "complex64", "float8_e5m2", "uint16",
                                                                            "int8", "float64", "int64"), 4) if other != kind]
    rows += [("strides", f"torch.repeat_interleave({base}, 2, -1)[..., ::2]"), ("empty", f"torch.zeros((0, *{shape[1:]}), dtype=torch.{kind})"),
             ("device", f"torch.empty({shape}, dtype=torch.{kind}, device='meta')"), ("no-protocol", f"{filled((n, n))}.to_sparse()"),
             ("strides", f"{base}.T.contiguous().T" if len(shape) > 1 else f"torch.repeat_interleave({base}, 3)[::3]")]
    rows += [("dimensions", filled(other)) for other in other_shapes(shape, rng)[:3]]
    if kind == "complex64":
        rows += [("pending-operation", base + ".conj()")] * 2
    elif kind.startswith("float"):
        rows += [("pending-operation", base + ".requires_grad_()"), ("pending-operation", f"{filled(shape, 'complex64')}.conj().imag")]
    return base, rows


def draw_small(library, ordinary, rows):
    """Of a library whose arrays differ in few properties."""
    return lambda rng, kind: (ordinary.format(n=3), [(cause, text) for cause, text in rows])


DRAWS = {
    "numpy": draw_numpy, "ml_dtypes": draw_ml_dtypes, "box": draw_box, "array": draw_buffers, "pyarrow": draw_pyarrow, "pandas": draw_pandas, "nullable": draw_nullable,
    "xarray": draw_xarray, "jax": draw_jax, "torch": draw_torch,
    "tensorflow": draw_small("tensorflow", "tensorflow.range(6.)", (
        ("element-type", "tensorflow.constant(['a', 'b'])"), ("element-type", "tensorflow.cast(tensorflow.range(4), tensorflow.bfloat16)"),
        ("dimensions", "tensorflow.constant(3.)"), ("empty", "tensorflow.zeros([0])"),
        ("no-protocol", "tensorflow.ragged.constant([[1.], [2., 3.]])"))),
    "mlx.core": draw_small("mlx.core", "mlx.core.arange(6)", (
        ("element-type", "mlx.core.ones(3, mlx.core.bfloat16)"), ("element-type", "mlx.core.ones(6, mlx.core.complex64)"),
        ("element-type", "mlx.core.ones(6) > 0"), ("dimensions", "mlx.core.ones((1, 2, 3), mlx.core.int32)"), ("strides", "mlx.core.arange(12)[::2]"), ("dimensions", "mlx.core.array(3)"), ("empty", "mlx.core.array([], mlx.core.int32)"))),
    "warp": draw_small("warp", "warp.array([1., 2., 3.], device='cpu')", (
        ("strides", "warp.array(numpy.arange(8, dtype='f4'), device='cpu')[::2]"), ("dimensions", "warp.zeros((2, 2, 2), device='cpu')"),
        ("empty", "warp.zeros(0, device='cpu')"))),
    "paddle": draw_small("paddle", "paddle.arange(6.)", (
        ("element-type", "paddle.ones([3], 'bfloat16')"), ("dimensions", "paddle.to_tensor(3.)"), ("empty", "paddle.zeros([0])"),
        ("element-type", "paddle.ones([3], 'bool')"), ("strides", "paddle.arange(12.)[::2]"))),
    "polars": draw_small("polars", "polars.Series([1, 2, 3])", (
        ("nulls", "polars.Series([1, None, 3])"), ("nulls", "polars.Series([None, 2, 3])"), ("element-type", "polars.Series([True, False, True])"),
        ("element-type", "polars.Series(['a', 'b']).cast(polars.Categorical)"), ("element-type", "polars.Series([datetime.date(2026, 3, 4)] * 3)"),
        ("element-type", "polars.Series([{'k': 1}, {'k': 2}])"), ("element-type", "polars.Series([1, 2, 3]).cast(polars.Decimal(5, 2))"), ("element-type", "polars.Series(['a', 'b'])"), ("element-type", "polars.Series([[1], [2, 3]])"),
        ("empty", "polars.Series([], dtype=polars.Int64)"))),
    "scipy": draw_small("scipy", "numpy.eye(3)", (
        ("no-protocol", "scipy.sparse.csr_array(numpy.eye(3))"), ("no-protocol", "scipy.sparse.eye_array(3)"))),
    "dpnp": draw_small("dpnp", "dpnp.arange(6, dtype='f4')", (
        ("strides", "dpnp.arange(12, dtype='f4')[::2]"), ("dimensions", "dpnp.array(3, dtype='f4')"), ("empty", "dpnp.zeros(0, dtype='f4')"),
        ("element-type", "dpnp.ones(6, dtype='bool')"), ("element-type", "dpnp.ones(6, dtype='c8')"), ("dimensions", "dpnp.zeros((1, 2, 3), dtype='f4')"))),
    "array_api_strict": draw_small("array_api_strict", "array_api_strict.asarray([1., 2., 3.])", (
        ("element-type", "array_api_strict.asarray([True, False, True])"), ("element-type", "array_api_strict.asarray([1j, 2., 3.])"),
        ("dimensions", "array_api_strict.asarray(3.)"), ("dimensions", "array_api_strict.ones((2, 2, 2, 2, 2))"),
        ("empty", "array_api_strict.zeros(0)"))),
    "ctypes": draw_small("ctypes", "(ctypes.c_double * 4)(1, 2, 3, 4)", (
        ("element-type", "(ctypes.c_wchar * 3)('a', 'b', 'c')"), ("element-type", "(ctypes.c_void_p * 3)(1, 2, 3)"),
        ("dimensions", "((ctypes.c_double * 2) * 2)((1, 2), (3, 4))"), ("empty", "(ctypes.c_double * 0)()"),
        ("element-type", "ctypes.pointer(ctypes.c_double(3))"), ("byte-order", "(ctypes.c_double.__ctype_be__ * 3)(1, 2, 3)"),
        ("dimensions", "ctypes.c_double(3)"))),
    "frame": draw_small("frame", "pandas.DataFrame({{'a': [1., 2., 3.], 'b': [3., 5., 4.], 'c': [2., 2., 1.]}})", (
        ("element-type", "pandas.DataFrame({'a': ['x', 'y', 'z'], 'b': ['u', 'v', 'w'], 'c': ['a', 'b', 'c']})"),
        ("element-type", "pandas.DataFrame({'a': pandas.to_datetime(['2026-03-04'] * 3), 'b': pandas.to_datetime(['2026-03-05'] * 3)})"),
        ("empty", "pandas.DataFrame({'a': [], 'b': [], 'c': []}, dtype='f8')"))),
    # Without nulls, arrays of it have elements of objects, too.
    "nullable_frame": draw_small("nullable_frame", "pandas.DataFrame({{'a': [1, 6, 3], 'b': [3, 5, 4], 'c': [2, 2, 1]}}, dtype='Float64')", (
        ("nulls", "pandas.DataFrame({'a': [1, None, 3], 'b': [3, 5, 4], 'c': [2, 2, 1]}, dtype='Float64')"),
        ("nulls", "pandas.DataFrame({'a': [1, 6, 3], 'b': [3, 5, 4], 'c': [2, None, 1]}, dtype='Float64')"))),
    "memmap": draw_small("memmap", "numpy.memmap(FILE, 'f8', 'r+', shape=(9,))", (
        ("readonly", "numpy.memmap(FILE, 'f8', 'r', shape=(9,))"), ("strides", "numpy.memmap(FILE, 'f8', 'r+', shape=(18,))[::2]"),
        ("byte-order", "numpy.memmap(FILE, '>f8', 'r+', shape=(9,))"), ("alignment", "numpy.memmap(FILE, 'f8', 'r+', 4, shape=(9,))"),
        ("dimensions", "numpy.memmap(FILE, 'f8', 'r+', shape=(1, 1, 9))"), ("element-type", "numpy.memmap(FILE, 'S8', 'r+', shape=(9,))"),
        ("element-type", "numpy.memmap(FILE, 'c16', 'r+', shape=(9,))"))),
    "quantity": draw_small("quantity", "astropy.units.Quantity([1., 2., 3.])", (
        ("readonly", "(lambda a: (a.setflags(write=False), a)[1])(astropy.units.Quantity([1., 2., 3.]))"),
        ("strides", "astropy.units.Quantity(numpy.arange(6.))[::2]"), ("dimensions", "astropy.units.Quantity(3.)"),
        ("byte-order", "astropy.units.Quantity(numpy.arange(3, dtype='>f8'))"), ("empty", "astropy.units.Quantity(numpy.zeros(0))"),
        ("dimensions", "astropy.units.Quantity(numpy.ones((1, 2, 3)))"), ("element-type", "astropy.units.Quantity([1j, 2., 3.])"))),
    "awkward": draw_small("awkward", "awkward.Array([1., 2., 3.])", (
        ("nulls", "awkward.Array([1., None, 3.])"), ("element-type", "awkward.Array(['a', 'b', 'c'])"), ("dimensions", "awkward.Array([[1., 2.], [3., 4.]])"),
        ("empty", "awkward.Array(numpy.zeros(0))"), ("element-type", "awkward.Array([True, False, True])"))),
    "pint": draw_small("pint", "pint.Quantity(numpy.array([1., 2., 3.]))", (
        ("strides", "pint.Quantity(numpy.arange(6.)[::2])"), ("dimensions", "pint.Quantity(3.)"), ("empty", "pint.Quantity(numpy.zeros(0))"),
        ("byte-order", "pint.Quantity(numpy.arange(3, dtype='>f8'))"), ("element-type", "pint.Quantity(numpy.array([1j, 2., 3.]))"),
        ("readonly", "pint.Quantity((lambda a: (a.setflags(write=False), a)[1])(numpy.array([1., 2., 3.])))"))),
    "dask": draw_small("dask", "dask.array.from_array(numpy.array([1., 2., 3.]))", (
        ("dimensions", "dask.array.from_array(numpy.ones((1, 2, 3)))"), ("empty", "dask.array.from_array(numpy.zeros(0))"),
        ("element-type", "dask.array.from_array(numpy.array(['a', 'b']))"), ("element-type", "dask.array.from_array(numpy.array([1j, 2., 3.]))"))),
    "blosc2": draw_small("blosc2", "blosc2.asarray(numpy.array([1., 2., 3.]))", (
        ("dimensions", "blosc2.asarray(numpy.ones((1, 2, 3)))"), ("element-type", "blosc2.asarray(numpy.array([1j, 2., 3.]))"),
        ("element-type", "blosc2.asarray(numpy.array([1, 2, 3], 'f2'))"), ("dimensions", "blosc2.asarray(numpy.array(3.))"))),
    # The device is the deviation from an ordinary array on the host.
    "usm": draw_small("usm", "numpy.arange(6, dtype='f4')", (("device", "dpnp.arange(6, dtype='f4')"), ("device", "dpnp.ones((2, 3))"))),
}
BASES_OF = {"numpy": 6, "box": 3, "torch": 3, "array": 2, "jax": 2, "pandas": 2, "pyarrow": 2, "xarray": 2}
NEEDS = {"ctypes": "numpy", "memmap": "numpy", "frame": "pandas", "quantity": "astropy", "box": "numpy", "array": "numpy", "nullable": "pandas", "nullable_frame": "pandas", "usm": "dpnp"}

# Functions that no rule of suai names.
OTHER_CONSUMERS = {
    "stdlib": ("hashlib:sha256", "zlib:compress", "base64:b64encode", "binascii:hexlify", "io:BytesIO", "struct.unpack_from('2i', _)",
               "io.BytesIO(bytes(64)).readinto(_)", "struct.pack_into('B', _, 0, 1)", "collections:deque", "statistics:mean", "max(_)",
               "zlib:crc32", "memoryview(_).cast('B')[:2].tolist()", "float(_)", "range(3)[_]", "sum(_)"),
    "numpy": ("numpy:histogram", "numpy:cumsum", "numpy.linalg:cholesky", "numpy.polyfit(_, _, 1)", "_.sort()", "numpy:unwrap", "numpy:cov",
              "numpy.put(_, [0], [1])", "numpy.fill_diagonal(_, 1)", "numpy.einsum('i->', _)", "numpy.digitize(_, [1, 2])", "numpy:trapezoid",
              "numpy.savetxt(open('/dev/null', 'w'), _)", "numpy:vander", "numpy.random.default_rng(0).permuted(_, out=_)",
              "numpy.copyto(_, 1)", "numpy.lib.stride_tricks.sliding_window_view(_, 2)", "numpy.matmul(_, _)", "numpy.take([5, 6, 7, 8, 9], _)",
              "numpy.ndarray((1,), 'u1', _)", "numpy.bitwise_and(_, 1)", "numpy.gradient(_)", "numpy.array(_, dtype='i4')", "numpy.roots(_)"),
    "pandas": ("pandas:DataFrame", "pandas:unique", "pandas:factorize", "pandas.Series(_).rolling(2).sum()", "pandas.Series(_, dtype='Int64')",
               "pandas.Categorical(_)", "pandas:get_dummies", "pandas.array(_, dtype='Float64')", "pandas.interval_range(0, _)"),
    "polars": ("polars.DataFrame(_)", "polars.Series(_, dtype=polars.Float64)", "polars.Series('a', _).sum()"),
    "scipy": ("scipy.signal:medfilt", "scipy.signal.find_peaks(_)", "scipy.linalg:eigh", "scipy.linalg.cho_factor(_)", "scipy.linalg:expm",
              "scipy.linalg.blas.dscal(2., _)", "scipy.linalg.lapack.dgetrf(_)", "scipy.ndimage:sobel", "scipy.interpolate.interp1d(_, _)",
              "scipy.stats:describe", "scipy.stats.ttest_1samp(_, 0)", "scipy.sparse:coo_array", "scipy.spatial:Delaunay", "scipy.signal:welch"),
    "sklearn": ("sklearn.preprocessing.StandardScaler().fit(_)", "sklearn.preprocessing.LabelEncoder().fit(_)",
                "sklearn.metrics.pairwise_distances(_)", "sklearn.utils.check_array(_, ensure_2d=False)",
                "sklearn.preprocessing.normalize(_, copy=False)", "sklearn.metrics.accuracy_score(_, _)"),
    "cv2": ("cv2.resize(_, (4, 4))", "cv2.threshold(_, 2, 5, cv2.THRESH_BINARY)", "cv2:equalizeHist", "cv2.medianBlur(_, 3)", "cv2.filter2D(_, -1, numpy.ones((3, 3)))",
            "cv2.imencode('.png', _)", "cv2:mean", "cv2.add(_, _, _)", "cv2.rectangle(_, (0, 0), (1, 1), 1)", "cv2:countNonZero", "cv2:split"),
    "numba": ("typed(_)", "vectorized(_)", "compact(_)"),
    "torch": ("torch:tensor", "torch.stack([_])", "torch.nn.functional:relu", "torch.linalg:inv", "torch.fft:fft", "torch.add(_, 1, out=_)",
              "torch.nn.Parameter(_)", "torch.utils.data:TensorDataset", "torch.ones(4).index_select(0, _)", "_.add_(1)"),
    "jax": ("jax.numpy:sort", "jax.numpy.linalg:inv", "jax.jit(lambda x: x + 1)(_)", "jax.nn:relu", "jax.grad(lambda x: x.sum())(_)"),
    "PIL": ("PIL.Image:fromarray", "PIL.Image.fromarray(_, 'L')", "PIL.Image.frombuffer('L', (2, 2), _)", "PIL.Image.frombytes('L', (2, 2), _)"),
    "networkx": ("networkx:from_numpy_array",), "sympy": ("sympy:Matrix",), "safetensors": ("safetensors.numpy.save({'a': _})",),
    "opt_einsum": ("opt_einsum.contract('i->', _)", "opt_einsum.contract('ij->i', _)"),
    "mlx.core": ("mlx.core:sum", "mlx.core.add(_, _)", "mlx.core.stack([_])"), "paddle": ("paddle:sum", "paddle.Tensor(_)"),
    "astropy": ("astropy.units.Quantity(_, 'm', copy=False)", "astropy.stats:sigma_clip", "astropy.table.Column(_)", "astropy.units.Quantity(_).to_value()"),
    "xarray": ("xarray:DataArray", "xarray.Variable('x', _)"),
    "onnxruntime": ("onnxruntime.OrtValue.from_dlpack(_.__dlpack__())",),
    "array_api_strict": ("array_api_strict:sum", "array_api_strict.asarray(_, copy=False)"),
    "tvm_ffi": ("tvm_ffi:Shape", "tvm_ffi.convert(_)"),
    "skimage": ("skimage.filters:gaussian", "skimage.filters:sobel", "skimage.util:img_as_ubyte", "skimage.transform.resize(_, (4, 4))",
                "skimage.measure:label", "skimage.exposure:rescale_intensity"),
    "bottleneck": ("bottleneck:nansum", "bottleneck.move_mean(_, 2)", "bottleneck:rankdata", "bottleneck.replace(_, 1, 2)"),
    "numexpr": ("numexpr.evaluate('a + 1', {'a': _})", "numexpr.evaluate('sum(a)', {'a': _})"),
    "pywt": ("pywt.dwt(_, 'haar')", "pywt.wavedec(_, 'haar')", "pywt.threshold(_, 1)"),
    "statsmodels": ("statsmodels.api.add_constant(_)", "statsmodels.tsa.stattools:acf"),
    "shapely": ("shapely:points", "shapely.linestrings(_)"), "faiss": ("faiss.kmin(_, 1)", "faiss.IndexFlatL2(3).add(_)"),
    "lz4": ("lz4.frame:compress",), "zstandard": ("zstandard.ZstdCompressor().compress(_)",), "bitarray": ("bitarray.bitarray(buffer=_)",),
    "pyfftw": ("pyfftw.interfaces.numpy_fft:fft", "pyfftw.FFTW(_, _)"), "awkward": ("awkward:from_numpy", "awkward:Array", "awkward:from_dlpack"),
    "blosc2": ("blosc2:asarray", "blosc2:compress2"), "sparse": ("sparse.COO.from_numpy(_)", "sparse:COO"),
    "numcodecs": ("numcodecs.Zstd().encode(_)", "numcodecs.Delta('f8').encode(_)", "numcodecs.FixedScaleOffset(0, 1, 'f8').encode(_)"),
    "dask": ("dask.array.from_array(_)", "dask.array:asarray"), "pint": ("pint.Quantity(_, 'm')", "pint.Quantity(_).sum()"),
    "orjson": ("orjson.dumps(_, option=orjson.OPT_SERIALIZE_NUMPY)",), "simsimd": ("simsimd.sqeuclidean(_, _)", "simsimd.cdist(_, _)"),
    "SimpleITK": ("SimpleITK:GetImageFromArray", "SimpleITK.GetImageFromArray(_, isVector=True)"), "soxr": ("soxr.resample(_, 2, 1)",),
    "ducc0": ("ducc0.fft:r2c", "ducc0.fft:c2c", "ducc0.fft.r2c(_, out=numpy.empty(4, 'c16'))"), "finufft": ("finufft.nufft1d1(_, _, 4)",),
    "erfa": ("erfa.jd2cal(_, 0.)", "erfa.anp(_)"), "cramjam": ("cramjam.zstd.compress(_)", "cramjam.snappy.compress_raw(_)", "cramjam:Buffer"),
    "tinygrad": ("tinygrad:Tensor", "tinygrad.Tensor(_).numpy()"), "fastremap": ("fastremap:unique", "fastremap.renumber(_, in_place=True)"),
    "lightgbm": ("lightgbm.Dataset(_).construct()",),
    "zarr": ("zarr.array(_)",), "h5py": ("h5py.File(io.BytesIO(), 'w').create_dataset('a', data=_)",),
    "pyarrow": ("pyarrow:table", "pyarrow.array(_, from_pandas=True)", "pyarrow.record_batch([_], ['a'])", "pyarrow.foreign_buffer(_, 8)",
                "pyarrow.BufferReader(_)", "pyarrow:chunked_array", "pyarrow.compute.add(_, 1)", "pyarrow.FixedSizeListArray.from_arrays(_, 1)"),
}

CONSUMERS = {
    "builtins": ("builtins:memoryview", "memoryview(_).cast('B')", "ctypes.c_char.from_buffer(_)", "array.array('{t}', _)", "hash(bytes(_))",
                 "bytearray(_)", "int.from_bytes(_)", "b''.join([_])"),
    "numpy": ("numpy:from_dlpack", "numpy.frombuffer(_, '{d}')", "numpy.asarray(_, dtype='f4')", "numpy.linalg.norm(_)", "numpy.bincount(_)",
              "numpy.linalg:qr", "numpy.fft:fft", "numpy.add(_, 1, out=_)", "numpy.random.default_rng(0).shuffle(_)", "numpy:ascontiguousarray",
              "numpy.require(_, requirements=['W', 'A'])", "numpy.require(_, requirements='C')", "numpy.asarray(_, dtype='{d}')",
              "numpy.linalg:svd", "numpy:ravel", "numpy.interp(2.5, _, _)", "numpy.packbits(_)", "numpy:bitwise_count", "_.view('u1')"),
    "pyarrow": ("pyarrow.array(_)", "pyarrow:py_buffer", "pyarrow.Tensor.from_numpy(_)", "pyarrow.Array.from_dlpack(_)",
                "pyarrow.array(_, pyarrow.int64())", "pyarrow.compute.sum(_)"),
    "torch": ("torch:from_dlpack", "torch:from_numpy", "torch:as_tensor", "torch.frombuffer(_, dtype=torch.int32)", "torch.utils.dlpack:from_dlpack",
              "torch:asarray", "torch:linalg.norm", "torch:FloatTensor", "torch:bincount"),
    "tensorflow": ("tensorflow:convert_to_tensor", "tensorflow.experimental.dlpack.from_dlpack(_.__dlpack__())"),
    "mlx.core": ("mlx.core:array",), "warp": ("warp:from_dlpack", "warp.from_numpy(_, device='cpu')", "warp.array(_, device='cpu')"),
    "cv2": ("cv2:flip", "cv2.flip(_, 0)", "cv2.GaussianBlur(_, (3, 3), 0)", "cv2:norm", "cv2:transpose", "cv2.cvtColor(_, cv2.COLOR_GRAY2BGR)",
            "cv2.line(_, (0, 0), (1, 1), 1)"),
    "jax": ("jax.numpy:from_dlpack", "jax.numpy:asarray", "jax.dlpack:from_dlpack", "jax:device_put"), "tvm_ffi": ("tvm_ffi:from_dlpack",),
    "onnxruntime": ("onnxruntime.OrtValue.ortvalue_from_numpy(_)", "onnxruntime.OrtValue.ortvalue_from_numpy(_).numpy()"),
    "paddle": ("paddle:to_tensor", "paddle:from_dlpack"),
    "pandas": ("pandas:Series", "pandas:Index", "pandas:to_numeric", "pandas.cut(_, 2)"), "polars": ("polars:Series", "polars:from_numpy"),
    "array_api_strict": ("array_api_strict:from_dlpack", "array_api_strict:asarray"), "xarray": ("xarray.DataArray(_, dims='x')",),
    "scipy": ("scipy.linalg.norm(_)", "scipy.signal.hilbert(_)", "scipy.linalg:inv", "scipy.linalg:lu", "scipy.sparse:csr_array", "scipy.fft:dct",
              "scipy.ndimage.gaussian_filter(_, 1)", "scipy.spatial.distance:pdist", "scipy.interpolate.CubicSpline(_, _)", "scipy.stats:zscore",
              "scipy.ndimage:label", "scipy.spatial:KDTree"),
    "numba": ("total(_)", "set_first(_)"), "PIL": ("PIL.Image:fromarray",), "astropy": ("astropy.units.Quantity(_, 'm')",),
    "sklearn": ("sklearn.utils:check_array", "sklearn.preprocessing:scale", "sklearn.utils:column_or_1d",
                "sklearn.cluster.KMeans(2, n_init=1).fit(_)"),
    "dpnp": ("dpnp:from_dlpack", "dpnp:asarray", "dpnp:sum"),
}

for _library, _consumers in OTHER_CONSUMERS.items():
    CONSUMERS[_library] = (*CONSUMERS.get(_library, ()), *(consumer for consumer in _consumers if consumer not in CONSUMERS.get(_library, ())))
