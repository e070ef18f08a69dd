# Exchanges between PyTorch, CuPy and Numba on a GPU, for tools/trace-cuda-order: what is expected of each function, as
# protocol, producer>consumer, exchanges, of these ORDER. Each states itself whether its work was pending afterwards.
import sys

import torch
import cupy
import solver

try:
    import numba.cuda
except ImportError:
    numba = None

side = torch.cuda.Stream()
assert side.cuda_stream > 2


def busy():
    torch.cuda._sleep(1 << 29)  # a quarter of a second


def tensor():
    return torch.ones(1000, device="cuda")


# expected: test_default_stream cuda torch>solver 3 0
def test_default_stream():
    a = tensor()
    for _ in range(3):
        busy()
        solver.read(a)
    return torch.cuda.current_stream()


# expected: test_default_stream_to_cupy cuda torch>cupy 2 0
def test_default_stream_to_cupy():
    a = tensor()
    for _ in range(2):
        busy()
        cupy.asarray(a)
    return torch.cuda.current_stream()


# expected: test_side_stream cuda torch>solver 2 2
def test_side_stream():
    a = tensor()
    with torch.cuda.stream(side):
        busy()
        b = a * 2
    solver.read(b)
    with torch.cuda.stream(side):
        solver.read(b)
    return side


# expected: test_side_stream_to_cupy cuda torch>cupy 1 1
def test_side_stream_to_cupy():
    a = tensor()
    with torch.cuda.stream(side):
        busy()
        b = a * 2
    cupy.asarray(b)
    return side


# expected: test_side_stream_awaited cuda torch>cupy 1 0
def test_side_stream_awaited():
    with torch.cuda.stream(side):
        busy()
        b = tensor()
    torch.cuda.current_stream().wait_stream(side)
    cupy.asarray(b)
    return side


# expected: test_side_stream_synchronized cuda torch>cupy 1 0
def test_side_stream_synchronized():
    with torch.cuda.stream(side):
        busy()
        b = tensor()
    side.synchronize()
    cupy.asarray(b)


# expected: test_from_dlpack dlpack torch>cupy 2 0
def test_from_dlpack():
    with torch.cuda.stream(side):
        busy()
        b = tensor()
        cupy.from_dlpack(b)
        with cupy.cuda.ExternalStream(side.cuda_stream):
            cupy.from_dlpack(b)
    return side


class WithoutStream:
    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, stream=None, **more):
        return self.array.__dlpack__(stream=-1)


# expected: test_dlpack_without_stream dlpack torch>cupy 1 1
def test_dlpack_without_stream():
    with torch.cuda.stream(side):
        busy()
        b = tensor()
    cupy.from_dlpack(WithoutStream(b))
    return side


# expected: test_to_dlpack dlpack torch>cupy 1 1
def test_to_dlpack():
    with torch.cuda.stream(side):
        busy()
        b = tensor()
    capsule = torch.utils.dlpack.to_dlpack(b)
    (getattr(cupy, "fromDlpack", None) or cupy._core.dlpack.fromDlpack)(capsule)
    return side


# expected: test_copy_to_other_memory cuda torch>solver 1 0
def test_copy_to_other_memory():
    pinned = torch.empty(1 << 30, dtype=torch.uint8, pin_memory=True)
    target, other = torch.empty(1 << 30, dtype=torch.uint8, device="cuda"), tensor()
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        target.copy_(pinned, non_blocking=True)
    solver.read(other)
    return side


# expected: test_copy_to_memory cuda torch>solver 1 1
def test_copy_to_memory():
    pinned = torch.empty(1 << 30, dtype=torch.uint8, pin_memory=True)
    target = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        target.copy_(pinned, non_blocking=True)
    solver.read(target)
    return side


# expected: test_capture cuda torch>solver 1 0
def test_capture():
    graph, a = torch.cuda.CUDAGraph(), tensor()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        b = a + 1
        solver.read(b)
    graph.replay()
    torch.cuda.synchronize()
    assert b.sum().item() == 2000


# expected: test_replay cuda torch>solver 1 1
def test_replay():
    graph, a = torch.cuda.CUDAGraph(), tensor()
    with torch.cuda.graph(graph):
        torch.cuda._sleep(1 << 29)
        b = a + 1
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        graph.replay()
    solver.read(b)
    return side


# expected: test_destroyed_stream cuda cupy>solver 1 0
def test_destroyed_stream():
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        a = cupy.ones(1000)
    del stream
    solver.read(a)


# expected: test_cupy_passes_its_stream cuda cupy>torch 1 0
def test_cupy_passes_its_stream():
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        a = cupy.ones(1 << 28) * 2
        torch.as_tensor(a, device="cuda")
    stream.synchronize()


# expected: test_numba cuda torch>numba_cuda 1 1
def test_numba():
    with torch.cuda.stream(side):
        busy()
        b = tensor()
    numba.cuda.as_cuda_array(b)
    return side


tensor() * 2, cupy.asarray(tensor()) * 2
torch.cuda.synchronize()
if numba:
    numba.cuda.to_device([1.0])
for name, function in list(globals().items()):
    if name.startswith("test_") and (name != "test_numba" or numba):
        stream = function()
        print(name, "was pending" if stream and not stream.query() else "was not pending", file=sys.stderr)
        torch.cuda.synchronize()
