# SPDX-License-Identifier: MIT
"""The pytest plugin of suai: the fixture ``suai``, and ``--suai-report`` and ``--suai-config``.

It is a module outside of the package, so that a test run which checks nothing imports no suai.
pytest 7.0 or later can load it, which every test run of an environment with suai does.
"""

from __future__ import annotations  # some of the types are newer than pytest 7.0

import base64
import copy
import functools
import inspect
import json
import os
import re
import signal
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any, Dict, Generator, List, Optional, Set

import pytest

_FORMATS = {".sarif": "sarif", ".json": "json", ".xml": "junit"}
_SEVERITIES = ("error", "warning", "note")
_FACTS = ("calls", "lifetime", "live")
_captures = pytest.StashKey[List[bytes]]()
_consumers = pytest.StashKey[List[str]]()
_facts = pytest.StashKey[Set[str]]()


def _duplicate_stderr() -> int:
    try:
        return os.dup(2)
    except OSError:
        return 2


error_fd = _duplicate_stderr()
"""Standard error, which pytest captures after it loads plugins: for what ends the process."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("suai").addoption(
        "--suai-report",
        metavar="FILE",
        help="write the findings of all checks of the fixture suai to FILE; its suffix selects the "
        "format: .sarif, .json or .xml (JUnit)",
    )
    parser.getgroup("suai").addoption(
        "--suai-config",
        metavar="FILE",
        help="read this file instead of the suai.yaml in the root directory or above, for example "
        "if that belongs to another user",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Comments(config), "suai-comments")
    path = config.getoption("--suai-report")
    if path is None:
        return
    if Path(path).suffix not in _FORMATS:
        raise pytest.UsageError(
            f"--suai-report: expected a name that ends with .sarif, .json or .xml, got {path!r}"
        )
    if not hasattr(config, "workerinput"):  # of pytest-xdist: its controller writes the report
        config.pluginmanager.register(_Collector(config, os.path.abspath(path)), "suai-report")


# --- checks ---


_WAITING = "pytest_rerunfailures", "pytest_timeout"


def _count_idle_threads(config: pytest.Config) -> int:
    """Count the threads of plugins, which only wait for messages or until a time."""
    functions = (
        getattr(thread, "function", None) or getattr(thread, "_target", None)
        for thread in threading.enumerate()
    )
    n_idle = sum(getattr(function, "__module__", None) in _WAITING for function in functions)
    n_idle += hasattr(config, "workerinput")  # of pytest-xdist
    if config.pluginmanager.hasplugin("faulthandler"):
        n_idle += float(config.getini("faulthandler_timeout") or 0) > 0
    return n_idle


def _import_suai(config: pytest.Config) -> ModuleType:
    import suai

    on_alarm = signal.getsignal(signal.SIGALRM)
    file = config.getoption("--suai-config")
    suai.configure(
        directory=str(config.rootpath),
        config=None if file is None else str(config.invocation_params.dir / file),
        idle_threads=_count_idle_threads(config),
        idle_timer=getattr(on_alarm, "__module__", None) in _WAITING,
    )
    return suai


_READ_SETTINGS = {"all", "severity", "timeout", *_FACTS}


@functools.lru_cache(maxsize=None)
def _settings(config: pytest.Config) -> Dict[str, Any]:
    """The settings of suai.yaml, as the program reads them."""
    module = _import_suai(config)
    result = module.run_program(["validate", "--show-settings", *module._config_options(), "-"])
    if result.status > 0:
        raise ValueError(result.errors.strip().removeprefix("suai: "))
    lines = re.findall(r"^(\S+): (.*?) +# ", result.output.decode(), re.MULTILINE)
    return {key: json.loads(value) for key, value in lines if key in _READ_SETTINGS}


_RULE_OPTIONS = "select", "ignore", "severity"


class Suai:
    """The fixture ``suai``: the module, with checks that belong to a test."""

    def __init__(self, module: ModuleType, node: pytest.Item):
        self._module = module
        self._node = node
        self._n_checks = 0

    def __repr__(self) -> str:
        return f"<suai for {self._node.nodeid}>"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def check(self, *objects: Any, name: Optional[str] = None, **options: Any) -> Any:
        """Fail the test unless ``suai validate`` passes; return the `suai.Report`.

        The parameters are those of `suai.capture`: an object or ``make=``, and ``calls``,
        ``lifetime``, ``live``, ``protocols``, ``isolate`` and ``timeout``. Without them the
        settings of suai.yaml apply, as do its rules and severities. lifetime and live of suai.yaml
        apply to checks with ``make=``.

        name: is added to that of the test in reports; by default the number of the check from the
        second one of a test on.
        """
        __tracebackhide__ = True
        try:
            report = self._validate(objects, name, options)
        except (TypeError, ValueError, UserWarning, self._module.Error) as error:
            raise error.with_traceback(None)
        if not report:
            raise self._module.CheckError(report)
        return report

    def check_consumer(self, consumer: Any, **options: Any) -> Any:
        """Fail the test unless the function imports tensors of suai correctly; return the report.

        The parameters are those of `suai.check_consumer` except ``select``, ``ignore`` and
        ``severity``, which are settings of suai.yaml; per-target-ignores there match
        ``CONSUMER[CASE]``.
        """
        __tracebackhide__ = True
        try:
            self._reject_rule_options("check_consumer", options)
            report = self._module.check_consumer(consumer, **options)
        except self._module.CheckError as error:
            self._node.stash.setdefault(_consumers, []).append(error.report.json())
            raise error.with_traceback(None)
        except (TypeError, ValueError, self._module.Error) as error:
            raise error.with_traceback(None)
        self._node.stash.setdefault(_consumers, []).append(report.json())
        return report

    @staticmethod
    def _reject_rule_options(function: str, options: Dict[str, Any]) -> None:
        for key in _RULE_OPTIONS:
            if key in options:
                raise TypeError(
                    f"{function}: {key} is a setting of suai.yaml, which applies to --suai-report too; "
                    "per-target-ignores there match the names of targets"
                )

    def _validate(self, objects: Any, name: Optional[str], options: Dict[str, Any]) -> Any:
        self._reject_rule_options("check", options)
        if len(objects) > 1:
            raise TypeError(f"check: expected one object, got {len(objects)}")
        self._n_checks += 1
        suffix = name or (str(self._n_checks) if self._n_checks > 1 else None)
        settings = _settings(self._node.config)
        _import_suai(self._node.config)  # timers start after fixtures
        for fact in _FACTS:
            if fact == "calls" or "make" in options:
                options.setdefault(fact, settings["all"] or settings[fact])
        options.setdefault("timeout", settings["timeout"])
        report = self._module.validate(
            *objects, name=f"{self._node.nodeid}:{suffix}" if suffix else self._node.nodeid, **options
        )
        self._node.stash.setdefault(_captures, []).append(report._capture)
        self._node.stash.setdefault(_facts, set()).update(f for f in _FACTS if options.get(f))
        return report


@pytest.fixture
def suai(request: pytest.FixtureRequest) -> Suai:
    """Checks array interfaces: ``suai.check(obj)`` fails with what ``suai validate`` prints."""
    try:
        module = _import_suai(request.config)
    except ImportError as error:
        pytest.fail(str(error), pytrace=False)
    return Suai(module, request.node)


# --- results of tests ---


def _summarize(report: Any, item: pytest.Item) -> List[str]:
    """A line for each finding that fails, or else the line that states why the check failed."""
    lines = report.format("concise").splitlines()
    level = _SEVERITIES.index(_settings(item.config)["severity"] or "error")
    failing = [
        line.removeprefix(item.nodeid).lstrip(": ")
        for line in lines
        if re.search(rf": ({'|'.join(_SEVERITIES[: level + 1])}) ", line)
    ]
    return failing or lines[-1:]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, Any, None]:
    result = (yield).get_result()
    module = sys.modules.get("suai")
    error = call.excinfo.value if call.excinfo else None
    if module and result.failed and isinstance(error, module.CheckError):
        lines = _summarize(error.report, item)
        crash = getattr(result.longrepr, "reprcrash", None)
        if crash:
            crash.message = "\n".join(lines)
            result.suai_lines = lines
    comments = module._ignores.take() if module else []
    if comments:
        result.suai_comments = _describe_comments(item, comments)
    if not item.config.getoption("--suai-report"):
        return
    # Attributes of reports reach the controller of pytest-xdist as JSON.
    if _consumers in item.stash:
        result.suai_consumers = item.stash[_consumers]
        del item.stash[_consumers]
    if _captures in item.stash:
        captures, facts = item.stash[_captures], item.stash[_facts]
        result.suai_capture = base64.b64encode(b"".join(captures)).decode()
        result.suai_facts = sorted(facts)
        del item.stash[_captures]


class _FurtherLine(pytest.TestReport):
    """A copy of a test's report for one more line of the summary."""

    count_towards_summary = False


