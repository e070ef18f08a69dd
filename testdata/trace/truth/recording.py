"""A chain for recordings: array, wave, mmap, shared memory and ctypes; soxr (nanobind), PyWavelets (Cython), bitarray and cffi.

The expectations were written from the documentation and the sources of the libraries, before this program was traced and
without knowledge of how the tracer works. Three of them were wrong: cffi's module belongs to no package, and soxr copies what
a stream returns. _ctypes, _hashlib, _lzma and mmap have to be separate files, as in most builds of Python.
"""
import array
import ctypes
import hashlib
import hmac
import io
import lzma
import mmap
import os
import struct
import tempfile
import wave
from multiprocessing import RawArray, shared_memory

import numpy as np
import bitarray  # expect: any
import cffi  # expect: any
import pywt  # expect: any
import soxr  # expect: any

FRAMES, TAKES = 2048, 20
ffi = cffi.FFI()


def tone(take):
    """What a sound card delivers: 16-bit numbers of the array module."""
    return array.array("h", (((i * (take + 3) * 37) % 6000) - 3000 for i in range(FRAMES)))


def write_wave(samples):
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(48000)
        out.writeframes(samples)
    return file.getvalue()


def read_wave(data):
    with wave.open(io.BytesIO(data)) as sound:
        frames = sound.readframes(sound.getnframes())
    return np.frombuffer(frames, dtype="<i2")  # expect: buffer python>numpy 20 shared


def to_float(samples):
    view = np.asarray(samples)  # expect: buffer python>numpy 20 shared
    return view.astype("f4") / 32768


def resample(sound):
    # nanobind takes a capsule, and NumPy the buffer of what it returns.
    return soxr.resample(sound, 48000, 44100)  # expect: dlpack numpy>soxr 20; buffer soxr>numpy 20 shared


def stream(sound):
    resampler = soxr.ResampleStream(48000, 16000, 1, dtype="float32")
    # The filter still waits for samples: the first result is empty. Streams return copies, and resample() does not.
    first = resampler.resample_chunk(sound[:FRAMES // 2])  # expect: dlpack numpy>soxr 20; buffer soxr>numpy 20
    last = resampler.resample_chunk(sound[FRAMES // 2:], last=True)  # expect: dlpack numpy>soxr 20; buffer soxr>numpy 20 copied
    return len(first) + len(last)


def denoise(sound):
    # A typed memoryview of the samples; the results are arrays.
    approximation, detail = pywt.dwt(sound, "db2")  # expect: buffer numpy>pywt 20
    return approximation, detail


def denoise_short(sound):
    # PyWavelets silently converts 16-bit integers to double precision.
    return pywt.dwt(sound, "haar")  # expect: numpy-api numpy>pywt 20 copied; buffer numpy>pywt 20


def activity(sound):
    """A bit for each sample that is loud."""
    packed = np.packbits(np.abs(sound) > 0.05)
    bits = bitarray.bitarray()
    bits.frombytes(packed)  # expect: buffer numpy>bitarray 20
    view = bitarray.bitarray(buffer=packed)  # expect: buffer numpy>bitarray 20 held=20
    again = np.frombuffer(bits, dtype="u1")  # expect: buffer bitarray>numpy 20 shared
    assert np.array_equal(again, packed)
    return view


def seal(sound, key):
    digest = hashlib.sha256(sound).hexdigest()  # expect: buffer numpy>python 20
    running = hashlib.blake2b()
    both = hashlib.new("sha512", sound)  # expect: buffer numpy>python 20
    both.update(sound)  # expect: buffer numpy>python 20
    running.update(b"take")
    tag = hmac.digest(key, sound, "sha256")  # expect: buffer numpy>python 20
    return digest, running.hexdigest(), both.hexdigest(), tag


def pack(sound):
    return lzma.compress(sound, preset=0)  # expect: buffer numpy>python 20


def foreign(sound):
    """Through a C library's buffers."""
    pointer = ffi.from_buffer("float[]", sound)  # expect: buffer numpy>_cffi_backend 20
    target = ffi.new("float[]", len(pointer))
    ffi.memmove(target, sound, sound.nbytes)  # expect: buffer numpy>_cffi_backend 20
    seen = np.frombuffer(ffi.buffer(target), dtype="f4")  # expect: buffer _cffi_backend>numpy 20 shared
    return seen.copy()


def c_arrays(sound):
    own = sound.copy()
    block = (ctypes.c_float * len(own)).from_buffer(own)  # expect: buffer numpy>python 20
    fixed = (ctypes.c_float * len(own)).from_buffer_copy(memoryview(own))
    a = np.ctypeslib.as_array(block)  # expect: buffer python>numpy 20 shared
    b = np.frombuffer(fixed, dtype="f4")  # expect: buffer python>numpy 20 shared
    raw = RawArray("f", len(own))
    c = np.frombuffer(raw, dtype="f4")  # expect: buffer python>numpy 20 shared
    c[:] = a
    assert np.array_equal(c, b)
    return float(c[7])


def through_file(sound, folder):
    path = os.path.join(folder, "take.raw")
    with open(path, "wb") as file:
        file.write(bytes(sound.nbytes))
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[0:sound.nbytes] = sound.view("u1")  # expect: buffer numpy>python 20
        head = struct.unpack_from("4f", mapped, 0)
        samples = np.frombuffer(mapped, dtype="f4")  # expect: buffer python>numpy 20 shared
        total = float(samples.sum())
        del samples
    mapped = np.memmap(path, dtype="f4", mode="r")  # expect: buffer python>numpy 20
    assert float(mapped.sum()) == total and head[0] == sound[0]
    return total


def through_shared_memory(sound):
    block = shared_memory.SharedMemory(create=True, size=sound.nbytes)
    mixed = np.ndarray(sound.shape, dtype=sound.dtype, buffer=block.buf)  # expect: buffer python>numpy 20
    mixed[:] = sound
    peak = float(mixed.max())
    del mixed
    block.close()
    block.unlink()
    return peak


def through_npy(sound):
    file = io.BytesIO()
    np.save(file, sound)
    file.seek(0)
    return np.load(file)  # expect: buffer python>numpy 20 shared


views, results = [], []
with tempfile.TemporaryDirectory() as folder:
    for take in range(TAKES):
        raw = tone(take)
        short = read_wave(write_wave(raw))
        sound = to_float(raw)
        slow = resample(sound)
        length = stream(sound)
        approximation, detail = denoise(sound)
        coarse, fine = denoise_short(short)
        views.append(activity(sound))
        sealed = seal(sound, b"key of the studio")
        packed = pack(sound)
        copied = foreign(sound)
        value = c_arrays(sound)
        total = through_file(sound, folder)
        peak = through_shared_memory(sound)
        loaded = through_npy(sound)
        assert np.array_equal(short, np.array(raw.tolist(), dtype="i2")) and np.array_equal(loaded, sound)
        assert coarse.dtype == np.float64 and np.array_equal(copied, sound) and value == sound[7]
        results.append((len(slow), length, round(peak, 6)))
print(len(results), results[0], sum(len(view) for view in views), len(packed) > 0, sealed[0][:8], round(total, 3))
