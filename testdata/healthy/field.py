# SPDX-License-Identifier: MIT
"""Behaviours of released libraries, measured before suai existed. Each function verifies one with the versions of
deps/test.txt. tools/findings makes a table of the docstrings: the behaviour, and what suai reports for it."""

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
    """A copy, because the struct is freed with its capsule."""
    return struct.from_buffer_copy(ctypes.string_at(address, ctypes.sizeof(struct)))


class Export:
    """The struct that a call of __dlpack__ returns; version and flags are None for a legacy capsule."""

    def __init__(self, producer, **keyinterface):
        self.capsule = producer.__dlpack__(**keyinterface)
        if '"dltensor_versioned"' in repr(self.capsule):
            whole = copy_of(Versioned, get_pointer(self.capsule, b"dltensor_versioned"))
            self.version, self.flags, self.tensor = (whole.major, whole.minor), whole.flags, whole.tensor
            self.deleter = whole.deleter
        else:
            whole = copy_of(Legacy, get_pointer(self.capsule, b"dltensor"))
            self.version, self.flags, self.tensor, self.deleter = None, None, whole.tensor, whole.deleter


def raises(expected, function, *arguments, **keyinterface):
    """Whether it raises this exception by name; subclasses of BufferError do not count."""
    try:
        function(*arguments, **keyinterface)
    except BaseException as error:
        return type(error).__name__ == expected
    return False


def shares(producer, **keyinterface):
    return Export(producer, **keyinterface).tensor.data == Export(producer).tensor.data


def frozen(array):
    array.flags.writeable = False
    return array


def tvm(array):
    return tvm_ffi.from_dlpack(array)


def as_numpy_answers(make):
    """The checks that NumPy and array-api-strict share."""
    array = make((2, 3))
    assert Export(array, max_version=(1, 0)).version == (1, 0)
    assert not shares(array, copy=True) and Export(array, copy=True, max_version=(1, 0)).flags == COPIED
    assert raises("RuntimeError", array.__dlpack__, stream=-1)
    assert raises("BufferError", array.__dlpack__, dl_device=BAD)
    assert Export(make((0, 3))).tensor.data and Export(make(())).tensor.shape is None
    return True


def numpy_row():
    """NumPy returns version 1.0 if requested, flags copies, refuses unknown devices with BufferError and streams with
    RuntimeError. Empty arrays have an address, zero-dimensional ones no shape.

    empty_arrays_keep_an_address. The rest conforms to the standard (DLP312 notes a NULL shape of zero dimensions).
    """
    assert as_numpy_answers(np.ones)
    assert raises("BufferError", frozen(np.ones(3)).__dlpack__)


def strict_row():
    """array-api-strict behaves like NumPy.

    empty_arrays_keep_an_address. All of its fictitious devices report (1, 0).
    """
    assert as_numpy_answers(array_api_strict.ones)
    elsewhere = array_api_strict.ones(3, device=array_api_strict.Device("device2"))
    assert elsewhere.__dlpack_device__() == HOST and np.from_dlpack(elsewhere)[0] == 1


def tvm_ffi_versions():
    """tvm-ffi returns version 1.3 for 1.0, and raises AttributeError for 0.8.

    tvm_ffi_old_max_version. A minor version above the consumer's is compatible.
    """
    tensor = tvm(np.ones(3))
    assert Export(tensor, max_version=(1, 0)).version == (1, 3)
    assert raises("AttributeError", tensor.__dlpack__, max_version=(0, 8))


def tvm_ffi_copies():
    """tvm-ffi does not copy for copy=True in a legacy capsule, and refuses copy=True in a versioned one.

    tvm_ffi_ignores_copy.
    """
    tensor = tvm(np.ones(3))
    assert shares(tensor, copy=True) and raises("BufferError", tensor.__dlpack__, copy=True, max_version=(1, 0))


def tvm_ffi_streams_and_devices():
    """tvm-ffi accepts stream -1 and even "x" on the CPU, and refuses an unknown device with BufferError.

    tvm_ffi_accepts_any_stream. It refuses devices only with max_version: tvm_ffi_ignores_dl_device.
    """
    tensor = tvm(np.ones(3))
    assert tensor.__dlpack__(stream=-1) and tensor.__dlpack__(stream="x")
    assert raises("BufferError", tensor.__dlpack__, dl_device=BAD, max_version=(1, 0))
    assert tensor.__dlpack__(dl_device=BAD)


def tvm_ffi_shapes():
    """tvm-ffi exports an address for empty tensors, and no shape for zero-dimensional ones.

    empty_arrays_keep_an_address.
    """
    assert Export(tvm(np.ones((0, 3)))).tensor.data and Export(tvm(np.array(1.0))).tensor.shape is None


