# SPDX-License-Identifier: MIT
"""The target of tools/bench-convert: arrays that time their conversion from outside, from reading their interface to calling
the consumer, in turns with calls of other libraries that also allocate a copy. Appends a line of JSON per round to the file
$BENCH_OUT."""
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import copies  # noqa: E402
import numpy as np  # noqa: E402

GPU_CASES = {
    "T 32768^2 u1": ("u1", (32768, 32768), lambda a: a.T),
    "T 16384^2 f4": ("f4", (16384, 16384), lambda a: a.T),
    "T 11264^2 f8": ("f8", (11264, 11264), lambda a: a.T),
    "NCHW>NHWC u1": ("u1", (256, 3, 1024, 1024), lambda a: a.transpose(0, 2, 3, 1)),
    "NHWC>NCHW u1": ("u1", (256, 1024, 1024, 3), lambda a: a.transpose(0, 3, 1, 2)),
    "512^3 f4 210": ("f4", (512, 512, 512), lambda a: a.transpose(2, 1, 0)),
    "[::2] f8": ("f8", (1 << 27,), lambda a: a[::2]),
    "[:,:1000] f4": ("f4", (1 << 18, 1024), lambda a: a[:, :1000]),
    "[:,1:1000] f4": ("f4", (1 << 18, 1024), lambda a: a[:, 1:1000]),
    "bcast row f4": ("f4", (32768,), lambda a: copies.broadcast(a, (16384, 32768))),
}


class Host:
    """NumPy memory."""
    attribute, cases = "__array_interface__", copies.CASES
    rows = ["T 4096^2 u1", "T 4096^2 f4", "T 4096^2 f8", "NCHW>NHWC u1", "NHWC>NCHW f4", "256^3 f4 210", "[::2] f8", "[::-1] f8",
            "rows[:,:4000] f4", "bcast row f4", "contig f4", "T 1024^2 f4", "T 256^2 f4"]

    def array(self, name):
        case = copies.Case(name)
        self.bytes = np.ones(case.n_bytes, np.uint8)
        return case.src

    def peers(self, array):
        return {"memcpy*": self.bytes.copy, "np.ascontiguousarray*": lambda: np.array(array, order="C", copy=True)}

    def as_numpy(self, array):
        return np.asarray(array)


class Sycl(Host):
    """dpnp memory on a CPU device."""
    attribute = "__sycl_usm_array_interface__"

    def __init__(self):
        import dpnp

        self.dpnp = dpnp

    def array(self, name):
        case = copies.Case(name)
        self.bytes = self.dpnp.ones(case.n_bytes, dtype="u1")
        return case.view(self.dpnp.asarray(case.whole.view(case.dtype).reshape(case.shape)))

    def waited(self, call):
        def run():
            made = call()
            made.sycl_queue.wait()
            return made
        return run

    def peers(self, array):
        return {"memcpy*": self.waited(lambda: self.dpnp.copy(self.bytes)),
                "dpnp.ascontiguousarray*": self.waited(lambda: self.dpnp.array(array, order="C", copy=True))}

    def as_numpy(self, array):
        return self.dpnp.asnumpy(array)


class Cuda(Host):
    """CuPy memory; CuPy's copies come from its pool, suai's from the driver."""
    attribute, cases, rows = "__cuda_array_interface__", GPU_CASES, list(GPU_CASES)

    def __init__(self):
        import cupy

        self.cupy = cupy

    def array(self, name):
        typestr, shape, view = GPU_CASES[name]
        n_bytes = int(np.prod(shape)) * np.dtype(typestr).itemsize
        array = view((self.cupy.arange(n_bytes // 4, dtype="u4") * 2654435761 & 0x3FFFFFFF).view(typestr).reshape(shape))
        self.bytes = self.cupy.ones(array.nbytes, dtype="u1")
        return array

    def waited(self, call):
        def run():
            made = call()
            self.cupy.cuda.Device().synchronize()
            return made
        return run

    def peers(self, array):
        def memcpy():
            made = self.cupy.empty_like(self.bytes)
            made.data.copy_from_device(self.bytes.data, made.nbytes)
            return made

        found = {"memcpy*": self.waited(memcpy),
                 "cupy.ascontiguousarray*": self.waited(lambda: self.cupy.array(array, order="C", copy=True))}
        try:
            import torch

            tensor = torch.from_dlpack(array)
            found["torch.clone*"] = self.waited(lambda: tensor.clone(memory_format=torch.contiguous_format))
        except Exception as error:  # noqa: BLE001 (absent, or it does not know such strides)
            print(f"no PyTorch: {error}")
        return found

    def as_numpy(self, array):
        return self.cupy.asarray(array)


class Clocked:
    """An array with only this interface; the clock starts at its first read."""

    def __init__(self, array, attribute):
        self.array, self.attribute, self.begun = array, attribute, None

    def __getattr__(self, name):
        if name != self.__dict__.get("attribute"):
            raise AttributeError(name)
        self.begun = self.begun or time.perf_counter()
        return getattr(self.array, name)


class Row:
    """The state that the rounds of a row share."""

    def __init__(self, memory, name):
        self.name, self.array = name, memory.array(name)
        self.peers = memory.peers(self.array)
        expected = memory.as_numpy(self.array)
        for peer in [peer for peer in self.peers if peer != "memcpy*"]:
            if not (memory.as_numpy(self.peers[peer]()) == expected).all():
                print(f"{name}: {peer} is wrong and left out")
                del self.peers[peer]


memories = {"cpu": Host, "sycl": Sycl, "cuda": Cuda}
_now = {"memory": None, "row": None, "line": None, "clocked": None}


def turn(where, name):
    """One round: each library once, then the conversion of the returned object."""
    _now["memory"] = _now["memory"] or memories[where]()
    if not _now["row"] or _now["row"].name != name:
        _now["row"] = None  # frees the last one's memory first
        _now["row"] = Row(_now["memory"], name)
    row, seconds = _now["row"], {}
    for peer, call in row.peers.items():
        start = time.perf_counter()
        made = call()
        seconds[peer] = time.perf_counter() - start
        del made
    _now["line"] = {"row": name, "bytes": row.array.nbytes, "peers": seconds}
    _now["clocked"] = Clocked(row.array, _now["memory"].attribute)
    return _now["clocked"]


def seen(new):
    """The consumer, which stops the clock."""
    line = _now["line"]
    line["outer"] = time.perf_counter() - _now["clocked"].begun
    with open(os.environ["BENCH_OUT"], "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    return None
