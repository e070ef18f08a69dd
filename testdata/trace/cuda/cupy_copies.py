# expect at least: to_device=40 to_host=30 between_devices=6 (with two devices)
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
if cupy.cuda.runtime.getDeviceCount() > 1:
    with cupy.cuda.Device(1):
        for i in range(6):
            far = cupy.asarray(d)
        far.device.synchronize()
cupy.cuda.Device().synchronize()
