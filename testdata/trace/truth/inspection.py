"""Inspection of images by a network in ONNX Runtime, whose tensors are passed on by DLPack. Written without knowledge of the tracer."""
import cv2  # expect: any
import numpy as np
import onnx
import onnxruntime as ort  # expect: any
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.capi import _pybind_state as C

WEIGHTS = np.arange(64 * 4, dtype=np.float32).reshape(64, 4) / 256


def session():
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "inspect",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 64])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 4])],
        [numpy_helper.from_array(WEIGHTS, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    for i in range(6):
        w = numpy_helper.to_array(model.graph.initializer[0])  # expect: buffer python>numpy 6 shared
    assert (w == WEIGHTS).all()
    return ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def main():
    image = (np.arange(128 * 128) % 251).astype(np.uint8).reshape(128, 128)
    small = cv2.resize(image, (64, 8), interpolation=cv2.INTER_NEAREST)
    batch = small.astype(np.float32)
    network = session()
    for i in range(10):
        (y,) = network.run(None, {"x": batch})  # expect: numpy-api numpy>onnxruntime 10
    wide = np.zeros((8, 128), np.float32)
    wide[:, ::2] = batch
    for i in range(11):
        (z,) = network.run(None, {"x": wide[:, ::2]})  # expect: numpy-api numpy>onnxruntime 11 copied
    assert np.allclose(y, z)
    for i in range(12):
        blurred = cv2.GaussianBlur(image[:, ::2], (3, 3), 0)  # expect: numpy-api numpy>cv2 12 copied
    value = ort.OrtValue.ortvalue_from_numpy(batch)  # expect: numpy-api numpy>onnxruntime 1 shared
    for i in range(13):
        n = np.from_dlpack(value._ortvalue)  # expect: dlpack onnxruntime>numpy 13 shared
    for i in range(14):
        v = C.OrtValue.from_dlpack(batch.__dlpack__())  # expect: dlpack numpy>onnxruntime 14
    for i in range(15):
        m = np.from_dlpack(C.OrtValue.from_dlpack((2 * batch).__dlpack__()))  # expect: dlpack numpy>onnxruntime 15; dlpack onnxruntime>numpy 15 shared
    binding = network.io_binding()
    binding.bind_cpu_input("x", batch)  # expect: numpy-api numpy>onnxruntime 1
    binding.bind_output("y", "cpu")
    network.run_with_iobinding(binding)
    for i in range(16):
        out = np.from_dlpack(binding.get_outputs()[0]._ortvalue)  # expect: dlpack onnxruntime>numpy 16 shared
    for i in range(17):
        data = np.frombuffer(cv2.imencode(".png", small)[1].tobytes(), np.uint8)  # expect: buffer python>numpy 17 shared
    back = cv2.imdecode(data, cv2.IMREAD_GRAYSCALE)
    assert (back == small).all()
    print(y.shape, n.shape, m.shape, out.shape, blurred.shape, v.shape())


main()
