# SPDX-License-Identifier: MIT
"""How `suai.check_consumer` names a function so that another process finds it."""

import importlib.util
import os
import sys
from contextlib import suppress
from typing import Any, Dict, Optional

from ._program import Error
from ._source import shown_path

_NESTED = "SUAI_CHECKS_CONSUMER"


def _resolve(module: Any, qualname: str) -> Any:
    found = module
    for name in qualname.split("."):
        found = getattr(found, name, None)
    return found


def _file_of(module: Any, consumer: Any) -> str:
    path = getattr(module, "__file__", None)
    if path and path.endswith(".py"):
        with suppress(OSError):  # a relative path, and the working directory was removed
            return shown_path(os.path.abspath(path))
    raise ValueError(f"consumer: {consumer!r} is defined in no file that can be imported")


def _origin(name: str) -> Optional[str]:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    return (spec.origin or "") if spec else None


def consumer_text(consumer: Any) -> str:
    """Return the text by which ``--consumer`` names a function or class; a text is returned as it is.

    Raises ValueError for a function that only this process has: a lambda, a function inside of
    another one, or one to which its name does not refer any more.
    """
    if isinstance(consumer, str):
        return consumer
    name: Any = getattr(consumer, "__module__", None)
    qualname: Any = getattr(consumer, "__qualname__", None)
    if not callable(consumer) or not isinstance(qualname, str):
        raise ValueError(f"consumer: expected a function or a text, got {consumer!r}")
    module = sys.modules.get(name) if isinstance(name, str) else None
    if "<" in qualname or module is None or _resolve(module, qualname) is not consumer:
        raise ValueError(
            f"consumer: another process cannot find {name}.{qualname}: define it at the top level "
            "of a module, or pass an expression, such as 'numpy.from_dlpack(_, copy=True)'"
        )
    if name == "__main__" or _origin(name) is None:
        return f"{_file_of(module, consumer)}:{qualname}"
    return f"{name}:{qualname}"


def consumer_environment() -> Dict[str, str]:
    """Return the variables by which the program's processes find what this one can import.

    Raises `Error` in such a process: the consumer's file would check it again, without end.
    """
    if _NESTED in os.environ:
        raise Error(
            "suai.check_consumer() is called while its consumer is imported; "
            "call it below if __name__ == '__main__'"
        )
    paths = []
    for path in sys.path:
        if os.pathsep not in path:
            with suppress(OSError):  # a relative path, and the working directory was removed
                paths.append(os.path.abspath(path))
    return {_NESTED: "1", "PYTHONPATH": os.pathsep.join(paths)}
