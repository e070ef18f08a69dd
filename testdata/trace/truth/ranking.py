"""Ranking of places: boosted trees of XGBoost, which reads and exports array interfaces, distances of pyproj, and digests of xxhash, mmh3 and cramjam. The
expectations were written before the program was traced for the first time, from the sources of the libraries."""
import array

import numpy as np
import cramjam  # expect: any
import mmh3  # expect: any
import xgboost  # expect: any
import xxhash  # expect: any
from pyproj import Geod, Transformer  # expect: any

N_BATCHES, N_PLACES = 20, 64

geod = Geod(ellps="WGS84")
mercator = Transformer.from_crs("EPSG:4326", "EPSG:3857", always_xy=True)


def places(seed):
    numbers = np.arange(N_PLACES) * (seed + 7) % 61
    return numbers * 1.5 - 40, numbers * 0.7 - 20


def features(lon, lat):
    # What is transformed are copies that pyproj makes with ndarray.astype.
    x, y = mercator.transform(lon, lat)  # expect: buffer numpy>pyproj 40
    ahead, back, distance = geod.inv(lon, lat, np.zeros_like(lon), np.zeros_like(lat))  # expect: buffer numpy>pyproj 80
    return np.stack([x, y, ahead, distance], axis=1).astype("f4")


def listed(lon, lat):
    x, y = mercator.transform(lon.tolist(), lat.tolist())  # expect: buffer python>pyproj 40
    z, w = mercator.transform(array.array("d", lon), array.array("d", lat))  # expect: buffer python>pyproj 40
    return x[0] + y[0] + z[0] + w[0]


def train(x, y):
    # The interface of the labels is read to find a mask, and to pass it on.
    data = xgboost.DMatrix(x, label=y, nthread=1)  # expect: numpy numpy>xgboost 60
    return xgboost.train({"max_depth": 2, "nthread": 1, "verbosity": 0}, data, 2)


total = 0.0
for batch in range(N_BATCHES):
    lon, lat = places(batch)
    x = features(lon, lat)
    total += listed(lon, lat)
    model = train(x, (x[:, 3] > 2e6).astype("f4"))
    # The interface of an empty array is changed to that of the results, which are copied.
    result = model.inplace_predict(x)  # expect: numpy numpy>xgboost 40; numpy xgboost>numpy 20 copied
    total += float(result.sum())
    total += xxhash.xxh64_intdigest(x) % 1000  # expect: buffer numpy>xxhash 20
    total += mmh3.mmh3_x64_128_digest(result)[0]  # expect: buffer numpy>mmh3 20
    packed = cramjam.zlib.compress(x, level=1)  # expect: buffer numpy>cramjam 20
    back = np.frombuffer(cramjam.zlib.decompress(packed), dtype="f4")  # expect: buffer cramjam>numpy 20 shared
    assert (back.reshape(x.shape) == x).all()
print(round(total, 3))
