# SPDX-License-Identifier: MIT
"""The CUDA driver through ctypes, independently of suai: memory of every kind, and what the driver reports for an address,
one attribute at a time."""

import ctypes
import mmap
import subprocess
import sys

cuda = ctypes.CDLL("libcuda.so.1")
u64 = ctypes.c_uint64


class CudaError(RuntimeError):
    pass


def name_of(result):
    name = ctypes.c_char_p()
    cuda.cuGetErrorName(result, ctypes.byref(name))
    return (name.value or b"?").decode()


def call(function, *arguments):
    result = getattr(cuda, function)(*arguments)
    if result:
        raise CudaError(f"{function}: {name_of(result)}")


call("cuInit", 0)
_count = ctypes.c_int()
call("cuDeviceGetCount", ctypes.byref(_count))
n_devices = _count.value


def primary(device=0):
    context = ctypes.c_void_p()
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    return context


def make_current(context):
    call("cuCtxSetCurrent", context)


make_current(primary())
_kept = []


def allocate_device(n):
    pointer = u64()
    call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(n))
    return pointer.value


def allocate_pool(n):
    pointer = u64()
    call("cuMemAllocAsync", ctypes.byref(pointer), ctypes.c_size_t(n), None)
    call("cuCtxSynchronize")
    return pointer.value


def allocate_managed(n):
    pointer = u64()
    call("cuMemAllocManaged", ctypes.byref(pointer), ctypes.c_size_t(n), 1)
    return pointer.value


def allocate_pinned(n):
    pointer = ctypes.c_void_p()
    call("cuMemHostAlloc", ctypes.byref(pointer), ctypes.c_size_t(n), 3)
    return pointer.value


