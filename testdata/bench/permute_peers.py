# SPDX-License-Identifier: MIT
"""Libraries that permute the dimensions of an array, for testdata/bench/copies.py --table, where the environment has them.

Each function returns a call that fills case.dst from case.src, or None if the library lacks the type or the layout.
"""
import ctypes

import numpy as np

try:
    import onnx
    import onnxruntime
except ImportError:
    onnxruntime = None
try:
    import cv2
except ImportError:
    cv2 = None


def permutation(case):
    """The array in C order that case.src is a permutation of, and the permutation; None if it is not one."""
    src = case.src
    if src.dtype != case.dst.dtype or min(src.strides) <= 0:
        return None
    order = sorted(range(src.ndim), key=lambda i: (-src.strides[i], -src.shape[i]))
    base = src.transpose(order)
    return (base, [order.index(i) for i in range(src.ndim)]) if base.flags.c_contiguous else None


def onnx_runtime(case, threads):
    found = permutation(case)
    if not found or case.src.dtype.kind in "cV":
        return None
    base, order = found
    helper, element = onnx.helper, onnx.helper.np_dtype_to_tensor_dtype(base.dtype)
    graph = helper.make_graph([helper.make_node("Transpose", ["from"], ["to"], perm=order)], "permute",
                              [helper.make_tensor_value_info("from", element, base.shape)],
                              [helper.make_tensor_value_info("to", element, case.dst.shape)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    binding.bind_input("from", "cpu", 0, base.dtype.type, base.shape, base.ctypes.data)
    binding.bind_output("to", "cpu", 0, base.dtype.type, case.dst.shape, case.dst.ctypes.data)
    return lambda: session.run_with_iobinding(binding)


def opencv(case, threads):
    found = permutation(case)
    if not found or case.src.dtype.kind in "cV":
        return None
    base, order = found
    dst = case.dst
    if base.ndim == 3:  # the last of three dimensions would be channels
        base, dst, order = base[None], dst[None], [0] + [1 + i for i in order]
    cv2.setNumThreads(threads)
    return lambda: cv2.transposeND(base, order, dst)


class Argument(ctypes.Structure):
    """oneDNN's dnnl_exec_arg_t."""
    _fields_ = [("arg", ctypes.c_int), ("memory", ctypes.c_void_p)]


DNNL_TYPES = {"u1": 6, "u2": 2, "f4": 3}  # u8, bf16, f32 of dnnl_data_type_t
DNNL_CPU, DNNL_ARG_FROM, DNNL_ARG_TO = 1, 1, 17


def make(function, *arguments):
    """The handle that a function of oneDNN writes through its first argument; None if it fails."""
    handle = ctypes.c_void_p()
    return None if function(ctypes.byref(handle), *arguments) else handle


def onednn(library, case, threads):
    """A reorder between strides, of version 2, whose descriptors of memory are structures of less than 4096 bytes."""
    src, dst = case.src, case.dst
    data_type = DNNL_TYPES.get(src.dtype.str[1:]) if src.dtype == dst.dtype else None
    if not data_type or min(src.strides) <= 0:
        return None
    ctypes.CDLL("libgomp.so.1").omp_set_num_threads(threads)
    engine = make(library.dnnl_engine_create, DNNL_CPU, ctypes.c_size_t(0))
    stream = make(library.dnnl_stream_create, engine, 1)
    descriptors, memories = [], []
    for array in (src, dst):
        eight = lambda values: (ctypes.c_int64 * 12)(*values)
        descriptor = ctypes.create_string_buffer(4096)
        library.dnnl_memory_desc_init_by_strides(descriptor, array.ndim, eight(array.shape), data_type,
                                                 eight(s // array.itemsize for s in array.strides))
        descriptors.append(descriptor)
        memories.append(make(library.dnnl_memory_create, descriptor, engine, ctypes.c_void_p(array.ctypes.data)))
    description = make(library.dnnl_reorder_primitive_desc_create, descriptors[0], engine, descriptors[1], engine, None)
    primitive = description and make(library.dnnl_primitive_create, description)
    if not primitive:
        return None
    arguments = (Argument * 2)(Argument(DNNL_ARG_FROM, memories[0]), Argument(DNNL_ARG_TO, memories[1]))

    def run():
        library.dnnl_primitive_execute(primitive, stream, 2, arguments)
        library.dnnl_stream_wait(stream)

    return run
