# SPDX-License-Identifier: MIT
"""Copies between layouts of USM and OpenCL's buffers on a processor: suai's engines beside dpnp, dpctl, NumPy and memcpy over the
same bytes, in one process, in turns. Ratios are to memcpy of the result's bytes by one thread."""
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
    """SYCL's memory or None, the buffers by vendor, and what is absent, with the reason."""
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


def peers_of(case, library, usm, buffers):
    found = {f"memcpy {t}t": copy_peers.memcpy(library.handle, case, t) for t in (1, 2)}
    found["np.ascontiguousarray*"] = lambda: np.array(case.src, order="C", copy=True)
    if usm:
        found |= usm.peers(case)
    return found | {f"suai {vendor} cl_mem": each.peer(case) for vendor, each in buffers.items()}


def row(case, peers, times):
    base = times["memcpy 1t"]

    def ratio(name):
        return f"{times[name] / base:.2f}" if name in times else "-"

    cells = [case.name, f"{case.n_bytes / 2**20:.1f}", f"{case.n_bytes / base / 1e9:.1f}", ratio("memcpy 2t"), ratio("dpctl memcpy")]
    for engine in ("kernel", "host", "auto"):
        peer = peers.get(f"suai {engine}")
        cells.append(f"{ratio(f'suai {engine}')} {peer.what() if peer and engine != 'host' else ''}".strip())
    cells += [ratio(f"suai {vendor} cl_mem") for vendor in VENDORS] + [ratio(name) for name in STARRED]
    return "| " + " | ".join(cells) + " |"


def bench(name, library, usm, buffers, options):
    case = copies.Case(name, 0, usm.allocate if usm else copies.aligned)
    peers = peers_of(case, library, usm, buffers)
    print(row(case, peers, copies.measure(case, peers, options)), flush=True)
    for peer in peers.values():
        if isinstance(peer, usm_peers.BufferTransfer):
            peer.release()
    if usm:
        usm.forget()


def main():
    options = parse()
    library = usm_peers.Library(options.library)
    usm, buffers, absent = find(library)
    print(f"NumPy {np.__version__}{', ' + usm.version if usm else ''}. Absent: {', '.join(absent) or 'none'}.\n")
    if not usm and not buffers:
        return
    heads = ["case", "MiB", "memcpy 1t GB/s", "memcpy 2t", "dpctl memcpy", "suai kernel", "suai host", "suai auto"]
    heads += [f"suai kernel, {vendor} cl_mem" for vendor in VENDORS] + STARRED
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for name in ROWS:
        if not options.only or any(word in name for word in options.only.split(",")):
            bench(name, library, usm, buffers, options)


if __name__ == "__main__":
    main()
