# SPDX-License-Identifier: MIT
"""`CrossSection` of objects that are not arrays aborts the process instead of raising TypeError.

Library: manifold3d 3.5
Rules: DLC001
Clause: derived from Python array API standard, version 2025.12, from_dlpack
Impact: code that passes a list of another array library: the message of the TypeError cannot be made, and nanobind
    terminates the process.
"""

import os

import manifold3d

os.fork() or manifold3d.CrossSection([object()])
assert os.WTERMSIG(os.wait()[1]) == 6