def allocate_registered(n):
    memory = mmap.mmap(-1, -(-n // 4096) * 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    _kept.append((memory, ctypes.c_char.from_buffer(memory)))
    call("cuMemHostRegister_v2", ctypes.c_void_p(address), ctypes.c_size_t(-(-n // 4096) * 4096), 3)
    return address


class _Property(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("handle_types", ctypes.c_int), ("location_type", ctypes.c_int),
                ("location_id", ctypes.c_int), ("security", ctypes.c_void_p), ("flags", ctypes.c_ubyte * 8)]


class _Access(ctypes.Structure):
    _fields_ = [("location_type", ctypes.c_int), ("location_id", ctypes.c_int), ("flags", ctypes.c_int)]


def allocate_mapped(n, pieces=1, flags=3, device=0):
    """Memory of cuMemMap: adjacent mappings, all in use; access by flags (1: read, 3: read and write)."""
    wanted = _Property(1, 0, 1, device)
    granularity = ctypes.c_size_t()
    call("cuMemGetAllocationGranularity", ctypes.byref(granularity), ctypes.byref(wanted), 0)
    piece = -(-n // pieces // granularity.value) * granularity.value
    base = u64()
    call("cuMemAddressReserve", ctypes.byref(base), ctypes.c_size_t(piece * (pieces + 1)), ctypes.c_size_t(0), u64(0), u64(0))
    for i in range(pieces):
        handle = u64()
        call("cuMemCreate", ctypes.byref(handle), ctypes.c_size_t(piece), ctypes.byref(wanted), u64(0))
        call("cuMemMap", u64(base.value + i * piece), ctypes.c_size_t(piece), ctypes.c_size_t(0), handle, u64(0))
    access = _Access(1, device, flags)
    call("cuMemSetAccess", base, ctypes.c_size_t(piece * pieces), ctypes.byref(access), ctypes.c_size_t(1))
    return base.value


_CHILD = """
import sys
sys.path.insert(0, %r)
import ctypes, driver
pointer = driver.allocate_device(int(sys.argv[1]))
handle = (ctypes.c_ubyte * 64)()
driver.call("cuIpcGetMemHandle", handle, driver.u64(pointer))
print(bytes(handle).hex(), flush=True)
sys.stdin.read()
"""


class _Handle(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_ubyte * 64)]


def allocate_ipc(n):
    """Memory of another process, which lives as long as this one."""
    child = subprocess.Popen([sys.executable, "-c", _CHILD % __file__.rpartition("/")[0], str(n)],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    _kept.append(child)
    line = child.stdout.readline().strip()
    if not line:
        raise CudaError("the other process gave no handle")
    pointer = u64()
    handle = _Handle((ctypes.c_ubyte * 64)(*bytes.fromhex(line)))
    cuda.cuIpcOpenMemHandle_v2.argtypes = [ctypes.c_void_p, _Handle, ctypes.c_uint]
    call("cuIpcOpenMemHandle_v2", ctypes.addressof(pointer), handle, 1)
    return pointer.value


ALLOCATORS = {"device": allocate_device, "pool": allocate_pool, "mapped": allocate_mapped, "managed": allocate_managed,
              "pinned": allocate_pinned, "registered": allocate_registered, "ipc": allocate_ipc}

ATTRIBUTES = {"context": (1, u64), "type": (2, ctypes.c_uint), "device_pointer": (3, u64), "host_pointer": (4, u64),
              "buffer_id": (7, u64), "managed": (8, ctypes.c_uint), "ordinal": (9, ctypes.c_int), "ipc": (10, ctypes.c_uint),
              "range_start": (11, u64), "range_size": (12, u64), "mapped": (13, ctypes.c_uint),
              "handle_types": (14, u64), "access": (16, ctypes.c_uint), "pool": (17, u64), "mapping_size": (18, u64),
              "mapping_base": (19, u64)}


def attributes(pointer):
    """Each attribute, or the name of the driver's error."""
    found = {}
    for name, (number, kind) in ATTRIBUTES.items():
        value = kind()
        result = cuda.cuPointerGetAttribute(ctypes.byref(value), number, u64(pointer))
        found[name] = name_of(result) if result else value.value
    return found


def address_range(pointer):
    base, size = u64(), ctypes.c_size_t()
    result = cuda.cuMemGetAddressRange_v2(ctypes.byref(base), ctypes.byref(size), u64(pointer))
    return [name_of(result)] if result else [base.value, size.value]


def host_flags(pointer):
    flags = ctypes.c_uint()
    result = cuda.cuMemHostGetFlags(ctypes.byref(flags), ctypes.c_void_p(pointer))
    return name_of(result) if result else flags.value


def is_mapping(pointer):
    handle = u64()
    result = cuda.cuMemRetainAllocationHandle(ctypes.byref(handle), ctypes.c_void_p(pointer))
    if not result:
        cuda.cuMemRelease(handle)
    return name_of(result) if result else True


def access(pointer, device=0):
    """Whether the device may read and write a mapping, and whether the kernel lets the host; None if unknown."""
    flags, where = u64(), (ctypes.c_int * 2)(1, device)
    if is_mapping(pointer) is True:
        call("cuMemGetAccess", ctypes.byref(flags), where, u64(pointer))
        return [bool(flags.value & 1), bool(flags.value & 2)]
    if attributes(pointer)["type"] == 1:
        rights = maps_line(pointer).split()[1]
        return ["r" in rights, "w" in rights]
    return [None, None]


def maps_line(pointer):
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        for line in file:
            low, _, high = line.split()[0].partition("-")
            if int(low, 16) <= pointer < int(high, 16):
                return line.strip()
    return None


def device_name(device=0):
    name = ctypes.create_string_buffer(256)
    call("cuDeviceGetName", name, 256, device)
    return name.value.decode()


def device_attribute(number, device=0):
    value = ctypes.c_int()
    call("cuDeviceGetAttribute", ctypes.byref(value), number, device)
    return value.value


def fill(pointer, data):
    call("cuMemcpyHtoD_v2", u64(pointer), data, ctypes.c_size_t(len(data)))
    call("cuCtxSynchronize")


def free(pointer):
    call("cuMemFree_v2", u64(pointer))


def probe(n=1000):
    """Prints what this driver reports for memory of every kind."""
    for kind, allocate in ALLOCATORS.items():
        try:
            pointer = allocate(n)
        except (CudaError, AttributeError) as error:
            yield {"kind": kind, "error": str(error)}
            continue
        yield {"kind": kind, "pointer": pointer, "attributes": attributes(pointer), "range": address_range(pointer),
               "host_flags": host_flags(pointer), "is_mapping": is_mapping(pointer), "maps": maps_line(pointer)}


if __name__ == "__main__":
    import json

    print(json.dumps({"device": device_name(), "n_devices": n_devices, "pageable_access": device_attribute(88),
                      "pools": device_attribute(115)}))
    for facts in probe():
        print(json.dumps(facts))
