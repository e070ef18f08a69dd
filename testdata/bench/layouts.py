# SPDX-License-Identifier: MIT
"""Layouts for testdata/bench/copies.py and tools/bench-cuda: the 57 transpositions of the TTC benchmark, random ones, planes
of items that become neighbours, or the reverse, and views that are not permutations of a dense array."""
import math
import os
import random
import re

HERE = os.path.dirname(os.path.abspath(__file__))
ITEM_BYTES = {"u1": 1, "u2": 2, "f4": 4, "f8": 8, "c16": 16, ">u2": 2, ">f4": 4, ">f8": 8, ">c16": 16}
ITEM_BYTES.update({f"V{n}": n for n in (3, 5, 6, 7, 12, 24, 32, 40)})


def ttc(types, part):
    """Cases by name: type, shape in C order and view. The file has the fastest dimension first; the longest dimension that
    is the fastest on neither side has its extent divided by part, a number or a function of the type."""
    with open(os.path.join(HERE, "ttc.txt"), encoding="ascii") as file:
        lines = [[int(word) for word in line.split()] for line in file if line.strip()]
    cases = {}
    for typestr in types:
        for n, *numbers in lines:
            permutation, shape = numbers[:n], numbers[n:][::-1]
            axes = tuple(n - 1 - d for d in reversed(permutation))
            outer = [d for d in range(n) if d not in (n - 1, axes[-1])] or [0]
            longest = max(outer, key=lambda d: shape[d])
            shape[longest] = max(1, int(shape[longest] / (part(typestr) if callable(part) else part)))
            cases[f"{typestr} {axes} of {tuple(shape)}"] = typestr, tuple(shape), lambda a, axes=axes: a.transpose(axes)
    return cases


def drawn(seed, count, types, most_bytes, least_bytes):
    """Random cases: 2 to 8 dimensions, permuted, with steps and reversals, least_bytes to most_bytes before the steps."""
    rng = random.Random(seed)
    cases = {}
    for number in range(count):
        typestr, n = rng.choice(types), rng.randint(2, 8)
        n_items = math.exp(rng.uniform(math.log(least_bytes), math.log(most_bytes))) / ITEM_BYTES[typestr]
        weights = [rng.uniform(0.4, 1.6) for _ in range(n)]
        shape = tuple(max(2, round(n_items ** (w / sum(weights)))) for w in weights)
        steps = [rng.choice([1, 1, 1, 2, 3, -1]) if rng.random() < 0.3 else 1 for _ in shape]
        axes = tuple(rng.sample(range(n), n))
        cases[f"{number}: {typestr} {axes} of {shape} by {steps}"] = typestr, shape, view_of(axes, steps)
    return cases


def planes(seed, count, types, most_bytes, least_bytes, numbers=(2, 3, 4)):
    """Random cases: 2 to 4 planes of 64 to 30,000 items, or as many as numbers has, become lines of neighbouring items, or the
    reverse, as between NCHW and NHWC; the rows of the source may be padded."""
    rng = random.Random(seed)
    cases = {}
    for number in range(count):
        typestr, n_planes = rng.choice([typestr for typestr in types if ITEM_BYTES[typestr] <= 8]), rng.choice(numbers)
        n_items = int(math.exp(rng.uniform(math.log(64), math.log(30000))))
        n_bytes = math.exp(rng.uniform(math.log(least_bytes), math.log(most_bytes / 5)))
        n_lines = max(1, int(n_bytes / ITEM_BYTES[typestr] / n_items / n_planes))
        padded = n_items + rng.choice([0, 0, rng.randint(1, 40)])
        if rng.random() < 0.5:
            shape, view = (n_lines, n_planes, padded), lambda a, n=n_items: a[..., :n].transpose(0, 2, 1)
        else:
            shape, view = (n_lines, padded, n_planes), lambda a, n=n_items: a[:, :n].transpose(0, 2, 1)
        cases[f"{number}: {typestr} (0, 2, 1) of {shape}, {n_items} of {padded}"] = typestr, shape, view
    return cases


def views(seed, count, types, most_bytes, least_bytes):
    """Random cases, each permuted: sliding windows, diagonals of matrices, dimensions of stride 0, steps in each dimension, and
    rows of 1 to 3 items of longer ones. The larger of array and result has about least_bytes to most_bytes."""
    from numpy.lib.stride_tricks import as_strided, sliding_window_view

    rng = random.Random(seed)
    cases = {}
    for number in range(count):
        typestr, kind = rng.choice(types), ("windows", "diagonals", "broadcast", "steps", "short rows")[number % 5]
        n_items = max(64, math.exp(rng.uniform(math.log(least_bytes), math.log(most_bytes))) / ITEM_BYTES[typestr])
        n = rng.randint(1, 4)
        weights = [rng.uniform(0.5, 1.5) for _ in range(n)]
        sized = lambda items: tuple(max(2, round(max(1, items) ** (w / sum(weights)))) for w in weights)
        if kind == "windows":
            windows = [rng.randint(2, 9) for _ in range(rng.randint(1, 2))]
            inner = [rng.randint(10, 60) for _ in windows]
            shape = (*sized(n_items / math.prod(windows) / math.prod(inner)), *inner)
            view = lambda a, w=windows: sliding_window_view(a, w, tuple(range(a.ndim - len(w), a.ndim)))
            words, n_dims = f"windows of {windows}", n + 2 * len(windows)
        elif kind == "diagonals":
            side = rng.randint(8, 200)
            shape = (*sized(n_items / side**2), side, side)
            view = lambda a: a.diagonal(axis1=-2, axis2=-1)
            words, n_dims = "diagonals", n + 1
        elif kind == "broadcast":
            at, extent = rng.randint(0, n), rng.randint(2, 24)
            shape = sized(n_items / extent)
            view = lambda a, at=at, e=extent: as_strided(
                a, (*a.shape[:at], e, *a.shape[at:]), (*a.strides[:at], 0, *a.strides[at:])
            )
            words, n_dims = f"{extent} times before dimension {at}", n + 1
        elif kind == "steps":
            shape, steps = sized(n_items), [rng.choice([2, 3, -1, -2]) for _ in range(n)]
            view = lambda a, steps=steps: a[tuple(slice(None, None, step) for step in steps)]
            words, n_dims = f"steps {steps}", n
        else:
            extent, kept = rng.randint(4, 40), rng.randint(1, 3)
            shape = (*sized(n_items / extent), extent)
            view = lambda a, first=rng.randint(0, extent - kept), kept=kept: a[..., first : first + kept]
            words, n_dims = f"{kept} of {extent}", n + 1
        axes = tuple(rng.sample(range(n_dims), n_dims)) if rng.random() < 0.6 else tuple(range(n_dims))
        name = f"{number}: {typestr} {axes} of {shape}, {words}"
        cases[name] = typestr, shape, lambda a, view=view, axes=axes: view(a).transpose(axes)
    return cases


