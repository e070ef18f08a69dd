# SPDX-License-Identifier: MIT
"""Results of convert as objects that validate can create for each trial: made("sources.numpy", "sycl")."""

import importlib
import os
import sys

import _suai

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "pairs"))


def named(name):
    """The object of pairs called name, such as "sources.numpy"."""
    module, _, attribute = name.partition(".")
    return getattr(importlib.import_module(module), attribute)


def made(source, target, **settings):
    """Converts a source, an object or the name of one in pairs ("sources.numpy"), to a target as written in the tables:
    dlpack-0 is a version, dlpack@cpu a device."""
    if isinstance(source, str):
        source = named(source)
    protocol, at, device = target.partition("@")
    protocol, has_version, version = protocol.partition("-")
    if at:
        settings["device"] = {
            "cpu": {"runtime": "host"},
            "sycl": {"runtime": "sycl", "filter": "cpu"},
            "opencl": {"runtime": "opencl", "platform": 0, "id": 0},
            "cuda": {"runtime": "cuda", "id": 0},
        }[device]
    if has_version:
        settings["interface_version"] = int(version)
    return _suai.convert(source, {"to": protocol, **settings})
