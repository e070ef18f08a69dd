# A Dask LocalCluster with a worker process: run with --follow. The worker imports this file: the code of functions that cloudpickle
# sends to it has no file.
import array

import dask
import numpy as np
from dask.distributed import Client, LocalCluster  # expect: any # expect elsewhere: any


def work(n):
    for i in range(n):
        v = np.from_dlpack(np.arange(16.0))  # expect: dlpack numpy>numpy 200 shared
    w = np.asarray(array.array("d", range(16)), dtype=np.float32)  # expect: buffer python>numpy 10 copied
    return float(np.from_dlpack(v, copy=True).sum())  # expect: dlpack numpy>numpy 10 copied


if __name__ == "__main__":
    import dask_cluster

    dask.config.set({"distributed.worker.daemon": False})
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        print(sum(client.gather([client.submit(dask_cluster.work, 20, pure=False) for i in range(10)])))
