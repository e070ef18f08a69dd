# expect at least: to_device=41 to_host=21 between_devices=5 (with two devices)
import jax
import numpy as np

device = jax.devices("cuda")[0]
x = np.arange(1000, dtype=np.float32)
for i in range(40):
    d = jax.device_put(x + i, device)
    d.block_until_ready()
for i in range(20):
    h = np.asarray(d + i)
matrix = jax.device_put(np.ones((64, 64), np.float32), device)
h = np.asarray(jax.jit(lambda a: a @ a)(matrix))  # XLA tries several kernels
for other in jax.devices("cuda")[1:2]:
    for i in range(5):
        jax.device_put(d, other).block_until_ready()
jax.effects_barrier()
