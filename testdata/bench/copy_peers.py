# SPDX-License-Identifier: MIT
"""The competitors of testdata/bench/copies.py: each returns a call that fills case.dst from case.src, or None if unsupported."""
import ctypes
import ctypes.util
import glob
import os
import sys

import numpy as np
import permute_peers

LETTERS = {"f4": "s", "f8": "d", "c16": "z"}


def open_library(*names):
    """The first of the libraries that is installed."""
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def load(suai, hptt):
    """Every library by name; None if it is missing."""
    os.environ.setdefault("MKL_THREADING_LAYER", "GNU")
    return {
        "suai": ctypes.CDLL(suai),
        "hptt": open_library(hptt) if hptt else None,
        "mkl": open_library(*glob.glob(os.path.join(sys.prefix, "lib/libmkl_rt.so*")), "libmkl_rt.so"),
        "openblas": open_library(*glob.glob("/usr/lib/*/openblas-pthread/libopenblas.so.0"), "libopenblas.so.0"),
        "fftw": fftw_libraries(),
        "cv2": open_library("libopencv_core.so", *sorted(glob.glob("/usr/lib/*/libopencv_core.so.*"))),
        "onednn": open_library("libdnnl.so.2"),
        "onnxruntime": permute_peers.onnxruntime,
        "transposeND": permute_peers.cv2,
    }


def fftw_libraries():
    found = {}
    for letter, suffix in (("s", "f"), ("d", "")):
        threads = open_library(f"libfftw3{suffix}_threads.so.3")
        library = open_library(f"libfftw3{suffix}.so.3")
        if threads and library:
            getattr(threads, f"fftw{suffix}_init_threads")()
            found[letter] = library, threads
    return found or None


def letter_of(case):
    """The BLAS letter of the element type, or None if elements are converted or the type is unsupported."""
    return LETTERS.get(case.src.dtype.str[1:]) if case.src.dtype == case.dst.dtype else None


def pointers(case):
    return ctypes.c_void_p(case.src.ctypes.data), ctypes.c_void_p(case.dst.ctypes.data)


class Layouts(ctypes.Structure):
    _fields_ = [("n_dims", ctypes.c_int64), ("shape", ctypes.c_int64 * 8), ("src_strides", ctypes.c_int64 * 8),
                ("dst_strides", ctypes.c_int64 * 8), ("item_bytes", ctypes.c_int64), ("swap_bytes", ctypes.c_int64),
                ("n_bytes", ctypes.c_int64), ("max_threads", ctypes.c_int64)]


def swap_bytes(case):
    """The size of the units that are reversed; 0 if none are."""
    dtype = case.src.dtype
    return 0 if dtype == case.dst.dtype else dtype.itemsize // (2 if dtype.kind == "c" else 1)


def suai(library, case, threads):
    source, result = pointers(case)
    eight = lambda values: (ctypes.c_int64 * 8)(*values)
    layouts = Layouts(case.src.ndim, eight(case.src.shape), eight(case.src.strides), eight(case.dst.strides),
                      case.src.dtype.itemsize, swap_bytes(case), case.n_bytes, threads)
    told = ctypes.byref(layouts)
    if threads == 0:
        return lambda: library.bench_suai_new(told, source)
    return lambda: library.bench_suai(told, source, result)


def memcpy(library, case, threads):
    source = case.whole if case.whole.size >= case.n_bytes else np.ones(case.n_bytes, np.uint8)
    arguments = ctypes.c_void_p(case.dst.ctypes.data), ctypes.c_void_p(source.ctypes.data), ctypes.c_int64(case.n_bytes), threads
    return lambda keep=source: library.bench_memcpy(*arguments)


