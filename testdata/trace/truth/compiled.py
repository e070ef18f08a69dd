"""A module of pybind11 that is compiled on the spot: converted arguments, buffers, arrays that it creates, classes with the buffer protocol. Written before it
was traced, without knowledge of the tracer."""
import array
import subprocess
import sys
import sysconfig
import tempfile

import numpy as np
import pybind11

SOURCE = r"""
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <vector>
namespace py = pybind11;
using doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

struct Matrix {
    std::vector<double> items = std::vector<double>(12, 1.0);
};

static double add(const doubles &a) {
    double sum = 0;
    for (py::ssize_t i = 0; i < a.size(); i++)
        sum += a.data()[i];
    return sum;
}

PYBIND11_MODULE(compiled_arrays, m) {
    m.def("size", [](py::buffer b) { return b.request().size; });
    m.def("add", &add);
    m.def("add_any", [](py::array_t<double> a) { return a.size(); });
    m.def("add_exact", [](doubles a) { return add(a); }, py::arg("a").noconvert());
    m.def("strides", [](py::array a) { return a.strides(0); });
    m.def("make", [](py::ssize_t n) { return py::array_t<double>(n); });
    m.def("fill", [](py::array_t<double> a) { a.mutable_unchecked<1>()(0) = 7; });
    m.def("twice", py::vectorize([](double x) { return 2 * x; }));
    m.def("lend", [](py::object owner) { static double items[5] = {}; return py::array_t<double>({5}, {8}, items, owner); });
    m.def("view", [] { static double items[5] = {}; return py::memoryview::from_memory(items, sizeof(items)); });
    py::class_<Matrix>(m, "Matrix", py::buffer_protocol()).def(py::init<>()).def_buffer([](Matrix &self) {
        return py::buffer_info(self.items.data(), {3, 4}, {32, 8});
    });
}
"""


def build(directory):
    open(directory + "/compiled.cpp", "w").write(SOURCE)
    subprocess.run(["g++", "-shared", "-fPIC", "-O1", "-isystem", pybind11.get_include(), "-isystem", sysconfig.get_path("include"), "-o",
                    directory + "/compiled_arrays" + sysconfig.get_config_var("EXT_SUFFIX"), directory + "/compiled.cpp"], check=True)


def main(module):
    doubles, integers = np.arange(400.0), np.arange(400)
    matrix, samples = np.arange(400.0).reshape(20, 20), array.array("d", range(64))
    for i in range(20):
        module.size(doubles)  # expect: buffer numpy>compiled_arrays 20
    for i in range(21):
        module.size(samples)  # expect: buffer python>compiled_arrays 21
    for i in range(22):
        module.add(doubles)  # expect: numpy-api numpy>compiled_arrays 22 shared
    for i in range(23):
        module.add(integers)  # expect: numpy-api numpy>compiled_arrays 23 copied
    for i in range(24):
        module.add(matrix.T)  # expect: numpy-api numpy>compiled_arrays 24 copied
    for i in range(25):
        module.add(doubles[::2])  # expect: numpy-api numpy>compiled_arrays 25 copied
    for i in range(26):
        module.add([1.0, 2.0, 3.0])
    for i in range(27):
        module.add_any(matrix.T)  # expect: numpy-api numpy>compiled_arrays 27 shared
    for i in range(28):
        module.add_exact(doubles)  # expect: numpy-api numpy>compiled_arrays 28 shared
        try:
            module.add_exact(integers)
        except TypeError:
            pass
    for i in range(29):
        module.strides(doubles)
    for i in range(30):
        module.make(100)
    for i in range(31):
        module.fill(doubles)  # expect: numpy-api numpy>compiled_arrays 31 shared
    for i in range(32):
        np.asarray(module.Matrix())  # expect: buffer compiled_arrays>numpy 32 shared
    for i in range(33):
        np.array(module.Matrix())  # expect: buffer compiled_arrays>numpy 33 copied
    for i in range(34):
        np.asarray(module.Matrix(), dtype=np.float32)  # expect: buffer compiled_arrays>numpy 34 copied
    for i in range(35):
        np.frombuffer(module.view(), dtype=np.float64)  # expect: buffer python>numpy 35 shared
    for i in range(36):
        module.size(module.Matrix())
    for i in range(37):
        module.lend(doubles)
    kept = [np.asarray(module.Matrix()) for i in range(38)]  # expect: buffer compiled_arrays>numpy 38 shared
    for i in range(39):
        np.from_dlpack(module.make(10))  # expect: dlpack numpy>numpy 39 shared
    print(len(kept), doubles[0], module.twice(3.0))  # expect: buffer numpy>compiled_arrays 1
    return kept


with tempfile.TemporaryDirectory() as directory:
    build(directory)
    sys.path.insert(0, directory)
    import compiled_arrays

    everything = main(compiled_arrays)
