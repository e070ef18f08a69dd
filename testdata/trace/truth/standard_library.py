"""NumPy and modules of the standard library, in forks, a program that replaces itself, handlers of signals and functions at exit; run with --follow. The
expectations were written before the program was traced for the first time, from the sources of CPython: _hashlib, _sqlite3 and _ctypes request a buffer of an
array, modules that parse their arguments by "y*" do so within the interpreter, which is not seen, as is what pickle does."""
import atexit
import ctypes
import hashlib
import io
import mmap
import os
import pickle
import signal
import sqlite3
import sys
import tempfile
from multiprocessing import shared_memory

N = 25


def at_exit():
    import numpy

    numpy.from_dlpack(values)  # expect: dlpack numpy>numpy 5 shared


atexit.register(at_exit)
import numpy as np

values = np.arange(16.0)


class Interrupted:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        signal.raise_signal(signal.SIGUSR1)
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Late:
    def __del__(self):
        np.frombuffer(b"12345678")  # expect: buffer python>numpy 25 shared


def handle(number, frame):
    np.from_dlpack(values, copy=True)  # expect: dlpack numpy>numpy 25 copied


def exchange():
    for i in range(5):
        np.from_dlpack(values)  # expect: dlpack numpy>numpy 35 shared
    np.asarray(memoryview(values)[::2], dtype="f4")  # expect: buffer python>numpy 7 copied


if sys.argv[1:] == ["again"]:
    exchange()
    sys.exit()

database = sqlite3.connect(":memory:")
database.execute("create table arrays (data blob)")
signal.signal(signal.SIGUSR1, handle)
for i in range(N):
    hashlib.sha256(values)  # expect: buffer numpy>python 25
    hashlib.sha512(values)  # expect: buffer numpy>python 25
    database.execute("insert into arrays values (?)", (values,))  # expect: buffer numpy>python 25
    row = database.execute("select data from arrays limit 1").fetchone()[0]
    np.frombuffer(row)  # expect: buffer python>numpy 25 shared
    (ctypes.c_double * 16).from_buffer(values)  # expect: buffer numpy>python 25
    np.ctypeslib.as_array((ctypes.c_short * 4)(1, 2, 3, 4))  # expect: buffer python>numpy 25 shared
    np.load(io.BytesIO(b"\x93NUMPY\x01\x00\x36\x00{'descr':'<f8','fortran_order':False,'shape':(2,)}   \n" + bytes(16)))  # expect: buffer python>numpy 25 shared
    kept = pickle.dumps(values, 5)
    pickle.loads(kept)  # expect: buffer python>numpy 25 shared
    apart = []
    kept = pickle.dumps(values, 5, buffer_callback=apart.append)
    pickle.loads(kept, buffers=apart)  # expect: buffer python>numpy 25 shared
    np.from_dlpack(Interrupted(values))  # expect: dlpack numpy>numpy 25 shared
    Late()
with tempfile.NamedTemporaryFile() as file:
    np.zeros(16).tofile(file.name)
    for i in range(N):
        np.memmap(file.name, dtype="f8", mode="r")  # expect: buffer python>numpy 25
        with mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
            np.frombuffer(mapped)  # expect: buffer python>numpy 25 shared
memory = shared_memory.SharedMemory(create=True, size=128)
for i in range(N):
    np.ndarray(16, buffer=memory.buf)  # expect: buffer python>numpy 25
memory.close()
memory.unlink()

# Each child ends in another way: three run the functions at exit, as the program does.
for i, end in enumerate([sys.exit, sys.exit, sys.exit, os._exit, os._exit]):
    pid = os.fork()
    if not pid:
        exchange()
        end(0)
    os.waitpid(pid, 0)
pid = os.fork()
if not pid:
    os.execv(sys.executable, [sys.executable, __file__, "again"])
os.waitpid(pid, 0)
# A daemon: two forks, a separate session, and no descriptor of the program but one.
reader, writer = os.pipe()
pid = os.fork()
if not pid:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.dup2(writer, 3)
    os.closerange(0, 3)
    os.closerange(4, 1024)
    os.chdir("/")
    exchange()
    os.write(3, b"done")
    os._exit(0)
os.waitpid(pid, 0)
os.close(writer)
print(os.read(reader, 4).decode())
