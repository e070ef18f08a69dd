"""Arrays of dpnp, and for it (bats/why.bats)."""
import dpnp
import numpy

usm = dpnp.arange(5, dtype="f4")
host = numpy.arange(5, dtype="f4")
