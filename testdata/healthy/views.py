# SPDX-License-Identifier: MIT
"""The views that an array of three rows of four can have, in any library."""

import random


def views(name, base):
    yield name, base
    yield name + "_sliced", base[1:, ::2]
    yield name + "_column", base[:, 1]
    yield name + "_reversed", base[::-1, ::-1]
    yield name + "_rows_reversed", base[::-1, :]
    yield name + "_transposed", base.T
    yield name + "_one_row", base[1:2, :]
    yield name + "_one_column", base[:, 2:3]
    yield name + "_one_element", base[2:, 3:]
    yield name + "_one_of_steps", base[::3, ::4]
    yield name + "_new_axes", base[None, :, None, ::2]
    yield name + "_0d", base[1, 2, ...]
    yield name + "_empty", base[:0, :]
    yield name + "_empty_inside", base[1:1, ::2]
    yield name + "_empty_rows", base[:, 4:]
    yield name + "_empty_at_end", base[3:, 4:]


def chains(make, name="chain", n_chains=60):
    """Views of views of arrays of up to four dimensions, some of them empty; the same in each run."""
    choose = random.Random(7)
    for i in range(n_chains):
        view = make(tuple(choose.choice((0, 1, 2, 3, 4, 5)) for _ in range(choose.randint(1, 4))))
        for _ in range(choose.randint(1, 4)):
            start, step = choose.randint(0, 5), choose.choice((1, 2, 3, -1, -2, -3))
            part = choose.choice((slice(None), slice(start, None), slice(None, start), slice(None, None, step)))
            axis = choose.randrange(view.ndim)
            view = view[(slice(None),) * axis + (part, ...)]
            view = choose.choice((view, view, view.T, view[None, ...], view[..., None]))
        yield f"{name}_{i}" + ("" if all(view.shape) else "_empty"), view
