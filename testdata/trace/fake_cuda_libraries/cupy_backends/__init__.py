# Another library than that of the arrays, which creates streams.
import ctypes

driver = ctypes.PyDLL("libcuda.so.1")


def stream(flags):
    out = ctypes.c_size_t()
    assert driver.cuStreamCreate(ctypes.byref(out), ctypes.c_uint(flags)) == 0
    return out.value
