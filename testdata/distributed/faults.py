"""Blocks with the faults that the recipes of docs/distributed.md must find."""

import numpy as np


class OnDevice:
    def __init__(self, shape):
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": "<f4",
            "data": (1 << 20, False),
            "strides": None,
            "stream": None,
            "version": 3,
        }


def read_only(block):
    block.setflags(write=False)
    return block


FAULTS = {
    "shape": (lambda block: block[:-1], "PCS303"),
    "dimensions": (lambda block: block.ravel(), "PCS303"),
    "dtype": (lambda block: block.astype("f8"), "PCS201"),
    "byte order": (lambda block: block.astype(">f4"), "PCS201"),
    "order": (np.asfortranarray, "PCS304"),
    "access": (read_only, "PCS801"),
    "device": (lambda block: OnDevice(block.shape), "PCS501"),
}


def place_faults(indices):
    """The faults by the indices of the blocks that have them: the first ones."""
    return dict(zip(indices, FAULTS))


def make_block(shape, fault=None):
    block = np.zeros(shape, "f4")
    return FAULTS[fault][0](block) if fault else block


def check(report, name, faults, others=()):
    """The findings are those of the faults, and others."""
    found = sorted((finding.target, finding.rule) for finding in report.findings)
    expected = [(f"{name}[{', '.join(map(str, index))}]", FAULTS[fault][1]) for index, fault in faults.items()]
    assert found == sorted([*expected, *others]), found
