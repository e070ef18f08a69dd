# SPDX-License-Identifier: MIT
"""What was measured of released libraries before suai judged any, asked again: a function for each line, which holds
with the versions of deps/test.txt. tools/findings makes a table of the docstrings: what, and what suai says of it."""

import ctypes
import sys

import array_api_strict
import dpctl
import dpctl.memory
import dpnp
import dpnp.tensor as dpt
import jax
import jax.numpy
import numpy as np
import pyarrow
import tvm_ffi

get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
HOST, ONEAPI, BAD = (1, 0), (14, 0), (99, 0)


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64),
    ]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", Tensor),
    ]


class Legacy(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


READ_ONLY, COPIED = 1, 2


def copy_of(struct, address):
    """For the struct goes with its capsule."""
    return struct.from_buffer_copy(ctypes.string_at(address, ctypes.sizeof(struct)))


class Export:
    """A call of __dlpack__, opened: version and flags are None of a legacy capsule."""

    def __init__(self, producer, **keywords):
        self.capsule = producer.__dlpack__(**keywords)
        if '"dltensor_versioned"' in repr(self.capsule):
            whole = copy_of(Versioned, get_pointer(self.capsule, b"dltensor_versioned"))
            self.version, self.flags, self.tensor = (whole.major, whole.minor), whole.flags, whole.tensor
            self.deleter = whole.deleter
        else:
            whole = copy_of(Legacy, get_pointer(self.capsule, b"dltensor"))
            self.version, self.flags, self.tensor, self.deleter = None, None, whole.tensor, whole.deleter


def raises(expected, function, *arguments, **keywords):
    """Whether it raises that exception, by its own name: BufferError is not just any of its kin."""
    try:
        function(*arguments, **keywords)
    except BaseException as error:
        return type(error).__name__ == expected
    return False


def shares(producer, **keywords):
    return Export(producer, **keywords).tensor.data == Export(producer).tensor.data


def frozen(array):
    array.flags.writeable = False
    return array


def tvm(array):
    return tvm_ffi.from_dlpack(array)


def as_numpy_answers(make):
    """The row of NumPy, which array-api-strict shares."""
    array = make((2, 3))
    assert Export(array, max_version=(1, 0)).version == (1, 0)
    assert not shares(array, copy=True) and Export(array, copy=True, max_version=(1, 0)).flags == COPIED
    assert raises("RuntimeError", array.__dlpack__, stream=-1)
    assert raises("BufferError", array.__dlpack__, dl_device=BAD)
    assert Export(make((0, 3))).tensor.data and Export(make(())).tensor.shape is None
    return True


def numpy_row():
    """NumPy gives version 1.0 when asked for it, copies and flags copies, refuses bad devices by BufferError and streams
    by RuntimeError; empty arrays have an address, those without dimensions no shape.

    empty_arrays_keep_an_address; the rest is as the standard has it (DLP312 notes NULL for a shape of no dimensions).
    """
    assert as_numpy_answers(np.ones)
    assert raises("BufferError", frozen(np.ones(3)).__dlpack__)


def strict_row():
    """array-api-strict answers as NumPy does.

    empty_arrays_keep_an_address. Its invented devices no longer show: all say (1, 0).
    """
    assert as_numpy_answers(array_api_strict.ones)
    elsewhere = array_api_strict.ones(3, device=array_api_strict.Device("device2"))
    assert elsewhere.__dlpack_device__() == HOST and np.from_dlpack(elsewhere)[0] == 1


def tvm_ffi_versions():
    """tvm-ffi says 1.3 when asked for 1.0, and raises AttributeError when asked for 0.8.

    tvm_ffi_old_max_version; a minor version above the consumer's is compatible.
    """
    tensor = tvm(np.ones(3))
    assert Export(tensor, max_version=(1, 0)).version == (1, 3)
    assert raises("AttributeError", tensor.__dlpack__, max_version=(0, 8))


def tvm_ffi_copies():
    """tvm-ffi does not copy for copy=True in a legacy capsule, and refuses it in a versioned one.

    tvm_ffi_copy_is_no_copy.
    """
    tensor = tvm(np.ones(3))
    assert shares(tensor, copy=True) and raises("BufferError", tensor.__dlpack__, copy=True, max_version=(1, 0))


def tvm_ffi_streams_and_devices():
    """tvm-ffi takes stream -1 and even "x" on the CPU; a bad device is refused by BufferError.

    tvm_ffi_takes_any_stream; the refusal holds with max_version alone: tvm_ffi_ignores_dl_device.
    """
    tensor = tvm(np.ones(3))
    assert tensor.__dlpack__(stream=-1) and tensor.__dlpack__(stream="x")
    assert raises("BufferError", tensor.__dlpack__, dl_device=BAD, max_version=(1, 0))
    assert tensor.__dlpack__(dl_device=BAD)


def tvm_ffi_shapes():
    """tvm-ffi gives empty tensors an address, and those without dimensions no shape.

    empty_arrays_keep_an_address.
    """
    assert Export(tvm(np.ones((0, 3)))).tensor.data and Export(tvm(np.array(1.0))).tensor.shape is None


def pyarrow_versions():
    """PyArrow gives version 1.3 with the read-only flag; empty arrays have no address.

    As the header has it.
    """
    export = Export(pyarrow.array([1]), max_version=(1, 0))
    assert export.version == (1, 3) and export.flags == READ_ONLY
    assert not Export(pyarrow.array([], pyarrow.int32()), max_version=(1, 0)).tensor.data


def pyarrow_read_only():
    """PyArrow exports read-only memory in a legacy capsule.

    pyarrow_legacy_loses_read_only, and pyarrow_warns_of_consumers.
    """
    assert Export(pyarrow.array([1])).version is None


def pyarrow_refusals():
    """PyArrow refuses copy=True in a legacy capsule, copies and flags in a versioned one, refuses bad devices by
    BufferError and streams by NotImplementedError.

    As the standard has it.
    """
    array = pyarrow.array([1])
    assert raises("BufferError", array.__dlpack__, copy=True)
    assert Export(array, copy=True, max_version=(1, 0)).flags & COPIED
    assert raises("BufferError", array.__dlpack__, dl_device=BAD)
    assert raises("NotImplementedError", array.__dlpack__, stream=-1)


def jax_versions():
    """JAX gives legacy capsules alone, of arrays that never change; copies cannot be flagged.

    jax_answers_with_legacy_capsule.
    """
    array = jax.numpy.ones(3)
    assert Export(array, max_version=(1, 0)).version is None
    assert not shares(array, copy=True)


def jax_shapes():
    """JAX gives empty arrays an address, and those without dimensions no shape.

    empty_arrays_keep_an_address.
    """
    assert Export(jax.numpy.ones((0, 3))).tensor.data and Export(jax.numpy.ones(())).tensor.shape is None


def jax_refusals():
    """JAX refuses streams by JaxRuntimeError and bad devices by RuntimeError.

    jax_unknown_device_is_a_runtime_error for devices of a kind that JAX knows; a kind that it does not know is refused by
    BufferError. Not all streams are refused: jax_shared_arrays_take_any_stream.
    """
    array = jax.numpy.arange(3)
    assert raises("JaxRuntimeError", array.__dlpack__, stream=-1)
    assert raises("RuntimeError", array.__dlpack__, dl_device=(2, 0))
    assert raises("BufferError", array.__dlpack__, dl_device=BAD)


def dpnp_versions():
    """dpnp gives version 1.3, read-only where there are no dimensions; empty arrays have an address.

    dpnp_0d_is_read_only, empty_arrays_keep_an_address.
    """
    assert Export(dpt.ones(3), max_version=(1, 0)).version == (1, 3)
    assert Export(dpt.ones(()), max_version=(1, 0)).flags == READ_ONLY
    assert Export(dpt.ones((0, 3))).tensor.data and Export(dpt.ones(())).tensor.shape is None


def dpnp_legacy():
    """dpnp exports read-only arrays in legacy capsules, does not copy for copy=True there, and ignores dl_device.

    dpnp_legacy_loses_read_only, dpnp_legacy_copy_is_no_copy, dpnp_legacy_ignores_dl_device.
    """
    array = dpt.ones(3)
    assert shares(array, copy=True) and Export(array, copy=True, max_version=(1, 0)).flags == COPIED
    assert Export(array, dl_device=HOST).tensor.device_type == ONEAPI[0]
    array.flags.writable = False
    assert Export(array).version is None


def dpnp_refusals():
    """dpnp refuses streams that are no SyclQueue by TypeError, and bad devices by BufferError.

    As the standard has it, with max_version.
    """
    assert raises("TypeError", dpt.ones(3).__dlpack__, stream=-1)
    assert raises("BufferError", dpt.ones(3).__dlpack__, dl_device=BAD, max_version=(1, 0))


PRODUCERS = (lambda: np.ones(3), lambda: tvm(np.ones(3)), lambda: pyarrow.array([1]), lambda: jax.numpy.ones(3),
             lambda: dpt.ones(3), lambda: array_api_strict.ones(3))


def all_producers():
    """All take keywords alone, set a deleter, and have no C exchange API.

    Nothing: DLP004, DLP701 and CXA001 pass.
    """
    for make in PRODUCERS:
        assert raises("TypeError", make().__dlpack__, None) and Export(make()).deleter
        assert not hasattr(type(make()), "__dlpack_c_exchange_api__")


def offsets():
    """dpnp alone tells the offset of a view by byte_offset; nobody aligns data to 256 bytes.

    DLP403 and DLP405 note it.
    """
    assert Export(dpt.ones(8)[3:]).tensor.byte_offset == 3 * dpt.ones(8).itemsize
    assert not any(Export(make()).tensor.byte_offset for make in PRODUCERS)
    assert Export(np.ones(8)[1:]).tensor.data % 256


class Served:
    """Hands out one capsule whatever is asked for."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return HOST


def fails(take, *things):
    """By any exception."""
    for thing in things:
        try:
            take(thing)
            return False
        except Exception:
            pass
    return True


def consumed_twice():
    """NumPy refuses a capsule that was consumed; tvm-ffi and JAX refuse a versioned capsule that they did not ask for.

    Consumers are not judged.
    """
    served = Served(np.ones(3).__dlpack__())
    np.from_dlpack(served)
    assert fails(np.from_dlpack, served)
    for take in tvm_ffi.from_dlpack, jax.dlpack.from_dlpack:
        assert fails(take, Served(np.ones(3).__dlpack__(max_version=(1, 0))))


to_numpy, to_jax, to_pyarrow = np.from_dlpack, jax.dlpack.from_dlpack, pyarrow.Tensor.from_dlpack


def numpy_to_others():
    """Read-only and broadcast arrays of NumPy go to NumPy and PyArrow, not to JAX; negative strides to NumPy alone; every
    second column not to JAX; bool not to PyArrow; unaligned arrays to all three.

    unaligned_arrays_are_exported; JAX asks for no version, as tvm-ffi does: tvm_ffi_refuses_read_only_arrays.
    """
    rows = np.ones((3, 4), "f4")
    for array in frozen(np.ones(3)), np.broadcast_to(np.ones(4), (3, 4)):
        assert not fails(to_numpy, array) and not fails(to_pyarrow, array)
        assert raises("BufferError", to_jax, array)
    assert not fails(to_numpy, rows[::-1]) and fails(to_jax, rows[::-1]) and fails(to_pyarrow, rows[::-1])
    assert not fails(to_numpy, rows[:, ::2]) and fails(to_jax, rows[:, ::2]) and not fails(to_pyarrow, rows[:, ::2])
    assert not fails(to_numpy, rows > 0) and not fails(to_jax, rows > 0) and fails(to_pyarrow, rows > 0)
    unaligned = np.zeros(13, "u1")[1:].view("f4")
    assert not any(fails(take, unaligned) for take in (to_numpy, to_jax, to_pyarrow))


def jax_to_others():
    """Arrays of JAX do not go to PyArrow; bfloat16 is refused by NumPy with RuntimeError.

    jax_answers_with_legacy_capsule.
    """
    assert not fails(to_numpy, jax.numpy.ones(3)) and fails(to_pyarrow, jax.numpy.ones(3))
    brain = jax.numpy.ones(3, "bfloat16")
    assert raises("RuntimeError", to_numpy, brain) and not fails(to_jax, brain) and fails(to_pyarrow, brain)


class Asked:
    """Remembers the keywords."""

    def __init__(self, producer):
        self.producer, self.keywords = producer, None

    def __dlpack__(self, **keywords):
        self.keywords = keywords
        return self.producer.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.producer.__dlpack_device__()


def sent(take, producer):
    asked = Asked(producer)
    take(asked)
    return asked.keywords


def what_consumers_send():
    """NumPy, array-api-strict and dpnp send max_version=(1, 0), dl_device=None, copy=None; PyArrow max_version=(1, 3); JAX
    stream=None alone, tvm-ffi nothing.

    Consumers are not judged.
    """
    usual = {"max_version": (1, 0), "dl_device": None, "copy": None}
    assert sent(to_numpy, np.ones(3)) == sent(array_api_strict.from_dlpack, np.ones(3)) == usual
    assert {**sent(dpt.from_dlpack, dpt.ones(3)), "stream": None} == {**usual, "stream": None}
    assert sent(to_pyarrow, np.ones(3))["max_version"] == (1, 3)
    assert sent(to_jax, np.ones(3)) == {"stream": None} and sent(tvm_ffi.from_dlpack, np.ones(3)) == {}


class Sycl:
    def __init__(self, words, **changes):
        self.__sycl_usm_array_interface__ = {**words, **changes}


def usm(n_bytes=96):
    return dpctl.memory.MemoryUSMShared(n_bytes)


def memory_dictionary():
    """dpctl.memory says data[1] True, no strides, no offset, typestr '|u1'.

    dpctl_memory_means_writable.
    """
    for kind in "Device", "Shared", "Host":
        words = getattr(dpctl.memory, "MemoryUSM" + kind)(96).__sycl_usm_array_interface__
        assert words["data"][1] is True and words["strides"] is None and words["typestr"] == "|u1"
        assert "offset" not in words


def array_dictionary():
    """usm_ndarray says offset 0, 3 and 11 for an array, [3:] and [::-1]; strides None, (1,), (-1,) and (1, 2); typestr '|f8'.

    dpnp_typestr_says_no_byte_order.
    """
    line = dpt.arange(12, dtype="f8")
    grid = dpt.asarray(np.ones((2, 3)), order="F")
    views = [line, line[3:], line[::-1], line[2, ...], dpt.zeros(0), grid]
    words = [view.__sycl_usm_array_interface__ for view in views]
    assert [word["offset"] for word in words] == [0, 3, 11, 2, 0, 0]
    assert [word["strides"] for word in words] == [None, (1,), (-1,), None, None, (1, 2)]
    assert {word["typestr"] for word in words} == {"|f8"} and not any(word["data"][1] for word in words)


def lenient_import():
    """as_usm_memory takes a list for shape, True for version, an address of 4 bytes on, and >f8, which asarray refuses.

    SUAI102, SUAI113 and SUAI204 tell who exports such a dictionary.
    """
    memory = usm()
    words = {**memory.__sycl_usm_array_interface__, "typestr": "<f8", "shape": (4,)}
    pointer = words["data"][0]
    for changes in {"shape": [4]}, {"version": True}, {"data": (pointer + 4, False)}, {"typestr": ">f8"}:
        assert dpctl.memory.as_usm_memory(Sycl(words, **changes)).nbytes == 32
    assert fails(dpt.asarray, Sycl(words, typestr=">f8"))


def extents():
    """as_usm_memory takes 10^6 elements on 96 bytes, and 2^65 elements as 8 bytes.

    dpctl_believes_any_extent.
    """
    memory = usm()
    words = {**memory.__sycl_usm_array_interface__, "typestr": "<f8"}
    for shape, n_bytes in ((10**6,), 8 * 10**6), ((2**31, 2**31, 8), 8):
        assert dpctl.memory.as_usm_memory(Sycl(words, shape=shape)).nbytes == n_bytes


def reversed_import():
    """asarray of a reversed array's dictionary fails.

    dpnp_loses_the_offset_of_others.
    """
    assert raises("ValueError", dpt.asarray, Sycl(dpt.arange(12)[::-1].__sycl_usm_array_interface__))


def bare_capsule():
    """A bare SyclQueueRef capsule is good for one import; the second fails.

    SUAI506 tells who exports one, by --lifetime; suai looks at it and does not consume it.
    """
    memory = usm()
    words = {**memory.__sycl_usm_array_interface__, "syclobj": memory.sycl_queue._get_capsule()}
    assert dpctl.memory.as_usm_memory(Sycl(words)).nbytes == 96
    assert fails(dpctl.memory.as_usm_memory, Sycl(words))


def other_context():
    """A pointer with another context of its device ends the process of as_usm_memory.

    Today with a context of the device's parts: dpctl_dies_of_other_contexts. One of the whole device is taken, and its memory
    known, by the OpenCL CPU runtime that runs here.
    """
    memory = usm()
    context = dpctl.SyclContext(memory.sycl_device)
    assert dpctl.memory.as_usm_memory(Sycl(memory.__sycl_usm_array_interface__, syclobj=context)).nbytes == 96


def host_memory_elsewhere():
    """Host USM is asked of a device that has none, and ends the process.

    Not reachable: the devices here are CPUs, which have all three kinds.
    """
    assert all(device.has_aspect_usm_host_allocations for device in dpctl.get_devices())


def dropped_owner():
    """A dictionary whose owner is gone names memory that nobody knows, and is refused by luck.

    SUAI003 and SUAI701 tell who exports one, by --lifetime.
    """
    assert raises("ValueError", dpctl.memory.as_usm_memory, Sycl(usm().__sycl_usm_array_interface__))


def clean_refusals():
    """as_usm_memory refuses memory of malloc, offset None, no version, a negative extent and no syclobj by exceptions.

    As a consumer should.
    """
    memory = usm()
    words = {**memory.__sycl_usm_array_interface__, "typestr": "<f8", "shape": (4,)}
    host = np.ones(4)
    changes = {"data": (host.ctypes.data, False)}, {"offset": None}, {"shape": (-4,)}, {"syclobj": None}
    assert all(fails(dpctl.memory.as_usm_memory, Sycl(words, **change)) for change in changes)
    del words["version"]
    assert fails(dpctl.memory.as_usm_memory, Sycl(words))


def lines():
    """The functions that stand for a line, in order."""
    return [thing for thing in globals().values() if getattr(thing, "__doc__", None) and "\n\n" in thing.__doc__
            and getattr(thing, "__module__", None) == __name__]


if __name__ == "__main__":
    failed = 0
    for line in lines():
        try:
            line()
        except Exception as error:
            failed += 1
            print(f"{line.__name__}: no longer so ({type(error).__name__}: {error})")
    print(len(lines()), "lines")
    sys.exit(failed > 0)
