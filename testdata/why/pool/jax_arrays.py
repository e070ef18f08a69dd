"""Objects of JAX for testdata/why/draw.py."""
import jax
import jax.numpy

floats = jax.numpy.arange(6, dtype="float32")
brain = jax.numpy.arange(4, dtype="bfloat16")
eighth = jax.numpy.arange(4).astype("float8_e4m3fn")
flags = jax.numpy.array([True, False])
key = jax.random.key(0)
scalar = jax.numpy.float32(2)
deleted = jax.numpy.arange(3)
deleted.delete()
