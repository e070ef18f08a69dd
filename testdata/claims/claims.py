# SPDX-License-Identifier: MIT
"""Executes what the `why` texts of the rules NAI, BUF and CAI claim about consumers, in one function per rule, named after
the rule. exporter.c is compiled as the module exporter. `claims.py RULE...` fails unless each of these rules has a
function here or a reason in NOT_EXECUTED."""

import collections
import ctypes
import hashlib
import io
import json
import mmap
import os
import signal
import struct
import sys
import types
import warnings

import numpy as np
from exporter import Exporter

NO_CONSUMER = "no consumer of CUDA arrays without a GPU"
NOT_EXECUTED = {
    "NAI501": "needs device memory",
    "NAI701": "bats/lifetime.bats runs it",
    "NAI702": "bats/lifetime.bats runs it",
    "BUF005": "bats/buffers.bats runs it",
    "BUF113": "bats/buffers.bats runs it",
    "BUF301": "bats/buffers.bats runs it",
    "BUF501": "needs device memory",
    "BUF701": "bats/buffers.bats runs it",
    "BUF702": "bats/buffers.bats runs it",
    "BUF801": "bats/buffers.bats runs it",
    "CAI901": NO_CONSUMER,
    **dict.fromkeys((f"CAI{n:03}" for n in (2, 3, 4, 5, 6)), NO_CONSUMER),
    **dict.fromkeys((f"CAI{n}" for n in (101, 102, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116)), NO_CONSUMER),
    **dict.fromkeys((f"CAI{n}" for n in (202, 203, 204, 205)), NO_CONSUMER),
    **dict.fromkeys((f"CAI{n}" for n in (*range(301, 311), 401, 402, 403, 404, 405, 407, 501, 502, 503)), NO_CONSUMER),
    **dict.fromkeys((f"CAI{n}" for n in (*range(601, 609), 701, 703, 704)), NO_CONSUMER),
}

MEMORY = (ctypes.c_double * 12)(*range(12))
ADDRESS = ctypes.addressof(MEMORY)
kept = []


# --- objects of the claims ---


class Index:
    """An integer that has only __index__."""

    def __init__(self, integer):
        self.integer = integer

    def __index__(self):
        return self.integer


def interface(**changed):
    """A dictionary of __array_interface__ for three doubles, with changes; ... removes a key."""
    healthy = {"shape": (3,), "typestr": "<f8", "data": (ADDRESS, False), "version": 3}
    return {key: value for key, value in {**healthy, **changed}.items() if value is not ...}


def array(base=object, **changed):
    return type("Array", (base,), {"__array_interface__": interface(**changed)})()


class ArrayInterface(ctypes.Structure):
    _fields_ = [("two", ctypes.c_int), ("nd", ctypes.c_int), ("typekind", ctypes.c_char), ("itemsize", ctypes.c_int),
                ("flags", ctypes.c_int), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("data", ctypes.c_void_p), ("descr", ctypes.c_void_p)]


C_CONTIGUOUS, ALIGNED, NOTSWAPPED, WRITEABLE, HAS_DESCR = 0x1, 0x100, 0x200, 0x400, 0x800


def integers(items):
    """The address of a C array of these; an address is used unchanged."""
    if not isinstance(items, tuple):
        return items
    kept.append((ctypes.c_ssize_t * max(1, len(items)))(*items))
    return ctypes.addressof(kept[-1])


def structure(name=None, descr=None, **changed):
    """An object with __array_struct__, of twelve doubles."""
    fields = {"two": 2, "nd": 1, "typekind": b"f", "itemsize": 8, "flags": C_CONTIGUOUS | ALIGNED | NOTSWAPPED | WRITEABLE,
              "shape": (12,), "strides": (8,), "data": ADDRESS, **changed}
    fields.update(shape=integers(fields["shape"]), strides=integers(fields["strides"]))
    kept.extend([ArrayInterface(**fields, descr=id(descr) if descr is not None else None), descr])
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return type("Array", (), {"__array_struct__": capsule(ctypes.addressof(kept[-2]), name, None)})()


