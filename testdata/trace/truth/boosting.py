"""Boosted trees in processes that loky starts: LightGBM and safetensors; run with --follow. The expectations were written before the program was traced for
the first time, from the sources of the libraries: a Dataset keeps float64 in either order and converts other matrices by numpy.asarray, reads its labels and
weights back through arrays of ctypes, and predict() converts as it does; safetensors reads each tensor by numpy.frombuffer."""
import sys

import lightgbm  # expect: any
import numpy as np
import safetensors.numpy
from loky import ProcessPoolExecutor  # expect: any

N_FOLDS, N_ROWS, N_COLUMNS = 8, 200, 6
OPTIONS = {"verbose": -1, "num_threads": 1, "deterministic": True, "seed": 1}


def fit(seed):
    rng = np.random.default_rng(seed)
    table = rng.random((N_ROWS, N_COLUMNS))
    label = (table.sum(axis=1) > N_COLUMNS / 2).astype("f4")
    weight = rng.random(N_ROWS)
    counts = (table * 100).astype("i4")
    data = [
        lightgbm.Dataset(table, label=label).construct(),  # expect: buffer python>numpy 8 shared
        lightgbm.Dataset(np.asfortranarray(table), label=label, weight=weight).construct(),  # expect: buffer python>numpy 16 shared
        lightgbm.Dataset(counts, label=label).construct(),  # expect: numpy-api numpy>lightgbm 8 copied; buffer python>numpy 8 shared
        lightgbm.Dataset(table[::2], label=label[::2]).construct(),  # expect: numpy-api numpy>lightgbm 8 copied; buffer python>numpy 8 shared
    ]
    total = 0.0
    for part in data:
        model = lightgbm.train(OPTIONS, part, num_boost_round=3)
        total += float(model.predict(table).sum())
        total += float(model.predict(counts).sum())  # expect: numpy-api numpy>lightgbm 32 copied
        total += float(model.predict(table[:, ::-1]).sum())  # expect: numpy-api numpy>lightgbm 32 copied
        total += float(model.predict(table[0:20].astype("f4")).sum())
    saved = safetensors.numpy.save({"table": table, "counts": counts, "label": label})
    for array in safetensors.numpy.load(saved).values():  # expect: buffer python>numpy 24 shared
        total += float(array.sum())
    return total


if __name__ == "__main__":
    sys.path.insert(0, __file__.rpartition("/")[0])
    import boosting

    with ProcessPoolExecutor(max_workers=2) as pool:
        totals = list(pool.map(boosting.fit, range(N_FOLDS - 1)))
    print(round(sum(totals) + boosting.fit(N_FOLDS - 1), 6))
