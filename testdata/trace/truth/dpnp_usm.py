# dpnp: arrays in USM, from one to the other and to NumPy.
import dpnp
import numpy as np

x = dpnp.zeros(64, dtype=dpnp.float32, device="cpu")
for i in range(100):
    y = dpnp.from_dlpack(x)  # expect: dlpack dpnp>dpnp 100