def pyarrow_versions():
    """PyArrow returns version 1.3 with the read-only flag. Empty arrays have no address.

    Nothing: this conforms to dlpack.h.
    """
    export = Export(pyarrow.array([1]), max_version=(1, 0))
    assert export.version == (1, 3) and export.flags == READ_ONLY
    assert not Export(pyarrow.array([], pyarrow.int32()), max_version=(1, 0)).tensor.data


def pyarrow_read_only():
    """PyArrow exports read-only memory in a legacy capsule.

    pyarrow_legacy_loses_read_only, and pyarrow_warns_users_of_consumers.
    """
    assert Export(pyarrow.array([1])).version is None


def pyarrow_refusals():
    """PyArrow refuses copy=True in a legacy capsule, copies and sets the flag in a versioned one, and refuses unknown
    devices with BufferError and streams with NotImplementedError.

    Nothing: this conforms to the standard.
    """
    array = pyarrow.array([1])
    assert raises("BufferError", array.__dlpack__, copy=True)
    assert Export(array, copy=True, max_version=(1, 0)).flags & COPIED
    assert raises("BufferError", array.__dlpack__, dl_device=BAD)
    assert raises("NotImplementedError", array.__dlpack__, stream=-1)


def jax_versions():
    """JAX returns only legacy capsules, for immutable arrays; copies cannot be flagged.

    jax_returns_legacy_capsule.
    """
    array = jax.numpy.ones(3)
    assert Export(array, max_version=(1, 0)).version is None
    assert not shares(array, copy=True)


def jax_shapes():
    """JAX exports an address for empty arrays, and no shape for zero-dimensional ones.

    empty_arrays_keep_an_address.
    """
    assert Export(jax.numpy.ones((0, 3))).tensor.data and Export(jax.numpy.ones(())).tensor.shape is None


def jax_refusals():
    """JAX refuses streams with JaxRuntimeError and unknown devices with RuntimeError.

    jax_unknown_device_is_a_runtime_error for devices of a known kind; an unknown kind raises BufferError. Some streams
    are accepted: jax_shared_arrays_accept_any_stream.
    """
    array = jax.numpy.arange(3)
    assert raises("JaxRuntimeError", array.__dlpack__, stream=-1)
    assert raises("RuntimeError", array.__dlpack__, dl_device=(2, 0))
    assert raises("BufferError", array.__dlpack__, dl_device=BAD)


def dpnp_versions():
    """dpnp returns version 1.3, and read-only for zero-dimensional arrays. Empty arrays have an address.

    dpnp_0d_is_read_only, empty_arrays_keep_an_address.
    """
    assert Export(dpt.ones(3), max_version=(1, 0)).version == (1, 3)
    assert Export(dpt.ones(()), max_version=(1, 0)).flags == READ_ONLY
    assert Export(dpt.ones((0, 3))).tensor.data and Export(dpt.ones(())).tensor.shape is None


def dpnp_legacy():
    """dpnp exports read-only arrays in legacy capsules, where it also ignores copy=True and dl_device.

    dpnp_legacy_loses_read_only, dpnp_legacy_ignores_copy, dpnp_legacy_ignores_dl_device.
    """
    array = dpt.ones(3)
    assert shares(array, copy=True) and Export(array, copy=True, max_version=(1, 0)).flags == COPIED
    assert Export(array, dl_device=HOST).tensor.device_type == ONEAPI[0]
    array.flags.writable = False
    assert Export(array).version is None


def dpnp_refusals():
    """dpnp refuses streams other than a SyclQueue with TypeError, and unknown devices with BufferError.

    Nothing: with max_version this conforms to the standard.
    """
    assert raises("TypeError", dpt.ones(3).__dlpack__, stream=-1)
    assert raises("BufferError", dpt.ones(3).__dlpack__, dl_device=BAD, max_version=(1, 0))


PRODUCERS = (lambda: np.ones(3), lambda: tvm(np.ones(3)), lambda: pyarrow.array([1]), lambda: jax.numpy.ones(3),
             lambda: dpt.ones(3), lambda: array_api_strict.ones(3))


def all_producers():
    """All producers accept keyinterface only, set a deleter, and have no C exchange API.

    Nothing: DLP004, DLP701 and CXA001 pass.
    """
    for make in PRODUCERS:
        assert raises("TypeError", make().__dlpack__, None) and Export(make()).deleter
        assert not hasattr(type(make()), "__dlpack_c_exchange_api__")


