"""What suai trace costs functions that read arrays without a call that could be observed otherwise: nanoseconds of processor time of a
call with and without it, the lowest of all loops, in processes that take turns.

Usage: trace_readers.py [ROUNDS [NAME...]]   (SUAI: the program; calls whose package is missing are skipped)"""

import os
import sys

from paired_runs import MissingModule, in_turns, run

OPENVINO = "import openvino; make = openvino.Tensor"
ONNX = """
import onnxruntime
from onnx import helper
x = [helper.make_tensor_value_info(name, 1, [100]) for name in "xy"]
graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "graph", x[:1], x[1:])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(model.SerializeToString(), options)
binding, feed, make = session.io_binding(), {"x": a}, onnxruntime.OrtValue.ortvalue_from_numpy
"""
TENSORFLOW = "import tensorflow; make = tensorflow.constant; tensor = make(a); items = [a, a]"
PADDLE = "import paddle; tensor = paddle.to_tensor(a)"
# Name: setup, call, exchanges of a call.
CALLS = {
    "openvino.Tensor(a), which copies": (OPENVINO, "make(a)", 1),
    "openvino.Tensor(a, shared_memory=True)": (OPENVINO, "make(a, shared_memory=True)", 1),
    "openvino.Tensor(type, shape)": (OPENVINO + "; kind, shape = openvino.Type.f32, openvino.Shape([4])", "make(kind, shape)", 0),
    "ONNX Runtime: session.run(None, {'x': a})": (ONNX, "session.run(None, feed)", 1),
    "ONNX Runtime: binding.bind_cpu_input('x', a)": (ONNX, "binding.bind_cpu_input('x', a)", 1),
    "ONNX Runtime: OrtValue.ortvalue_from_numpy(a)": (ONNX, "make(a)", 1),
    "TensorFlow: constant([a, a])": (TENSORFLOW, "make(items)", 2),
    "TensorFlow: constant([1.0, 2.0])": (TENSORFLOW, "make([1.0, 2.0])", 0),
    "TensorFlow: tensor.numpy()": (TENSORFLOW, "tensor.numpy()", 1),
    "TensorFlow: tensor + tensor": (TENSORFLOW, "tensor + tensor", 0),
    "PaddlePaddle: tensor.numpy()": (PADDLE, "tensor.numpy()", 1),
    "PaddlePaddle: tensor + tensor": (PADDLE, "tensor + tensor", 0),
}
CHILD = """
import sys, time
import numpy as np
a, best = np.arange(100, dtype="f4"), 9e9
exec(sys.argv[1])
exec("def repeat(n):\\n    for _ in range(n): " + sys.argv[2])
repeat(2000)
for _ in range(40):
    began = time.thread_time_ns()
    repeat(1000)
    best = min(best, time.thread_time_ns() - began)
print(best / 1000)
"""


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    trace = [os.environ.get("SUAI", "./suai"), "trace", "-q", "-o", "/dev/null", "--"]
    print("| ns a call | without | without, again | with suai trace | longer for each exchange |\n|---|---|---|---|---|")
    for name in sys.argv[2:] or CALLS:
        setup, call, exchanges = CALLS[name]
        try:
            first, traced, second = in_turns(rounds, trace, lambda prefix: float(run(name, prefix, [CHILD, setup, call])))
        except MissingModule as error:
            print("skipped: %s: %s" % (name, error), file=sys.stderr)
            continue
        more = (min(traced) - min(first + second)) / exchanges if exchanges else None
        print("| %s | %.0f | %.0f | %.0f | %s |" % (name, min(first), min(second), min(traced), "%.0f" % more if more is not None else ""), flush=True)


main()