def _split_report(report: Any) -> List[Any]:
    """Copies of a test's report, one for each line of its summary; they count as one."""
    copies: List[Any] = []
    for line in getattr(report, "suai_lines", []):
        part = copy.copy(report)
        part.longrepr = copy.copy(report.longrepr)
        part.longrepr.reprcrash = copy.copy(report.longrepr.reprcrash)
        part.longrepr.reprcrash.message = line
        if copies:
            part.__class__ = _FurtherLine
        copies.append(part)
    return copies or [report]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Let the short summary, which follows, have a line for each finding."""
    for key in ("failed", "error"):
        if key in terminalreporter.stats:
            reports = terminalreporter.stats[key]
            reports[:] = [part for report in reports for part in _split_report(report)]


# --- comments that ignore findings ---


def _function_of(nodeid: str) -> str:
    """The function of a test, without its class: parameters and subclasses share its lines."""
    name = nodeid.partition("[")[0]
    return f"{name.partition('::')[0]}::{name.rpartition('::')[2]}"


def _describe_comments(item: pytest.Item, comments: List[Any]) -> List[Dict[str, Any]]:
    """The comments as JSON. ``function``: the test's, if its own code has the line; None: other tests can call it."""
    function = getattr(item, "obj", None)
    is_random = getattr(function, "is_hypothesis_test", False)
    own = getattr(inspect.unwrap(function), "__code__", None)  # type: ignore[arg-type]
    return [
        {
            "path": comment.code.co_filename,
            "line": comment.line,
            "function": _function_of(item.nodeid) if comment.code is own else None,
            "unused": [] if is_random else sorted(comment.unused),
        }
        for comment in comments
    ]


