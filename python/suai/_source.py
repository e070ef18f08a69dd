# SPDX-License-Identifier: MIT
"""Where suai was called: names objects and findings."""

import ast
import itertools
import linecache
import os
import sys
from types import FrameType
from typing import NamedTuple, Optional

from . import _program

_MAX_CHARS = 60


class Call(NamedTuple):
    name: str
    file: Optional[str]
    line: Optional[int]


def _first_argument(frame: FrameType) -> Optional[str]:
    """The source of the first argument of the call that the frame is in; None: unknown."""
    positions = itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None)
    first, last, start, end = next(positions)
    if first is None or last is None or start is None or end is None:
        return None
    lines = [
        linecache.getline(frame.f_code.co_filename, number, frame.f_globals).encode()
        for number in range(first, last + 1)
    ]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    source = b"".join(lines).decode()
    try:
        call = ast.parse(f"({source})", mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(call, ast.Call):
        return None
    values = call.args or [keyword.value for keyword in call.keywords]
    text = ast.get_source_segment(f"({source})", values[0]) if values else None
    if text is None or "\n" in text or len(text) > _MAX_CHARS:
        return None
    return text


def find_call() -> Call:
    """The call of suai by code outside of it."""
    frame: Optional[FrameType] = sys._getframe(1)
    while frame and frame.f_globals.get("__name__", "").split(".")[0] in ("suai", "pytest_suai"):
        frame = frame.f_back
    if frame is None:
        return Call("object", None, None)
    name = _first_argument(frame) or "object"
    path = frame.f_code.co_filename
    if not os.path.isfile(path):
        return Call(name, None, None)
    relative = os.path.relpath(path, _program.directory)
    path = path if relative.startswith("..") else relative
    return Call(f"{path}:{name}", path, frame.f_lineno)
