# SPDX-License-Identifier: MIT
"""Check the array interfaces of Python objects: SYCL USM, CUDA, DLPack, NumPy and buffer.

    >>> import suai, numpy
    >>> report = suai.validate(numpy.zeros((3, 4)))
    >>> report.ok
    True
    >>> suai.check(obj)          # raises suai.CheckError with the findings, as in a test
    >>> suai.inspect(obj)        # what every interface declares, and the memory behind it

The module reads what an object exposes; the program ``suai``, which is installed with it, checks
that. No array data is read or copied. Functions are synchronous: with asyncio, call them by
``asyncio.to_thread``. They can be called from several threads, one object at a time.
"""

import json as _json
import threading as _threading
from typing import Any, Dict, Iterable, List, Optional, Sequence, Union

from ._program import Error, find_program
from ._program import VERSION as __version__
from ._program import load_module as _load_module
from ._program import run_program as _run_program
from ._report import CheckError, Finding, Report
from ._source import find_call as _find_call

__all__ = [
    "CheckError",
    "Error",
    "Finding",
    "Report",
    "capture",
    "check",
    "find_program",
    "inspect",
    "validate",
]

_suai = _load_module()
_lock = _threading.RLock()

Protocols = Union[str, Iterable[str], None]
Captures = Union[bytes, Sequence[bytes]]


def _words(words: Protocols) -> List[str]:
    if words is None:
        return []
    return [words] if isinstance(words, str) else list(words)


def _is_captures(obj: Any) -> bool:
    if isinstance(obj, bytes):
        return obj.startswith(b"suai-capture ")
    return (
        isinstance(obj, (list, tuple))
        and len(obj) > 0
        and all(isinstance(item, bytes) and item.startswith(b"suai-capture ") for item in obj)
    )


def capture(
    obj: Any,
    *,
    name: Optional[str] = None,
    calls: bool = False,
    protocols: Protocols = None,
    isolate: Optional[bool] = None,
    timeout: float = 60,
) -> bytes:
    """Return the facts about an object as bytes, to be checked elsewhere.

    ``suai.validate(data)``, ``suai.inspect(data)`` and the program (``suai validate FILE``) read
    them; several captures can be concatenated. A few kilobytes for each object, without its
    elements.

    name: of the object in reports; by default the file and the expression of the call.
    calls: also make every call that the protocols define, as ``suai validate --calls``.
    protocols: read only these: sycl, cuda, dlpack, numpy, numpy-struct, buffer.
    isolate: True: in a fork of this process, or `Error`; False: in this process; None: in a fork
    if that lacks nothing, such as other threads or a device runtime.
    timeout: seconds after which a fork counts as hung; no limit applies in this process.
    """
    call = _find_call()
    options: Dict[str, Any] = {
        "name": name or call.name,
        "file": call.file,
        "line": call.line,
        "facts": ["dict", "struct", "memory"] + ["calls"] * calls,
        "timeout_ms": int(timeout * 1000),
    }
    if protocols is not None:
        options["protocols"] = _words(protocols)
        options["protocols_named"] = True
    if isolate is not None:
        options["isolate"] = bool(isolate)
    try:
        with _lock:
            data: bytes = _suai.capture(obj, options)
    except RuntimeError as error:
        raise Error(str(error)) from None
    return data


def _captures_of(obj: Any, **options: Any) -> bytes:
    """The captures that obj is, or a new capture of it."""
    if not _is_captures(obj):
        return capture(obj, **options)
    return obj if isinstance(obj, bytes) else b"".join(obj)


def validate(
    obj: Any,
    *,
    name: Optional[str] = None,
    calls: bool = False,
    protocols: Protocols = None,
    select: Protocols = None,
    ignore: Protocols = None,
    severity: Optional[str] = None,
    isolate: Optional[bool] = None,
    timeout: float = 60,
) -> Report:
    """Check every interface of an object against its specification.

    obj: any object, or captures of objects: bytes, or a list of bytes.
    select, ignore: ids, prefixes of ids, or names of rules to check, or not to check.
    severity: ``"error"``, ``"warning"`` or ``"note"``: what is at least as severe fails.
    The other parameters are those of `capture`. A ``suai.yaml`` in the working directory or above
    applies, as it does to the program.

    Raises ValueError for a wrong argument, and `Error` if the object could not be checked at all;
    what an object does is never raised, but reported.
    """
    data = _captures_of(
        obj, name=name, calls=calls, protocols=protocols, isolate=isolate, timeout=timeout
    )
    options = [f"--select={rule}" for rule in _words(select)]
    options += [f"--ignore={rule}" for rule in _words(ignore)]
    if severity is not None:
        options.append(f"--severity={severity}")
    if calls:
        options.append("--calls")
    return Report(data, options, _suai.read_hellos(data))


def check(obj: Any, **options: Any) -> Report:
    """Raise `CheckError` unless ``validate(obj, **options).ok``; return the report."""
    report = validate(obj, **options)
    if not report:
        raise CheckError(report)
    return report


def inspect(obj: Any, **options: Any) -> Dict[str, Any]:
    """Return what every interface of an object declares and the memory behind it.

    The parameters are those of `capture`. The result is the target of ``suai inspect -f json``, as
    dictionaries: shapes are in elements, strides in the units that keys name, sizes in bytes,
    addresses are texts such as ``"0x7f00"``.
    """
    data = _captures_of(obj, **options)
    result = _run_program(["inspect", "-f", "json", "-"], data)
    if not result.output:
        raise Error(result.errors.strip())
    targets = _json.loads(result.output)["targets"]
    if len(targets) != 1:
        raise ValueError(f"expected the capture of one object, got {len(targets)}")
    target: Dict[str, Any] = targets[0]
    return target
