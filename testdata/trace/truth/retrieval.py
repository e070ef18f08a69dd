"""Retrieval of documents: pandas and Arrow tables, nanoarrow, hashed features of scikit-learn, SciPy's sparse matrices, and
an index of hnswlib (pybind11).

The expectations were written from the documentation and the sources of the libraries, before this program was traced and
without knowledge of how the tracer works. One of them was wrong: pandas passes what corr() computes to numpy.asarray.
"""
import warnings

import numpy as np
import hnswlib  # expect: any
import nanoarrow as na  # expect: any
import pandas as pd  # expect: any
import pyarrow as pa  # expect: any
import scipy.sparse  # expect: any
from sklearn.feature_extraction import FeatureHasher  # expect: any
from sklearn.utils import murmurhash3_32  # expect: any
from sklearn.utils.extmath import row_norms  # expect: any
from sklearn.utils.sparsefuncs_fast import inplace_csr_row_normalize_l2  # expect: any

BATCHES, ROWS, WORDS, FEATURES, DIMENSIONS = 16, 64, 24, 4096, 32
vocabulary = ["word%d" % i for i in range(500)]


def batch(number):
    """Documents, and what readers did with them."""
    documents = [[vocabulary[(number * 131 + row * 17 + k * k * 7) % 500] for k in range(WORDS)] for row in range(ROWS)]
    clicks = np.sin(np.arange(ROWS * 8, dtype="f8") + number).reshape(ROWS, 8)
    return documents, clicks


def statistics(clicks):
    # The constructor copies, so that the caller may change the array.
    frame = pd.DataFrame(clicks)  # expect: numpy-api numpy>pandas 16 copied
    # The matrix, the mask and the result are typed memoryviews or buffers; NumPy's isfinite reads the first of them, and its
    # asarray the last.
    related = frame.corr()  # expect: buffer numpy>pandas 48; buffer pandas>numpy 32 shared=16
    # The table of blocks, of two arrays, which frame[0] builds; roll_mean: values, start, end and the result; a check of the
    # windows: start and end, twice each.
    trend = frame[0].rolling(5).mean()  # expect: buffer numpy>pandas 160
    borrowed = pd.DataFrame(clicks, copy=False)
    return related.shape, float(trend.iloc[-1]), np.shares_memory(borrowed.to_numpy(), clicks)


def hashed(documents):
    # Rows of hashed words are neither sorted nor free of duplicates: is it canonical (2), is it sorted (2), sort (3), sum (3).
    return FeatureHasher(FEATURES, input_type="string").transform(documents)  # expect: numpy-api numpy>scipy 160 shared


def normalised(features):
    # Values, columns and starts of the rows.
    inplace_csr_row_normalize_l2(features)  # expect: buffer numpy>sklearn 48
    # Values, starts of the rows and the result, which NumPy takes back.
    norms = row_norms(features, squared=True)  # expect: buffer numpy>sklearn 48; buffer sklearn>numpy 16 shared
    return norms


def bucketed(keys):
    # The keys and the hashes, which NumPy takes back.
    return murmurhash3_32(keys, positive=True)  # expect: buffer numpy>sklearn 32; buffer sklearn>numpy 16 shared


def projected(features, projection):
    # csr_matvecs: starts, columns, values, the matrix and the result.
    dense = features @ projection  # expect: numpy-api numpy>scipy 80 shared
    # csr_tocsc: starts, columns, values, and the same of the result.
    columns = features.tocsc()  # expect: numpy-api numpy>scipy 96 shared
    assert columns.nnz == features.nnz
    return dense


def indexed(index, dense, first):
    single = dense.astype("f4")
    # The index counts with unsigned integers, and converts these labels silently: pybind11 makes arrays of both arguments, and
    # reads the buffers of the arrays.
    index.add_items(single, np.arange(first, first + ROWS), 1)  # expect: numpy-api numpy>hnswlib 32 shared=16 copied=16; buffer numpy>hnswlib 32
    # ... and these rows of double precision.
    labels, distances = index.knn_query(dense[:4], k=1, num_threads=1)  # expect: numpy-api numpy>hnswlib 16 copied; buffer numpy>hnswlib 16
    return labels, distances


def stored(dense):
    """A column of Arrow for each batch."""
    column = pa.array(dense[:, 0].copy())
    raw = na.c_buffer(dense)  # expect: buffer numpy>nanoarrow 16
    again = np.frombuffer(raw, dtype="f8")  # expect: buffer nanoarrow>numpy 16 shared
    view = na.c_buffer(column.buffers()[1]).view()  # expect: buffer pyarrow>nanoarrow 16
    bytes_of_column = np.frombuffer(view, dtype="f8")  # expect: buffer nanoarrow>numpy 16 shared
    assert np.array_equal(bytes_of_column, dense[:, 0])
    # nanoarrow refers to the capsule, and never marks it as consumed.
    tensor = na.c_buffer(column)  # expect: dlpack pyarrow> 0 never=16
    values = np.from_dlpack(tensor.view())  # expect: dlpack nanoarrow>numpy 16 shared
    own = np.from_dlpack(column)  # expect: dlpack pyarrow>numpy 16 shared
    assert np.array_equal(values, own)
    return np.shares_memory(again, dense)


warnings.simplefilter("ignore", DeprecationWarning)  # nanoarrow requests capsules without a version
projection = np.cos(np.arange(FEATURES * DIMENSIONS, dtype="f8")).reshape(FEATURES, DIMENSIONS)
index = hnswlib.Index(space="l2", dim=DIMENSIONS)
index.init_index(max_elements=BATCHES * ROWS)
found, summaries = 0, []

for number in range(BATCHES):
    documents, clicks = batch(number)
    summaries.append(statistics(clicks))
    features = hashed(documents)
    # scikit-learn returns another matrix of the same arrays, which does not know it.
    assert features.has_canonical_format  # expect: numpy-api numpy>scipy 32 shared
    norms = normalised(features)
    keys = np.arange(ROWS * 8, dtype="i4").reshape(ROWS, 8) * (number + 1)
    buckets = bucketed(keys)
    dense = projected(features, projection)
    labels, distances = indexed(index, dense, number * ROWS)
    found += int((labels[:, 0] == np.arange(number * ROWS, number * ROWS + 4)).sum())
    assert stored(dense)

print(len(summaries), summaries[0][0], found > BATCHES, bool(np.allclose(norms, 1)), int(buckets[0, 0]), features.shape)
