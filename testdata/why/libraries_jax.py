"""Arrays of JAX (bats/why.bats)."""
import jax.numpy

deleted = jax.numpy.arange(3.0)
deleted.delete()
