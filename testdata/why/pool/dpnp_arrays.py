"""Objects of dpnp and dpctl for testdata/why/draw.py."""
import dpnp
import dpnp.tensor

floats = dpnp.arange(6, dtype="f4")
shared = dpnp.arange(6, dtype="f4", usm_type="shared")
sliced = dpnp.arange(12, dtype="i4")[::2]
tensor = dpnp.tensor.arange(4, dtype="f4")
flags = dpnp.array([True, False])
