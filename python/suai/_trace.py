# SPDX-License-Identifier: MIT
"""What this process exchanges: `trace`, which loads the library of ``suai trace``."""

import ctypes
import errno
import os
import threading
from contextlib import ContextDecorator, suppress
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from ._program import Error, read_document, run_program
from ._source import shown_path

_lock = threading.Lock()


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


class CallSite(NamedTuple):
    """What one library passed to another one at one line, while a `Trace` was active."""

    file: Optional[str]
    """The file of the innermost frame outside of libraries; None: no code of Python called."""
    line: Optional[int]
    function: Optional[str]
    protocol: str
    """As in ``suai trace``: ``"dlpack"``, ``"buffer"``, ``"numpy-api"``, ..."""
    producer: Optional[str]
    consumer: Optional[str]
    exchanges: int
    bytes: int
    shared: int
    copied: int
    copied_bytes: int
    narrowed: int
    """Arrays whose elements were converted to a type of fewer bytes."""

    def __str__(self) -> str:
        place = f"{shown_path(self.file)}:{self.line}" if self.file else "(no Python frame)"
        copied = f"; {self.copied} COPIED: {self.copied_bytes} bytes" if self.copied else ""
        narrowed = f"; {self.narrowed} NARROWED" if self.narrowed else ""
        return (
            f"{place}{f' in {self.function}' if self.function else ''}: "
            f"{self.producer or '(unknown)'} -> {self.consumer or '(unknown)'}, {self.protocol}: "
            f"{_count(self.exchanges, 'exchange')}, {self.bytes} bytes"
            f"{copied}{narrowed}"
        )

    __repr__ = __str__


_KEYS = CallSite._fields[:6]
_COUNTS = CallSite._fields[6:]
_Counts = Dict[Tuple[Any, ...], List[int]]


class _Memory(NamedTuple):
    fd: int
    pid: int
    file: Tuple[int, int]  # device and inode: the program may close fd, and open a file as fd


class Trace:
    """The exchanges of a block ``with suai.trace() as t``: within the block, those so far."""

    def __init__(self, memory: _Memory, before: _Counts) -> None:
        self._memory, self._before = memory, before
        self._ended: Optional[List[CallSite]] = None
        self._problem: Optional[Exception] = None  # why the end of the block was not read

    def _end(self) -> None:
        try:
            self._ended = self.call_sites
        except Exception as problem:
            self._problem = problem
            raise

    @property
    def call_sites(self) -> List[CallSite]:
        """All of them, those that passed most bytes first."""
        if self._ended is not None:
            return self._ended
        if self._problem is not None:
            raise self._problem
        if self._memory.pid != os.getpid():
            raise Error("trace: the block is that of the process that forked this one")
        return _difference(self._before, _read(self._memory))

    @property
    def copies(self) -> List[CallSite]:
        """Those at which memory was copied, the largest copies first."""
        copies = [site for site in self.call_sites if site.copied]
        return sorted(copies, key=lambda site: -site.copied_bytes)

    @property
    def narrowed(self) -> List[CallSite]:
        """Those at which elements were converted to a type of fewer bytes."""
        return [site for site in self.call_sites if site.narrowed]

    @property
    def exchanges(self) -> int:
        return sum(site.exchanges for site in self.call_sites)

    @property
    def bytes(self) -> int:
        return sum(site.bytes for site in self.call_sites)

    def __repr__(self) -> str:
        return (
            f"<suai.Trace: {_count(self.exchanges, 'exchange')}, {_count(self.bytes, 'byte')}; "
            f"{'copies at ' + _count(len(self.copies), 'call site') if self.copies else 'no copies'}>"
        )


_memory: Optional[_Memory] = None  # of the process that loaded the library, or of its parent


def _run(fd: int, *more: str) -> bytes:
    result = run_program(["trace-memory", f"/proc/{os.getpid()}/fd/{fd}", *more])
    if not result.output:
        raise Error(result.errors.strip().removeprefix("suai: ") or "suai trace-memory failed")
    return result.output


def _load_library(fd: int) -> str:
    """Load the library, which removes a variable of the environment, whose name is returned."""
    variable, library = os.fsdecode(_run(fd).rstrip(b"\n")).split("\n", 1)
    previous = os.environ.get(variable)
    os.environ[variable] = f"/proc/{os.getpid()}/fd/{fd}"
    try:
        ctypes.CDLL(library)
    except OSError as error:
        raise Error(f"cannot load '{library}': {error}") from error
    finally:
        os.environ.pop(variable, None)
        if previous is not None:
            os.environ[variable] = previous
    return variable


