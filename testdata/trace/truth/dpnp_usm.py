# dpnp: arrays in USM, from one to the other and to NumPy, for which dpnp copies to an array of NumPy in USM of the host.
import dpnp
import numpy as np

x = dpnp.zeros(64, dtype=dpnp.float32, device="cpu")
for i in range(100):
    y = dpnp.from_dlpack(x)  # expect: dlpack dpnp>dpnp 100
for i in range(150):
    n = np.from_dlpack(x, device="cpu")  # expect: dlpack dpnp>numpy 150 copied; buffer dpctl>numpy 150