def narrow(seed, count, types, most_bytes, least_bytes):
    """Random cases: transposes of matrices with 2 to 33 columns, or as many rows."""
    rng = random.Random(seed)
    cases = {}
    for number in range(count):
        typestr, few = rng.choice(types), rng.choice([2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 16, 17, 24, 31, 33])
        n_bytes = math.exp(rng.uniform(math.log(least_bytes), math.log(most_bytes)))
        many = max(2, int(n_bytes / ITEM_BYTES[typestr] / few))
        shape = (many, few) if rng.random() < 0.5 else (few, many)
        cases[f"{number}: {typestr} (1, 0) of {shape}"] = typestr, shape, lambda a: a.T
    return cases


def batches(seed, count, types, most_bytes, least_bytes):
    """Random cases: transposes of many matrices that follow each other, with 3 to 33 columns and 3 to 400 rows, or the reverse."""
    rng = random.Random(seed)
    cases = {}
    for number in range(count):
        typestr, few, many = rng.choice(types), rng.randint(3, 33), int(math.exp(rng.uniform(math.log(3), math.log(400))))
        n_bytes = math.exp(rng.uniform(math.log(least_bytes), math.log(most_bytes)))
        n = max(2, int(n_bytes / ITEM_BYTES[typestr] / few / many))
        shape = (n, many, few) if rng.random() < 0.6 else (n, few, many)
        cases[f"{number}: {typestr} (0, 2, 1) of {shape}"] = typestr, shape, lambda a: a.transpose(0, 2, 1)
    return cases


def fields(seed, count, types, most_bytes, least_bytes):
    """Random cases: a field of packed records, an element or a row of up to 300 or a matrix, possibly permuted. Elements begin
    at any byte."""
    rng = random.Random(seed)
    cases = {}
    for number in range(count):
        typestr, other = rng.choice(types), rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 20, 30])
        inner = rng.choice([(), (rng.randint(2, 300),), (rng.randint(2, 30), rng.randint(2, 300))])
        outer = rng.choice([(), (rng.randint(2, 300),)])
        n_items = math.exp(rng.uniform(math.log(least_bytes), math.log(most_bytes))) / ITEM_BYTES[typestr]
        shape = (max(2, int(n_items / math.prod(inner + outer))), *outer)
        n_dims = len(shape + inner)
        axes = tuple(rng.sample(range(n_dims), n_dims)) if rng.random() < 0.4 else tuple(range(n_dims))
        record = [("other", f"V{other}"), ("field", typestr, inner)]
        name = f"{number}: {typestr} {axes} of {shape} records of {other} bytes and {inner or 1}"
        cases[name] = record, shape, lambda a, axes=axes: a["field"].transpose(axes)
    return cases


def view_of(axes, steps):
    return lambda a: a[tuple(slice(None, None, step) for step in steps)].transpose(axes)


def named(names):
    """Cases by the names that a table prints, separated by semicolons: "u2 (0, 2, 1) of (99, 9, 21)", also with steps."""
    numbers = lambda text: tuple(int(word) for word in text.split(",") if word.strip())
    cases = {}
    for name in names.split(";"):
        found = re.fullmatch(r"(?:\d+: )?(>?\w+) \(([\d, ]+)\) of \(([\d, ]+)\)(?: by \[([-\d, ]+)\])?", name.strip())
        if not found or found[1] not in ITEM_BYTES:
            raise SystemExit(f"--table: '{name}' is not a layout such as 'u2 (0, 2, 1) of (99, 9, 21)'")
        axes, shape = numbers(found[2]), numbers(found[3])
        steps = numbers(found[4]) if found[4] else (1,) * len(shape)
        cases[name.strip()] = found[1], shape, view_of(axes, steps)
    return cases


def table(words, types, part, most_bytes, least_bytes=1 << 16):
    """The cases of --table: "ttc", "planes:SEED:COUNT", "channels:SEED:COUNT" (5 to 31 planes), "views:SEED:COUNT",
    "narrow:SEED:COUNT", "batches:SEED:COUNT", "fields:SEED:COUNT", "random:SEED:COUNT" (any other word for random), or names."""
    if words == "ttc":
        return ttc(types, part)
    if "(" in words:
        return named(words)
    name, seed, count = words.split(":")
    if name == "channels":
        return planes(int(seed), int(count), types, most_bytes, least_bytes, range(5, 32))
    drawing = {"planes": planes, "views": views, "narrow": narrow, "batches": batches, "fields": fields}.get(name, drawn)
    return drawing(int(seed), int(count), types, most_bytes, least_bytes)