def exporter(buf=ADDRESS, len=96, itemsize=8, readonly=0, ndim=1, format=b"d", shape=(12,), strides=(8,), suboffsets=0):
    """An object with a buffer of exactly these fields; 0 is NULL."""
    kept.append(ctypes.create_string_buffer(format) if format else None)
    return Exporter(buf, len, itemsize, readonly, ndim, ctypes.addressof(kept[-1]) if format else 0,
                    integers(shape), integers(strides), integers(suboffsets))


# --- outcomes ---


def raises(exception, call, *arguments):
    try:
        result = call(*arguments)
    except exception:
        return
    raise AssertionError(f"{call} returned {result!r}")


def crashes(call):
    """Whether it kills a child process."""
    pid = os.fork()
    if not pid:
        signal.signal(signal.SIGSEGV, signal.SIG_DFL)
        try:
            call()
        finally:
            os._exit(0)
    assert os.waitpid(pid, 0)[1] & 0x7F in (signal.SIGSEGV, signal.SIGBUS), "no crash"


def read(thing):
    """The elements of the array that NumPy makes of it."""
    return np.asarray(thing).tolist()


def refused(**changed):
    raises((TypeError, ValueError, OverflowError), np.asarray, array(**changed))


# --- __array_interface__ and __array_struct__ ---


def NAI001():
    for mapping in types.MappingProxyType(interface()), collections.UserDict(interface()):
        raises(ValueError, np.asarray, type("Array", (), {"__array_interface__": mapping})())


def NAI002():
    for attribute in "__array_interface__", "__array_struct__":
        class Array:
            pass
        setattr(Array, attribute, property(lambda self: 1 / 0))
        raises(ZeroDivisionError, np.asarray, Array())


def NAI003():
    raises(ValueError, np.asarray, structure(name=b"x"))
    raises(ValueError, np.asarray, type("Array", (), {"__array_struct__": 5})())


def NAI004():
    assert np.asarray(array(stride=(16,))).strides == (8,)


def NAI005():
    class Array:
        left = [interface()]
        __array_interface__ = property(lambda self: self.left.pop())

    once = Array()
    assert read(once) == [0, 1, 2]
    raises(IndexError, np.asarray, once)


def NAI006():
    class Array:
        @property
        def __array_interface__(self):
            kept.append(np.zeros(3))
            return kept[-1].__array_interface__

    class Regenerates:
        @property
        def __array_interface__(self):
            return {"shape": (3,), "typestr": "|u1", "data": bytearray(3), "version": 3}

    for moves in Array(), Regenerates():
        first, second = np.asarray(moves), np.asarray(moves)
        first[0] = 7
        assert second[0] == 0


def NAI101():
    raises(ValueError, np.asarray, array(shape=...))
    raises(ValueError, np.asarray, array(typestr=...))
    assert read(array(version=...)) == [0, 1, 2]


def NAI102():
    raises(TypeError, np.asarray, array(shape=[3]))
    raises(TypeError, np.asarray, array(shape=(3.0,)))
    raises(TypeError, np.asarray, array(shape=(True,)))
    raises(ValueError, np.asarray, array(shape=(-3,)))
    raises(ValueError, np.asarray, array(shape=(1,) * 65))


def NAI103():
    raises(TypeError, lambda: "3" >= 3)
    raises(TypeError, lambda: None >= 3)


def NAI104():
    for data in ADDRESS, [ADDRESS, False], (ADDRESS,), (ADDRESS, False, 0), (float(ADDRESS), False), (None, False), (hex(ADDRESS), False), None:
        raises(TypeError, np.asarray, array(data=data))
    raises(OverflowError, np.asarray, array(data=(2**64, False)))
    raises(ValueError, np.asarray, array(data=(ADDRESS, np.array([1, 0]))))
    crashes(lambda: read(array(data=(-8192, False))))


