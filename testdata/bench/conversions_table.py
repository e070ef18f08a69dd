# SPDX-License-Identifier: MIT
"""Runs suai convert --timing on testdata/bench/conversions.py and prints a table: the outer clock, --timing, and calls of other
libraries, all including allocation and first touch. Medians exclude the first (cold) round, which is shown separately."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

import conversions

PARTS = ["read", "allocate", "copy", "describe"]
PROTOCOLS = {"cpu": "numpy", "sycl": "sycl", "cuda": "cuda"}


def convert(where, names, options, out):
    """suai's documents, one per round of each row."""
    targets = [f"turn({where!r}, {name!r})" for name in names for _ in range(options.rounds + 1)]
    protocol = PROTOCOLS[where]
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "conversions.py")
    command = [options.suai, "convert", "--python", sys.executable, "-p", protocol, "--to", protocol, "--order", "C", "--copy", "always",
               "--engine", options.engine, "--timing", "--timeout", "600", "--call", "seen(_)", "-f", "json"]
    ran = subprocess.run([*command, *(f"{script}:{target}" for target in targets)], env=dict(os.environ, BENCH_OUT=out),
                         stdout=subprocess.PIPE, check=False)
    return json.loads(ran.stdout)["targets"]


def row(name, lines, documents):
    inner = [document["copy"]["seconds"] for document in documents]
    outer = [line["outer"] for line in lines]
    peers = {peer: statistics.median(line["peers"][peer] for line in lines[1:]) for peer in lines[0]["peers"]}
    base = peers.pop("memcpy*")
    middle = statistics.median(outer[1:])
    cells = [name, documents[0]["copy"]["path"], f"{lines[0]['bytes'] / 2**20:.1f}", f"{lines[0]['bytes'] / base / 1e9:.1f}",
             f"{middle / base:.2f}", f"{statistics.median(inner[1:]) / base:.2f}",
             f"{statistics.median(o / i for o, i in zip(outer[1:], inner[1:])):.2f}",
             " ".join(f"{1000 * statistics.median(document['copy'][f'{part}_seconds'] for document in documents[1:]):.2f}" for part in PARTS),
             f"{outer[0] / base:.2f}", f"{inner[0] / base:.2f}"]
    return cells, {peer: f"{seconds / base:.2f}" for peer, seconds in peers.items()}


def bench(where, options):
    names = [name for name in conversions.memories[where].rows if not options.only or any(word in name for word in options.only.split(","))]
    if not names:
        return 0
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as out:
        documents = convert(where, names, options, out.name)
        lines = [json.loads(line) for line in out]
    errors = [document["error"] or {} for document in documents if document["status"] != "ok"]
    if errors:
        is_absent = "ModuleNotFoundError" in (errors[0].get("type") or "")
        print(f"{where}: {'absent' if is_absent else 'failed'}: {errors[0].get('message')}\n", flush=True)
        return 0 if is_absent else 1
    n = options.rounds + 1
    rows = [row(name, lines[i * n : i * n + n], documents[i * n : i * n + n]) for i, name in enumerate(names)]
    peers = list(dict.fromkeys(peer for _, found in rows for peer in found))
    heads = ["case", "path", "MiB", "memcpy* GB/s", "suai*, outer clock", "suai*, --timing", "outer : --timing", " ".join(PARTS) + ", ms",
             "first*, outer clock", "first*, --timing", *peers]
    print(f"{where} ({conversions.memories[where].__doc__}):\n\n| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for cells, found in rows:
        print("| " + " | ".join(cells + [found.get(peer, "-") for peer in peers]) + " |")
    print(flush=True)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suai", required=True)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="words of the rows, separated by commas")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("where", nargs="*", default=["cpu", "sycl", "cuda"])
    options = parser.parse_args()
    sys.exit(max(bench(where, options) for where in options.where))


main()
