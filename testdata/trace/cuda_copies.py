# Calls of a fake CUDA driver: through cuGetProcAddress, with and without the GIL, on threads, and through ctypes.
import copier
import ctypes
import struct

host, device, wait, fails = 1 << 20, 64, 5, 13
other, managed = 2048 + 64, 4096 - 64  # on the second device
for i in range(7):
    assert copier.copy("cuMemcpyHtoD", 12000, 0, 1, 10, device, host, 100) == 0  # 70 to the device, with the GIL
assert copier.copy("cuMemcpyDtoHAsync", 12000, 0, 0, 30, host, device, 100, 0) == 0  # 30 to the host, without it
assert copier.copy("cuMemcpyDtoHAsync", 12000, 2, 0, 20, host, device, 100, 0) == 0  # 20, of the thread's stream
assert copier.copy("cuMemcpyDtoHAsync", 12000, 0, 2, 9, host, device, 100, 0) == 0  # 9, on a thread without Python
assert copier.copy("cuMemcpyAsync", 12000, 0, 0, 5, device, host, 100, 0) == 0  # 5 to the device
assert copier.copy("cuMemcpyAsync", 12000, 0, 0, 6, device, device, 100, 0) == 0  # none: within a device
assert copier.copy("cuMemcpyHtoD", 12000, 0, 0, 4, device, host, fails) == 4  # none: they fail
assert copier.copy("cuMemcpyHtoD", 3000, 0, 0, 3, device, host, 100) == 0  # not replaced: sizes of 32 bits
assert copier.copy("cuNothing", 12000, 0, 0, 1) == -1
assert copier.lookups() == (1, 1)
driver = ctypes.CDLL("libcuda.so.1")
assert driver.cuStreamWaitEvent(None, ctypes.c_void_p(wait), 0) == 0
assert driver.cuStreamWaitEvent(None, None, 0) == 1  # fails
assert driver.cuMemcpyHtoD_v2(device, ctypes.c_char_p(b"a"), ctypes.c_size_t(11)) == 0
side = {"host": struct.pack("QQiQQQQ", 0, 0, 1, host, 0, 0, 64), "device": struct.pack("QQiQQQQ", 0, 0, 2, 0, device, 0, 64)}
plane = side["host"] + side["device"] + struct.pack("QQ", 30, 4)
assert driver.cuMemcpy2D_v2(plane) == 0  # 120 bytes to the device
assert driver.cuMemcpy2D_v2(None) == driver.cuMemcpy3DAsync_v2(None, None) == 1  # none: they fail
unified = {"host": struct.pack("QQQQiQQQQQQ", 0, 0, 0, 0, 4, 0, host, 0, 0, 64, 64), "device": struct.pack("QQQQiQQQQQQ", 0, 0, 0, 0, 4, 0, device, 0, 0, 64, 64)}
plane = side["device"] + struct.pack("QQiQQQQ", 0, 0, 2, 0, other, 0, 64) + struct.pack("QQ", 10, 4)
assert driver.cuMemcpy2D_v2(plane) == 0  # 40 bytes between devices
for i in range(2):
    assert copier.copy("cuMemcpyDtoDAsync", 12000, 0, i, 3, other, device, 100, 0) == 0  # 6 between devices
assert copier.copy("cuMemcpyAsync", 12000, 0, 0, 2, device, other, 100, 0) == 0  # 2 between devices
assert copier.copy("cuMemcpyDtoDAsync", 12000, 0, 0, 8, device + 1, device, 100, 0) == 0  # none: within a device
assert copier.copy("cuMemcpyDtoDAsync", 12000, 0, 0, 8, managed, device, 100, 0) == 0  # none: managed memory
n_bytes = ctypes.c_size_t(50)
assert driver.cuMemcpyPeerAsync(device, None, other, None, n_bytes, None) == 0  # 50 bytes between devices
assert driver.cuMemcpyPeerAsync(device, None, device + 1, None, n_bytes, None) == 0  # none: within a device
assert driver.cuMemcpyDtoHAsync_v2(ctypes.c_void_p(host), ctypes.c_void_p(host + 64), n_bytes, None) == 0  # none: within the host
volume = unified["device"] + unified["host"] + struct.pack("QQQ", 2, 3, 4)
assert driver.cuMemcpy3DAsync_v2(volume, None) == 0  # 24 bytes to the host
volume = unified["device"] + struct.pack("QQQQiQQQQQQ", 0, 0, 0, 0, 2, 0, other, 0, 0, 64, 64) + struct.pack("QQQ", 2, 3, 5)
assert driver.cuMemcpy3DPeerAsync(volume, None) == 0  # 30 bytes between devices
assert copier.copy("cuMemcpyHtoD", 12000, 0, 0, 3, device, host, 0) == 0  # none: no bytes
