"""mpi_array.py RECIPE: runs it in each rank on an array without faults, then once for each of eight faults."""

import sys
import time

import numpy as np
from faults import make_block
from mpi4py import MPI

comm = MPI.COMM_WORLD
recipe = compile(open(sys.argv[1]).read(), sys.argv[1], "exec")

# The rule, and what rank 2 does in that case.
CASES = {
    "none": None,
    "dtype": "PCS201",
    "order": "PCS304",
    "device": "PCS501",
    "access": "PCS801",
    "bounds": "PCS302",
    "overlap": "PCS305",
    "gap": "PCS306",
    "declaration": "PCS901",
}

for case, rule in CASES.items():
    n_rows, n_columns = 8 * comm.size, 5
    first_row = 8 * comm.rank
    fault = case if comm.rank == 2 else "none"
    rows = {"overlap": 9, "gap": 7}.get(fault, 8)
    field = make_block((rows, n_columns), case if fault in ("dtype", "order", "device", "access") else None)
    if fault == "bounds":
        first_row = n_rows - 4
    if fault == "declaration":
        n_columns += 1
    comm.Barrier()
    began = time.perf_counter()
    exec(recipe)
    if comm.rank:
        continue
    if case == "none":
        assert report.ok, report.text
        print(f"mpi: {(time.perf_counter() - began) / comm.size * 1e3:.1f} ms and {len(captures[0])} bytes per piece")
    else:
        assert rule in [finding.rule for finding in report.findings], (case, report.text)
