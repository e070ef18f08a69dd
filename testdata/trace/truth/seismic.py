"""Seismic array processing: simulate, archive, window, transform, stack.

Stations are simulated by worker processes, archived with h5py and netCDF,
cut into windows, and analysed with JAX and PyTorch over shared memory.
The expectations are those of an author who did not know the tracer, but for the protocol numpy-api; lines at which JAX
compiles, and those that import libraries, have none, except for the constant that it receives at the line of the tapers.
"""
import multiprocessing as mp
import os
import tempfile

import numpy as np
from scipy import signal  # expect: any

N_STATIONS = 8
N_SAMPLES = 8192
WINDOW = 1024
N_WINDOWS = N_STATIONS * N_SAMPLES // WINDOW      # 64
N_TAPERS = 16
N_LAGS = 20


def simulate(station):
    """Band-passed noise of one station (runs in a worker process)."""
    rng = np.random.default_rng(1000 + station)
    sos = signal.butter(4, [0.02, 0.2], btype="bandpass", output="sos")  # expect: any
    return signal.sosfilt(sos, rng.standard_normal(N_SAMPLES))  # expect: buffer numpy>scipy 24; numpy-api numpy>scipy 8 copied


def aligned(n):
    """float32 memory on a 64-byte boundary."""
    raw = np.zeros(n + 32, dtype=np.float32)
    skip = (-raw.ctypes.data % 64) // 4
    return raw[skip:skip + n]


def archive(traces, folder):
    import h5py
    import xarray as xr  # expect: any

    path = os.path.join(folder, "traces.h5")
    with h5py.File(path, "w") as f:
        for s, trace in enumerate(traces):
            f.create_dataset(f"station/{s}", data=trace)
    with h5py.File(path, "r") as f:
        back = np.stack([f[f"station/{s}"][...] for s in range(N_STATIONS)])

    cube = xr.DataArray(back, dims=("station", "time"), name="velocity")
    nc = os.path.join(folder, "traces.nc")
    cube.to_netcdf(nc, engine="netcdf4")  # expect: any
    with xr.open_dataset(nc, engine="netcdf4") as ds:
        return ds["velocity"].values


def jax_spectra(record):
    import jax
    import jax.numpy as jnp

    power = jax.jit(lambda x: jnp.abs(jnp.fft.rfft(x))[:512] ** 2)
    total = np.zeros(512)
    results = []
    for w in range(N_WINDOWS):
        window = jax.dlpack.from_dlpack(record[w * WINDOW:(w + 1) * WINDOW])  # expect: dlpack numpy>jaxlib 64 shared
        spectrum = power(window)  # expect: any
        total += np.from_dlpack(spectrum)  # expect: dlpack jaxlib>numpy 64 shared
        results.append(spectrum)
    lagged = 0.0
    for lag in range(1, N_LAGS + 1):
        shifted = jax.dlpack.from_dlpack(record[16 * lag + 1:16 * lag + 1 + WINDOW])  # expect: dlpack numpy>jaxlib 20 copied
        lagged += float(jnp.vdot(shifted, shifted))  # expect: any
    energy = 0.0
    for k in range(N_TAPERS):
        taper = jax.dlpack.from_dlpack(signal.windows.dpss(256, 2.5 + k / 8))  # expect: dlpack numpy>jaxlib 17 copied=16; dlpack numpy> 0 never=1
        energy += float(taper.sum())  # expect: any
    return total, results, lagged, energy


def torch_envelopes(record, spectra):
    import jax
    import torch

    kernel = torch.ones(1, 1, 9) / 9
    peaks = []
    for w in range(N_WINDOWS):
        x = torch.from_dlpack(record[w * WINDOW:(w + 1) * WINDOW])  # expect: dlpack numpy>torch 64 shared
        y = torch.nn.functional.conv1d(x.abs().view(1, 1, -1), kernel)[0, 0]
        peaks.append(np.from_dlpack(y).max())  # expect: dlpack torch>numpy 64 shared
    mass = 0.0
    for spectrum in spectra:
        mass += torch.from_dlpack(spectrum).sum().item()  # expect: dlpack jaxlib>torch 64 shared
    norms = 0.0
    for s in range(N_STATIONS):
        whole = torch.frombuffer(record[s * N_SAMPLES:(s + 1) * N_SAMPLES], dtype=torch.float32)  # expect: buffer numpy>torch 8 shared
        ramp = jax.dlpack.from_dlpack(torch.cumsum(whole, 0))  # expect: dlpack torch>jaxlib 8 shared
        norms += float(ramp[-1])  # expect: any
    return np.array(peaks), mass, norms


def block_energy(block):
    import torch
    x = torch.from_dlpack(block)  # expect: dlpack numpy>torch 32 shared
    return np.array([[float((x * x).sum())]])


def dask_energy(record):
    import dask.array as da

    grid = da.from_array(record.reshape(N_STATIONS, N_SAMPLES), chunks=(2, 1024), name="record")
    energy = grid.map_blocks(block_energy, chunks=(1, 1), dtype=np.float64,
                             meta=np.empty((0, 0)), name="energy")
    return energy.compute(scheduler="threads", num_workers=4)


def main():
    from scipy.spatial import cKDTree

    with mp.get_context("spawn").Pool(2) as pool:
        traces = pool.map(simulate, range(N_STATIONS), chunksize=1)

    with tempfile.TemporaryDirectory() as folder:
        velocity = archive(traces, folder)

    record = aligned(N_STATIONS * N_SAMPLES)
    record[:] = velocity.ravel()
    total, spectra, lagged, energy = jax_spectra(record)
    peaks, mass, norms = torch_envelopes(record, spectra)
    blocks = dask_energy(record)

    points = np.column_stack([peaks, np.arange(N_WINDOWS) / N_WINDOWS])
    tree = cKDTree(points)  # expect: buffer numpy>scipy 2
    reach = sum(tree.query(points[k], k=2)[0][1] for k in range(10))  # expect: buffer numpy>scipy 40; buffer scipy>numpy 20

    print("spectrum %.2f mass %.2f" % (total.sum(), mass))
    print("lagged %.3f tapers %.3f" % (lagged, energy))
    print("peaks %.4f norms %.2f" % (peaks.sum(), norms))
    print("blocks", blocks.shape, "%.2f" % blocks.sum(), "reach %.4f" % reach)


if __name__ == "__main__":
    main()