def offsets():
    """Only dpnp uses byte_offset for the offset of a view; no library aligns data to 256 bytes.

    DLP403 and DLP405 note this.
    """
    assert Export(dpt.ones(8)[3:]).tensor.byte_offset == 3 * dpt.ones(8).itemsize
    assert not any(Export(make()).tensor.byte_offset for make in PRODUCERS)
    assert Export(np.ones(8)[1:]).tensor.data % 256


class Served:
    """Returns the same capsule for every call."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return HOST


def fails(take, *things):
    """Whether each call raises an exception."""
    for thing in things:
        try:
            take(thing)
            return False
        except Exception:
            pass
    return True


def consumed_twice():
    """NumPy rejects a consumed capsule; tvm-ffi and JAX reject a versioned capsule that they did not request.

    Nothing; `--consumer` reports consumers that accept such capsules (DLC702).
    """
    served = Served(np.ones(3).__dlpack__())
    np.from_dlpack(served)
    assert fails(np.from_dlpack, served)
    for take in tvm_ffi.from_dlpack, jax.dlpack.from_dlpack:
        assert fails(take, Served(np.ones(3).__dlpack__(max_version=(1, 0))))


to_numpy, to_jax, to_pyarrow = np.from_dlpack, jax.dlpack.from_dlpack, pyarrow.Tensor.from_dlpack


def numpy_to_others():
    """NumPy and PyArrow accept read-only and broadcast NumPy arrays, JAX does not. Only NumPy accepts negative strides. JAX
    rejects every second column, and PyArrow rejects bool. All three accept unaligned arrays.

    unaligned_arrays_are_exported. JAX passes no version, like tvm-ffi: tvm_ffi_cannot_import_read_only_arrays.
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
    """PyArrow does not accept JAX arrays; NumPy rejects bfloat16 with RuntimeError.

    jax_returns_legacy_capsule.
    """
    assert not fails(to_numpy, jax.numpy.ones(3)) and fails(to_pyarrow, jax.numpy.ones(3))
    brain = jax.numpy.ones(3, "bfloat16")
    assert raises("RuntimeError", to_numpy, brain) and not fails(to_jax, brain) and fails(to_pyarrow, brain)


class Asked:
    """Records the keyinterface."""

    def __init__(self, producer):
        self.producer, self.keyinterface = producer, None

    def __dlpack__(self, **keyinterface):
        self.keyinterface = keyinterface
        return self.producer.__dlpack__(**keyinterface)

    def __dlpack_device__(self):
        return self.producer.__dlpack_device__()


def sent(take, producer):
    asked = Asked(producer)
    take(asked)
    return asked.keyinterface


def what_consumers_send():
    """NumPy, array-api-strict and dpnp pass max_version=(1, 0), dl_device=None and copy=None, PyArrow max_version=(1, 3), JAX
    only stream=None, and tvm-ffi nothing.

    Nothing; `--consumer` with -f json prints the calls.
    """
    usual = {"max_version": (1, 0), "dl_device": None, "copy": None}
    assert sent(to_numpy, np.ones(3)) == sent(array_api_strict.from_dlpack, np.ones(3)) == usual
    assert {**sent(dpt.from_dlpack, dpt.ones(3)), "stream": None} == {**usual, "stream": None}
    assert sent(to_pyarrow, np.ones(3))["max_version"] == (1, 3)
    assert sent(to_jax, np.ones(3)) == {"stream": None} and sent(tvm_ffi.from_dlpack, np.ones(3)) == {}


class Sycl:
    def __init__(self, interface, **changes):
        self.__sycl_usm_array_interface__ = {**interface, **changes}


def usm(n_bytes=96):
    return dpctl.memory.MemoryUSMShared(n_bytes)


def memory_dictionary():
    """dpctl.memory exports data[1] True, no strides, no offset, and typestr '|u1'.

    dpctl_memory_reports_read_only.
    """
    for kind in "Device", "Shared", "Host":
        interface = getattr(dpctl.memory, "MemoryUSM" + kind)(96).__sycl_usm_array_interface__
        assert interface["data"][1] is True and interface["strides"] is None and interface["typestr"] == "|u1"
        assert "offset" not in interface


def array_dictionary():
    """usm_ndarray exports offset 0, 3 and 11 for an array, [3:] and [::-1], strides None, (1,), (-1,) and (1, 2), and
    typestr '|f8'.

    dpnp_typestr_omits_byte_order.
    """
    line = dpt.arange(12, dtype="f8")
    grid = dpt.asarray(np.ones((2, 3)), order="F")
    views = [line, line[3:], line[::-1], line[2, ...], dpt.zeros(0), grid]
    interfaces = [view.__sycl_usm_array_interface__ for view in views]
    assert [each["offset"] for each in interfaces] == [0, 3, 11, 2, 0, 0]
    assert [each["strides"] for each in interfaces] == [None, (1,), (-1,), None, None, (1, 2)]
    assert {each["typestr"] for each in interfaces} == {"|f8"} and not any(each["data"][1] for each in interfaces)


