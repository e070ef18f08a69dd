# SPDX-License-Identifier: MIT
"""A function with a parameter `nb::ndarray` kills the process with SIGSEGV if it is called with a ctypes array.

Library: nanobind 3.1.0
Clause: Python C API Buffer Protocol, version 3, PyBUF_STRIDES (strides: yes)
Impact: extensions of nanobind that accept arrays. CPython returns NULL as the strides of ctypes arrays, although they were
    requested; NumPy, memoryview and pybind11 then assume C order, and nanobind dereferences the pointer.
Known: pybind11 had the same defect, https://github.com/pybind/pybind11/issues/2502
"""

import ctypes, os, subprocess, sys, sysconfig, tempfile

import nanobind

source = '#include <nb_combined.cpp>\n#include <nanobind/ndarray.h>\nNB_MODULE(taken, m) { m.def("ndim", [](nanobind::ndarray<> a) { return a.ndim(); }); }'
root = os.path.dirname(nanobind.__file__)
sys.path.insert(0, tempfile.mkdtemp())
includes = ["-I" + sysconfig.get_path("include"), *(f"-I{root}/{part}" for part in ("src", "include", "ext/robin_map/include"))]
subprocess.run([os.environ.get("CXX", "g++"), "-std=c++17", "-shared", "-fPIC", *includes, "-xc++", "-", "-o", sys.path[0] + "/taken.so"], input=source.encode(), check=True)
import taken
os.fork() or os._exit(taken.ndim((ctypes.c_int * 3)()))
assert os.WTERMSIG(os.wait()[1]) == 11