def _open_outer(variable: str) -> int:
    """Open the memory of the ``suai trace`` that traces this process, if it records all of it.

    The library removed the variable; the kernel still has what the process was started with.
    """
    with open("/proc/self/environ", "rb") as file:
        started = dict(item.partition(b"=")[::2] for item in file.read().split(b"\0"))
    try:
        fd = os.open(started[os.fsencode(variable)], os.O_RDWR | os.O_CLOEXEC)
    except (KeyError, OSError) as error:
        raise Error(
            "trace: this process is traced already, and what is recorded cannot be read; "
            "run it without suai trace"
        ) from error
    try:
        _run(fd, str(os.getpid()))
    except BaseException:
        os.close(fd)
        raise
    return fd


def _begin() -> _Memory:
    """Load the library if this process did not yet; it remains until the process ends."""
    global _memory
    with _lock:
        if _memory is None:
            fd = os.memfd_create("suai-trace", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            try:
                variable = _load_library(fd)
                coverage = read_document(_run(fd))["coverage"]
                if coverage["processes"] == 0:
                    outer = _open_outer(variable)
                    os.close(fd)
                    fd = outer
                elif not coverage["traced"]:
                    raise Error(f"trace: {coverage['problem']}")
            except BaseException:
                os.close(fd)
                raise
            _memory = _Memory(fd, os.getpid(), _identity(fd))
        if _memory.pid != os.getpid():
            raise Error(
                "trace: the process that forked this one is traced, and forks are not; "
                "use the multiprocessing start method 'spawn', or suai trace --follow"
            )
        return _memory


def _identity(fd: int) -> Tuple[int, int]:
    info = os.fstat(fd)
    return info.st_dev, info.st_ino


def _duplicate(memory: _Memory) -> int:
    """Return another descriptor of the memory, so that the program cannot replace it meanwhile."""
    try:
        fd = os.dup(memory.fd)
    except OSError as error:
        if error.errno != errno.EBADF:
            raise Error(f"trace: cannot read what is recorded: {error.strerror}") from error
    else:
        if _identity(fd) == memory.file:
            return fd
        os.close(fd)
    raise Error(
        f"trace: the program closed file descriptor {memory.fd}, through which suai reads what is "
        "recorded; call suai.trace() only after the program closed the descriptors that it "
        "inherited, as os.closerange() does"
    )


def _read(memory: _Memory) -> _Counts:
    fd = _duplicate(memory)
    try:
        sites = read_document(_run(fd))["call_sites"]
    finally:
        os.close(fd)
    return {
        tuple(site[key] for key in _KEYS): [site[count] for count in _COUNTS] for site in sites
    }


def _difference(before: _Counts, after: _Counts) -> List[CallSite]:
    nothing = [0] * len(_COUNTS)
    sites = [
        CallSite(*key, *(a - b for a, b in zip(counts, before.get(key, nothing))))
        for key, counts in after.items()
        if not key[_KEYS.index("protocol")].startswith("cuda-")
    ]
    return sorted((s for s in sites if s.exchanges), key=lambda s: (-s.bytes, str(s)))


class _Block(ContextDecorator):
    """What `trace` returns. One after another, it traces several blocks."""

    def __init__(self) -> None:
        self._result: Optional[Trace] = None  # of the block that was entered

    def _recreate_cm(self) -> "_Block":  # for each call of a function that it decorates
        return _Block()

    def __enter__(self) -> Trace:
        if self._result is not None:
            raise Error("trace: this object traces a block already; call suai.trace() for each one")
        memory = _begin()
        self._result = result = Trace(memory, _read(memory))
        return result

    def __exit__(self, exception_type: Optional[type], *_: object) -> None:
        result, self._result = self._result, None
        if not result or result._memory.pid != os.getpid():
            return
        if exception_type is None:
            result._end()
        else:
            with suppress(Exception):
                result._end()


def trace() -> _Block:
    """Record which arrays libraries pass to each other in a block, as ``suai trace`` does.

        with suai.trace() as t:
            pipeline(data)
        assert not t.copies

    The exchanges of all threads during the block are recorded, those of forked processes are not.
    Raises `Error` if the process cannot be traced. An exception of the block is raised as it is,
    even if what the block exchanged cannot be read. Under ``suai trace``, what that records is read.
    Otherwise, the first call loads a library that
    stays until the process ends: each later exchange costs about a microsecond more.
    """
    return _Block()
