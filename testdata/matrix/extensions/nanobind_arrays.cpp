// SPDX-License-Identifier: MIT
// Arrays through nanobind's nb::ndarray: the producer and the consumers of the adapter in suai.yaml.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

namespace nb = nanobind;

// A new ndarray of the same memory, which keeps the object that was passed.
template <typename... Options>
static auto view(nb::ndarray<Options...> array)
{
	std::vector<size_t> shape(array.ndim());
	std::vector<int64_t> strides(array.ndim());

	for (size_t i = 0; i < array.ndim(); i++) {
		shape[i] = array.shape(i);
		strides[i] = array.stride(i);
	}
	return nb::ndarray<nb::array_api, Options...>(array.data(), array.ndim(), shape.data(),
		nb::cast(array), strides.data(), array.dtype(), array.device_type(),
		array.device_id());
}

// nanobind converts arrays of another type or order before it calls.
static float sum(nb::ndarray<const float, nb::c_contig, nb::device::cpu> array)
{
	float total = 0;

	for (size_t i = 0; i < array.size(); i++)
		total += array.data()[i];
	return total;
}

NB_MODULE(nanobind_arrays, module)
{
	module.def("from_any", view<>);
	module.def("from_any", view<nb::ro>);
	module.def("ndarray", view<>);
	module.def("ndarray_ro", view<nb::ro>);
	module.def("sum", sum);
}
