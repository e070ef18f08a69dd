"""Heat in a plate: SciPy's sparse operators and filters, a step in JAX, USM of dpctl, records of Arrow, TVM FFI.

The expectations were written from the documentation and the sources of the libraries, before this program was traced and
without knowledge of how the tracer works. They did not know that JAX's arrays are named after jaxlib, nor that compiling
exchanges anything.
"""
import numpy as np
import dpctl.memory  # expect: any
import jax  # expect: any
import jax.numpy as jnp  # expect: any
import pyarrow as pa  # expect: any
import scipy.sparse  # expect: any
import tvm_ffi  # expect: any
from scipy.ndimage import correlate1d, uniform_filter1d  # expect: any
from scipy.optimize import linear_sum_assignment  # expect: any

SIDE, STEPS = 32, 24
CELLS = SIDE * SIDE


def place(values, offset):
    """A copy of values whose address is OFFSET bytes after a multiple of 64, which is where JAX can share memory."""
    room = np.empty(values.nbytes + 128, dtype="u1")
    start = -room.ctypes.data % 64 + offset
    placed = room[start:start + values.nbytes].view(values.dtype)
    placed[...] = values.ravel()
    return placed


def neighbours():
    """The columns of a five-point stencil on a torus, as 64-bit integers, five of each row."""
    row, column = np.divmod(np.arange(CELLS), SIDE)
    return np.stack([row * SIDE + column, (row + 1) % SIDE * SIDE + column, (row - 1) % SIDE * SIDE + column,
                     row * SIDE + (column + 1) % SIDE, row * SIDE + (column - 1) % SIDE], axis=1).ravel()


def conduct(field, columns, starts, conductivity):
    """One explicit step. The conductivity changes with time, and so does the operator."""
    weights = np.tile([1 - 4 * conductivity] + 4 * [conductivity], CELLS)
    # csr_matrix makes 32-bit integers of the columns and of the starts of the rows; it refers to the weights.
    operator = scipy.sparse.csr_matrix((weights, columns, starts), shape=(CELLS, CELLS))  # expect: numpy-api numpy>scipy 48 copied
    # sparsetools converts each array: starts, columns, weights, the vector and the result. Here no conversion is needed.
    forward = operator @ field  # expect: numpy-api numpy>scipy 120 shared
    adjoint = operator.T
    return forward, adjoint @ forward  # expect: numpy-api numpy>scipy 120 shared


def smooth(plate):
    # The input and the output.
    return uniform_filter1d(plate, 3, axis=0)  # expect: numpy-api numpy>scipy 48 shared


def calibrate(frame, weights):
    # A camera delivers big-endian numbers, which the filter swaps, silently: input, weights and output.
    return correlate1d(frame, weights, axis=1)  # expect: numpy-api numpy>scipy 72 shared=48 copied=24


def match(costs):
    # The solver works in double precision.
    return linear_sum_assignment(costs)  # expect: numpy-api numpy>scipy 24 copied


def match_double(costs):
    return linear_sum_assignment(costs)  # expect: numpy-api numpy>scipy 24 shared


@jax.jit
def relax(u):
    u = u.reshape(SIDE, SIDE)
    return 0.5 * u + 0.125 * (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1))


def relaxed(field):
    placed = place(field.astype("f4"), 0)
    given = jax.dlpack.from_dlpack(placed)  # expect: dlpack numpy>jaxlib 24 shared
    # The first call compiles: two shapes as MLIR's attributes, and the devices, whose conversion by nanobind has no verdict.
    u = relax(given)  # expect: buffer numpy>jaxlib 2; dlpack numpy>jaxlib 1
    # JAX needs an alignment of 64 bytes and copies this without a word.
    shifted = place(field.astype("f4"), 4)
    v = jax.dlpack.from_dlpack(shifted)  # expect: dlpack numpy>jaxlib 24 copied
    w = np.from_dlpack(u)  # expect: dlpack jaxlib>numpy 24 shared
    x = np.asarray(v)  # expect: buffer jaxlib>numpy 24 shared
    return w, x


def stage(values, memory):
    """Through unified shared memory and back."""
    raw = values.ravel().view("u1")
    memory.copy_from_host(raw)  # expect: buffer numpy>dpctl 24
    seen = np.frombuffer(memory, dtype=values.dtype)  # expect: buffer dpctl>numpy 24 shared
    own = memory.copy_to_host()  # expect: buffer numpy>dpctl 24
    into = np.empty_like(raw)
    memory.copy_to_host(into)  # expect: buffer numpy>dpctl 24
    return bool((own == into).all() and (seen == values.ravel()).all())


def record(values):
    return pa.Array.from_dlpack(values)  # expect: dlpack numpy>pyarrow 24 held=24


def inspect(column):
    view = np.from_dlpack(column)  # expect: dlpack pyarrow>numpy 24 shared
    own = np.from_dlpack(column, copy=True)  # expect: dlpack pyarrow>numpy 24 copied
    own -= view.mean()
    return own


def tabulate(plate):
    # from_numpy refers to the array, without a protocol.
    tensor = pa.Tensor.from_numpy(plate)
    table = np.asarray(tensor)  # expect: buffer pyarrow>numpy 24 shared
    wrapped = pa.Tensor.from_dlpack(plate)  # expect: dlpack numpy>pyarrow 24
    return table, wrapped


def replay(plate):
    reader = pa.BufferReader(plate)  # expect: buffer numpy>pyarrow 24
    head = reader.read_buffer(plate.nbytes // 2)
    return np.frombuffer(head, dtype=plate.dtype)  # expect: buffer pyarrow>numpy 24 shared


def exchange(values):
    tensor = tvm_ffi.from_dlpack(values)  # expect: dlpack numpy>tvm_ffi 24
    return np.from_dlpack(tensor)  # expect: dlpack tvm_ffi>numpy 24 shared


columns, starts = neighbours(), np.arange(0, 5 * CELLS + 1, 5)
field = np.sin(np.arange(CELLS, dtype="f8"))
memory = dpctl.memory.MemoryUSMShared(CELLS * 8)
weights = np.array([0.25, 0.5, 0.25])
records, checks = [], []

for step in range(STEPS):
    field, adjoint = conduct(field, columns, starts, 0.1 + 0.001 * step)
    plate = smooth(field.reshape(SIDE, SIDE))
    calibrated = calibrate(plate.astype(">f8"), weights)
    rows, order = match(np.abs(plate[:, :1] - plate[0]).astype("f4"))
    rows, better = match_double(np.abs(plate[:, :1] - plate[0]))
    relaxed_field, shifted_field = relaxed(field)
    assert stage(plate, memory)
    records.append(record(field))
    centred = inspect(records[-1])
    table, wrapped = tabulate(plate)
    half = replay(plate)
    returned = exchange(plate)
    checks.append((np.shares_memory(table, plate), np.shares_memory(half, plate), np.shares_memory(returned, plate),
                   np.allclose(shifted_field, field, atol=1e-5), bool(np.allclose(calibrated.sum(), plate.sum(), rtol=1))))
    assert relaxed_field.shape == (SIDE, SIDE) and len(order) == len(better) == SIDE and wrapped.shape == (SIDE, SIDE)

print(len(records), sorted({all(check[:4]) for check in checks}), round(float(field.sum()), 6))
