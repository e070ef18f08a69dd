# SPDX-License-Identifier: MIT
"""The `descr` of an array of structures is a dictionary, where the document has a list.

Library: warp 1.19
Rules: NAI106, CAI111
Clause: NumPy array interface protocol, version 3, descr ("a list of tuples")
Hurts: readers that iterate over the fields of descr, as numpy.lib.format does: they get keys of the dictionary. NumPy itself reads it.
"""

import warp


@warp.struct
class Particle:
    mass: warp.float32
    place: warp.vec3


array = warp.zeros(3, dtype=Particle, device="cpu")
assert isinstance(array.__array_interface__["descr"], dict)
