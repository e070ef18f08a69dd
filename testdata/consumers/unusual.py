# SPDX-License-Identifier: MIT
"""Consumers of DLPack tensors that do what few do, all of it legal."""

import atexit
import contextlib
import ctypes
import faulthandler
import hashlib
import threading

from planted import (LEGACY, USED, VERSIONED, Legacy, Owner, Versioned, array_of, consume, export, get_pointer,
                     is_valid, require, set_name)

kept = []


class Borrowed(Owner):
    """The destructor of the capsule releases the tensor."""

    def delete(self):
        pass


class Threaded(Owner):
    def delete(self):
        threading.Thread(target=super().delete).start()


class Opaque:
    """Without any interface."""

    def __init__(self, array):
        self.array = array


def take(x):
    """The capsule, its name and the struct in it."""
    require(tuple(x.__dlpack_device__()) == (1, 0), "not on the CPU")
    capsule = export(x, None)
    names = [name for name in (LEGACY, VERSIONED) if is_valid(capsule, name)]
    require(names, "not a capsule of DLPack")
    managed = (Legacy if names == [LEGACY] else Versioned).from_address(get_pointer(capsule, names[0]))
    require(managed.major == 1, "version")
    return capsule, names[0], managed


def copies(x):
    return consume(x).copy()


def leaves_capsule(x):
    managed = take(x)[2]
    return array_of(managed, Borrowed(managed, None), None).copy()


def deletes_in_thread(x):
    capsule, name, managed = take(x)
    set_name(capsule, USED[name])
    return array_of(managed, Threaded(managed, None), None)


def exports_twice(x):
    take(x)
    return consume(x)


def has_no_interface(x):
    return Opaque(consume(x))


def splits_lanes(x):
    """Lanes become the last dimension."""
    capsule, name, managed = take(x)
    tensor, split = managed.tensor, type(managed).from_buffer_copy(managed)
    if tensor.lanes < 2:
        return consume(x)
    shape, strides = tensor.shape[:tensor.ndim], tensor.strides[:tensor.ndim]
    numbers = ctypes.c_int64 * (tensor.ndim + 1)
    split.tensor.shape = numbers(*shape, tensor.lanes)
    split.tensor.strides = numbers(*[stride * tensor.lanes for stride in strides], 1)
    split.tensor.ndim, split.tensor.lanes = tensor.ndim + 1, 1
    set_name(capsule, USED[name])
    return array_of(split, Owner(managed, None), None)


class Bits:
    """Of bfloat16, which NumPy has no name for."""

    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__


def returns_bits(x):
    capsule, name, managed = take(x)
    bits = type(managed).from_buffer_copy(managed)
    bits.tensor.code = 1
    set_name(capsule, USED[name])
    return Bits(array_of(bits, Owner(managed, None), None))


def handles_faults(x):
    """faulthandler calls the former handler of SIGSEGV."""
    faulthandler.enable()
    return consume(x)


def keeps_results(x):
    """They are read at interpreter exit."""
    if not kept:
        atexit.register(lambda: [array.tolist() for array in kept])
    kept.append(consume(x))
    return kept[-1]


def keeps_tensors(x):
    """They raise an exception at interpreter exit."""
    if not kept:
        atexit.register(export_kept)
    kept.append(x)
    return consume(x)


def export_kept():
    with contextlib.suppress(RuntimeError):
        kept[0].__dlpack__()


def returns_bytes(x):
    return consume(x).tobytes()


def returns_digest(x):
    return hashlib.sha256(consume(x)).digest()


def widens_to_complex(x):
    array = consume(x)
    return array.astype("c16") if array.dtype.kind == "f" else array


def returns_objects(x):
    return consume(x).astype(object)


class ReadsLater:
    """Imports the tensor when its elements are read."""

    def __init__(self, x):
        self.x = x

    def __array__(self, dtype=None, copy=None):
        return consume(self.x)


def stores(x):
    kept.append(consume(x))


class Slow(Owner):
    def delete(self):
        threading.Timer(0.4, super().delete).start()


def deletes_slowly(x):
    capsule, name, managed = take(x)
    set_name(capsule, USED[name])
    return array_of(managed, Slow(managed, None), None).copy()


def raises_after_export(x):
    x.__dlpack__()
    raise RuntimeError("the library is not initialized")


def raises_system_error(x):
    consume(x)
    raise SystemError("the library is not ready")
