"""Arrays of JAX, and for it (bats/why.bats)."""
import jax.numpy
import numpy

half = jax.numpy.arange(4, dtype="bfloat16")
sliced = numpy.arange(12, dtype="f4")[::2]
swapped = numpy.arange(4, dtype=">f4")
wide = numpy.arange(4.0)
