# SPDX-License-Identifier: MIT
"""Copies between layouts of USM and OpenCL buffers on a CPU device: suai's engines, dpnp, dpctl, NumPy and memcpy on the same
bytes, in one process, in turns, one table each. Figures are ratios to a single-threaded memcpy of the result's bytes."""
import argparse

import copies
import copy_peers
import numpy as np
import usm_peers

ROWS = ["T 4096^2 u1", "T 4096^2 f4", "T 4096^2 f8", "T 4001x4001 f4", "NCHW>NHWC u1", "NCHW>NHWC f4", "NHWC>NCHW u1", "NHWC>NCHW f4",
        "256^3 f4 210", "256^3 f4 102", "256^3 f4 201", "[::2] f8", "[::2,::2] f4", "[::-1] f8", "rows[:,:4000] f4", "bcast row f4",
        "contig f4", "T 256^2 f4", "T 16^2 f4"]
STARRED = ["suai kernel*", "suai auto*", "dpnp.ascontiguousarray*", "dpnp.copy*", "np.ascontiguousarray*"]
VENDORS = {"Intel": "Intel(R) OpenCL", "PoCL": "Portable Computing Language"}  # platforms' names


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="libcopy_peers.so")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="words of the rows, separated by commas")
    copies.add_measuring(parser)
    return parser.parse_args()


def find(library):
    """SYCL's memory or None, the buffers by vendor, and what is missing, with the reason."""
    usm, buffers, absent = None, {}, []
    try:
        usm = usm_peers.Usm(library)
    except (ImportError, RuntimeError) as error:
        absent.append(f"USM by SYCL, dpnp ({error})")
    devices = list(library.opencl_devices())
    for vendor, words in VENDORS.items():
        names = [device for device in devices if device[0].startswith(words)]
        if names:
            buffers[vendor] = usm_peers.Buffers(library, *names[0])
        else:
            absent.append(f"{vendor}'s OpenCL")
    return usm, buffers, absent


def bench(name, columns, peers_of, library, allocate, options):
    """A row; its cells name what ran, unless the column's heading does."""
    case = copies.Case(name, 0, allocate)
    peers = {f"memcpy {t}t": copy_peers.memcpy(library.handle, case, t) for t in (1, 2)} | peers_of(case)
    peers["np.ascontiguousarray*"] = lambda: np.array(case.src, order="C", copy=True)
    times = copies.measure(case, peers, options)
    base = times["memcpy 1t"]
    cells = [case.name, f"{case.n_bytes / 2**20:.1f}", f"{case.n_bytes / base / 1e9:.1f}"]
    for column in columns:
        what = peers[column].what() if column in peers and column.endswith(("kernel", "auto")) else ""
        cells.append(f"{times[column] / base:.2f} {what}".strip() if column in times else "-")
    print("| " + " | ".join(cells) + " |", flush=True)


def table(columns, peers_of, library, allocate, options, forget=lambda: None):
    heads = ["case", "MiB", "memcpy 1t GB/s"] + columns
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for name in ROWS:
        if not options.only or any(word in name for word in options.only.split(",")):
            bench(name, columns, peers_of, library, allocate, options)
            forget()


def main():
    options = parse()
    library = usm_peers.Library(options.library)
    usm, buffers, absent = find(library)
    print(f"NumPy {np.__version__}{', ' + usm.version if usm else ''}. Absent: {', '.join(absent) or 'none'}.\n")
    if usm:
        table(["memcpy 2t", "dpctl memcpy", "suai kernel", "suai host", "suai auto"] + STARRED, usm.peers, library, usm.allocate,
              options, usm.forget)
    for vendor, each in buffers.items():
        print(f"\nBuffers of {each.name}:\n")
        columns = ["memcpy 2t"] + [f"suai {vendor} {engine}" for engine in ("kernel", "auto", "kernel*", "auto*")]
        table(columns + ["np.ascontiguousarray*"], lambda case: each.peers(case, vendor), library, copies.aligned, options)


if __name__ == "__main__":
    main()
