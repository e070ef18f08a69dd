"""Code that libraries and the interpreter call: tasks, dispatch by type, descriptors, signals, handlers of modules, and callbacks of SciPy, JAX and
PyArrow.

The expectations were written from the documentation of the libraries, before this program was traced.
"""
import array
import asyncio
import contextlib
import contextvars
import enum
import functools
import gc
import hashlib
import itertools
import json
import logging
import queue
import sched
import signal
import threading
import typing

import numpy as np
import jax  # expect: any
import pyarrow as pa  # expect: any
import pyarrow.compute as pc  # expect: any
import scipy.integrate  # expect: any
import scipy.ndimage  # expect: any
import scipy.sparse.linalg  # expect: any
import tvm_ffi  # expect: any

ROUNDS, N = 24, 64
buffers = [array.array("d", range(i, i + N)) for i in range(ROUNDS)]
vectors = [np.arange(N, dtype="f8") + i for i in range(ROUNDS)]


def aligned(value):
    memory = np.empty(8 * N + 64, dtype="u1")
    result = memory[-memory.ctypes.data % 64:][:8 * N].view("f4")
    result[...] = value
    return result


# Dispatch by type and by value.
@functools.singledispatch
def load(source):
    raise TypeError(type(source))


@load.register
def _(source: array.array):
    return np.frombuffer(source)  # expect: buffer python>numpy 24 shared


@load.register
def _(source: np.ndarray):
    return np.from_dlpack(source)  # expect: dlpack numpy>numpy 24 shared


def classify(source):
    match source:
        case array.array(typecode="d"):
            return np.asarray(source)[0]  # expect: buffer python>numpy 24 shared
        case np.ndarray(shape=(n,)) if n == N:
            return np.from_dlpack(source, copy=True)[0]  # expect: dlpack numpy>numpy 24 copied
        case _:
            return 0.0


class Kind(enum.Enum):
    RAW = enum.auto()
    COPY = enum.auto()

    def __call__(self, source):
        return np.array(source, copy=None if self is Kind.RAW else True)  # expect: buffer python>numpy 48 shared=24 copied=24


total = 0.0
for raw, vector in zip(buffers, vectors):
    total += load(raw)[1] + load(vector)[1] + classify(raw) + classify(vector) + Kind.RAW(raw)[2] + Kind.COPY(raw)[2]
print("dispatch", total)


# Descriptors, metaclasses and tuples with names.
class Viewed:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        return np.frombuffer(getattr(instance, self.name))  # expect: buffer python>numpy 24 shared

    def __set__(self, instance, value):
        setattr(instance, self.name, value)


class Registry(type):
    seen = 0.0

    def __call__(cls, raw):
        Registry.seen += np.asanyarray(raw)[3]  # expect: buffer python>numpy 24 shared
        return super().__call__(raw)


class Sensor(metaclass=Registry):
    values = Viewed()

    def __init__(self, raw):
        self.values = raw

    @functools.cached_property
    def first(self):
        return float(np.frombuffer(self._values)[0])  # expect: buffer python>numpy 24 shared


class Pair(typing.NamedTuple):
    left: object
    right: object

    def views(self):
        yield from (np.frombuffer(part) for part in self)  # expect: buffer python>numpy 48 shared


total = 0.0
for raw in buffers:
    sensor = Sensor(raw)
    total += sensor.values[1] + sensor.first + sensor.first + sum(view[0] for view in Pair(raw, raw).views())
print("descriptors", total, Registry.seen)

