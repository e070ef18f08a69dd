"""dask_array.py RECIPE: runs it on an array of 256 chunks without faults, then on one with eight."""

import sys
import time

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster, wait

import suai
from faults import check, make_block, place_faults

GRID = (16, 16)
FAULTS = place_faults((i, i + 1) for i in range(8))
LOST = (15, 0)


def make_array(name, faults):
    def make(block_info):
        info = block_info[None]
        return make_block(info["chunk-shape"], faults.get(tuple(info["chunk-location"])))

    array = da.map_blocks(make, name=name, chunks=((50,) * 16, (40,) * 16), meta=np.empty((0, 0), "f4")).persist()
    wait(array)
    return array


def count_transfers(dask_worker):
    return dask_worker.state.transfer_incoming_count_total


def lose(key, dask_worker):
    if key in dask_worker.data:
        del dask_worker.data[key]


if __name__ == "__main__":
    recipe = compile(open(sys.argv[1]).read(), sys.argv[1], "exec")
    with LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        x = make_array("x", {})
        before = client.run(count_transfers)
        began = time.perf_counter()
        exec(recipe)
        seconds = time.perf_counter() - began
        assert report.ok and len(captures) == 256, report.text
        assert client.run(count_transfers) == before, "a chunk was transferred"
        n_bytes = sum(map(len, captures.values()))
        print(f"dask: {seconds / 256 * 1e3:.1f} ms and {n_bytes // 256} bytes per piece")
        assert n_bytes < 256 * 16384
        x = make_array("y", FAULTS)
        client.run(lose, (x.name, *LOST))
        exec(recipe)
        check(report, "y", FAULTS, [("y", "PCS306")])
