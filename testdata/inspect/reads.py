# SPDX-License-Identifier: MIT
"""Arrays on a device ($READS_ON: sycl, opencl, cuda or managed), of every element type, dense and in random layouts ($SEED);
run as a script, it compares a document and a trace of them with NumPy's own results."""

import json
import os
import random
import re
import sys
import zlib

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "convert", "pairs"))

from layouts import draw

ON = os.environ.get("READS_ON", "sycl")
SHOWN = 7
DENSE = 30_000  # elements, some groups of each kernel
TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16", "f16"]
FOREIGN = [">u2", ">i4", ">f8"]
SMALL = {"bfloat16": 4, "float8_e3m4": 7, "float8_e4m3": 8, "float8_e4m3b11fnuz": 9, "float8_e4m3fn": 10,
         "float8_e4m3fnuz": 11, "float8_e5m2": 12, "float8_e5m2fnuz": 13, "float8_e8m0fnu": 14}


def types():
    """The types that the runtime's protocol supports: name, dtype, DLPack code."""
    yield from ((t.replace("?", "b"), np.dtype(t), None) for t in TYPES if t != "f16" or ON in ("cuda", "managed"))
    if ON != "opencl":
        yield from ((t.replace(">", "foreign_"), np.dtype(t), None) for t in FOREIGN)
        return
    try:
        import ml_dtypes
    except ImportError:
        return
    yield from ((name, np.dtype(getattr(ml_dtypes, name)), code) for name, code in SMALL.items())


def drawn(rng, dtype):
    """Elements of the memory, shape, strides in bytes and first element."""
    shape, strides, offset = draw(rng, {0: 1, 1: 9000, 2: 110, 3: 25, 4: 11})
    n = 1 + offset + sum((n - 1) * max(0, step) for n, step in zip(shape, strides))
    return n, shape, [step * dtype.itemsize for step in strides], offset


def pattern(rng, n, dtype):
    """Any bits, NaN among them; for bool and 16-byte types only valid numbers, with padding 0."""
    if dtype.kind == "b" or dtype == np.longdouble:
        made = np.array([rng.randint(0, 1) for _ in range(n)]).astype(dtype)
        made.view("u1").reshape(n, -1)[:, 10:] = 0
        return made
    return np.frombuffer(rng.randbytes(n * dtype.itemsize), dtype).copy()


def arrays():
    """Name, the memory, its view, the index of its first element, code."""
    rng = random.Random(os.environ.get("SEED", "1"))
    for name, dtype, code in types():
        base = pattern(rng, DENSE, dtype)
        yield f"{name}_dense", base, base, 0, code
        for i in range(2):
            n, shape, strides, offset = drawn(rng, dtype)
            base = pattern(rng, n, dtype)
            items = base[offset:].view(f"V{dtype.itemsize}")  # NumPy strides only over its own types
            yield f"{name}_{i}", base, np.lib.stride_tricks.as_strided(items, shape, strides).view(dtype), offset, code


def on_device():
    """Returns a function that makes the object for what arrays() yields."""
    import producers

    if ON == "sycl":
        import dpctl.memory

        queue = dpctl.SyclQueue("cpu")

        def make(base, view, offset, code):
            memory = dpctl.memory.MemoryUSMDevice(base.nbytes, queue=queue)
            memory.copy_from_host(base.view("u1"))
            made = producers.Sycl(memory, queue, view)
            made.address += offset * base.itemsize
            return made
    elif ON == "opencl":
        import opencl_buffer

        def make(base, view, offset, code):
            return producers.Dlpack(view, (4, 0), opencl_buffer.make(base), code, offset * base.itemsize)
    else:
        import cuda_memory

        def make(base, view, offset, code):
            kind = "device" if ON == "cuda" else ON
            return producers.Cuda(view, cuda_memory.make(kind, base) + offset * base.itemsize)
    return make


def plain(value):
    """A number as the document represents it."""
    if isinstance(value, complex):
        return [plain(value.real), plain(value.imag)]
    if isinstance(value, float):
        return str(value) if value != value or value in (float("inf"), float("-inf")) else value
    return value if -(1 << 63) <= int(value) < 1 << 63 else str(value)


def number(item):
    if item.dtype.kind in "biu":
        return item.item()
    return complex(item) if item.dtype.kind == "c" else float(item)


def stats(view):
    if view.dtype.kind == "c":
        return None
    flat = view.ravel()
    wide = flat if flat.dtype.kind in "biu" else flat.astype("f8")
    kept = wide[wide == wide]
    ends = [None, None] if not kept.size else [plain(number(kept.min())), plain(number(kept.max()))]
    return {"min": ends[0], "max": ends[1], "nan": int(wide.size - kept.size)}


def without_payload(value):
    """The document defines its own bits for NaN."""
    if isinstance(value, list):
        return [without_payload(item) for item in value]
    return "nan" if isinstance(value, str) and re.match("-?nan", value) else value


def checksum(view):
    """Of the raw bytes: NumPy copies 16-byte reals without their padding."""
    return f"{zlib.crc32(view.view(f'V{view.itemsize}').tobytes()):08x}"


def check(document, trace):
    """Each array's data compared with NumPy's, and the bytes sent by the device with those printed."""
    targets = {t["target"].rpartition(":")[2]: t["data"] for t in json.load(open(document))["targets"]}
    reads = re.findall(r"read: (\w+) by (\w+): (\d+) launches, (\d+) bytes", open(trace).read())
    n_bad = n_checked = 0
    for name, _, view, _, _ in arrays():
        data, item = targets.pop(name), view.dtype.itemsize
        by_host = data["engine"] == "host"
        sent = {what: int(n) for what, _, _, n in reads[:3]}
        engines = {who for _, who, _, _ in reads[:3]}
        reads = reads[3:]
        values = [plain(number(x)) for x in view.ravel()[:SHOWN]]
        # Only the host, which fetches them, compares 16-byte reals.
        is_wide = view.dtype == np.longdouble
        most = {"values": len(values) * item, "stats": view.nbytes if is_wide else 24 + 15, "checksum": 4 + 15}
        wrong = [what for what, right in (
            ("values", without_payload(data["values"]) == values),
            ("stats", data["stats"] == stats(view)),
            ("checksum", data["checksum"] == checksum(view)),
            ("engine", engines == {data["engine"]} and data["engine"] == os.environ.get("READS_BY", ON)),
            ("fallback", (data["fallback"] is not None) == (is_wide and not by_host)),
            ("sent", sent.keys() == most.keys() and all(sent[k] <= (0 if by_host else most[k]) for k in most)),
        ) if not right]
        n_checked += 1
        if wrong:
            n_bad += 1
            print(f"{name} {view.shape} {view.strides}: {wrong}: {data}; NumPy: {values}, {stats(view)}, "
                  f"{checksum(view)}; sent {sent}")
    print(f"{n_checked} arrays on {ON}, {n_bad} wrong, {len(targets)} unknown, seed {os.environ.get('SEED', '1')}")
    return n_bad or not n_checked or targets


if __name__ == "__main__":
    np.seterr(all="ignore")
    sys.exit(1 if check(*sys.argv[1:]) else 0)
_make = on_device()
globals().update({_name: _make(_base, _view, _offset, _code) for _name, _base, _view, _offset, _code in arrays()})
