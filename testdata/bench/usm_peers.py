# SPDX-License-Identifier: MIT
"""The competitors of testdata/bench/usm.py: suai's engines on USM and OpenCL buffers, and dpnp and dpctl on the same bytes."""
import ctypes

import numpy as np

ENGINES = {"auto": 0, "kernel": 1, "host": 2}
KERNEL_CHARS = 64


class End(ctypes.Structure):
    _fields_ = [("place", ctypes.c_void_p), ("handle", ctypes.c_uint64), ("address", ctypes.c_uint64),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("host_reaches", ctypes.c_int)]


class Elements(ctypes.Structure):
    _fields_ = [("n_dims", ctypes.c_int), ("shape", ctypes.POINTER(ctypes.c_int64)), ("item_bytes", ctypes.c_int)]


class Pointer(ctypes.Structure):
    _fields_ = [("handle", ctypes.c_uint64), ("address", ctypes.c_uint64)]


def int64s(values):
    return (ctypes.c_int64 * max(len(values), 1))(*values)


class Library:
    """libcopy_peers.so, whose functions return 0 or a message."""

    def __init__(self, path):
        self.handle = ctypes.CDLL(path)
        for name in ("bench_error", "bench_opencl_name"):
            getattr(self.handle, name).restype = ctypes.c_char_p
        for name in ("bench_open_sycl", "bench_open_opencl"):
            getattr(self.handle, name).restype = ctypes.c_void_p

    def error(self):
        return self.handle.bench_error().decode()

    def check(self, rc):
        if rc:
            raise RuntimeError(self.error())

    def place(self, given):
        if not given:
            raise RuntimeError(self.error())
        return ctypes.c_void_p(given)

    def opencl_devices(self):
        """Name, platform and device of each."""
        platform, device = ctypes.c_int(), ctypes.c_int()
        for i in range(64):
            name = self.handle.bench_opencl_name(i, ctypes.byref(platform), ctypes.byref(device))
            if not name:
                return
            yield name.decode(), platform.value, device.value


class Usm:
    """Device memory of a CPU device, allocated through SYCL, which the host can access too."""

    def __init__(self, library):
        import dpctl
        import dpctl.memory
        import dpnp

        self.dpnp, self.library = dpnp, library
        self.version = f"dpnp {dpnp.__version__}, dpctl {dpctl.__version__}"
        processors = [device for device in dpctl.get_devices() if device.is_cpu and "Intel" in device.vendor]
        if not processors:
            raise RuntimeError("SYCL sees no processor of Intel's runtime")
        self.queue = dpctl.SyclQueue(processors[0])
        self.new = lambda n_bytes: dpctl.memory.MemoryUSMDevice(n_bytes, alignment=2 << 20, queue=self.queue)
        self.place = library.place(library.handle.bench_open_sycl(ctypes.c_void_p(self.queue.addressof_ref())))
        self.kept = {}

    def allocate(self, n_bytes, offset=0):
        """The memory as bytes in NumPy."""
        memory = self.new(n_bytes + offset)
        array = np.ctypeslib.as_array((ctypes.c_uint8 * (n_bytes + offset)).from_address(memory._pointer))[offset:]
        self.kept[array.ctypes.data] = memory
        return array

    def forget(self):
        self.kept.clear()

    def peers(self, case):
        dpnp, queue = self.dpnp, self.queue
        source, result = (self.kept[array.ctypes.data] for array in (case.whole, case.dst))
        array = case.view(dpnp.ndarray(case.shape, dtype=case.dtype, buffer=source))

        def waited(call):
            def run():
                made = call()
                queue.wait()
                return made
            return run

        found = {"dpnp.copy*": waited(lambda: dpnp.copy(array, order="C"))}
        if source.nbytes >= result.nbytes:
            found["dpctl memcpy"] = waited(lambda: queue.memcpy(result, source, result.nbytes))
        if not case.src.flags.c_contiguous:  # else it gives the array itself
            found["dpnp.ascontiguousarray*"] = waited(lambda: dpnp.ascontiguousarray(array))
        return found | self.suai(case)

    def suai(self, case):
        ends = [End(self.place, 0, array.ctypes.data, int64s(array.strides), 1) for array in (case.src, case.dst)]
        return {f"suai {engine}": Transfer(self.library, case, *ends, engine) for engine in ENGINES} | {
            f"suai {engine}*": Transfer(self.library, case, *ends, engine, "usm-device") for engine in ("kernel", "auto")}


