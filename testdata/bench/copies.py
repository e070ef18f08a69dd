# SPDX-License-Identifier: MIT
"""Copies between layouts on the CPU: suai's host engine, memcpy, NumPy and the libraries found, in one process, in turns."""
import argparse
import ctypes
import functools
import mmap
import os
import random
import statistics
import sys
import time

import copy_peers
import layouts
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def aligned(n_bytes, offset=0):
    """Page-aligned memory, touched, in huge pages where the kernel provides them."""
    memory = mmap.mmap(-1, n_bytes + (4 << 20), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_HUGEPAGE)
    whole = np.frombuffer(memory, np.uint8)
    start = -whole.ctypes.data % (2 << 20) + offset
    whole[:] = 0
    return whole[start : start + n_bytes]


@functools.cache
def scratch():
    """Reading it evicts everything else from the caches."""
    return aligned(128 << 20).view(np.uint64)


def broadcast(array, shape):
    """Through the library that the array belongs to."""
    library = sys.modules[type(array).__module__.partition(".")[0]]
    return library.broadcast_to(array, shape)


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
    "bcast row f4": ("f4", (4096,), lambda a: broadcast(a, (4096, 4096))),
    "bcast column f4": ("f4", (4096, 1), lambda a: broadcast(a, (4096, 4096))),
    "contig f4": ("f4", (4096, 4096), lambda a: a),
    "T 256^2 f4": ("f4", (256, 256), lambda a: a.T),
    "T 512^2 f4": ("f4", (512, 512), lambda a: a.T),
    "T 1024^2 f4": ("f4", (1024, 1024), lambda a: a.T),
    "T 16^2 f4": ("f4", (16, 16), lambda a: a.T),
}


class Case:
    """One row: src is a view of whole, dst is in C order; allocate returns memory for both as an array of bytes."""

    def __init__(self, name, offset=0, allocate=aligned):
        typestr, shape, self.view = CASES[name]
        self.name, self.shape = name, shape
        self.dtype = dtype = np.dtype(typestr)
        n_bytes = int(np.prod(shape)) * dtype.itemsize
        raw = allocate(n_bytes)
        raw[:] = np.random.default_rng(7).integers(0, 256, n_bytes, np.uint8)
        if dtype.kind in "fc":
            numbers = raw.view(dtype)
            numbers[:] = np.random.default_rng(7).random(numbers.shape)
        self.src = self.view(raw.view(dtype).reshape(shape))
        self.n_bytes = self.src.size * self.src.dtype.itemsize
        self.dst = allocate(self.n_bytes, offset).view(self.src.dtype.newbyteorder("=")).reshape(self.src.shape)
        self.whole = raw


def result_of(case, name, told):
    """The result of a call: an array that it returned, one that can be fetched, or case.dst; None if the memory was freed."""
    if hasattr(told, "asnumpy"):
        return told.asnumpy()
    if isinstance(told, np.ndarray):
        return told
    return None if name.endswith("*") else case.dst


def bytes_of(array):
    return array.reshape(-1).view(np.uint8)


def verify(case, name, call, expected):
    """The result must equal NumPy's bytes, or the library is not measured; suai's must always be equal."""
    bytes_of(case.dst)[:] = 0xAA
    made = result_of(case, name, call())
    if made is None or "memcpy" in name or (made.flags.c_contiguous and np.array_equal(bytes_of(made), expected)):
        return True
    print(f"{case.name}: {name} is wrong and left out", file=sys.stderr)
    if name.startswith("suai"):
        sys.exit(1)
    return False


LARGE_BYTES = 16 << 20  # no smaller than half of a usual cache of the last level
ORDERS = random.Random(7)  # for all cases, since a sequence of orders that is the same for each case favors some peers


def prepare(call, is_cold):
    """Leaves the caches in a state that does not depend on the call of another peer: the lines that such a call has written
    double the time of some calls. Those that are evicted instead have only been read, so that nothing is left to be written."""
    if is_cold:
        scratch().max()
    else:
        call()


def measure(case, peers, options):
    """Seconds of each call, in turns, in varying order; before each, the caches are emptied, or if they are large enough for the
    copy, the same call fills them."""
    clock = time.process_time if options.processor else time.perf_counter
    is_cold = options.cold or case.n_bytes >= LARGE_BYTES
    expected = bytes_of(np.ascontiguousarray(case.src, case.dst.dtype))
    times = {name: [] for name, call in peers.items() if verify(case, name, call, expected)}
    order = list(times)
    for _ in range(options.rounds):
        ORDERS.shuffle(order)
        for name in order:
            prepare(peers[name], is_cold)
            start = clock()
            peers[name]()
            times[name].append(clock() - start)
    best = min if options.minimum else statistics.median
    return {name: best(values) for name, values in times.items()}


OURS = ("suai", "memcpy", "np.")


def best_library(times, threads):
    """The fastest library with that many threads, or with one."""
    words = [f"{t}t" for t in range(1, threads + 1)]
    found = [(seconds, name) for name, seconds in times.items() if not name.startswith(OURS) and name.split()[-1] in words]
    return min(found, default=(None, "-"))


def row(case, times, threads):
    base = times["memcpy 1t"]
    ratio = lambda seconds: "-" if seconds is None else f"{seconds / base:.2f}"
    cells = [case.name, f"{case.n_bytes / 2**20:.1f}", f"{case.n_bytes / base / 1e9:.1f}", ratio(times.get("memcpy 2t"))]
    for t in threads:
        seconds, name = best_library(times, t)
        cells += [ratio(times[f"suai {t}t"]), f"{ratio(seconds)} {name.rpartition(' ')[0]}".strip()]
    cells += [ratio(times.get("suai*")), ratio(times.get("np.ascontiguousarray*")), ratio(times.get("np.copyto"))]
    cells += [f"{case.n_bytes / times[f'suai {threads[-1]}t'] / 1e9:.1f}"]
    return "| " + " | ".join(cells) + " |"


