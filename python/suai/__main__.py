# SPDX-License-Identifier: MIT
"""python -m suai: the program suai, with this interpreter unless another one is chosen."""

import os
import sys

from ._program import Error, find_program

if __name__ == "__main__":
    os.environ.setdefault("SUAI_PYTHON", sys.executable)
    try:
        program = find_program()
    except Error as error:
        print(f"suai: {error}", file=sys.stderr)
        sys.exit(4)
    try:
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as error:
        print(f"suai: cannot run '{program}': {error.strerror}", file=sys.stderr)
        sys.exit(4)
