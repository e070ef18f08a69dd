# SPDX-License-Identifier: MIT
"""Comments ``# suai: ignore[RULE]`` that are invalid, or that no check of their line needs."""

import atexit
import os
import sys
import warnings
from types import CodeType
from typing import Any, Dict, List, NamedTuple, Set, Tuple

from ._source import Call


class Comment(NamedTuple):
    """A comment on a line whose objects were checked."""

    code: CodeType
    """The code that contains the call."""
    line: int
    is_main: bool
    """It is in the program's script, all of which runs."""
    unused: Set[str]
    """A message for each rule that no check of the line needed."""


_met: Dict[Tuple[CodeType, int], Comment] = {}
_process = 0


def note(call: Call, unused_ignores: List[Dict[str, Any]]) -> None:
    """Remember the comments of a call that checked an object; warn about those that are invalid."""
    global _process
    if not _process:
        _process = os.getpid()
        atexit.register(_warn_at_exit)
    for comment in call.comments:
        line = comment["line"]
        mine = [item for item in unused_ignores if item["line"] == line]
        unused = {item["message"] for item in mine if item["rule"]}
        new = Comment(call.code, line, call.is_main, set(unused))
        # Atomic, since several threads check objects: a rule that one check needed is used.
        _met.setdefault((call.code, line), new).unused.intersection_update(unused)
        for item in mine:
            if not item["rule"]:
                warn(item["message"], call.code.co_filename, line)


def warn(message: str, path: str, line: int) -> None:
    warnings.warn_explicit(message, UserWarning, path, line)


def take() -> List[Comment]:
    """Return the comments met since the last call, and forget them."""
    global _met
    met, _met = _met, {}
    return list(met.values())


def _warn_at_exit() -> None:
    """Only for a script that ran to its end: what did not run might need the comment."""
    if os.getpid() != _process or hasattr(sys, "last_type") or hasattr(sys, "ps1"):
        return
    for comment in take():
        for message in sorted(comment.unused) if comment.is_main else ():
            warn(message, comment.code.co_filename, comment.line)