# Functions that C code of the standard library calls.
total = sum(view[0] for view in itertools.starmap(np.frombuffer, ((raw, "f8") for raw in buffers)))  # expect: buffer python>numpy 24 shared
best = max(buffers, key=lambda raw: np.frombuffer(raw)[0])  # expect: buffer python>numpy 24 shared
text = json.dumps(buffers, default=lambda raw: np.frombuffer(raw)[:2].tolist())  # expect: buffer python>numpy 24 shared
groups = [len(list(group)) for _, group in itertools.groupby(buffers, lambda raw: np.frombuffer(raw)[0] // 8)]  # expect: buffer python>numpy 24 shared


class Digests(logging.Handler):
    def emit(self, record):
        digest = hashlib.sha256()
        digest.update(record.args)  # expect: buffer numpy>python 24
        self.last = digest.hexdigest()


logger, handler = logging.getLogger("digests"), Digests()
logger.addHandler(handler)
logger.propagate = False
for vector in vectors:
    record = logger.makeRecord("digests", logging.ERROR, "", 0, "values", None, None)
    record.args = vector
    logger.handle(record)
print("calls", total, best[0], len(text), groups, handler.last[:8])

# Errors: what cannot be exported is not exchanged, and a buffer that is too small is one without a result.
refused = 0
for raw, vector in zip(buffers, vectors):
    try:
        np.frombuffer(raw, count=N + 1)  # expect: buffer python>numpy 24
    except ValueError:
        refused += 1
    else:
        raise AssertionError
    try:
        np.from_dlpack(vector.astype(object))
    except BufferError:
        refused += len(np.frombuffer(raw)) == N  # expect: buffer python>numpy 24 shared
    finally:
        with contextlib.suppress(ValueError), contextlib.ExitStack() as stack:
            stack.callback(lambda raw=raw: np.frombuffer(raw).sum())  # expect: buffer python>numpy 24 shared
            raise ValueError
print("errors", refused)

# Tasks, contexts and threads.
source = contextvars.ContextVar("source")


def read_source():
    return np.frombuffer(source.get())[0]  # expect: buffer python>numpy 48 shared


class Stream:
    def __init__(self, items):
        self.items = iter(items)

    def __aiter__(self):
        return self

    async def __anext__(self):
        await asyncio.sleep(0)
        for raw in self.items:
            return np.frombuffer(raw)  # expect: buffer python>numpy 24 shared
        raise StopAsyncIteration

    async def __aenter__(self):
        return np.asarray(buffers[0])  # expect: buffer python>numpy 1 shared

    async def __aexit__(self, *error):
        np.asarray(buffers[1])  # expect: buffer python>numpy 1 shared


async def consume(raw):
    source.set(raw)
    await asyncio.sleep(0)
    return read_source() + await asyncio.to_thread(read_source)


async def run_tasks():
    results = []
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(consume(raw)) for raw in buffers]
    async with Stream(buffers) as first:
        async for view in (stream := Stream(buffers)):
            results.append(view[0])
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    loop.call_soon(lambda: done.set_result(np.frombuffer(buffers[2])[0]))  # expect: buffer python>numpy 1 shared
    return sum(task.result() for task in tasks) + sum(results) + first[0] + await done


def work(jobs, results):
    while (raw := jobs.get()) is not None:
        results.append(np.frombuffer(raw)[0])  # expect: buffer python>numpy 24 shared


jobs, results = queue.Queue(), []
threads = [threading.Thread(target=work, args=(jobs, results)) for _ in range(3)]
for thread in threads:
    thread.start()
for raw in buffers:
    jobs.put(raw)
for thread in threads:
    jobs.put(None)
for thread in threads:
    thread.join()
scheduler, timed = sched.scheduler(), []
for raw in buffers:
    scheduler.enter(0, 1, lambda raw: timed.append(np.frombuffer(raw)[0]), (raw,))  # expect: buffer python>numpy 24 shared
scheduler.run()
print("tasks", asyncio.run(run_tasks()), sum(results), sum(timed))

# What interrupts other code.
handled = []
signal.signal(signal.SIGUSR1, lambda number, frame: handled.append(np.frombuffer(buffers[len(handled)])[0]))  # expect: buffer python>numpy 24 shared
for _ in range(ROUNDS):
    signal.raise_signal(signal.SIGUSR1)


def on_collection(phase, info):
    if phase == "start":
        handled.append(np.frombuffer(buffers[0])[0])  # expect: buffer python>numpy 24 shared


gc.disable()
gc.callbacks.append(on_collection)
for _ in range(ROUNDS):
    gc.collect()
gc.callbacks.remove(on_collection)
gc.enable()


class Closing:
    def __init__(self, raw):
        self.raw = raw

    def __del__(self):
        handled.append(np.frombuffer(self.raw)[0])  # expect: buffer python>numpy 24 shared


for raw in buffers:
    Closing(raw)
print("interrupts", len(handled), sum(handled))


# Callbacks of SciPy, in C and Cython.
def spread(values):
    return np.ptp(np.from_dlpack(values))  # expect: dlpack numpy>numpy 64 shared


def integrand(x):
    return x * np.frombuffer(buffers[0])[2]  # expect: buffer python>numpy 21 shared


filtered = scipy.ndimage.generic_filter(vectors[0], spread, 3)  # expect: any
area, error = scipy.integrate.quad(integrand, 0.0, 1.0)  # expect: any
operator = scipy.sparse.linalg.LinearOperator((N, N), dtype="f8", matvec=lambda x: np.from_dlpack(x) * 2)  # expect: dlpack numpy>numpy 24 shared
total = sum((operator @ vector)[1] for vector in vectors)
print("scipy", filtered.sum(), round(area, 6), total)


# Trees of JAX, whose nodes and leaves C++ code visits.
class Node:
    def __init__(self, raw, leaf):
        self.raw, self.leaf = raw, leaf


jax.tree_util.register_pytree_node(
    Node,
    lambda node: ((node.leaf,), float(np.frombuffer(node.raw)[0])),  # expect: buffer python>numpy 24 shared
    lambda extra, leaves: Node(None, leaves[0]),
)
leaves = [jax.dlpack.from_dlpack(aligned(i)) for i in range(ROUNDS)]  # expect: dlpack numpy>jaxlib 24 shared
passed = jax.tree_util.tree_map(np.from_dlpack, dict(enumerate(leaves)))  # expect: dlpack jaxlib>numpy 24 shared
tensors = [tvm_ffi.from_dlpack(leaf) for leaf in jax.tree_util.tree_leaves([Node(raw, leaf) for raw, leaf in zip(buffers, leaves)])]  # expect: dlpack jaxlib>tvm_ffi 24
back = [*map(np.from_dlpack, tensors)]  # expect: dlpack tvm_ffi>numpy 24 shared
print("jax", sum(float(view[0]) for view in passed.values()), sum(float(view[0]) for view in back))


# Functions and streams of PyArrow.
def double(context, values):
    return pa.array(np.from_dlpack(values) * 2)  # expect: dlpack pyarrow>numpy 24 shared


pa.array([1.0])  # expect: any (it imports pandas if that exists)
pc.register_scalar_function(double, "double", {"summary": "", "description": ""}, {"values": pa.float64()}, pa.float64())
total = 0.0
for raw, vector in zip(buffers, vectors):
    total += pc.call_function("double", [pa.array(vector)])[1].as_py()
    sink = pa.BufferOutputStream()
    sink.write(vector)  # expect: buffer numpy>pyarrow 24
    view = np.frombuffer(sink.getvalue())  # expect: buffer pyarrow>numpy 24 shared
    foreign = pa.foreign_buffer(vector.ctypes.data, vector.nbytes, vector)
    total += view[2] + np.frombuffer(foreign)[3]  # expect: buffer pyarrow>numpy 24 shared
    with pa.ipc.new_stream(sink := pa.BufferOutputStream(), pa.schema([("a", pa.float64())])) as writer:
        writer.write_batch(pa.record_batch([pa.array(vector)], ["a"]))
    stream = sink.getvalue()
    batch = pa.ipc.open_stream(stream).read_next_batch()
    column = np.from_dlpack(batch.column(0))  # expect: dlpack pyarrow>numpy 24 shared
    total += column[4]
print("pyarrow", total)