class _Comments:
    """Finds comments that no check of a run needed, and that no test that did not run can need."""

    def __init__(self, config: pytest.Config):
        self._config = config
        self._n_tests: Dict[str, int] = {}  # by function, before any are deselected
        self._passed: Set[str] = set()
        self._others: Set[str] = set()  # functions of tests that failed or were skipped
        self._has_all_files = True
        self._comments: Dict[Any, Set[str]] = {}
        self._errors: List[str] = []

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: List[pytest.Item]) -> Generator[None, Any, None]:
        for item in items:
            function = _function_of(item.nodeid)
            self._n_tests[function] = self._n_tests.get(function, 0) + 1
        yield

    def pytest_collectreport(self, report: Any) -> None:
        self._has_all_files &= report.passed

    def pytest_runtest_logreport(self, report: Any) -> None:
        if not report.passed:
            self._others.add(_function_of(report.nodeid))
        elif report.when == "call":
            self._passed.add(report.nodeid)
        for comment in getattr(report, "suai_comments", []):
            key = comment["path"], comment["line"], comment["function"]
            unused = self._comments.setdefault(key, set(comment["unused"]))
            unused.intersection_update(comment["unused"])

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the counts of a worker of pytest-xdist, whose controller collects nothing."""
        n_tests, has_all_files = getattr(node, "workeroutput", {}).get("suai", [{}, False])
        self._n_tests.update(n_tests)
        self._has_all_files &= has_all_files

    def _is_whole_run(self, path: str) -> bool:
        """Whether all tests of the directories of path ran that can call its code."""
        option = self._config.getoption
        directories = [self._config.invocation_params.dir / arg for arg in self._config.args]
        return (
            self._has_all_files
            and not self._others
            and len(self._passed) == sum(self._n_tests.values())
            and not any(option(name, None) for name in ("lf", "ignore", "ignore_glob"))
            and any(Path(path).is_relative_to(directory) for directory in directories)
        )

    def _ran(self, path: str, function: Optional[str]) -> bool:
        if function is None:
            return self._is_whole_run(path)
        n_passed = sum(_function_of(test) == function for test in self._passed)
        return function not in self._others and n_passed == self._n_tests.get(function)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(self._config, "workerinput"):
            output: Dict[str, Any] = self._config.workeroutput  # type: ignore[attr-defined]
            output["suai"] = [self._n_tests, self._has_all_files]
            return
        if any("::" in arg for arg in self._config.args):
            return
        for (path, line, function), unused in sorted(self._comments.items(), key=str):
            for message in sorted(unused) if self._ran(path, function) else ():
                self._warn(session, message, path, line)

    def _warn(self, session: pytest.Session, message: str, path: str, line: int) -> None:
        try:
            warnings.warn_explicit(message, UserWarning, path, line)
        except UserWarning:  # a filter makes it an error
            self._errors.append(f"{os.path.relpath(path, self._config.rootpath)}:{line}: {message}")
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for error in self._errors:
            terminalreporter.write_line(f"ERROR {error}", red=True)


# --- the report of a run ---


class _Collector:
    """Collects the captures of all tests, and checks them together at the end."""

    def __init__(self, config: pytest.Config, path: str):
        self._config = config
        self._path = path
        self._captures: Dict[str, Dict[str, bytes]] = {}
        self._consumers: Dict[str, Dict[str, List[str]]] = {}
        self._facts: Set[str] = set()
        self._order: Dict[str, int] = {}
        self._message: Optional[str] = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: List[str]) -> None:
        self._order = {test: i for i, test in enumerate(ids)}

    def pytest_runtest_logreport(self, report: Any) -> None:
        captures = self._captures.setdefault(report.nodeid, {})
        consumers = self._consumers.setdefault(report.nodeid, {})
        if report.when == "setup":
            captures.clear()  # of a run before, if a plugin repeats tests that failed
            consumers.clear()
        consumers[report.when] = getattr(report, "suai_consumers", [])
        if hasattr(report, "suai_capture"):
            captures[report.when] = base64.b64decode(report.suai_capture)
            self._facts.update(report.suai_facts)

    def _write(self) -> Optional[str]:
        """Write the report; return the error, or None."""
        tests = sorted(self._captures, key=lambda test: self._order.get(test, 0))
        data = b"".join(part for test in tests for part in self._captures[test].values())
        dumps = [dump for test in tests for part in self._consumers[test].values() for dump in part]
        if not data and not dumps:
            Path(self._path).unlink(missing_ok=True)
            return None
        with tempfile.TemporaryDirectory() as directory:
            paths = [Path(directory, f"{i}.yaml") for i in range(len(dumps))]
            for path, dump in zip(paths, dumps):
                path.write_text(dump, encoding="utf-8")
            return self._validate(data, ["-"] * bool(data) + [str(path) for path in paths])

    def _validate(self, data: bytes, targets: List[str]) -> Optional[str]:
        module = _import_suai(self._config)
        options = [f"--{fact}" for fact in sorted(self._facts)] + module._config_options()
        output = ["-f", _FORMATS[Path(self._path).suffix], "-o", self._path]
        try:
            result = module.run_program(["validate", *output, *options, *targets], data)
        except module.Error as error:
            return str(error)
        failed = result.status not in (-1, 0, 1, 3, 4)
        return result.errors.strip().removeprefix("suai: ") if failed else None

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        try:
            error = self._write()
        except OSError as failure:
            error = str(failure)
        if error:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR
            self._message = f"suai: {self._path} was not written: {error}"
        elif os.path.exists(self._path):
            self._message = f"suai: findings of all checks are in {self._path}"
        else:
            self._message = f"suai: no checks, so that {self._path} was not written"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.write_line(self._message or "")