def lenient_import():
    """as_usm_memory accepts a list as shape, True as version, an address 4 bytes further, and >f8, which asarray rejects.

    SUAI102, SUAI113 and SUAI204 report exporters of such a dictionary.
    """
    memory = usm()
    interface = {**memory.__sycl_usm_array_interface__, "typestr": "<f8", "shape": (4,)}
    pointer = interface["data"][0]
    for changes in {"shape": [4]}, {"version": True}, {"data": (pointer + 4, False)}, {"typestr": ">f8"}:
        assert dpctl.memory.as_usm_memory(Sycl(interface, **changes)).nbytes == 32
    assert fails(dpt.asarray, Sycl(interface, typestr=">f8"))


def extents():
    """as_usm_memory accepts 10^6 elements on 96 bytes, and 2^65 elements as 8 bytes.

    dpctl_trusts_any_extent.
    """
    memory = usm()
    interface = {**memory.__sycl_usm_array_interface__, "typestr": "<f8"}
    for shape, n_bytes in ((10**6,), 8 * 10**6), ((2**31, 2**31, 8), 8):
        assert dpctl.memory.as_usm_memory(Sycl(interface, shape=shape)).nbytes == n_bytes


def reversed_import():
    """asarray fails for the dictionary of a reversed array.

    dpnp_import_ignores_offset.
    """
    assert raises("ValueError", dpt.asarray, Sycl(dpt.arange(12)[::-1].__sycl_usm_array_interface__))


def bare_capsule():
    """A bare SyclQueueRef capsule can be imported once; the second import fails.

    SUAI506 reports exporters of such capsules, with --lifetime. suai inspects the capsule without consuming it.
    """
    memory = usm()
    interface = {**memory.__sycl_usm_array_interface__, "syclobj": memory.sycl_queue._get_capsule()}
    assert dpctl.memory.as_usm_memory(Sycl(interface)).nbytes == 96
    assert fails(dpctl.memory.as_usm_memory, Sycl(interface))


def other_context():
    """as_usm_memory aborts the process for a pointer with another context of its device.

    With version 0.22 only for a context of sub-devices: dpctl_aborts_on_foreign_contexts. The OpenCL CPU runtime of the
    tests accepts a context of the whole device and knows its memory.
    """
    memory = usm()
    context = dpctl.SyclContext(memory.sycl_device)
    assert dpctl.memory.as_usm_memory(Sycl(memory.__sycl_usm_array_interface__, syclobj=context)).nbytes == 96


def host_memory_elsewhere():
    """Querying host USM of a device that does not support it aborts the process.

    Not testable: the CPU devices of the tests support all three kinds.
    """
    assert all(device.has_aspect_usm_host_allocations for device in dpctl.get_devices())


def dropped_owner():
    """A dictionary whose owner was freed refers to unknown memory, and is rejected only by chance.

    SUAI003 and SUAI701 report exporters of such dictionaries, with --lifetime.
    """
    assert raises("ValueError", dpctl.memory.as_usm_memory, Sycl(usm().__sycl_usm_array_interface__))


def clean_refusals():
    """as_usm_memory raises exceptions for malloc memory, offset None, a missing version, a negative extent and a missing
    syclobj.

    Nothing: this is correct for a consumer.
    """
    memory = usm()
    interface = {**memory.__sycl_usm_array_interface__, "typestr": "<f8", "shape": (4,)}
    host = np.ones(4)
    changes = {"data": (host.ctypes.data, False)}, {"offset": None}, {"shape": (-4,)}, {"syclobj": None}
    assert all(fails(dpctl.memory.as_usm_memory, Sycl(interface, **change)) for change in changes)
    del interface["version"]
    assert fails(dpctl.memory.as_usm_memory, Sycl(interface))


def lines():
    """The functions with a line in the table, in order."""
    return [thing for thing in globals().values() if getattr(thing, "__doc__", None) and "\n\n" in thing.__doc__
            and getattr(thing, "__module__", None) == __name__]


if __name__ == "__main__":
    failed = 0
    for line in lines():
        try:
            line()
        except Exception as error:
            failed += 1
            print(f"{line.__name__}: no longer holds ({type(error).__name__}: {error})")
    print(len(lines()), "lines")
    sys.exit(failed > 0)
