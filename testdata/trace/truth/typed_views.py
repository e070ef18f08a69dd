"""A module of Cython that is compiled on the spot: typed memoryviews, fused types, buffers of arrays, classes with the buffer protocol. Written before it
was traced, without knowledge of the tracer."""
import array
import subprocess
import sys
import sysconfig
import tempfile

import Cython  # expect: any
import numpy as np

SOURCE = r"""
# cython: language_level=3, boundscheck=False
cimport numpy as cnp
import Cython  # expect: any
import numpy as np
from cython cimport floating, view

cnp.import_array()

def total(double[::1] values):
    cdef double sum = 0
    cdef Py_ssize_t i
    for i in range(values.shape[0]):
        sum += values[i]
    return sum

def read(const double[:] values):
    return values[0]

def trace_of(double[:, :] matrix):
    return matrix[0, 0] + matrix[1, 1]

def first(floating[:] values):
    return values[0]

def old(cnp.ndarray[double, ndim=1] values):
    return values[0]

def untyped(cnp.ndarray values):
    return cnp.PyArray_SIZE(values)

def octets(const unsigned char[:] text):
    return text[0]

def optional(double[:] values=None):
    return values is None

def make(Py_ssize_t n):
    cdef view.array result = view.array(shape=(n,), itemsize=sizeof(double), format="d")
    result[:] = 1.0
    return result

def pass_on(double[:] values):
    return values

def convert(object values):
    cdef cnp.ndarray result = cnp.PyArray_FROM_OTF(values, cnp.NPY_DOUBLE, cnp.NPY_ARRAY_IN_ARRAY)
    return result.shape[0]

cdef class Image:
    cdef double items[6]
    cdef Py_ssize_t shape[1]
    cdef Py_ssize_t strides[1]

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        self.shape[0] = 6
        self.strides[0] = 8
        buffer.buf = <char *>self.items
        buffer.format = "d"
        buffer.internal = NULL
        buffer.itemsize = 8
        buffer.len = 48
        buffer.ndim = 1
        buffer.obj = self
        buffer.readonly = 0
        buffer.shape = self.shape
        buffer.strides = self.strides
        buffer.suboffsets = NULL

    def __releasebuffer__(self, Py_buffer *buffer):
        pass
"""


def build(directory):
    source = directory + "/typed_module.pyx"
    open(source, "w").write(SOURCE)
    subprocess.run([sys.executable, "-m", "cython", "-3", source], check=True)
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-w", "-DNPY_NO_DEPRECATED_API=NPY_1_7_API_VERSION", "-isystem", np.get_include(), "-isystem",
                    sysconfig.get_path("include"), "-o", directory + "/typed_module" + sysconfig.get_config_var("EXT_SUFFIX"), source[:-3] + "c"], check=True)


def main(module):
    doubles, singles, fixed = np.arange(400.0), np.arange(400, dtype=np.float32), np.arange(400.0)
    fixed.flags.writeable = False
    samples, matrix = array.array("d", range(64)), np.arange(400.0).reshape(20, 20)
    for i in range(20):
        module.total(doubles)  # expect: buffer numpy>typed_module 20
    for i in range(21):
        module.total(samples)  # expect: buffer python>typed_module 21
    for i in range(22):
        module.read(fixed)  # expect: buffer numpy>typed_module 22
    for i in range(23):
        module.trace_of(matrix.T)  # expect: buffer numpy>typed_module 23
    for i in range(24):
        module.first(doubles)  # expect: buffer numpy>typed_module 24
    for i in range(25):
        module.first(singles)  # expect: buffer numpy>typed_module 25
    for i in range(26):
        module.old(doubles)  # expect: buffer numpy>typed_module 26
    for i in range(27):
        module.untyped(doubles)
    for i in range(28):
        module.octets(b"text")  # expect: buffer python>typed_module 28
    for i in range(29):
        module.octets(memoryview(bytearray(10)))  # expect: buffer python>typed_module 29
    for i in range(30):
        module.optional()
    for i in range(31):
        np.asarray(module.make(40))  # expect: buffer typed_module>numpy 31 shared
    for i in range(32):
        view = module.pass_on(doubles)  # expect: buffer numpy>typed_module 32
    for i in range(33):
        np.asarray(view)  # expect: buffer typed_module>numpy 33 shared
    for i in range(34):
        np.array(view)  # expect: buffer typed_module>numpy 34 copied
    for i in range(35):
        module.convert(doubles)  # expect: numpy-api numpy>typed_module 35 shared
    for i in range(36):
        module.convert(singles)  # expect: numpy-api numpy>typed_module 36 copied
    for i in range(37):
        np.frombuffer(module.Image())  # expect: buffer typed_module>numpy 37 shared
    for i in range(38):
        module.total(module.Image())
    kept = [module.pass_on(doubles) for i in range(39)]  # expect: buffer numpy>typed_module 39 held=39
    for i in range(40):
        try:
            module.total(singles)  # expect: buffer numpy>typed_module 40
        except ValueError:
            pass
    print(len(kept), doubles[0])
    return kept


with tempfile.TemporaryDirectory() as directory:
    build(directory)
    sys.path.insert(0, directory)
    import typed_module

    everything = main(typed_module)