def hptt(library, case, threads, measured):
    """Rows from the largest stride to the smallest, each a part of the next."""
    strides, item = case.src.strides, case.src.dtype.itemsize
    order = sorted(range(case.src.ndim), key=lambda i: -strides[i])
    if not letter_of(case) or min(strides) <= 0 or strides[order[-1]] != item:
        return None
    sizes = [case.src.shape[i] for i in order]
    if any(strides[a] % strides[b] or strides[a] // strides[b] < case.src.shape[b] for a, b in zip(order, order[1:])):
        return None
    outer = [sizes[0]] + [strides[a] // strides[b] for a, b in zip(order, order[1:])]
    ints = lambda values: (ctypes.c_int * len(values))(*values)
    library.hptt_make.restype = ctypes.c_void_p
    source, result = pointers(case)
    plan = ctypes.c_void_p(library.hptt_make(ints([order.index(i) for i in range(case.src.ndim)]), case.src.ndim, source,
                                             ints(sizes), ints(outer), result, threads, measured, item))
    return lambda: library.hptt_run(plan, item)


class Slices(ctypes.Structure):
    _fields_ = [("n_outer", ctypes.c_int64), ("n", ctypes.c_int64 * 8), ("src_stride", ctypes.c_int64 * 8),
                ("dst_stride", ctypes.c_int64 * 8), ("rows", ctypes.c_int64), ("cols", ctypes.c_int64), ("lda", ctypes.c_int64),
                ("ldb", ctypes.c_int64), ("is_mkl", ctypes.c_int), ("transposed", ctypes.c_int), ("letter", ctypes.c_char)]


def slices_of(case):
    """The two dimensions that omatcopy supports, the others as loops around it."""
    src, dst, item = case.src, case.dst, case.src.dtype.itemsize
    if src.ndim < 2 or min(src.strides) <= 0 or item not in src.strides:
        return None
    unit = src.strides.index(item)
    last = src.ndim - 1
    transposed = unit != last
    other = last if transposed else last - 1
    loops = [i for i in range(src.ndim) if i not in (unit, other)]
    row_stride = src.strides[other]
    slices = Slices(n_outer=len(loops), rows=src.shape[other], cols=src.shape[unit], lda=row_stride // item,
                    ldb=dst.strides[unit if transposed else other] // item, transposed=transposed)
    for at, i in enumerate(loops):
        slices.n[at], slices.src_stride[at], slices.dst_stride[at] = src.shape[i], src.strides[i], dst.strides[i]
    return slices


def omatcopy(library, helper, case, threads, is_mkl):
    letter, slices = letter_of(case), slices_of(case)
    if not letter or not slices:
        return None
    slices.letter, slices.is_mkl = letter.encode(), is_mkl
    name = f"MKL_{letter.upper()}omatcopy" if is_mkl else f"cblas_{letter}omatcopy"
    function = ctypes.cast(getattr(library, name), ctypes.c_void_p)
    source, result = pointers(case)

    def run():
        if is_mkl:
            library.MKL_Set_Num_Threads(threads)
        helper.bench_slices(function, ctypes.byref(slices), source, result)

    return run


class Dimension(ctypes.Structure):
    _fields_ = [("n", ctypes.c_ssize_t), ("in_stride", ctypes.c_ssize_t), ("out_stride", ctypes.c_ssize_t)]


def fftw(libraries, case, threads):
    """A transform of rank 0, which is a copy; complex elements are two reals."""
    letter, item = letter_of(case), case.src.dtype.itemsize
    if not letter or item == 16 or letter not in libraries or any(s % item for s in case.src.strides):
        return None
    library, more = libraries[letter]
    suffix = "f" if letter == "s" else ""
    dimensions = (Dimension * case.src.ndim)(*[
        Dimension(n, s // item, d // item) for n, s, d in zip(case.src.shape, case.src.strides, case.dst.strides)])
    make = getattr(library, f"fftw{suffix}_plan_guru64_r2r")
    make.restype = ctypes.c_void_p
    limit = getattr(library, f"fftw{suffix}_set_timelimit")
    limit.argtypes = [ctypes.c_double]
    limit(3.0)
    getattr(more, f"fftw{suffix}_plan_with_nthreads")(threads)
    source, result = pointers(case)
    kept = case.whole.copy()
    plan = ctypes.c_void_p(make(0, None, case.src.ndim, dimensions, source, result, None, 0))
    case.whole[:] = kept
    execute = getattr(library, f"fftw{suffix}_execute")
    return (lambda: execute(plan)) if plan.value else None


class Matrix(ctypes.Structure):
    """OpenCV's CvMat."""
    _fields_ = [("type", ctypes.c_int), ("step", ctypes.c_int), ("refcount", ctypes.c_void_p), ("header", ctypes.c_int),
                ("data", ctypes.c_void_p), ("rows", ctypes.c_int), ("cols", ctypes.c_int)]


def matrix(rows, cols, pointer, step, depth, channels=1):
    return Matrix(0x42424000 | depth | (channels - 1) << 3, step, None, 0, pointer, rows, cols)


def cv2(library, case, threads):
    depth = {"u1": (0, 1), "u2": (2, 1), "f4": (5, 1), "f8": (6, 1), "c16": (6, 2)}.get(case.src.dtype.str[1:])
    if not depth or case.src.dtype != case.dst.dtype:
        return None
    library._ZN2cv13setNumThreadsEi(threads)
    src, dst, item = case.src, case.dst, case.src.dtype.itemsize
    if src.ndim == 2 and src.strides[0] == item and src.strides[1] > 0:
        a = matrix(src.shape[1], src.shape[0], src.ctypes.data, src.strides[1], *depth)
        b = matrix(dst.shape[0], dst.shape[1], dst.ctypes.data, dst.strides[0], *depth)
        return lambda: library.cvTranspose(ctypes.byref(a), ctypes.byref(b))
    if src.ndim == 1 and src.strides[0] == -item:
        a = matrix(1, src.size, src.ctypes.data - (src.size - 1) * item, src.size * item, *depth)
        b = matrix(1, src.size, dst.ctypes.data, src.size * item, *depth)
        return lambda: library.cvFlip(ctypes.byref(a), ctypes.byref(b), 1)
    if src.ndim == 4 and 3 in (src.shape[1], src.shape[3]):
        return channels(library, case, depth[0])
    return None


def channels(library, case, depth):
    """Three planes to pixels or back, one image at a time."""
    src, dst, item = case.src, case.dst, case.src.dtype.itemsize
    to_pixels = src.shape[3] == 3
    planes, pixels = (src, dst) if to_pixels else (dst, src)
    axis = 3 if to_pixels else 1
    rows, cols = (src.shape[1:3] if to_pixels else src.shape[2:4])
    calls = []
    for n in range(src.shape[0]):
        three = [matrix(rows, cols, planes.ctypes.data + n * planes.strides[0] + c * planes.strides[axis], cols * item, depth) for c in range(3)]
        whole = matrix(rows, cols, pixels.ctypes.data + n * pixels.strides[0], cols * 3 * item, depth, 3)
        calls.append((three, whole))

    def run():
        for (a, b, c), whole in calls:
            if to_pixels:
                library.cvMerge(ctypes.byref(a), ctypes.byref(b), ctypes.byref(c), None, ctypes.byref(whole))
            else:
                library.cvSplit(ctypes.byref(whole), ctypes.byref(a), ctypes.byref(b), ctypes.byref(c), None)

    return run


def peers_of(case, libraries, threads):
    """Name -> call, for everything that supports the case; allocating calls are marked by a star."""
    helper = libraries["suai"]
    found = {f"memcpy {t}t": memcpy(helper, case, t) for t in (1, 2)}
    for t in threads:
        found[f"suai {t}t"] = suai(helper, case, t)
        if libraries["hptt"]:
            found[f"HPTT {t}t"] = hptt(libraries["hptt"], case, t, 1)
            found[f"HPTT estimate {t}t"] = hptt(libraries["hptt"], case, t, 0)
        if libraries["mkl"]:
            found[f"MKL {t}t"] = omatcopy(libraries["mkl"], helper, case, t, 1)
        if libraries["openblas"] and t == 1:
            found[f"OpenBLAS {t}t"] = omatcopy(libraries["openblas"], helper, case, t, 0)
        if libraries["fftw"]:
            found[f"FFTW {t}t"] = fftw(libraries["fftw"], case, t)
        if libraries["cv2"]:
            found[f"OpenCV {t}t"] = cv2(libraries["cv2"], case, t)
        if libraries["onednn"]:
            found[f"oneDNN {t}t"] = permute_peers.onednn(libraries["onednn"], case, t)
        if libraries["onnxruntime"]:
            found[f"ONNX Runtime {t}t"] = permute_peers.onnx_runtime(case, t)
        if libraries["transposeND"]:
            found[f"OpenCV transposeND {t}t"] = permute_peers.opencv(case, t)
    found["suai*"] = suai(helper, case, 0)
    found["np.ascontiguousarray*"] = lambda: np.array(case.src, dtype=case.dst.dtype, order="C", copy=True)
    found["np.copyto"] = lambda: np.copyto(case.dst, case.src)
    return {name: call for name, call in found.items() if call}