def NAI105():
    assert read(array(offset=8)) == [0, 1, 2]
    raises(TypeError, np.asarray, array(data=bytes(32), offset=8.0))
    raises(TypeError, np.asarray, array(data=bytes(32), offset=None))
    raises(TypeError, np.asarray, array(data=bytes(32), offset=2**64))
    crashes(lambda: read(array(data=bytes(32), offset=2**62)))


def NAI106():
    short = [("x", "<f4")]
    assert np.asarray(array(typestr="|V8", descr=short)).strides == (4,)
    raises((TypeError, ValueError), np.asarray, array(typestr="|V8", descr=(("x", "<f4"), ("y", "<f4"))))
    raises((TypeError, ValueError), np.asarray, array(typestr="|V8", descr=[1, 2]))
    raises(ValueError, np.asarray, array(typestr="|V8", descr=short * 2))
    assert np.asarray(array(typestr="|V8", descr=short, strides=(8,))).strides == (8,)
    as_dictionary = {"names": ["x", "y"], "formats": ["<f4", "<f4"]}
    assert np.asarray(array(typestr="|V8", descr=as_dictionary)).dtype.names == ("x", "y")
    assert read(array(descr=short)) == [0, 1, 2]


def NAI107():
    assert read(array(mask=np.ones(3, bool))) == read(array(mask=5)) == [0, 1, 2]


def NAI108():
    for address in np.int64(ADDRESS), np.uintp(ADDRESS), Index(ADDRESS):
        raises(TypeError, np.asarray, array(data=(address, False)))
    assert read(array(data=(type("Address", (int,), {})(ADDRESS), False))) == [0, 1, 2]


def NAI109():
    raises(ValueError, np.asarray, structure(two=3))


def NAI110():
    raises(ValueError, np.asarray, structure(nd=65, shape=(1,) * 65, strides=(8,) * 65))
    raises(ValueError, np.asarray, structure(nd=-1))
    raises(ValueError, np.asarray, structure(shape=(-3,)))
    crashes(lambda: np.asarray(structure(shape=0)))
    crashes(lambda: np.asarray(structure(shape=8)))


def NAI111():
    flags = C_CONTIGUOUS | ALIGNED | NOTSWAPPED | WRITEABLE | HAS_DESCR
    crashes(lambda: np.asarray(structure(flags=flags)))
    fields = [("x", "<f4"), ("y", "<f4")]
    assert np.asarray(structure(flags=flags, descr=fields)).dtype == np.dtype(fields)
    assert np.asarray(structure(flags=flags, descr=5)).dtype == "f8"


def NAI112():
    raises(ValueError, np.asarray, array(data=...))
    raises(TypeError, np.asarray, array(data=..., shape=()))
    Number = type("Number", (), {"__array_interface__": interface(data=..., shape=(1,)), "__float__": lambda self: 5.0})
    assert read(Number()) == [5.0]


def NAI113():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.int64(2**40) * np.int64(2**40) == 0
    raises(TypeError, lambda: Index(3) * 8)
    for extent in np.int64(3), Index(3):
        raises(TypeError, json.dumps, {"shape": (extent,)})


def NAI114():
    whole = array(bytearray, data=...)
    whole.extend(b"abcd")
    assert np.asarray(whole).dtype == "u1" and read(whole) == list(b"abcd")


def NAI115():
    for flag, writeable in (1, False), (0, True), (None, True), ("False", False), (np.True_, False):
        assert np.asarray(array(data=(ADDRESS, flag))).flags.writeable is writeable, flag


def NAI116():
    clash = [("f0", "|u1"), ("", "|V7"), ("f1", "<f8")]
    assert np.dtype("u1,f8", align=True).descr == clash
    raises(ValueError, np.asarray, array(typestr="|V16", descr=clash))
    other = [("a", "|u1"), ("", "|V7"), ("b", "<f8")]
    assert np.asarray(array(typestr="|V16", descr=other)).dtype.names == ("a", "f1", "b")
    assert np.asarray(array(typestr="|V16", descr=[("f0", "|u1"), ("pad", "|V7"), ("f1", "<f8")])).dtype.names == ("f0", "pad", "f1")
    flags = C_CONTIGUOUS | ALIGNED | NOTSWAPPED | WRITEABLE | HAS_DESCR
    unnamed = [("f1", "<f4"), ("", "|V4")]
    assert np.asarray(structure(flags=flags, descr=unnamed)).dtype.names is None


