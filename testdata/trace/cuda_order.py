# Exchanges on a fake CUDA driver, for bats/trace_devices.bats. The functions below are called in their order; each line states what
# is expected of one: name, protocol, exchanges, of these ORDER, bytes, and rules.
# expected: ["test_idle","cuda",1,0,0,[]]
# expected: ["test_pending","cuda",3,3,300,["TRC601"]]
# expected: ["test_streams_that_the_default_stream_waits_for","cuda",4,0,0,[]]
# expected: ["test_stream_given","cuda",1,0,0,[]]
# expected: ["test_stream_none","cuda",1,1,100,["TRC601"]]
# expected: ["test_awaited","cuda",1,0,0,[]]
# expected: ["test_awaited_by_itself_or_too_early","cuda",2,2,200,["TRC601"]]
# expected: ["test_stream_of_another_library","cuda",1,0,0,[]]
# expected: ["test_captured","cuda",1,0,0,[]]
# expected: ["test_destroyed","cuda",2,0,0,[]]
# expected: ["test_recorded_on_a_destroyed_stream","cuda",1,1,100,["TRC601"]]
# expected: ["test_synchronized_in_its_context","cuda",2,1,100,["TRC601"]]
# expected: ["test_context_destroyed","cuda",3,2,200,["TRC601"]]
# expected: ["test_primary_context_released","cuda",3,2,200,["TRC601"]]
# expected: ["test_writes_elsewhere","cuda",3,1,100,["TRC601"]]
# expected: ["test_writes_after_other_work","cuda",3,1,100,["TRC601"]]
# expected: ["test_many_writes","cuda",1,1,100,["TRC601"]]
# expected: ["test_dlpack","dlpack",4,1,100,["TRC601"]]
# expected: ["test_dlpack_without_protocol","dlpack",1,1,100,["TRC601"]]
import ctypes
import struct

import cupy_backends
import solver
import torch
import taker  # the types of torch are searched for when a further extension module is loaded

NON_BLOCKING = 1
driver = torch.driver
size = ctypes.c_size_t


def launch(stream):
    assert driver.cuLaunchKernel(*map(size, (1, 2, 3, 4, 5, 6, 7, 8, stream, 9, 10))) == 0


def copy(stream, address, n_bytes):
    assert driver.cuMemcpyHtoDAsync_v2(size(address), size(1 << 20), size(n_bytes), size(stream)) == 0


def wait(stream, event, recorded_on):
    assert driver.cuEventRecord(size(event), size(recorded_on)) == 0
    assert driver.cuStreamWaitEvent(size(stream), size(event), 0) == 0


def test_idle():
    torch.stream(NON_BLOCKING)
    solver.read(torch.Tensor())


def test_pending():
    stream = torch.stream(NON_BLOCKING)
    for submit in (
        lambda: launch(stream),
        lambda: driver.cuLaunchKernelEx(struct.pack("7iQQI", *(0,) * 7, stream, 0, 0), None, None, None),
        lambda: driver.cuGraphLaunch(size(5), size(stream)),
    ):
        driver.fake_finish()
        submit()
        solver.read(torch.Tensor())


def test_streams_that_the_default_stream_waits_for():
    for stream in 0, 1, 2, torch.stream(0):
        launch(stream)
        solver.read(torch.Tensor())


def test_stream_given():
    launch(torch.stream(NON_BLOCKING))
    solver.read(torch.Tensor(stream=1))


def test_stream_none():
    launch(torch.stream(NON_BLOCKING))
    solver.read(torch.Tensor(stream=None))


def test_awaited():
    stream = torch.stream(NON_BLOCKING)
    launch(stream)
    wait(0, 5, stream)
    solver.read(torch.Tensor())


def test_awaited_by_itself_or_too_early():
    stream = torch.stream(NON_BLOCKING)
    launch(stream)
    wait(stream, 5, stream)
    for _ in range(2):
        solver.read(torch.Tensor())
        wait(0, 5, stream)
        launch(stream)


def test_stream_of_another_library():
    launch(cupy_backends.stream(NON_BLOCKING))
    solver.read(torch.Tensor())


def test_captured():
    stream = torch.stream(NON_BLOCKING)
    assert driver.fake_capture(size(stream), 1) == 0
    launch(stream)
    solver.read(torch.Tensor())
    assert driver.fake_capture(size(stream), 0) == 0  # the mode of captures is that of before


def test_destroyed():
    stream = torch.stream(NON_BLOCKING)
    launch(stream)
    assert driver.cuStreamDestroy_v2(size(stream)) == 0
    array = torch.Tensor()
    launch(torch.stream(NON_BLOCKING))
    assert driver.cuDevicePrimaryCtxReset_v2(0) == 0
    for _ in range(2):
        solver.read(array)


def test_recorded_on_a_destroyed_stream():
    stream = torch.stream(NON_BLOCKING)
    launch(stream)
    assert driver.cuEventRecord(size(6), size(stream)) == 0
    assert driver.cuStreamDestroy_v2(size(stream)) == 0
    launch(torch.stream(NON_BLOCKING))
    assert driver.cuStreamWaitEvent(size(0), size(6), 0) == 0
    solver.read(torch.Tensor())


def test_synchronized_in_its_context():
    stream = torch.stream(NON_BLOCKING)
    launch(stream)
    for context in 5, 0:
        driver.fake_set_context(size(context))
        assert driver.cuCtxSynchronize() == 0
        copy(stream, 200, 100)
        solver.read(torch.Tensor())


def test_context_destroyed():
    driver.fake_set_context(size(6))
    launch(torch.stream(NON_BLOCKING))
    for current, destroyed, status in (5, 7, 0), (6, 6, 1), (5, 6, 0):
        driver.fake_set_context(size(current))
        assert driver.cuCtxDestroy_v2(size(destroyed)) == status
        solver.read(torch.Tensor())
    driver.fake_set_context(size(0))


def test_primary_context_released():
    launch(torch.stream(NON_BLOCKING))
    for device in 1, 0, 0:
        assert driver.cuDevicePrimaryCtxRelease_v2(device) == 0
        solver.read(torch.Tensor())


def test_writes_elsewhere():
    stream = torch.stream(NON_BLOCKING)
    copy(stream, 200, 100)
    assert driver.cuMemsetD8Async(size(400), 0, size(100), size(stream)) == 0
    array, within = torch.Tensor(), torch.Tensor(299)
    for each in array, torch.Tensor(300), within:
        solver.read(each)


def test_writes_after_other_work():
    stream, array = torch.stream(NON_BLOCKING), torch.Tensor()
    for complete in lambda: driver.cuStreamSynchronize(size(stream)), driver.cuCtxSynchronize, lambda: None:
        launch(stream)
        assert not complete()
        copy(stream, 200, 100)
        solver.read(array)


def test_many_writes():
    stream = torch.stream(NON_BLOCKING)
    copy(stream, 64, 100)
    for i in range(8):
        copy(stream, 1000, 100)
    solver.read(torch.Tensor())


def test_dlpack():
    launch(torch.stream(NON_BLOCKING))
    tensor = torch.Tensor()
    for stream in None, -1, 1, 7:
        taker.consume(tensor.__dlpack__(stream=stream), "release")


def test_dlpack_without_protocol():
    launch(torch.stream(NON_BLOCKING))
    taker.consume(torch.to_dlpack(100, "cuda"), "release")


for name, function in list(globals().items()):
    if name.startswith("test_"):
        driver.fake_finish()
        function()
