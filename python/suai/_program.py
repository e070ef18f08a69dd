# SPDX-License-Identifier: MIT
"""The two parts of suai that are not Python: the extension module and the program."""

import functools
import importlib.machinery
import importlib.util
import json
import os
import signal
import sys
import sysconfig
import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, cast

VERSION = "0.1.0"

_PACKAGE = Path(__file__).resolve().parent
_lock = threading.Lock()

process = SimpleNamespace(directory=None, config=None, idle_threads=0, idle_timer=False)
"""What `configure` sets."""
_TREE = _PACKAGE.parent.parent if _PACKAGE.parent.name == "python" else None
"""The root of the development tree that the package is in; None: it is installed."""


class Error(RuntimeError):
    """suai could not do what was requested: nothing is known about the object."""


def configure(
    *,
    directory: Optional[str] = None,
    config: Optional[str] = None,
    idle_threads: int = 0,
    idle_timer: bool = False,
) -> None:
    """Describe this process, for code that runs the code of others, such as a test runner.

    directory: where ``suai.yaml`` is searched, and what paths are relative to; None: the working
    directory of each call.
    config: the file to read instead of the ``suai.yaml`` that is found, as ``suai --config``; None:
    that one, if it belongs to the user.
    idle_threads: the number of other threads that a fork may lack, since they hold no locks.
    idle_timer: whether a fork may lack the timer of ``signal.ITIMER_REAL``.
    """
    process.directory = None if directory is None else os.path.abspath(directory)
    process.config = None if config is None else os.path.abspath(config)
    process.idle_threads, process.idle_timer = idle_threads, idle_timer


_MACHINES = {0x03: "i686", 0x28: "arm", 0x3E: "x86_64", 0xB7: "aarch64", 0xF3: "riscv64"}


def _wrong_architecture(path: Path) -> Optional[str]:
    """Why the ELF file cannot be used here, if it is built for another architecture."""
    with open(path, "rb") as file:
        header = file.read(20)
    machine = _MACHINES.get(int.from_bytes(header[18:20], "little"))
    if header[:4] != b"\x7fELF" or machine in (None, os.uname().machine):
        return None
    return f"it is built for {machine}, but this is {os.uname().machine}; reinstall suai"


def load_module() -> ModuleType:
    """Load ``_suai`` from the package, or in a development tree from the root of the tree.

    Raises ImportError if it is missing, cannot be loaded, or is of another version.
    """
    if sys.version_info < (3, 11):  # what pip checks, but PYTHONPATH does not
        raise ImportError(
            f"suai: requires CPython 3.11 or newer, and this is {sys.version.split()[0]}"
        )
    is_free_threaded = "t" in getattr(sys, "abiflags", "")
    candidates = [
        directory / f"_suai{suffix}"
        for directory in (_TREE or _PACKAGE, _PACKAGE.parent)
        for suffix in importlib.machinery.EXTENSION_SUFFIXES
        # Objects have another layout without a GIL: loading such a module would crash.
        if not (is_free_threaded and suffix == ".abi3.so")
    ]
    path = next((path for path in candidates if path.is_file()), None)
    if not _PACKAGE.is_dir():
        raise ImportError(
            f"suai: cannot be imported from an archive, {_PACKAGE}: its extension module and its "
            "program have to be files; install it beside the archive, or extract the archive"
        )
    if path is None and is_free_threaded:
        raise ImportError(
            f"suai: no extension module _suai for free-threaded CPython in {_PACKAGE}: modules for "
            "interpreters with a GIL cannot be loaded; install suai with pip of this interpreter, "
            "which builds one"
        )
    if path is None:
        raise ImportError(
            f"suai: no extension module _suai for this interpreter in {_PACKAGE}; "
            "reinstall suai, or run make in a development tree"
        )
    loader = importlib.machinery.ExtensionFileLoader("_suai", str(path))
    spec = importlib.util.spec_from_file_location("_suai", path, loader=loader)
    assert spec is not None
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except ImportError as error:
        raise ImportError(f"suai: cannot load {path}: {_wrong_architecture(path) or error}") from error
    version = getattr(module, "version", "of an unknown version")
    if version != VERSION:
        raise ImportError(
            f"suai: the package is version {VERSION}, but {path} is {version}; reinstall suai"
        )
    module.require_main_interpreter()
    return module


def _program_candidates() -> Iterator[Path]:
    """Where wheels are installed: beside lib/pythonX.Y/site-packages, or with --target in it."""
    if _TREE:
        yield _TREE / "suai"
        return
    yield _PACKAGE.parent / "bin" / "suai"
    for prefix in _PACKAGE.parents[3:4]:
        yield prefix / "bin" / "suai"
    with _lock:  # sysconfig's first call is not safe in several threads
        yield Path(sysconfig.get_path("scripts")) / "suai"


@functools.lru_cache(maxsize=None)
def _installed_program() -> str:
    for path in _program_candidates():
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    raise Error(
        f"no program 'suai' belongs to {_PACKAGE}; reinstall suai, or set SUAI_PROGRAM to its path"
    )


