"""Numerical code: functions of Fortran, and arrays of Numba. Written without knowledge of the tracer; five expectations were wrong, and are corrected: f2py
passes arrays of the right type and order on as they are, and copies others."""
import numpy as np
import numba  # expect: any
from scipy.linalg import blas, lapack


@numba.njit
def total(a):
    s = 0.0
    for x in a:
        s += x
    return s


def main():
    rng = np.random.default_rng(1)
    square = rng.random((60, 60))
    fortran = np.asfortranarray(square)
    vector = rng.random(60)
    single = vector.astype(np.float32)
    total(vector)
    for i in range(30):
        y = blas.dgemv(1.0, fortran, vector)
    for i in range(31):
        y = blas.dgemv(1.0, square, vector)  # expect: numpy-api numpy>scipy 31 copied
    for i in range(32):
        y = blas.dgemv(1.0, fortran, single)  # expect: numpy-api numpy>scipy 32 copied
    for i in range(33):
        lu, piv, info = lapack.dgetrf(fortran, overwrite_a=True)
    for i in range(34):
        lu, piv, info = lapack.dgetrf(square)  # expect: numpy-api numpy>scipy 34 copied
    for i in range(35):
        z = blas.ddot(vector[::2], vector[1::2])  # expect: numpy-api numpy>scipy 70 copied
    for i in range(36):
        s = total(vector)
    for i in range(37):
        s = total(np.frombuffer(bytes(800)))  # expect: buffer python>numpy 37 shared
    for i in range(39):
        u = blas.dscal(2.0, vector)
    print(float(y.sum()) > 0)


main()
