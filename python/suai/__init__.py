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

In pytest, the fixture ``suai`` has a ``check`` that belongs to the test: ``help("pytest_suai")``.
``suai.yaml`` selects rules and ignores known findings: ``python -m suai init`` writes one.
`pieces`, `capture` and `validate_pieces` check the pieces of a distributed array where they are.
"""

import sys as _sys
import threading as _threading
from contextlib import contextmanager as _contextmanager
from math import ceil as _ceil
from operator import index as _index
from os import environ as _environ
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Union

from . import _ignores
from ._consumer import consumer_environment as _consumer_environment
from ._consumer import consumer_text as _consumer_text
from ._pieces import piece_name as _piece_name
from ._pieces import pieces
from ._pieces import plain_piece as _plain_piece
from ._program import Error, Result, configure, find_program, run_program
from ._program import VERSION as __version__
from ._program import config_options as _config_options
from ._program import load_module as _load_module
from ._program import process as _process
from ._program import read_document as _read_document
from ._program import require_output as _require_output
from ._report import CheckError, Finding, Report
from ._report import require_read as _require_read
from ._source import Call as _Call
from ._source import find_call as _find_call
from ._trace import CallSite, Trace, trace

__all__ = [
    "CallSite",
    "CheckError",
    "Error",
    "Finding",
    "Report",
    "Result",
    "Trace",
    "capture",
    "check",
    "check_consumer",
    "configure",
    "convert",
    "devices",
    "find_program",
    "inspect",
    "pieces",
    "run_program",
    "trace",
    "validate",
    "validate_pieces",
]


def __dir__() -> List[str]:
    return [*__all__, "__doc__", "__file__", "__name__", "__version__"]


for _class in (
    CallSite,
    CheckError,
    Error,
    Finding,
    Report,
    Result,
    Trace,
    configure,
    find_program,
    run_program,
    trace,
):
    _class.__module__ = __name__  # where users find it

_suai = _load_module()  # first, since it refuses subinterpreters
import faulthandler as _faulthandler  # noqa: E402: so that forks, which use it, do not load it

_lock = _threading.RLock()


def _check_seconds(timeout: float) -> None:
    if not isinstance(timeout, (int, float)) or not 0.001 <= timeout <= 2000000:
        raise ValueError(f"timeout: expected seconds, 0.001 to 2000000, got {timeout!r}")


@_contextmanager
def _one_thread(timeout: float) -> Iterator[None]:
    """Let one thread at a time read objects; raise `Error` if another one still does after timeout."""
    if not _lock.acquire(timeout=min(timeout, _threading.TIMEOUT_MAX)):
        raise Error(
            f"another thread has been reading an object for {timeout:g} s; "
            "its code may be waiting for this thread"
        )
    try:
        yield
    finally:
        _lock.release()


Words = Union[str, Iterable[str], None]
Captures = Union[bytes, Sequence[bytes]]


def _words(parameter: str, words: Words) -> List[str]:
    if words is None:
        return []
    try:
        listed = [words] if isinstance(words, str) else list(words)
    except TypeError:
        raise TypeError(f"{parameter}: expected a text or several, got {words!r}") from None
    for word in listed:
        _text(parameter, word)
    return listed


def _text(parameter: str, value: Any) -> str:
    """The value, if it is a text that C and command lines can contain."""
    if not isinstance(value, str):
        raise TypeError(f"{parameter}: expected a text, got {value!r}")
    if "\0" in value:
        raise ValueError(f"{parameter}: {value!r} contains a NUL character")
    return value


def _protocols(protocols: Words) -> List[str]:
    names = _words("protocols", protocols)
    if not names:
        raise ValueError("protocols: expected at least one, or None for all")
    for name in names:
        if name not in _suai.protocols:
            raise ValueError(f"unknown protocol {name!r}; expected {', '.join(_suai.protocols)}")
    return names


def _notice() -> Dict[str, Any]:
    """Where a crash of this process is reported, also while pytest captures standard error."""
    error_fd = getattr(_sys.modules.get("pytest_suai"), "error_fd", 2)
    return {"error_fd": error_fd, "test": _environ.get("PYTEST_CURRENT_TEST")}


_MAGIC = b"suai-capture "


def _is_captures(obj: Any) -> bool:
    """Whether obj is a capture or a list of captures; runs no code of obj.

    Raises ValueError if it is a list of bytes that are not all captures, or no more than a part of
    what captures begin with.
    """
    if issubclass(type(obj), bytes):
        if _MAGIC.startswith(obj):
            raise ValueError(f"truncated capture of {len(obj)} bytes")
        return bytes.startswith(obj, _MAGIC)
    if type(obj) is not list and type(obj) is not tuple:  # "in" would call a metaclass's __eq__
        return False
    if not all(issubclass(type(item), bytes) for item in obj):
        return False
    for i, item in enumerate(obj):
        if not bytes.startswith(item, _MAGIC):
            raise ValueError(f"item {i} is not a capture")
    return bool(obj)


class _Missing:
    def __repr__(self) -> str:
        return "..."


_MISSING = _Missing()


def _unwrap(obj: Any, make: Optional[Callable[[], Any]], trials: bool) -> Any:
    """What is captured: obj, or the function that makes it."""
    if (obj is _MISSING) == (make is None):
        raise ValueError("expected either an object or make=, a function that returns one")
    if make is None and trials:
        raise ValueError(
            "lifetime= and live= need a new object for each trial: "
            "pass make=, a function that returns one, instead of the object"
        )
    if make is not None and not callable(make):
        raise ValueError("make: expected a function without parameters")
    return obj if make is None else make


def capture(
    obj: Any = _MISSING,
    *,
    make: Optional[Callable[[], Any]] = None,
    name: Optional[str] = None,
    calls: bool = False,
    lifetime: bool = False,
    live: bool = False,
    protocols: Words = None,
    isolate: Optional[bool] = None,
    timeout: float = 60,
    piece: Optional[Dict[str, Any]] = None,
) -> bytes:
    """Return the facts about an object as bytes, to be checked elsewhere.

    ``suai.validate(data)``, ``suai.inspect(data)`` and the program (``suai validate FILE``) read
    them; several captures can be concatenated. A few kilobytes for each object, without its
    elements.

    obj: any object. Captures, which are bytes or a list of bytes, are returned as bytes. Other bytes
    are an object with a buffer, except b"" and a part of what captures begin with (ValueError).
    make: a function that returns a new object each time, instead of obj.
    name: of the object in reports; by default the file and the expression of the call.
    calls: also make every call that the protocols define, as ``suai validate --calls``.
    lifetime: also check deleters, owners and leaks, as ``suai validate --lifetime``: each trial on
    an object of make, in its own fork. The trial at the interpreter's exit is skipped.
    live: also run kernels and copies, as ``suai validate --live``. Forks cannot use a device
    runtime, so that only trials without one run.
    protocols: read only these: sycl, cuda, dlpack, numpy, numpy-struct, buffer.
    isolate: True: in a fork of this process, or `Error`; False: in this process; None: in a fork
    if that lacks nothing, such as other threads or a device runtime.
    timeout: seconds, 0.001 to 2000000, after which a fork counts as hung, and after which `Error` is
    raised if another thread is reading an object; no limit applies to reading in this process.
    piece: what a distributed array declares about obj, for `validate_pieces`: one of `pieces`, or a
    dictionary with ``of`` (the name of the array) and ``offset`` (index in the array of the first
    element, one number per axis), and optionally ``index`` (in the grid of chunks), ``chunk``
    (shape of obj), ``shape`` and ``dtype`` (of the array), ``order``, ``device`` and ``readonly``
    (as for `pieces`). What is missing is not compared.
    """
    if _is_captures(obj):
        return _join(obj)
    return _capture(
        _find_call(),
        obj,
        make=make,
        name=name,
        calls=calls,
        lifetime=lifetime,
        live=live,
        protocols=protocols,
        isolate=isolate,
        timeout=timeout,
        piece=piece,
    )


def _join(captures: Captures) -> bytes:
    return captures if isinstance(captures, bytes) else b"".join(captures)


def _capture(
    call: _Call,
    obj: Any,
    *,
    make: Optional[Callable[[], Any]],
    name: Optional[str],
    calls: bool,
    lifetime: bool,
    live: bool,
    protocols: Words,
    isolate: Optional[bool],
    timeout: float,
    piece: Optional[Dict[str, Any]] = None,
) -> bytes:
    _check_seconds(timeout)
    if name is not None and not isinstance(name, str):
        raise ValueError(f"name: expected a text, got {type(name).__name__}")
    if isolate not in (True, False, None):
        raise ValueError(f"isolate: expected True, False or None, got {isolate!r}")
    captured = _unwrap(obj, make, lifetime or live)
    requested = {"calls": calls, "lifetime": lifetime, "live": live}
    if piece is not None:
        piece = _plain_piece(piece)
        name = name or _piece_name(piece)
    options: Dict[str, Any] = {
        "name": (name or call.name).replace("\0", "\\x00"),  # C would end it there
        "file": call.file,
        "line": call.line,
        "facts": ["dict", "struct", "memory"] + [fact for fact in requested if requested[fact]],
        "makes": make is not None,
        "timeout_ms": int(timeout * 1000),
        "piece": piece,
        "comments": call.comments,
        "own_file": __file__,
        "idle_threads": _process.idle_threads,
        "idle_timer": _process.idle_timer,
        **_notice(),
    }
    if protocols is not None:
        options["protocols"] = _protocols(protocols)
        options["protocols_named"] = True
    if isolate is not None:
        options["isolate"] = bool(isolate)
    try:
        with _one_thread(timeout):
            data: bytes = _suai.capture(captured, options)
    except RuntimeError as error:
        raise Error(str(error)) from None
    return data


def validate(
    obj: Any = _MISSING,
    *,
    make: Optional[Callable[[], Any]] = None,
    name: Optional[str] = None,
    calls: bool = False,
    lifetime: bool = False,
    live: bool = False,
    protocols: Words = None,
    select: Words = None,
    ignore: Words = None,
    severity: Optional[str] = None,
    isolate: Optional[bool] = None,
    timeout: float = 60,
) -> Report:
    """Check every interface of an object against its specification.

    obj: any object, or captures of objects: bytes, or a list of bytes.
    select, ignore: ids, prefixes of ids, or names of rules to check, or not to check.
    severity: ``"error"``, ``"warning"`` or ``"note"``: what is at least as severe fails.
    The other parameters are those of `capture`. A ``suai.yaml`` in the working directory or above
    applies, as it does to the program, except what is a parameter of `capture`, such as ``calls``.
    A comment ``# suai: ignore[RULE, ...] reason`` on a line of the call ignores findings of obj. A
    UserWarning names one that is invalid and, when a script ends, one that no check of it needed.

    Raises ValueError for a wrong argument, and `Error` if the object could not be checked at all;
    what an object does is never raised, but reported.
    """
    call = None if _is_captures(obj) else _find_call()
    data = (
        _capture(
            call,
            obj,
            make=make,
            name=name,
            calls=calls,
            lifetime=lifetime,
            live=live,
            protocols=protocols,
            isolate=isolate,
            timeout=timeout,
        )
        if call
        else _join(obj)
    )
    requested = {"--calls": calls, "--lifetime": lifetime, "--live": live}
    options = _rule_options(select, ignore, severity)
    options += [option for option in requested if requested[option]]
    report = Report(data, options, _suai.read_hellos(data))
    if call and call.comments:
        _ignores.note(call, report.document["summary"]["unused_ignores"])
    return report


def _rule_options(select: Words, ignore: Words, severity: Optional[str]) -> List[str]:
    options = [f"--select={rule}" for rule in _words("select", select)]
    options += [f"--ignore={rule}" for rule in _words("ignore", ignore)]
    return options if severity is None else [*options, f"--severity={severity}"]


def validate_pieces(
    captures: Union[bytes, Iterable[bytes]],
    *,
    select: Words = None,
    ignore: Words = None,
    severity: Optional[str] = None,
) -> Report:
    """Check the pieces of distributed arrays, each one and all together.

    captures: what ``capture(obj, piece=...)`` returned in the process that has each piece; bytes
    that contain several of them are accepted as well.

    The report has a target for each piece, and one for each array, with the gaps between its
    pieces and their overlaps. The other parameters are those of `validate`.
    """
    if not isinstance(captures, Iterable):
        captures = []
    captures = [captures] if isinstance(captures, bytes) else list(captures)
    if not captures or not _is_captures(captures):
        raise ValueError("captures: expected the results of suai.capture(obj, piece=...)")
    data = b"".join(captures)
    options = ["--pieces", *_rule_options(select, ignore, severity)]
    report = Report(data, options, _suai.read_hellos(data))
    for target in report.document["targets"]:
        if target["step"] == "piece":
            raise ValueError(f"{target['target']}: {target['error']['message']}")
    return report


def check(
    obj: Any = _MISSING,
    *,
    make: Optional[Callable[[], Any]] = None,
    name: Optional[str] = None,
    calls: bool = False,
    lifetime: bool = False,
    live: bool = False,
    protocols: Words = None,
    select: Words = None,
    ignore: Words = None,
    severity: Optional[str] = None,
    isolate: Optional[bool] = None,
    timeout: float = 60,
) -> Report:
    """Raise `CheckError` unless `validate` returns a report that is `ok`; return the report.

    The parameters are those of `validate`.
    """
    __tracebackhide__ = True  # in the tracebacks of pytest
    report = validate(
        obj,
        make=make,
        name=name,
        calls=calls,
        lifetime=lifetime,
        live=live,
        protocols=protocols,
        select=select,
        ignore=ignore,
        severity=severity,
        isolate=isolate,
        timeout=timeout,
    )
    if not report:
        raise CheckError(report)
    return report


def check_consumer(
    consumer: Union[str, Callable[..., Any]],
    *,
    protocol: str = "dlpack",
    cases: Words = None,
    fuzz: int = 0,
    seed: int = 0,
    select: Words = None,
    ignore: Words = None,
    severity: Optional[str] = None,
    timeout: Optional[float] = None,
) -> Report:
    """Raise `CheckError` unless a function imports tensors of suai correctly; return the report.

    consumer: a function or class at the top level of a module, or a text as for ``suai validate
    --consumer``: ``"numpy:from_dlpack"``, or an expression with ``_``. It is called in other
    processes, one for each tensor, which import its module: a crash or a hang ends one of them.
    protocol: the interface of the tensors: ``"dlpack"``, ``"numpy"``, ``"numpy-struct"``,
    ``"buffer"``, ``"cuda"`` or ``"sycl"``.
    cases: ids of the tensors to pass, as ``suai complete cases`` lists them; None: all.
    fuzz, seed: pass that many random legal tensors instead.
    timeout: in seconds, rounded up to whole ones, for one tensor.
    select, ignore, severity: those of `validate`. Each tensor is a target of the report.

    Raises ValueError for a wrong argument, such as a lambda, which no other process can import.
    """
    __tracebackhide__ = True  # in the tracebacks of pytest
    options = _rule_options(select, ignore, severity)
    command = ["validate", "-f", "json", "--python", _sys.executable, *options]
    command += ["--consumer", _text("consumer", _consumer_text(consumer)), "-p", protocol]
    command += [f"--case={case}" for case in _words("cases", cases)]
    command += [f"--fuzz={fuzz:d}", f"--seed={seed:d}"] if fuzz else []
    if timeout is not None:
        _check_seconds(timeout)
        command.append(f"--timeout={_ceil(timeout)}")
    command += _config_options()
    result = run_program(command, environment=_consumer_environment())
    output = _require_output(result)
    _read_document(output)
    report = Report(output, options, [])  # judges what the run found
    if not report:
        raise CheckError(report)
    return report


def inspect(
    obj: Any = _MISSING,
    *,
    make: Optional[Callable[[], Any]] = None,
    name: Optional[str] = None,
    calls: bool = False,
    lifetime: bool = False,
    live: bool = False,
    protocols: Words = None,
    isolate: Optional[bool] = None,
    timeout: float = 60,
) -> Dict[str, Any]:
    """Return what every interface of an object declares and the memory behind it.

    The parameters are those of `capture`. The result is the target of ``suai inspect -f json``, as
    dictionaries: shapes are in elements, strides in the units that keys name, sizes in bytes,
    addresses are texts such as ``"0x7f00"``.
    """
    data = capture(
        obj,
        make=make,
        name=name,
        calls=calls,
        lifetime=lifetime,
        live=live,
        protocols=protocols,
        isolate=isolate,
        timeout=timeout,
    )
    _suai.read_hellos(data)  # raises ValueError if it is damaged
    result = run_program(["inspect", "-f", "json", *_config_options(), "-"], data)
    document = _read_document(_require_output(result))
    _require_read(document)
    targets = document["targets"]
    if len(targets) != 1:
        raise ValueError(f"expected the capture of one object, got {len(targets)}")
    target: Dict[str, Any] = targets[0]
    return target


_CONVERT_LOCK_SECONDS = 60


def _stream_handle(stream: Any) -> int:
    try:
        handle = _index(stream)
    except TypeError:
        raise TypeError(f"stream: expected the handle of a stream, got {stream!r}") from None
    if not -(1 << 63) <= handle < 1 << 63:
        raise ValueError(f"stream: expected a number below 2^63, got {handle}")
    return handle


def convert(
    obj: Any,
    *,
    to: str,
    device: Optional[str] = None,
    order: str = "K",
    copy: Optional[bool] = None,
    stream: Optional[int] = None,
    protocol: Optional[str] = None,
    interface_version: Optional[int] = None,
) -> Any:
    """Return a new object that exports an array only by another protocol.

    It describes the same memory if that is possible, and then keeps obj alive; otherwise it owns a
    copy, which is complete when the call returns.

    to: ``"sycl"``, ``"cuda"``, ``"dlpack"``, ``"numpy"`` or ``"buffer"``.
    device: of the new object: ``"cpu"``, ``"cuda:0"``, ``"oneapi:0"``, ``"sycl:FILTER"`` or
    ``"opencl:P.D"``; None: that of obj.
    order: of the elements of a copy: ``"C"``, ``"F"``, or ``"K"``, that of obj.
    copy: True: always, False: never, None: if it is necessary.
    stream: the handle of the CUDA stream on which the result is ordered. It must exist while
    consumers import the result, but the result may be released afterwards.
    protocol: the interface of obj to read; None: the first that can be read, in the order sycl,
    cuda, dlpack, numpy, buffer.
    interface_version: to export; None: the newest.

    Raises ValueError for a wrong argument, and BufferError with the reason if the elements cannot
    be described or copied.
    """
    if not isinstance(to, str) or to not in _suai.exported:
        raise ValueError(f"to: expected one of {', '.join(_suai.exported)}, got {to!r}")
    if order not in ("C", "F", "K"):
        raise ValueError(f"order: expected C, F or K, got {order!r}")
    if copy not in (True, False, None):
        raise ValueError(f"copy: expected True, False or None, got {copy!r}")
    options: Dict[str, Any] = {"to": to, "order": order, **_notice()}
    options["copy"] = "auto" if copy is None else "always" if copy else "never"
    if device is not None:
        options["device"] = _suai.device_from_text(_text("device", device), to)
    if stream is not None:
        options["stream"] = _stream_handle(stream)
    if protocol is not None:
        if not isinstance(protocol, str):
            raise ValueError(f"protocol: expected the name of one, got {protocol!r}")
        options["from"] = _protocols(protocol)[0]
    if interface_version is not None:
        versions = _suai.exported[to]
        if interface_version not in versions:
            expected = " or ".join(map(str, versions)) or "None"
            raise ValueError(f"interface_version: expected {expected} for {to}")
        options["interface_version"] = int(interface_version)
    with _one_thread(_CONVERT_LOCK_SECONDS):
        try:
            return _suai.convert(obj, options)
        except BufferError as error:
            from ._parameters import name_parameters  # loads re

            error.args = tuple(name_parameters(str(argument)) for argument in error.args)
            raise


def devices() -> List[Dict[str, Any]]:
    """Return the devices that the runtimes of this machine list, as ``suai devices -f json``.

    Each has ``runtime``, ``status`` (``"ok"``, ``"described"`` or ``"unavailable"``, with ``reason``), ``device``
    (DLPack's type and id), ``name`` and ``memory_bytes``. They are listed in other processes.
    """
    result = run_program(["devices", "-f", "json", "--python", _sys.executable])
    listed: List[Dict[str, Any]] = _read_document(_require_output(result))["devices"]
    return listed
