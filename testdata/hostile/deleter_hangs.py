# SPDX-License-Identifier: MIT
"""The deleter of an exported tensor waits for a lock that is never released."""
import threading

from healthy import TensorExporter, good

lock = threading.Lock()
lock.acquire()


def wait(tensor):
    lock.acquire()


bad = TensorExporter(wait)
