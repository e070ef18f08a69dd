# SPDX-License-Identifier: MIT
"""The views that an array of three rows of four can have, whatever library it is of."""


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
