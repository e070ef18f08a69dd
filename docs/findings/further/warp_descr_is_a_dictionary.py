# SPDX-License-Identifier: MIT
"""`descr` of an array of structures is a dictionary instead of a list.

Library: warp 1.19
Rules: NAI106, CAI111
Clause: NumPy array interface protocol, version 3, descr ("a list of tuples")
Impact: readers that iterate over the fields of descr, such as numpy.lib.format: they get the keys of the dictionary.
    NumPy itself accepts it.
"""

import warp


@warp.struct
class Particle:
    mass: warp.float32
    place: warp.vec3


array = warp.zeros(3, dtype=Particle, device="cpu")
assert isinstance(array.__array_interface__["descr"], dict)
