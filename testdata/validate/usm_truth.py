"""Real USM with correct interfaces: kinds, sizes from 1 byte to 300 MiB, views of dpnp."""
import dpctl
import dpctl.memory
import dpnp

_queue = dpctl.SyclQueue("cpu", property="in_order")
_kinds = {
    "device": dpctl.memory.MemoryUSMDevice,
    "shared": dpctl.memory.MemoryUSMShared,
    "host": dpctl.memory.MemoryUSMHost,
}
_syclobjs = {
    "filter": _queue.sycl_device.filter_string,
    "context": _queue.sycl_context,
    "queue": _queue,
    "capsule": _queue._get_capsule(),
    "context_capsule": _queue.sycl_context._get_capsule(),
}


class Array:
    def __init__(self, memory, syclobj):
        self.memory = memory
        self.__sycl_usm_array_interface__ = {
            "shape": (memory.nbytes,), "typestr": "|u1", "data": (memory._pointer, False), "strides": None,
            "syclobj": syclobj, "version": 1}


for _name, _kind in _kinds.items():
    for _size in (1, 2, 63, 64, 65, 4095, 4096, 4097, 100_000, 5 << 20, (64 << 20) + 1, 300 << 20):
        globals()[f"{_name}_{_size}"] = Array(_kind(_size, queue=_queue), _queue)
    for _form, _syclobj in _syclobjs.items():
        globals()[f"{_name}_by_{_form}"] = Array(_kind(96, queue=_queue), _syclobj)
    _matrix = dpnp.arange(720, dtype="float32", usm_type=_name).reshape(6, 10, 12)
    globals()[f"{_name}_columns"] = _matrix[:, 1:7:2, ::3]
    globals()[f"{_name}_reversed"] = _matrix[::-1, ::-1, ::-1]
    globals()[f"{_name}_last"] = _matrix[-1:, -1:, -1:]
    globals()[f"{_name}_transposed"] = _matrix.T[::2]
    globals()[f"{_name}_empty"] = _matrix[:0]
    globals()[f"{_name}_element"] = _matrix[5, 9, 11]
    globals()[f"{_name}_half"] = dpnp.ones((3, 4), dtype="float16", usm_type=_name)[::-2]
