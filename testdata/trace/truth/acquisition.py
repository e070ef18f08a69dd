"""Samples of a device: shared memory, a mapped file, sockets, checksums, compression. Written without knowledge of the tracer; two expectations were wrong,
and are corrected: ctypes requests buffers, and numpy.asarray shares that of a bytearray. zlib is part of some interpreters, whose own requests are not seen."""
import array
import ctypes
import hashlib
import mmap
import socket
import tempfile
import zlib
from multiprocessing import shared_memory

import numpy as np


class Block(ctypes.Structure):
    _fields_ = [("t", ctypes.c_double), ("v", ctypes.c_float * 6)]


def main():
    shm = shared_memory.SharedMemory(create=True, size=8192)
    for i in range(20):
        samples = np.ndarray((1024,), dtype="f8", buffer=shm.buf)  # expect: buffer python>numpy 20
    samples[:] = np.arange(1024)
    for i in range(21):
        digest = hashlib.sha256(samples)  # expect: buffer numpy>python 21
    for i in range(22):
        packed = zlib.compress(samples)  # expect: any
    for i in range(23):
        unpacked = np.frombuffer(zlib.decompress(packed))  # expect: buffer python>numpy 23 shared
    blocks = (Block * 10)()
    for i in range(24):
        records = np.asarray(blocks)  # expect: buffer python>numpy 24 shared
    for i in range(25):
        records = np.frombuffer(blocks, dtype=[("t", "f8"), ("v", "f4", 6)])  # expect: buffer python>numpy 25 shared
    with tempfile.TemporaryFile() as file:
        for i in range(26):
            file.write(samples)
        file.flush()
        with mmap.mmap(file.fileno(), 8192) as mapped:
            for i in range(27):
                numbers = np.frombuffer(mapped, dtype="i8")  # expect: buffer python>numpy 27 shared
            del numbers
    left, right = socket.socketpair()
    got = np.zeros(128)
    for i in range(28):
        left.sendall(got)
        right.recv_into(got)
    for i in range(29):
        n = np.asarray(array.array("f", [1, 2, 3]))  # expect: buffer python>numpy 29 shared
    for i in range(30):
        n = np.array(array.array("f", [1, 2, 3]))  # expect: buffer python>numpy 30 copied
    for i in range(31):
        n = np.asarray(bytearray(64)).view("f4")  # expect: buffer python>numpy 31 shared
    for i in range(32):
        n = np.asarray(memoryview(bytearray(64)))  # expect: buffer python>numpy 32 shared
    for i in range(33):
        n = np.ndarray(8, "u1", bytearray(64), offset=8)  # expect: buffer python>numpy 33
    for i in range(34):
        c = (ctypes.c_double * 1024).from_buffer(samples)  # expect: buffer numpy>python 34
    del c, samples
    shm.close()
    shm.unlink()
    print(unpacked.sum(), n.sum())


main()
