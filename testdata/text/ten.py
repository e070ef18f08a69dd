import dpnp as np

vector = np.arange(12, dtype=np.float32)
matrix = np.ones((3, 4), dtype=np.float64)
transposed = np.ones((3, 4), dtype=np.float64).T
strided = np.arange(20, dtype=np.int64)[::2]
reversed = np.arange(20, dtype=np.int32)[::-1]
mask = np.zeros((4, 4), dtype=bool)
spectrum = np.zeros(8, dtype=np.complex128)
scalar = np.asarray(3.0)
empty = np.empty((0, 5), dtype=np.float32)
host = np.ones(4, usm_type="host")
