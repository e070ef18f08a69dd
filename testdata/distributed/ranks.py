"""Rank 0 is the last to finish."""

import os
import time

import numpy as np
from mpi4py import MPI

rank = MPI.COMM_WORLD.Get_rank()
if rank == 0:
    time.sleep(float(os.environ["SECONDS_BUSY"]))
a = np.full((4, 3), rank, dtype="f4")