def find_program() -> str:
    """Return the path of the program ``suai``.

    It is ``$SUAI_PROGRAM`` if that is set, otherwise the script that the wheel installs, or in a
    development tree the one in the root of the tree. Raises `Error` if there is none.
    """
    named = os.environ.get("SUAI_PROGRAM")
    if named:
        if not os.access(named, os.X_OK) or os.path.isdir(named):
            raise Error(f"SUAI_PROGRAM: '{named}' is not an executable file")
        return os.path.abspath(named)
    return _installed_program()


def config_options() -> List[str]:
    """The option that names the file of `configure`."""
    return [] if process.config is None else [f"--config={process.config}"]


class Result(NamedTuple):
    """What `run_program` returned."""

    status: int
    """Its exit status; -1: unknown, because the process ignores SIGCHLD."""
    output: bytes
    errors: str


def _memory_file(name: str, data: bytes = b"") -> int:
    """Return a descriptor of anonymous memory that contains data."""
    fd = os.memfd_create(name)
    try:
        while data:
            data = data[os.write(fd, data) :]
        os.lseek(fd, 0, os.SEEK_SET)
    except OSError:
        os.close(fd)
        raise
    return fd


def _contents(fd: int) -> bytes:
    parts = []
    os.lseek(fd, 0, os.SEEK_SET)
    while part := os.read(fd, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def _wait(pid: int) -> Optional[int]:
    """Return the wait status of a child; None: the process ignores SIGCHLD."""
    try:
        return os.waitpid(pid, 0)[1]
    except ChildProcessError:
        return None
    except BaseException:
        os.kill(pid, signal.SIGTERM)
        try:
            os.waitpid(pid, 0)
        except ChildProcessError:
            pass
        raise


def _encode(argument: str) -> bytes:
    """The bytes of an argument: those of a file's name or, if the locale has none, UTF-8."""
    try:
        return os.fsencode(argument)
    except UnicodeEncodeError:
        return argument.encode()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # most real-time signals have no name
        return f"signal {number}"


def _is_working_directory(path: str) -> bool:
    try:
        return os.path.samefile(os.curdir, path)
    except FileNotFoundError:
        return False


def read_document(output: bytes) -> Dict[str, Any]:
    """Parse what the program prints with ``-f json``; raise `Error` if it is not a document."""
    try:
        document = json.loads(output)
        if "suai" in document:
            return cast(Dict[str, Any], document)
    except (TypeError, ValueError):
        pass
    raise Error(f"'{find_program()}' is not suai {VERSION}: it did not print a document")


def require_output(result: "Result") -> bytes:
    """Return what the program printed; raise what its message states if it printed nothing.

    Raises ValueError for a wrong argument, otherwise `Error`.
    """
    if result.output or not result.status:
        return result.output
    message = result.errors.strip() or f"the program exited with status {result.status}"
    message = message.removeprefix("suai: ")
    if result.status == 2:
        from ._parameters import name_parameters  # loads re

        raise ValueError(name_parameters(message.removeprefix("validate: ")))
    raise Error(message)


def run_program(
    arguments: Sequence[str], data: bytes = b"", environment: Optional[Dict[str, str]] = None
) -> Result:
    """Run ``suai`` with data as its standard input, without a shell, pipes or temporary files.

    environment: variables to set in addition to those of this process.

    ``run_program(["validate", "-f", "sarif", "-"], captures)`` returns the findings as SARIF.
    Raises `Error` if it cannot be started or a signal ends it.
    """
    if isinstance(arguments, (str, bytes)):
        raise ValueError(f"arguments: expected a list of texts, got {arguments!r}")
    program = find_program()
    command = [program, *arguments]
    if process.directory and not _is_working_directory(process.directory):
        if not os.path.isdir(process.directory):
            raise Error(f"configure: '{process.directory}' is not a directory")
        command = ["/usr/bin/env", "-C", process.directory, *command]  # coreutils 8.28 or later
    fds = []
    try:
        for name, contents in (("input", data), ("output", b""), ("errors", b"")):
            fds.append(_memory_file(f"suai-{name}", contents))
        actions = [(os.POSIX_SPAWN_DUP2, fd, i) for i, fd in enumerate(fds)]
        pid = os.posix_spawn(
            command[0],
            [_encode(argument) for argument in command],
            {k: v for k, v in os.environ.items() if k != "SUAI_OPTS"} | (environment or {}),
            file_actions=actions,
            setsigmask=[],
            setsigdef=[signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD],
        )
        status = _wait(pid)
        output, errors = _contents(fds[1]), _contents(fds[2]).decode(errors="replace")
    except OSError as error:
        raise Error(f"cannot run '{program}': {error.strerror}") from error
    finally:
        for fd in fds:
            os.close(fd)
    if status is not None and os.WIFSIGNALED(status):
        raise Error(f"'{program}' was killed by {_signal_name(os.WTERMSIG(status))}")
    return Result(-1 if status is None else os.WEXITSTATUS(status), output, errors)
