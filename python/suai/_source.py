# SPDX-License-Identifier: MIT
"""Where suai was called: names objects and findings."""

import ast
import itertools
import linecache
import os
import sys
import tokenize
from contextlib import suppress
from types import CodeType, FrameType
from typing import Any, Dict, List, NamedTuple, Optional

from ._program import process

_MAX_CHARS = 60


def shown_path(path: str) -> str:
    """The path as the program prints it: relative to the directory of reports if it is inside."""
    with suppress(OSError):  # the working directory was removed
        relative = os.path.relpath(path, process.directory)
        return path if relative.startswith(os.pardir) else relative
    return path


class Call(NamedTuple):
    name: str
    file: Optional[str]
    line: Optional[int]
    comments: List[Dict[str, Any]]
    """The comments on its lines that may ignore findings: ``line`` and ``text`` of each."""
    code: CodeType
    is_main: bool
    """The code is that of the script that the interpreter runs."""


def _first_argument(source: str) -> Optional[str]:
    """The source of the first argument of a call; None: unknown."""
    try:
        call = ast.parse(f"({source})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return None
    if not isinstance(call, ast.Call):
        return None
    values = call.args or [keyword.value for keyword in call.keywords]
    text = ast.get_source_segment(f"({source})", values[0]) if values else None
    if text is None or "\n" in text or len(text) > _MAX_CHARS:
        return None
    return text


def _comments(lines: List[str], first: int) -> List[Dict[str, Any]]:
    found: List[Dict[str, Any]] = []
    if "ignore" not in "".join(lines).lower():
        return found
    try:
        for token in tokenize.generate_tokens(iter([lines[0].lstrip(), *lines[1:]]).__next__):
            if token.type == tokenize.COMMENT:
                found.append({"line": first + token.start[0] - 1, "text": token.string})
    except (tokenize.TokenError, SyntaxError):  # the lines are a part of a statement
        pass
    return found


def _read_call(frame: FrameType) -> Call:
    """The call that the frame is executing, without its file."""
    code = frame.f_code
    is_main = frame.f_globals.get("__name__") == "__main__"
    positions = itertools.islice(code.co_positions(), frame.f_lasti // 2, None)
    first, last, start, end = next(positions)
    if first is None:
        return Call("object", None, None, [], code, is_main)
    path = code.co_filename
    if last is None or start is None or end is None:  # python -X no_debug_ranges
        line = linecache.getline(path, first, frame.f_globals)
        return Call("object", None, None, _comments([line], first), code, is_main)
    lines = [linecache.getline(path, i, frame.f_globals) for i in range(first, last + 1)]
    parts = [line.encode() for line in lines]  # columns are in bytes
    parts[-1] = parts[-1][:end]
    parts[0] = parts[0][start:]
    source = b"".join(parts).decode(errors="replace")  # the file may have changed since
    name = _first_argument(source) or "object"
    return Call(name, None, None, _comments(lines, first), code, is_main)


_STANDARD_LIBRARY = os.path.join(os.path.dirname(os.__file__), "")


def _is_foreign(frame: FrameType) -> bool:
    """Whether the frame is neither of suai nor of a module such as asyncio, which calls for others."""
    path = frame.f_code.co_filename
    is_library = path.startswith(_STANDARD_LIBRARY) and "-packages" not in path
    return not is_library and str(frame.f_globals.get("__name__")).split(".")[0] not in (
        "suai",
        "pytest_suai",
    )


def find_call() -> Call:
    """The call of suai by the innermost frame outside of suai."""
    frame: Optional[FrameType] = sys._getframe(1)
    while frame and not _is_foreign(frame):
        frame = frame.f_back
    if frame is None:
        return Call("object", None, None, [], sys._getframe().f_code, False)
    call = _read_call(frame)
    path = frame.f_code.co_filename
    if not os.path.isfile(path):
        return call
    path = shown_path(path)
    return call._replace(name=f"{path}:{call.name}", file=path, line=frame.f_lineno)