def NAI201():
    for typestr in "", "<", "<f3", "<q8", "|b4", "<M4", "<f8 ", " <f8", "!f8", "<f-8", "<f8\0", "<M8[]", "StringDType()", None, np.dtype("f8"):
        raises(TypeError, np.asarray, array(typestr=typestr))
    assert np.asarray(array(typestr="<i4,<f4")).dtype.names
    assert np.asarray(array(typestr=b"<f8")).dtype == "f8"


def NAI202():
    shared = np.frombuffer(mmap.mmap(-1, 4096), "u8")
    shared[0] = 8  # memory of another process, not mapped in this one
    crashes(lambda: read(array(typestr="|O", shape=(1,), data=(shared.ctypes.data, False))))


def NAI203():
    for changed in {"typekind": b"q"}, {"typekind": b"t"}, {"itemsize": 3}, {"itemsize": -4}:
        raises(TypeError, np.asarray, structure(**changed))


def NAI204():
    for typestr in "f8", "=f8", "|f8", "float64", "d", "<d":
        assert np.asarray(array(typestr=typestr)).dtype.str == "<f8"
    assert "f8"[0] not in "<>|" and "f8"[1] not in "tbiufcmMOSUV"


def NAI205():
    for typestr in "|t8", "<t64", "<c4":
        raises(TypeError, np.asarray, array(typestr=typestr))
    for typekind, itemsize in (b"t", 8), (b"c", 4):
        raises(TypeError, np.asarray, structure(typekind=typekind, itemsize=itemsize))
    assert np.asarray(structure(typekind=b"t", flags=0xF01, descr=[("a", "<f8")])).dtype == [("a", "<f8")]


def NAI301():
    raises(TypeError, np.asarray, array(strides=[8]))
    raises(TypeError, np.asarray, array(strides=(8.0,)))
    for strides in (), (8, 8):
        raises(ValueError, np.asarray, array(strides=strides))


def NAI302():
    crashes(lambda: np.asarray(array(shape=(10**12,)))[-1])
    assert len(read(array(data=bytes(16)))) == 3  # the last one is beyond the bytes


def NAI303():
    for shape in (2**62,), (2**40, 2**40), (2**62, 0):
        raises(ValueError, np.asarray, array(shape=shape))
    raises(OverflowError, np.asarray, array(shape=(2**63,)))
    raises(OverflowError, np.asarray, array(strides=(2**63,)))
    crashes(lambda: read(array(shape=(3,), strides=(2**62,))))


def NAI304():
    crashes(lambda: np.asarray(structure(strides=8)))
    assert np.asarray(structure(strides=0)).strides == (8,)


def NAI305():
    assert not np.asarray(structure(shape=(6,), strides=(16,))).flags.c_contiguous  # NumPy checks; pygame: docs/findings/further


def NAI306():
    assert not np.asarray(structure(data=ADDRESS + 1, shape=(3,))).flags.aligned


def overlapping(strides, readonly=False):
    """Three doubles, 0, 1 and 2, with these strides, and their owner."""
    owner = np.arange(3.0)
    return array(data=(owner.ctypes.data, readonly), strides=strides), owner


def NAI307():
    exported, owner = overlapping((1,))
    assert read(exported) != owner.tolist()


def NAI308():
    exported, owner = overlapping((0,))
    np.asarray(exported)[1] = 5
    assert read(exported) == [5, 5, 5] and owner[0] == 5
    view = np.asarray(exported)
    view += np.arange(3.0)
    assert read(exported)[0] != 5
    raises(ValueError, np.asarray(overlapping((0,), True)[0]).__setitem__, 0, 1)


