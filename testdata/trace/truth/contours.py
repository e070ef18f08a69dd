"""Contour lines of fields, packed for a message: contourpy, msgpack and Numba. The expectations were written before the program was traced for the first
time, from the sources of the libraries: contourpy makes float64 of coordinates by numpy.asarray, and pybind11 converts each array that its native code
receives by PyArray_FromAny; msgpack requests a buffer of what it unpacks, a second one of its copy if that is not contiguous, and one of a memoryview that
it packs; Numba requests one of a bytearray. Two expectations were
wrong: two fields have no element above 20, so that no mask is passed, and Numba knows bytearray without a buffer."""
import contourpy  # expect: any
import msgpack  # expect: any
import numba  # expect: any
import numpy as np

N_FIELDS = 30


@numba.njit
def total(data):
    result = 0.0
    for value in data:
        result += value
    return result


total(bytearray(b"compiled"))  # expect: any
total(np.ones(3))  # expect: any

y, x = np.mgrid[0:24.0, 0:32.0]
narrow_x, narrow_y = x.astype("f4"), y.astype("f4")
fields = [np.hypot(x - n, y - 12) for n in range(N_FIELDS)]
levels = np.array([4.0, 8.0])
n_lines = 0
for field in fields:
    generator = contourpy.contour_generator(x, y, field)  # expect: numpy-api numpy>contourpy 90 shared
    n_lines += sum(map(len, generator.multi_lines(levels)))  # expect: numpy-api numpy>contourpy 30 shared
    n_lines += len(generator.lines(6.0))
    n_lines += len(contourpy.contour_generator(narrow_x, narrow_y, field).lines(6.0))  # expect: numpy-api numpy>contourpy 150 shared=90 copied=60
    masked = np.ma.masked_greater(field, 20.0)
    n_lines += len(contourpy.contour_generator(x, y, masked).lines(6.0))  # expect: numpy-api numpy>contourpy 118 shared

messages = [msgpack.packb({"field": memoryview(field)}) for field in fields]  # expect: buffer python>msgpack 30
received = [msgpack.unpackb(message)["field"] for message in messages]  # expect: buffer python>msgpack 30
values = [np.frombuffer(part) for part in received]  # expect: buffer python>numpy 30 shared
raw = [np.frombuffer(message, "u1") for message in messages]  # expect: buffer python>numpy 30 shared
sums = 0.0
for one, message, value in zip(raw, messages, values):
    sums += len(msgpack.unpackb(one))  # expect: buffer numpy>msgpack 30
    spread = np.zeros(2 * len(one), "u1")
    spread[::2] = one
    sums += len(msgpack.unpackb(spread[::2]))  # expect: buffer numpy>msgpack 30; buffer python>msgpack 30
    unpacker = msgpack.Unpacker()
    unpacker.feed(message)  # expect: buffer python>msgpack 30
    sums += sum(1 for part in unpacker)
    sums += total(value)
    sums += total(bytearray(message))  # expect: buffer python>numba 30
print(n_lines, round(sums))
