# SPDX-License-Identifier: MIT
"""CUDA arrays with work on their own stream, work_stream, ordered correctly or not. They use only the driver, so that a
fake one works as well; `expected` of each class lists the rules that suai must report."""

import ctypes
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver  # noqa: E402
from arrays import Cai, Dlpack, exchange_api  # noqa: E402

NON_BLOCKING = 1


def _stream(flags=NON_BLOCKING):
    stream = ctypes.c_void_p()
    driver.call("cuStreamCreate", ctypes.byref(stream), flags)
    return stream.value


def _event():
    event = ctypes.c_void_p()
    driver.call("cuEventCreate", ctypes.byref(event), 2)
    return event


work_stream = _stream()
blocking_stream = _stream(0)  # the legacy default stream waits for it implicitly
_done = _event()
_pointer = driver.allocate_device(1000)
driver.fill(_pointer, bytes(range(250)) * 4)


def _wait(stream):
    driver.call("cuEventRecord", _done, ctypes.c_void_p(work_stream))
    driver.call("cuStreamWaitEvent", ctypes.c_void_p(stream), _done, 0)


def _synchronise():
    driver.call("cuStreamSynchronize", ctypes.c_void_p(work_stream))


class Orders(Dlpack):
    """As the standard requires."""

    expected = ""

    def __init__(self, pointer=_pointer):
        super().__init__(pointer, (2, 0))

    def order(self, stream):
        if stream != -1:
            _wait(stream or 1)

    def copy(self, stream):
        pointer = driver.allocate_device(1000)
        driver.call("cuMemcpyAsync", driver.u64(pointer), driver.u64(_pointer), ctypes.c_size_t(1000), ctypes.c_void_p(stream))
        return pointer

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if stream == 0:
            raise BufferError("0 is ambiguous")
        self.order(stream)
        if copy:
            self.made = Dlpack(self.copy(stream or 1), (2, 0))
            self.made._versioned.flags = 2
            return self.made.__dlpack__(max_version=max_version)
        return super().__dlpack__(max_version=max_version, dl_device=dl_device)


class Ignores(Orders):
    expected = "DLP607 DLP608"

    def order(self, stream):
        pass


class IgnoresNone(Orders):
    expected = "DLP607"

    def order(self, stream):
        if stream is not None:
            super().order(stream)


class IgnoresHandles(Orders):
    expected = "DLP608"

    def order(self, stream):
        super().order(stream if stream is None or stream < 3 else -1)


class OrdersBackwards(Orders):
    """Its stream waits for the consumer's."""

    expected = "DLP607 DLP608"

    def order(self, stream):
        if stream != -1:
            driver.call("cuEventRecord", _done, ctypes.c_void_p(stream or 1))
            driver.call("cuStreamWaitEvent", ctypes.c_void_p(work_stream), _done, 0)


class Waits(Orders):
    """Never overtaken, and never free."""

    expected = "DLP609"

    def order(self, stream):
        _synchronise()


class WaitsOnlyWhenAsked(Orders):
    expected = ""

    def order(self, stream):
        if stream != -1:
            _synchronise()


class CopiesElsewhere(Orders):
    expected = "DLP611"

    def copy(self, stream):
        return super().copy(work_stream)


class CopiesByWaiting(Orders):
    expected = ""

    def copy(self, stream):
        pointer = super().copy(stream)
        driver.call("cuStreamSynchronize", ctypes.c_void_p(stream))
        return pointer


class EndsStream(Orders):
    """Takes ownership of the handle, and destroys it."""

    expected = "DLP613"

    def order(self, stream):
        super().order(stream)
        if stream and stream > 2:
            driver.call("cuStreamDestroy_v2", ctypes.c_void_p(stream))


class Exchanges(Orders):
    """Its type also has the C exchange API."""

    expected = ""
    __dlpack_c_exchange_api__ = exchange_api(lambda: None, work_stream)


class ExchangesOnAnother(Orders):
    expected = "CXA602"
    __dlpack_c_exchange_api__ = exchange_api(lambda: None, blocking_stream)


class ExchangesOnNull(Orders):
    """NULL is the default stream, not an unknown one."""

    expected = "CXA602"
    __dlpack_c_exchange_api__ = exchange_api(lambda: None, None)


class ExchangesByWaiting(Orders):
    expected = "CXA603"
    __dlpack_c_exchange_api__ = exchange_api(_synchronise, work_stream)


class Names(Cai):
    expected = ""
    stream = work_stream

    def __init__(self):
        super().__init__(_pointer, stream=self.stream)

    def before(self):
        pass

    @property
    def __cuda_array_interface__(self):
        self.before()
        return self.interface


class NamesAnother(Names):
    expected = "CAI605"
    stream = 1


class NamesAnotherThatWaits(Names):
    """Ordered correctly, but breaks any capture."""

    expected = "CAI607"
    stream = 1

    def before(self):
        _wait(1)


class NamesNone(Names):
    expected = "CAI606"
    stream = None


class NamesNoneAndWaits(Names):
    expected = "CAI607"
    stream = None

    def before(self):
        _synchronise()


class WaitsAndNames(Names):
    expected = "CAI607"

    def before(self):
        _synchronise()