def NAI401():
    raises(ValueError, np.asarray, array(data=(0, False)))
    made = np.asarray(structure(data=None))
    assert made.flags.owndata and made.shape == (12,)


def NAI402():
    crashes(lambda: read(array(data=(8, False))))
    constant = mmap.mmap(-1, 4096, prot=mmap.PROT_READ)
    crashes(lambda: np.asarray(array(data=(np.frombuffer(constant, "u1").ctypes.data, False))).fill(1))


def NAI801():
    kept.append(np.asarray(structure(flags=0)))
    assert not kept[-1].flags.writeable and kept[-1].dtype.str == ">f8"


def NAI901():
    both = array(bytearray, shape=(2,))
    both.extend(b"abcd")
    assert read(both) == list(b"abcd")
    other = np.arange(3.0)
    exports = type("Array", (), {"__array_interface__": interface(), "__dlpack__": other.__dlpack__, "__dlpack_device__": other.__dlpack_device__})
    other += 7
    assert np.from_dlpack(exports()).tolist() == [7, 8, 9] and read(exports()) == [0, 1, 2]


# --- buffers ---


def BUF001():
    raises(BufferError, memoryview, Exporter(BufferError))
    raises(ZeroDivisionError, memoryview, Exporter(ZeroDivisionError))
    raises(ZeroDivisionError, bytes, Exporter(ZeroDivisionError))


def BUF101():
    assert len(b"".join([exporter(len=8)])) == 8 and memoryview(exporter(len=8)).shape == (12,)
    assert len(b"".join([exporter(len=200)])) == 200


def BUF102():
    wrong = exporter(itemsize=4, shape=(24,), strides=(4,))
    raises(RuntimeError, np.asarray, wrong)
    assert memoryview(wrong)[3] not in MEMORY[:]
    wrong = exporter(format=b"f", shape=(12,), strides=(8,))
    raises(RuntimeError, np.asarray, wrong)
    assert memoryview(wrong).tolist() == [struct.unpack_from("f", MEMORY, 8 * i)[0] for i in range(12)]


def BUF103():
    raises(RuntimeError, np.asarray, exporter(format=b""))
    unnamed = exporter(format=None)
    raises(RuntimeError, np.asarray, unnamed)
    assert memoryview(unnamed).format == "B"


def BUF104():
    many = exporter(ndim=65, shape=(1,) * 65, strides=(8,) * 65, len=8)
    raises(ValueError, memoryview, many)
    raises(SystemError, memoryview, exporter(ndim=-1))
    for wrong in many, exporter(ndim=-1):
        assert np.asarray(wrong).dtype == object
    crashes(lambda: memoryview(exporter(ndim=2, shape=0, strides=0)))


def BUF105():
    raises(ValueError, np.asarray, exporter(shape=(-3,)))
    raises(SystemError, memoryview(exporter(shape=(-3,))).tolist)
    crashes(lambda: memoryview(exporter(shape=8)))
    crashes(lambda: np.asarray(exporter(shape=8)))


def BUF106():
    raises(BufferError, np.zeros(3, [("a", "u1"), ("b", "<f4")])["b"].__dlpack__)


def BUF107():
    raises(BufferError, np.asarray, exporter(suboffsets=(-1,)))
    raises(TypeError, memoryview(exporter(suboffsets=(-1,))).cast, "B")


def BUF108():
    assert memoryview(exporter(strides=0)).strides == (8,)
    assert np.asarray(exporter(strides=0)).tolist() == list(range(12))


def BUF109():
    pointers = (ctypes.c_void_p * 1)(ADDRESS)
    kept.append(pointers)
    rows = exporter(buf=ctypes.addressof(pointers), ndim=2, shape=(1, 3), strides=(8, 8), suboffsets=(0, -1), len=24)
    assert memoryview(rows).tolist() == [[0, 1, 2]]
    raises(BufferError, np.asarray, rows)


def BUF110():
    assert hashlib.sha256(exporter()).digest() == hashlib.sha256(bytes(MEMORY)).digest()


