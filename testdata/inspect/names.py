# SPDX-License-Identifier: MIT
"""What a target without an expression finds, and the environment of a script."""

import array
import os
import sys

print("the script prints", file=sys.stdout)


class Exporter:
    __array_interface__ = {"shape": (1,), "typestr": "<f4", "data": (0x1000, False), "version": 3}


class Lazy:
    def __getattr__(self, name):
        if name == "__array_interface__":
            return Exporter.__array_interface__
        raise AttributeError(name)


class Fussy:
    @property
    def __array_interface__(self):
        raise ValueError("asked")


class Half:
    def __dlpack_device__(self):
        return (1, 0)


first = second = Exporter()
_hidden = Exporter()
lazy, fussy, half = Lazy(), Fussy(), Half()
buffer_only = array.array("d", [1, 2])
number, text, nothing = 3, "text", None
third = first
exporters = [Exporter()]


def make(n=1):
    return Exporter()


def broken():
    return undefined_name  # noqa: F821


def leave(code):
    sys.exit(code)


def __getattr__(name):
    if name == "on_demand":
        return Exporter()
    raise AttributeError(name)


facts = {
    "name": __name__,
    "file": __file__,
    "registered": sys.modules.get(__name__) is not None,
    "argv": sys.argv,
    "path": sys.path[0],
    "here": os.path.dirname(os.path.realpath(__file__)),
}
said = Exporter()
said.__array_interface__ = facts
