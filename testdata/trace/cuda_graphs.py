# Calls of a fake CUDA driver: copies that are captured, those of launched graphs, and copies in batches.
import ctypes
import struct

driver = ctypes.CDLL("libcuda.so.1")
n_arguments = {
    "cuStreamCreate": 2, "cuMemcpyHtoDAsync_v2": 4, "cuStreamWaitEvent": 3, "cuMemcpyBatchAsync": 9, "cuMemcpyBatchAsync_v2": 8,
    "cuGraphInstantiateWithFlags": 3, "cuGraphExecUpdate_v2": 3, "cuGraphLaunch": 2, "cuGraphExecDestroy": 1, "cuGraphNodeSetEnabled": 3,
    "cuGraphExecMemcpyNodeSetParams": 4, "cuGraphExecNodeSetParams": 3, "fake_graph_create": 0, "fake_graph_add": 3, "fake_capture": 2,
    "cuMemcpy3DBatchAsync": 5, "cuMemcpy3DBatchAsync_v2": 4, "cuMemcpyAtoH_v2": 4, "cuMemcpyHtoAAsync_v2": 5,
}  # fmt: skip
for name, n in n_arguments.items():
    getattr(driver, name).argtypes = [ctypes.c_void_p] * n
driver.fake_graph_create.restype = driver.fake_graph_add.restype = ctypes.c_void_p
host, device, other = 1 << 20, 64, 2048 + 64  # the last is on the second device


def out(name, *arguments):
    made = ctypes.c_void_p()
    assert getattr(driver, name)(ctypes.byref(made), *arguments) == 0
    return made.value


def volume(target, source, n_bytes):
    side = {host: (1, host, 0), device: (2, 0, device), other: (2, 0, other)}
    sides = [struct.pack("QQQQiQQQQQQ", 0, 0, 0, 0, *side[at], 0, 0, 64, 64) for at in (source, target)]
    return b"".join(sides) + struct.pack("QQQ", n_bytes, 1, 1)


def graph(*nodes):
    made = driver.fake_graph_create()
    return made, [driver.fake_graph_add(made, *((node, None) if isinstance(node, bytes) else (None, node))) for node in nodes]


stream = out("cuStreamCreate", 1)
assert driver.cuMemcpyHtoDAsync_v2(device, host, 100, stream) == 0  # 1 to the device
driver.fake_capture(stream, 1)
assert driver.cuMemcpyHtoDAsync_v2(device, host, 100, stream) == 0  # none: it is captured
assert driver.cuStreamWaitEvent(stream, 5, 0) == 0  # none, likewise
driver.fake_capture(stream, 0)

child, _ = graph(volume(host, device, 7))
parent, nodes = graph(volume(device, host, 1000), 0, volume(device, device, 50), child, volume(other, device, 20), volume(host, device, 30))
runs = out("cuGraphInstantiateWithFlags", parent, 0)
for i in range(3):
    assert driver.cuGraphLaunch(runs, stream) == 0  # 3 to the device, 6 to the host, 3 between devices
assert driver.cuGraphNodeSetEnabled(runs, nodes[4], 0) == 0
assert driver.cuGraphExecMemcpyNodeSetParams(runs, nodes[2], volume(host, device, 60), None) == 0
assert driver.cuGraphLaunch(runs, stream) == 0  # 1 to the device, 3 to the host
assert driver.cuGraphNodeSetEnabled(runs, nodes[4], 1) == 0
assert driver.cuGraphExecNodeSetParams(runs, nodes[0], struct.pack("iiiiiiQ", 1, 0, 0, 0, 0, 0, 0) + volume(device, device, 9)) == 0
assert driver.cuGraphExecNodeSetParams(runs, nodes[1], struct.pack("iiiiiiQ", 0, 0, 0, 0, 0, 0, 0)) == 0
assert driver.cuGraphLaunch(runs, None) == 0  # 3 to the host, 1 between devices
driver.fake_capture(stream, 1)
assert driver.cuGraphLaunch(runs, stream) == 0  # none: it becomes a node of another graph
driver.fake_capture(stream, 0)
assert driver.cuGraphNodeSetEnabled(runs, nodes[4], 0) == 0
other_parent, _ = graph(volume(device, host, 2000), 0, volume(device, device, 50), child, volume(other, device, 20), volume(host, device, 30))
assert driver.cuGraphExecUpdate_v2(runs, other_parent, None) == 0
assert driver.cuGraphLaunch(runs, stream) == 0  # 1 to the device, 2 to the host
assert driver.cuGraphExecDestroy(runs) == 0
assert driver.cuGraphLaunch(runs, stream) == 0  # none: it no longer exists

words = ctypes.c_size_t * 3
for name, rest in (("cuMemcpyBatchAsync", [None, None, 0, None, stream]), ("cuMemcpyBatchAsync_v2", [None, None, 0, stream])):
    assert getattr(driver, name)(words(device, host, other), words(host, device, device), words(11, 22, 33), 3, *rest) == 0  # one in each direction
    assert getattr(driver, name)(None, None, None, 3, *rest) == 1  # none: it fails


def operand(at):
    return struct.pack("iQQQQ", 2, 7, 0, 0, 0) if at is None else struct.pack("iQQQii", 1, at, 0, 0, 0, 0)


def volumes(*copies):
    return b"".join(operand(source) + operand(target) + struct.pack("QQQii", *extent, 1, 0) for target, source, extent in copies)


assert len(volumes((device, host, (1, 1, 1)))) == 112
among = volumes((device, host, (2, 3, 4)), (host, None, (5, 1, 1)), (other, device, (3, 3, 3)), (None, None, (9, 9, 9)), (None, host, (1, 2, 3)), (device, device, (7, 7, 7)))
for name, rest in (("cuMemcpy3DBatchAsync", [None, 0, stream]), ("cuMemcpy3DBatchAsync_v2", [0, stream])):
    assert getattr(driver, name)(6, among, *rest) == 0  # 2 to the device of 24 bytes each, 1 to the host of 20, 1 between devices of 27
    assert getattr(driver, name)(0, among, *rest) == 1  # none: it fails
assert driver.cuMemcpyAtoH_v2(host, 7, 0, 50) == 0  # 1 to the host
assert driver.cuMemcpyHtoAAsync_v2(7, 0, host, 51, stream) == 0  # 1 to the device
assert driver.cuMemcpyHtoAAsync_v2(7, 0, host, 13, stream) == 1  # none: it fails