class Transfer:
    """A call of suai; the name of what ran is stored afterwards. kind: copy into new memory of that kind."""

    def __init__(self, library, case, source, result, engine, kind=None):
        self.library, self.kind = library, kind
        self.told = ctypes.create_string_buffer(KERNEL_CHARS)
        self.elements = Elements(case.src.ndim, int64s(case.src.shape), case.src.dtype.itemsize)
        self.arguments = ctypes.byref(self.elements), ctypes.byref(source), ctypes.byref(result), ENGINES[engine]
        self.kept = source, result

    def __call__(self):
        handle = self.library.handle
        if self.kind:
            self.library.check(handle.bench_transfer_new(*self.arguments, self.kind.encode()))
        else:
            self.library.check(handle.bench_transfer(*self.arguments, self.told, ctypes.c_size_t(KERNEL_CHARS)))

    def what(self):
        return self.told.value.decode()


class Buffers:
    """OpenCL buffers (cl_mem) of one device, filled with the elements of a case."""

    def __init__(self, library, name, platform, device):
        self.library, self.name = library, name
        self.place = library.place(library.handle.bench_open_opencl(platform, device))

    def new(self, n_bytes):
        pointer = Pointer()
        self.library.check(self.library.handle.bench_allocate(
            self.place, b"opencl-buffer", ctypes.c_size_t(n_bytes), ctypes.byref(pointer)))
        return pointer

    def peers(self, case, vendor):
        """With each engine from buffer to buffer, and (starred) into a new one."""
        pair = BufferPair(self, case)
        return {f"suai {vendor} {engine}{star}": BufferTransfer(pair, engine, star) for engine in ("kernel", "auto") for star in ("", "*")}


class BufferPair:
    """A buffer with the elements of a case, and one for the result, which can be fetched."""

    def __init__(self, buffers, case):
        self.buffers, self.case = buffers, case
        self.memory = [buffers.new(case.whole.size), buffers.new(case.n_bytes)]
        library, place = buffers.library, buffers.place
        library.check(library.handle.bench_write(place, ctypes.byref(self.memory[0]),
                                                 ctypes.c_void_p(case.whole.ctypes.data), ctypes.c_size_t(case.whole.size)))
        offset = case.src.ctypes.data - case.whole.ctypes.data
        self.ends = [End(place, pointer.handle, pointer.address + at, int64s(array.strides), 0)
                     for pointer, at, array in zip(self.memory, (offset, 0), (case.src, case.dst))]

    def asnumpy(self):
        array = np.empty(self.case.dst.shape, self.case.dst.dtype)
        library = self.buffers.library
        library.check(library.handle.bench_read(self.buffers.place, ctypes.c_void_p(array.ctypes.data),
                                                ctypes.byref(self.memory[1]), ctypes.c_size_t(array.nbytes)))
        return array

    def __del__(self):
        for pointer in self.memory:
            self.buffers.library.handle.bench_release(self.buffers.place, ctypes.byref(pointer))


class BufferTransfer:
    """A call of suai from the first buffer of a pair to the second; star: to a new one."""

    def __init__(self, pair, engine, star):
        self.pair, self.star = pair, star
        self.transfer = Transfer(pair.buffers.library, pair.case, *pair.ends, engine, star and "opencl-buffer")
        self.what = self.transfer.what

    def __call__(self):
        self.transfer()
        return None if self.star else self.pair
