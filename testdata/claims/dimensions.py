# SPDX-License-Identifier: MIT
"""Dictionaries, structs and buffers of 70 dimensions, each named after the rules that it violates."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from claims import array as _array, exporter as _exporter, structure as _structure

_ones, _eights = (1,) * 70, (8,) * 70

NAI102 = _array(shape=_ones)
NAI102_NAI401 = _array(shape=_ones, data=(0, False))
NAI102_NAI402 = _array(shape=_ones, data=(8, False))
NAI102_NAI302 = _array(shape=(*_ones, 10**12))
NAI110 = _structure(nd=70, shape=_ones, strides=_eights)
NAI110_NAI401 = _structure(nd=70, shape=_ones, strides=_eights, data=None)
NAI110_wild = _structure(nd=2**31 - 1)
BUF104 = _exporter(ndim=70, shape=_ones, strides=_eights, len=8)
BUF104_BUF402 = _exporter(ndim=70, shape=_ones, strides=_eights, len=8, buf=0)
BUF104_wild_extent = _exporter(ndim=70, shape=(-2, *_ones[1:]), strides=_eights, len=8)
BUF104_wild = _exporter(ndim=2**31 - 1)
