# SPDX-License-Identifier: MIT
"""Copies between layouts on the CPU: suai's host engine beside memcpy, NumPy and the libraries found, in one process, in turns."""
import argparse
import ctypes
import mmap
import os
import statistics
import sys
import time

import copy_peers
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def aligned(n_bytes, offset=0):
    """Memory on a page, touched, with huge pages where the kernel gives them."""
    memory = mmap.mmap(-1, n_bytes + (4 << 20))
    memory.madvise(mmap.MADV_HUGEPAGE)
    whole = np.frombuffer(memory, np.uint8)
    start = -whole.ctypes.data % (2 << 20) + offset
    whole[:] = 0
    return whole[start : start + n_bytes]


CASES = {
    "T 4096^2 u1": ("u1", (4096, 4096), lambda a: a.T),
    "T 4096^2 u2": ("u2", (4096, 4096), lambda a: a.T),
    "T 4096^2 f4": ("f4", (4096, 4096), lambda a: a.T),
    "T 4096^2 f8": ("f8", (4096, 4096), lambda a: a.T),
    "T 4096^2 c16": ("c16", (4096, 4096), lambda a: a.T),
    "T 4000x4001 f8": ("f8", (4000, 4001), lambda a: a.T),
    "T 4001x4000 f8": ("f8", (4001, 4000), lambda a: a.T),
    "T 4001x4001 u1": ("u1", (4001, 4001), lambda a: a.T),
    "T 4001x4001 f4": ("f4", (4001, 4001), lambda a: a.T),
    "T 4096^2 >f4": (">f4", (4096, 4096), lambda a: a.T),
    "T 2048^2 V3": ("V3", (2048, 2048), lambda a: a.T),
    "T 2048^2 V12": ("V12", (2048, 2048), lambda a: a.T),
    "NCHW>NHWC u1": ("u1", (64, 3, 512, 512), lambda a: a.transpose(0, 2, 3, 1)),
    "NHWC>NCHW u1": ("u1", (64, 512, 512, 3), lambda a: a.transpose(0, 3, 1, 2)),
    "NCHW>NHWC f4": ("f4", (64, 3, 512, 512), lambda a: a.transpose(0, 2, 3, 1)),
    "NHWC>NCHW f4": ("f4", (64, 512, 512, 3), lambda a: a.transpose(0, 3, 1, 2)),
    "256^3 f4 210": ("f4", (256, 256, 256), lambda a: a.transpose(2, 1, 0)),
    "256^3 f4 102": ("f4", (256, 256, 256), lambda a: a.transpose(1, 0, 2)),
    "256^3 f4 201": ("f4", (256, 256, 256), lambda a: a.transpose(2, 0, 1)),
    "5-D f4 42031": ("f4", (24, 20, 22, 28, 26), lambda a: a.transpose(4, 2, 0, 3, 1)),
    "[::2] f8": ("f8", (1 << 24,), lambda a: a[::2]),
    "[::2,::2] f4": ("f4", (4096, 4096), lambda a: a[::2, ::2]),
    "[::-1] f8": ("f8", (1 << 23,), lambda a: a[::-1]),
    "rows[:,:4000] f4": ("f4", (4096, 4096), lambda a: a[:, :4000]),
    "rows[:,:3] f4": ("f4", (1 << 21, 4), lambda a: a[:, :3]),
    ">f8 to <f8": (">f8", (1 << 23,), lambda a: a),
    "bcast row f4": ("f4", (4096,), lambda a: np.broadcast_to(a, (4096, 4096))),
    "bcast column f4": ("f4", (4096, 1), lambda a: np.broadcast_to(a, (4096, 4096))),
    "contig f4": ("f4", (4096, 4096), lambda a: a),
    "T 256^2 f4": ("f4", (256, 256), lambda a: a.T),
    "T 512^2 f4": ("f4", (512, 512), lambda a: a.T),
    "T 1024^2 f4": ("f4", (1024, 1024), lambda a: a.T),
    "T 16^2 f4": ("f4", (16, 16), lambda a: a.T),
}


class Case:
    def __init__(self, name, offset):
        typestr, shape, view = CASES[name]
        self.name = name
        dtype = np.dtype(typestr)
        n_bytes = int(np.prod(shape)) * dtype.itemsize
        raw = aligned(n_bytes)
        raw[:] = np.random.default_rng(7).integers(0, 256, n_bytes, np.uint8)
        if dtype.kind in "fc":
            numbers = raw.view(dtype)
            numbers[:] = np.random.default_rng(7).random(numbers.shape)
        self.src = view(raw.view(dtype).reshape(shape))
        self.n_bytes = self.src.size * dtype.itemsize
        self.dst = aligned(self.n_bytes, offset).view(dtype.newbyteorder("=")).reshape(self.src.shape)
        self.whole = raw


def measure(case, peers, rounds, clock):
    times = {}
    for name in list(peers):
        case.dst.view(np.uint8)[...] = 0xAA if case.dst.dtype.kind != "V" else 0
        result = peers[name]()
        if not name.startswith(("memcpy", "np.asc")):
            same = case.dst.tobytes() == np.ascontiguousarray(case.src).astype(case.dst.dtype).tobytes()
            if not same:
                print(f"{case.name}: {name} is wrong, dropped", file=sys.stderr)
                if name.startswith("suai"):
                    sys.exit(1)
                del peers[name]
    for _ in range(rounds):
        for name, call in peers.items():
            start = clock()
            call()
            times.setdefault(name, []).append(clock() - start)
    return times


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", default=os.path.join(HERE, "../../build/bench/libcopy_peers.so"))
    parser.add_argument("--hptt")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="")
    parser.add_argument("--peers", default="")
    parser.add_argument("--offset", type=int, default=0)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--threads", default="1,2")
    options = parser.parse_args()
    libraries = copy_peers.load(options.library, options.hptt)
    for name in CASES:
        if options.only and not any(word in name for word in options.only.split(",")):
            continue
        case = Case(name, options.offset)
        peers = copy_peers.peers_of(case, libraries, [int(t) for t in options.threads.split(",")])
        if options.peers:
            peers = {n: c for n, c in peers.items() if n.startswith("memcpy 1t") or any(w in n for w in options.peers.split(","))}
        times = measure(case, peers, options.rounds, time.process_time if options.cpu else time.perf_counter)
        base = min(times["memcpy 1t"])
        print(f"{name:18s} {case.n_bytes / 2**20:6.1f} MiB memcpy {case.n_bytes / base / 1e9:5.1f} GB/s |",
              "  ".join(f"{n} {min(t) / base:.2f}" for n, t in times.items()), flush=True)


if __name__ == "__main__":
    main()
