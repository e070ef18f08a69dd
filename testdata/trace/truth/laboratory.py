"""Ways to call: callbacks, generators, decorators, exec(), threads, finalizers, pickle; USM attributes and interfaces of classes.

The expectations were written from the documentation, before this program was traced and without knowledge of the layers for
attributes and lines. Two of them were wrong: classes of the program have no library, and one line that reads an interface
twice is one exchange.
"""
import array
import atexit
import contextlib
import ctypes
import dataclasses
import functools
import operator
import pickle
import re
import threading
import weakref

import numpy as np
import dpctl.memory  # expect: any
import dpnp  # expect: any
import dpnp.tensor as dpt  # expect: any
import jax  # expect: any
import jax.numpy as jnp  # expect: any
import tvm_ffi  # expect: any

ROUNDS, N = 20, 512
buffers = [array.array("d", range(i, i + N)) for i in range(ROUNDS)]


class Reading:
    """An instrument's data, with NumPy's interface."""

    def __init__(self, values):
        self.values = values

    @property
    def __array_interface__(self):
        return self.values.__array_interface__


class Export:
    """A class of a program that passes capsules on."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


@dataclasses.dataclass
class Sample:
    raw: array.array
    values: np.ndarray = None

    def __post_init__(self):
        self.values = np.frombuffer(self.raw)  # expect: buffer python>numpy 20 shared

    @property
    def copy(self):
        return np.array(self.raw)  # expect: buffer python>numpy 20 copied

    def __getitem__(self, i):
        return np.asarray(self.raw)[i]  # expect: buffer python>numpy 20 shared

    def __enter__(self):
        return np.asanyarray(self.raw)  # expect: buffer python>numpy 20 shared

    def __exit__(self, *error):
        np.frombuffer(self.raw, dtype="u1")  # expect: buffer python>numpy 20 shared


def counted(function):
    @functools.wraps(function)
    def wrapper(values):
        wrapper.calls += 1
        return function(np.from_dlpack(values))  # expect: dlpack numpy>numpy 20 shared
    wrapper.calls = 0
    return wrapper


@counted
def mean(values):
    return float(values.mean())


def stream():
    for raw in buffers:
        yield np.frombuffer(raw)  # expect: buffer python>numpy 20 shared


@contextlib.contextmanager
def borrowed(raw):
    yield np.asarray(raw)  # expect: buffer python>numpy 20 shared


def in_thread(results):
    for raw in buffers:
        results.append(np.frombuffer(raw).sum())  # expect: buffer python>numpy 20 shared


def at_end():
    for raw in buffers:
        np.frombuffer(raw)  # expect: buffer python>numpy 20 shared


def aligned():
    room = np.empty(8 * N + 64, dtype="u1")
    return room[-room.ctypes.data % 64:][:8 * N].view("f4")


atexit.register(at_end)

# Functions that C code calls.
first = sorted(buffers, key=lambda raw: -np.frombuffer(raw)[0])  # expect: buffer python>numpy 20 shared
views = list(map(np.asarray, buffers))  # expect: buffer python>numpy 20 shared
total = functools.reduce(lambda sum, raw: sum + np.frombuffer(raw)[-1], buffers, 0.0)  # expect: buffer python>numpy 20 shared
text = re.sub(r"\d+", lambda found: str(np.frombuffer(buffers[int(found[0])])[0]), " ".join(map(str, range(ROUNDS))))  # expect: buffer python>numpy 20 shared
lengths = np.vectorize(lambda i: len(np.frombuffer(buffers[i])), otypes=[int])(np.arange(ROUNDS))  # expect: buffer python>numpy 20 shared
compare = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_long)(lambda i: int(np.frombuffer(buffers[i])[1]))  # expect: buffer python>numpy 20 shared
from_c = [compare(i) for i in range(ROUNDS)]
frozen = functools.partial(np.from_dlpack, copy=True)
copies = [frozen(view) for view in views]  # expect: dlpack numpy>numpy 20 copied held=20
chosen = [*map(operator.methodcaller("__class__"), ())]

# Code that the program makes, and calls of several lines.
for raw in buffers:
    exec("value = np.frombuffer(raw)[2]")  # expect: buffer python>numpy 20 shared
    wide = np.array(  # expect: buffer python>numpy 20 copied
        raw,
        dtype="c16",
    )
    (lambda: np.frombuffer(raw, "i8"))()  # expect: buffer python>numpy 20 shared

assert sum(1 for values in stream()) == ROUNDS
means = [mean(view) for view in views]
for raw in buffers:
    sample = Sample(raw)
    with sample as inside, borrowed(raw) as outside:
        assert sample.copy[5] == sample[5] == inside[5] == outside[5]

results = []
thread = threading.Thread(target=in_thread, args=(results,))
thread.start()
thread.join()


def release(raw):
    np.frombuffer(raw)  # expect: buffer python>numpy 20 shared


for raw in buffers:
    weakref.finalize(Reading(None), release, raw)

# NumPy's arrays out of band.
for view in views:
    parts = []
    data = pickle.dumps(view, protocol=5, buffer_callback=parts.append)
    loaded = pickle.loads(data, buffers=parts)  # expect: buffer python>numpy 20 shared
    assert np.shares_memory(loaded, view)

# Attributes and methods of classes.
for view in views:
    interface = np.asarray(Reading(view))  # expect: numpy >numpy 20 shared
    passed = np.from_dlpack(Export(view))  # expect: dlpack numpy>numpy 20 shared
    assert np.shares_memory(interface, view) and np.shares_memory(passed, view)

# Unified shared memory.
target = dpctl.memory.MemoryUSMShared(8 * N)
for i in range(ROUNDS):
    x = dpnp.full(N, float(i), dtype="f4")
    memory = dpctl.memory.as_usm_memory(x)  # expect: sycl dpnp>dpctl 20
    target.copy_from_device(x)  # expect: sycl dpnp>dpctl 20
    y = dpt.asarray(target)  # expect: sycl dpctl>dpnp 20
    z = dpnp.asarray(target)  # expect: sycl dpctl>dpnp 20
    # Reads the interface to know the kind of the memory, and again to copy from it: one exchange, as all is at one line.
    shared = dpctl.memory.MemoryUSMShared(x, copy=True)  # expect: sycl dpnp>dpctl 20
    own = dpnp.from_dlpack(y)  # expect: dlpack dpnp>dpnp 20
    assert memory.nbytes == shared.nbytes == 4 * N and y.shape == z.shape == own.shape

# Between JAX and TVM FFI.
for i in range(ROUNDS):
    values = aligned()
    values[...] = i
    tensor = tvm_ffi.from_dlpack(values)  # expect: dlpack numpy>tvm_ffi 20
    u = jax.dlpack.from_dlpack(tensor)  # expect: dlpack tvm_ffi>jaxlib 20 shared
    v = tvm_ffi.from_dlpack(u)  # expect: dlpack jaxlib>tvm_ffi 20
    w = jnp.from_dlpack(v)  # expect: dlpack tvm_ffi>jaxlib 20 shared
    assert np.from_dlpack(w)[3] == i  # expect: dlpack jaxlib>numpy 20 shared

print(len(first), total, len(text), int(lengths.sum()), sum(from_c), mean.calls, len(results), len(copies), round(sum(means), 3), wide[1])
