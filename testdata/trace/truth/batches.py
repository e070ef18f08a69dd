# Batches of arrays that functions of jax.tree pass to JAX: the program calls these, and they call JAX's functions.
import jax
import jax.numpy as jnp
import numpy as np

base = np.zeros(4096 + 16, "f4")
aligned = base[-base.ctypes.data % 64 // 4 :][:4096]
values = np.zeros(100)


def convert(path, x):
    return jnp.asarray(x)  # expect: numpy-api numpy>jaxlib 30 copied


jnp.asarray(aligned), jnp.array(aligned), jnp.asarray(values)  # expect: any (constants that JAX passes to itself once)
for i in range(30):
    jax.tree.map(jnp.asarray, {"a": aligned, "b": [values]})  # expect: numpy-api numpy>jaxlib 60 copied
    jax.tree_util.tree_map(jnp.array, (aligned, aligned))  # expect: numpy-api numpy>jaxlib 60 copied
    jax.tree.map(jax.device_put, {"a": aligned})  # expect: numpy-api numpy>jaxlib 30 shared
    jax.tree.map(lambda x: jnp.asarray(x), {"a": aligned})  # expect: numpy-api numpy>jaxlib 30 copied
    jax.tree.map(jax.dlpack.from_dlpack, {"a": aligned})  # expect: dlpack numpy>jaxlib 30 shared
    jax.tree_util.tree_map_with_path(convert, {"a": aligned})
    list(map(jnp.asarray, [aligned, aligned]))  # expect: numpy-api numpy>jaxlib 60 copied
    jax.device_put({"a": aligned})  # expect: numpy-api numpy>jaxlib 30 shared