def BUF111():
    class Padded(ctypes.Structure):
        _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_double)]

    if sys.version_info < (3, 12):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            np.asarray((Padded * 2)())
        assert [each.category for each in caught] == [RuntimeWarning]
    raises(RuntimeError, np.asarray, exporter(format=b"T{<i:x:<d:y:}", itemsize=16, shape=(6,), strides=(16,)))


def BUF201():
    raises(ValueError, np.asarray, exporter(format=b"%$!"))
    raises(NotImplementedError, memoryview(exporter(format=b"%$!")).tolist)
    raises(struct.error, struct.calcsize, "%$!")
    raises(ValueError, np.asarray, exporter(format=b"T{<i:a:<i:a:}", itemsize=8, shape=(12,), strides=(8,)))
    assert len(bytes(exporter(format=b"%$!"))) == 96


def BUF302():
    crashes(lambda: memoryview(exporter(shape=(3,), strides=(2**62,), len=24)).tolist())


def BUF303():
    crashes(lambda: memoryview(exporter(shape=(10**12,), len=8 * 10**12))[-1])


def BUF307():
    values = np.arange(3.0)
    exported = exporter(buf=values.ctypes.data, len=24, shape=(3,), strides=(1,))
    assert memoryview(exported).tolist() == np.asarray(exported).tolist() != values.tolist()


def BUF308():
    values = np.arange(3.0)
    exported = exporter(buf=values.ctypes.data, len=24, shape=(3,), strides=(0,))
    memoryview(exported)[1] = 5
    assert memoryview(exported).tolist() == [5, 5, 5]
    np.asarray(exported)[2] = 6
    assert memoryview(exported).tolist() == [6, 6, 6]
    view = np.asarray(exported)
    view += np.arange(3.0)
    assert memoryview(exported)[0] != 6


def BUF401():
    crashes(lambda: memoryview(exporter(buf=8))[0])
    constant = mmap.mmap(-1, 4096, prot=mmap.PROT_READ)
    crashes(lambda: memoryview(exporter(buf=np.frombuffer(constant, "u1").ctypes.data)).__setitem__(0, 1.0))


def BUF402():
    crashes(lambda: memoryview(exporter(buf=0)).tolist())
    assert np.asarray(exporter(buf=0)).flags.owndata


# --- __cuda_array_interface__: claims that need no device ---


def CAI001():
    class Array:
        __cuda_array_interface__ = property(lambda self: 1 / 0)

    raises(ZeroDivisionError, hasattr, Array(), "__cuda_array_interface__")


def CAI103():
    raises(KeyError, lambda: np.dtype("f8")[0])


def CAI117():
    NAI113()


def CAI207():
    for typestr in "|t8", "<c4":
        raises(TypeError, np.dtype, typestr)
    assert np.dtype(np.longdouble).itemsize == 16


def CAI118():
    raises(TypeError, ctypes.c_void_p, np.int64(4096))
    raises(TypeError, ctypes.c_void_p, Index(4096))


def CAI201():
    for typestr in "", "<", "<f3", "<q8", "<f8 ", "!f8":
        raises(TypeError, np.dtype, typestr) if typestr else raises(TypeError, np.asarray, array(typestr=""))


def CAI206():
    raises(TypeError, np.dtype, "|b4")


def CAI208():
    NAI204()


def main(rules):
    missing = [rule for rule in rules if rule not in NOT_EXECUTED and rule not in globals()]
    gone = [name for name in [*NOT_EXECUTED, *globals()] if name[:3] in ("NAI", "BUF", "CAI") and name[3:].isdigit() and name not in rules]
    assert not missing, f"claims of rules that nothing executes: {missing}"
    assert not gone, f"claims of rules that do not exist: {gone}"
    for rule in rules:
        if rule not in NOT_EXECUTED:
            try:
                globals()[rule]()
            except BaseException as error:
                raise AssertionError(f"{rule}: not so: {error!r}") from error


if __name__ == "__main__":
    main(sys.argv[1:])