def geometric_mean(values):
    return statistics.geometric_mean(values) if values else float("nan")


# The peers of --table, by the first words of their names; np.copyto has one thread.
PEERS = ("HPTT", "oneDNN", "ONNX Runtime", "OpenCV transposeND", "np.copyto", "again")


def peers_of_table(libraries, options):
    """Those of which there is at least one; "again" is suai measured twice."""
    absent = {"HPTT": "hptt", "oneDNN": "onednn", "ONNX Runtime": "onnxruntime", "OpenCV transposeND": "transposeND"}
    wanted = [peer for peer in PEERS if not options.peers or peer in (*options.peers.split(","), "again")]
    return [peer for peer in wanted if peer not in absent or libraries[absent[peer]]]


def compare(cases, libraries, threads, options):
    """A line each case: times over memcpy's, then for each peer how suai compares."""
    ratios, names = {}, peers_of_table(libraries, options)
    for name, case in cases:
        peers = copy_peers.peers_of(case, libraries, threads)
        kept = {n: call for n, call in peers.items() if n.startswith(("suai ", "memcpy 1t", *names))}
        for t in threads:
            kept[f"again {t}t"] = kept[f"suai {t}t"]
        times = measure(case, kept, options)
        cells = [f"{case.n_bytes / 2**20:.0f}"]
        for t in threads:
            own = times[f"suai {t}t"]
            cells.append(f"{own / times['memcpy 1t']:.2f}")
            for peer in names:
                seconds = min((s for n, s in times.items() if n == peer or n.startswith(peer) and n.endswith(f" {t}t")), default=None)
                cells.append("-" if seconds is None else f"{seconds / own:.2f}")
                if seconds is not None:
                    ratios.setdefault((peer, t, case.src.dtype.str[1:]), []).append((seconds / own, name))
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    print("\n| peer, threads, element | geometric mean of peer's time over suai's | worst | rows behind by more than 5 % |\n|---|---|---|---|")
    for (peer, t, typestr), found in ratios.items():
        worst = min(found)
        behind = sum(value * 1.05 < 1 for value, _ in found)
        print(f"| {peer} {t}t {typestr} | {geometric_mean([v for v, _ in found]):.2f} | {worst[0]:.2f} {worst[1]} | {behind} of {len(found)} |")


def print_table(libraries, threads, options):
    cases = layouts.table(options.table, options.types.split(","), options.part, options.most << 20)
    CASES.update(cases)
    names = [name for name in cases if not options.only or any(word in name for word in options.only.split(";"))]
    heads = ["MiB"] + [head for t in threads for head in (f"suai {t}t over memcpy", *(f"{peer} over suai" for peer in peers_of_table(libraries, options)))]
    print("| layout | " + " | ".join(heads) + " |\n|---" + "|---" * len(heads) + "|")
    compare(((name, Case(name, options.offset)) for name in names), libraries, threads, options)


def add_measuring(parser):
    parser.add_argument("--cold", action="store_true", help="evict everything from the caches before small copies, too")
    parser.add_argument("--minimum", action="store_true", help="the fastest round instead of the median, on a busy machine")
    parser.add_argument("--processor", action="store_true", help="processor time instead of the clock's, for one thread on a busy machine")


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="libcopy_peers.so")
    parser.add_argument("--hptt", help="libhptt_peer.so, made by tools/bench-hptt")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="words of the cases, separated by commas")
    parser.add_argument("--offset", type=int, default=0, help="bytes of the destination past a page")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--table", help='"ttc", "random:SEED:COUNT", or names that these print, instead of the cases of this file')
    parser.add_argument("--peers", default="", help=f"of --table, separated by commas, instead of all: {', '.join(PEERS[:-1])}")
    parser.add_argument("--types", default="f4,f8,c16,u1,u2", help="of --table")
    parser.add_argument("--part", type=int, default=4, help="divides the longest outer extent of ttc")
    parser.add_argument("--most", type=int, default=64, help="MiB of a random layout")
    add_measuring(parser)
    parser.add_argument("--all", action="store_true", help="every peer, in a line each case")
    return parser.parse_args()


def main():
    options = parse()
    threads = [int(t) for t in options.threads.split(",")]
    libraries = copy_peers.load(options.library, options.hptt)
    print("Absent:", ", ".join(name for name, found in libraries.items() if not found) or "none", end=".\n\n")
    if options.table:
        print_table(libraries, threads, options)
        return
    if not options.all:
        heads = ["case", "MiB", "memcpy 1t GB/s", "memcpy 2t"]
        heads += [head for t in threads for head in (f"suai {t}t", f"best library {t}t")]
        heads += ["suai*", "np.ascontiguousarray*", "np.copyto", f"suai {threads[-1]}t GB/s"]
        print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for name in CASES:
        if options.only and not any(word in name for word in options.only.split(",")):
            continue
        case = Case(name, options.offset)
        times = measure(case, copy_peers.peers_of(case, libraries, threads), options)
        if options.all:
            print(f"{name}:", ", ".join(f"{n} {t / times['memcpy 1t']:.2f}" for n, t in sorted(times.items(), key=lambda item: item[1])), flush=True)
        else:
            print(row(case, times, threads), flush=True)


if __name__ == "__main__":
    main()
