// SPDX-License-Identifier: MIT
// Arrays through pybind11: py::buffer and py::array, the producer and the consumers of the adapter in suai.yaml.
#include <pybind11/numpy.h>

namespace py = pybind11;

// The elements of another object's buffer, exposed as a buffer.
struct elements {
	py::buffer source;
	py::buffer_info info;

	explicit elements(py::buffer object) : source(object), info(object.request()) {}

	py::buffer_info describe() const
	{
		return { info.ptr, info.itemsize, info.format, info.ndim, info.shape, info.strides, info.readonly };
	}
};

// A new array of the same memory, since NumPy's arrays are passed as they are.
template <typename array_type> static py::array view(array_type array)
{
	return { array.dtype(), { array.shape(), array.shape() + array.ndim() },
		{ array.strides(), array.strides() + array.ndim() }, array.data(), array };
}

PYBIND11_MODULE(pybind11_arrays, module)
{
	py::class_<elements>(module, "elements", py::buffer_protocol())
		.def(py::init<py::buffer>())
		.def_buffer(&elements::describe);
	module.def("array", view<py::array>);
	module.def("array_of_float", view<py::array_t<float>>);
}
