# Attributes that describe memory: dpctl asks whether an object has one and reads it, which is one exchange; reads by the
# program's own code do not count.
import dpctl.memory
import dpnp
import dpnp.tensor

x = dpnp.tensor.zeros(64, dtype="f4", device="cpu")
y = dpnp.zeros(16, dtype="f4", device="cpu")
for i in range(60):
    m = dpctl.memory.as_usm_memory(x)  # expect: sycl dpnp>dpctl 60
for i in range(40):
    m = dpctl.memory.as_usm_memory(y)  # expect: sycl dpnp>dpctl 40
for i in range(20):
    z = dpnp.tensor.asarray(y)
for i in range(30):
    n = x.__sycl_usm_array_interface__["data"]
    n = hasattr(x, "__sycl_usm_array_interface__"), dpnp.tensor.usm_ndarray.__sycl_usm_array_interface__
