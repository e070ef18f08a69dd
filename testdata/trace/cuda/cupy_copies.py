# expect at least: to_device=42 to_host=31 between_devices=6 (with two devices)
import ctypes

import cupy
import numpy as np

x = np.arange(1000, dtype=np.float32)
pinned = cupy.cuda.alloc_pinned_memory(4000)
target = np.frombuffer(pinned, np.float32, 1000)
for i in range(40):
    d = cupy.asarray(x)
for i in range(20):
    h = cupy.asnumpy(d)
for i in range(10):
    d.get(out=target)
streams = cupy.cuda.Stream(), cupy.cuda.Stream()
for i in range(5):
    streams[1].wait_event(streams[0].record())
part = cupy.zeros((64, 64), np.float32)
part[:, :32] = cupy.asarray(np.ones((64, 32), np.float32))
h = cupy.asnumpy(part[::2, ::2])
driver, size = ctypes.CDLL("libcuda.so.1"), ctypes.c_size_t
batch, entry = ctypes.c_void_p(), ctypes.c_int()
driver.cuGetProcAddress_v2(b"cuMemcpyBatchAsync", ctypes.byref(batch), 12080, ctypes.c_uint64(0), ctypes.byref(entry))
attributes = (ctypes.c_int * 6)(1)  # in the order of the stream
copies = [(size * 3)(*values) for values in ([d.data.ptr, target.ctypes.data, d.data.ptr + 2000], [target.ctypes.data + 2000, part.data.ptr, target.ctypes.data], [400, 800, 1200])]
if batch:  # drivers before 12.8 have none
    copy = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 3, size, *[ctypes.c_void_p] * 2, size, *[ctypes.c_void_p] * 2)(batch.value)
    assert copy(*copies, 3, attributes, (size * 1)(0), 1, (size * 1)(), streams[0].ptr) == 0
    streams[0].synchronize()
if cupy.cuda.runtime.getDeviceCount() > 1:
    with cupy.cuda.Device(1):
        for i in range(6):
            far = cupy.asarray(d)
        far.device.synchronize()
cupy.cuda.Device().synchronize()
