# SPDX-License-Identifier: MIT
"""Runs of suai for faults.py and conditions.py: each in a directory of its own files, with what it leaves behind and a comparison
with the result of a run without a fault."""
import collections
import ctypes
import dataclasses
import fcntl
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36

SCRIPT = """import numpy as np
a = np.arange(6.0)[::2]
class Wrong:
    __array_interface__ = {"version": 3, "shape": (-1,), "typestr": "<f4", "data": (0, False)}
b = Wrong()
"""

# Commands that start no process.
JUDGE_COMMANDS = {
    **{f"inspect a dump as {f}": ["inspect", "dump.yaml", "-f", f, "-o", "out"] for f in ("text", "yaml", "json")},
    **{f"validate a dump as {f}": ["validate", "dump.yaml", "--exit-zero", "-f", f, "-o", "out"]
       for f in ("text", "concise", "yaml", "json", "sarif", "junit", "tap", "github")},
    **{f"rule as {f}": ["rule", "SUAI101", "-f", f] for f in ("text", "json")},
    "rules": ["rule"],
    "query": ["inspect", "dump.yaml", "--query", "target,dtype"],
    "statistics": ["validate", "dump.yaml", "--exit-zero", "--statistics"],
    "baseline of a dump": ["validate", "dump.yaml", "--baseline", "kept.yaml", "--update-baseline"],
    "settings": ["validate", "--show-settings"],
    "init": ["init", "-o", "settings.yaml"],
    "help": ["help", "validate"],
    "man": ["docs", "man"],
    "completion": ["complete", "targets", "script.py:"],
}

# Commands that run Python.
LIVE_COMMANDS = {
    "inspect": ["inspect", "script.py:a", "--values", "-f", "yaml", "-o", "out.yaml"],
    "validate": ["validate", "script.py", "--exit-zero"],
    "validate -j2": ["validate", "script.py:a", "other.py:a", "-j2", "--exit-zero", "-f", "json"],
    "baseline": ["validate", "script.py", "--baseline", "kept.yaml", "--update-baseline"],
    "convert": ["convert", "script.py:a", "-o", "out.npy", "--verify"],
    "convert and call": ["convert", "script.py:a", "--to", "dlpack", "--call", "numpy.from_dlpack(_)", "-f", "json"],
    "consumer": ["validate", "--consumer", "numpy:from_dlpack", "--case", "float32,fortran"],
    "why": ["why", "script.py:a", "numpy:from_dlpack"],
    "matrix": ["matrix", "memoryview", "ctypes", "-f", "json"],
    "trace": ["trace", "-o", "out.json", "-f", "json", "--", "PYTHON", "-c", "import numpy as n; n.from_dlpack(n.zeros(3))"],
    "devices": ["devices", "-f", "json"],
    "version": ["version"],
}

STATUSES = {0, 1, 2, 3, 4, 70}

# A result that differs states why in one of these words, more often than the healthy one contains them.
REASONS = re.compile("|".join((
    r"\d+ rules? skipped",  # another number of them
    '"?status"?: "?raised',  # of a target, whose calls may raise exceptions as usual
    "unknown", "unavailable", "crashe[sd]", "raise[sd]", "hangs|hung", "killed", "skipped", "cannot", "MemoryError", "out of memory",
    "not traced", '"traced": false', "not queried", "timed out", "exceeded --timeout", "exited with", "NOT_FOUND", "Cannot allocate",
    "failed to map", "the import fails", "No such file", "Too many open", "Input/output error",
    '"(?:name|processor)": null')))  # of a CPU, whose model is not known


@dataclasses.dataclass
class Outcome:
    status: int | None  # None: it did not end
    out: bytes
    files: dict
    err: str
    left: list

    @property
    def message(self):
        return self.err.strip()

    def masked(self):
        return mask(self.out), {name: mask(text) for name, text in self.files.items()}


def mask(text):
    """Without addresses, times, process ids and the path of the temporary directory."""
    text = re.sub(rb"0x[0-9a-f]{5,}", b"ADDRESS", text)
    text = re.sub(rb'(time="|"(?:\w*seconds|\w+_ms|\w+_ns)": )[\d.e+-]+', rb"\1TIME", text)
    text = re.sub(rb"\b\d+(\.\d+)? (ms|s|us|ns)\b", b"TIME", text)
    text = re.sub(rb"\b\d{6,}\b", b"NUMBER", text)
    text = re.sub(rb"(?m)^(\s*(?:started|\w*seconds|pid):).*", rb"\1 MASKED", text)
    text = re.sub(rb'"pid": \d+', b'"pid": MASKED', text)
    text = re.sub(rb"(?m)^#- .*\n", b"", text)  # the targets that init suggests, if it can read the directory
    return re.sub(rb"\d{4}-\d\d-\d\dT[\d:.]+Z?", b"DATE", text)


class Runner:
    def __init__(self, suai, python, directory):
        self.suai, self.python, self.directory = pathlib.Path(suai).resolve(), pathlib.Path(python).absolute(), pathlib.Path(directory)
        self.folder = self.directory / "work"
        self.temporary = self.directory / "tmp"
        self.cache = self.directory / "cache"
        self.existing = {}  # files that are there before a run, and their content
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
        self.prepare()
        made = self.run(["inspect", "script.py:a", "-f", "yaml", "-o", "dump.yaml"])
        self.dump = made.files["dump.yaml"]

    def prepare(self):
        for folder in (self.folder, self.temporary, self.cache):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            folder.chmod(0o777)
        (self.folder / "script.py").write_text(SCRIPT)
        (self.folder / "other.py").write_text(SCRIPT)
        if hasattr(self, "dump"):
            (self.folder / "dump.yaml").write_bytes(self.dump)
        for name, content in self.existing.items():
            (self.folder / name).write_bytes(content)
        self.before = set(os.listdir(self.folder)) - set(self.existing)

    def words(self, words):
        return [str(self.python) if word == "PYTHON" else word for word in words]

    def environment(self, variables):
        return os.environ | {"SUAI_PYTHON": str(self.python), "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(self.temporary),
                             "XDG_CACHE_HOME": str(self.cache), "FAULTS_RUN": str(os.getpid())} | variables

    def start(self, words, variables={}, wrapper=(), **options):
        return subprocess.Popen([*wrapper, str(self.suai), *self.words(words)], cwd=self.folder, env=self.environment(variables),
                                start_new_session=True, **{"stdin": subprocess.DEVNULL, **options})

    def run(self, words, variables={}, wrapper=(), act=None, timeout=60, **options):
        """act(process) runs while the process does. Standard error is a pipe, which has no limit on its size; no command fills it."""
        self.prepare()
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 1 << 20)
        with open(self.directory / "out", "w+b") as out, open(reader, "rb") as err:
            process = self.start(words, variables, wrapper, **{"stdout": out, "stderr": writer, **options})
            os.close(writer)
            if act:
                act(process)
            try:
                status = process.wait(timeout)
            except subprocess.TimeoutExpired:
                status = None
            left = self.end_rest(process)
            out.seek(0)
            texts = out.read(), err.read().decode(errors="replace")
        return Outcome(status, texts[0], self.files(), texts[1], left)

    def end_rest(self, process):
        """The processes that were left behind; those that were killed may take a moment."""
        if not has_children():
            return []
        end = time.monotonic() + 30
        while (left := processes_of(f"FAULTS_RUN={os.getpid()}", process.pid)) and time.monotonic() < end:
            time.sleep(0.05)
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if process.poll() is None:
            process.kill()
            process.wait()
        return left

    def files(self):
        """What was written: in the directory, and left in those for temporary files and the cache."""
        found = {}
        for folder, prefix in ((self.folder, ""), (self.temporary, "$TMPDIR/"), (self.cache, "$XDG_CACHE_HOME/")):
            for path in sorted(folder.rglob("*")):
                name = str(path.relative_to(folder))
                # PoCL's cache is its own.
                if path.is_file() and not name.startswith("pocl/") and not (folder == self.folder and name in self.before):
                    found[prefix + name] = path.read_bytes()
        return found


def has_children():
    """Whether this process has any, which adopts what suai leaves behind; ends those that have exited."""
    try:
        while os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG):
            pass
    except ChildProcessError:
        return False
    return True


def processes_of(variable, leader):
    """The processes other than the leader that have the variable in their environment, without those that ended."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in (os.getpid(), leader):
            try:
                if variable.encode() in pathlib.Path("/proc", name, "environ").read_bytes().split(b"\0"):
                    found.append(int(name))
            except OSError:
                pass
    return found


def is_same(found, healthy):
    return found.status == healthy.status and found.masked() == healthy.masked()


def text_of(outcome):
    out, files = outcome.masked()
    return "\n".join(text.decode(errors="replace") for text in (out, *files.values()))


def states_reason(found, healthy):
    """Whether the result, or a message, states why it differs. A line that was there before does not, nor one that replaces such a line."""
    given, usual = (collections.Counter(REASONS.findall(outcome.message + "\n" + text_of(outcome))) for outcome in (found, healthy))
    return bool(given - usual)


def new_text(found, healthy):
    """What the result contains that the healthy one does not, in units of lines or of items of JSON."""
    new, usual = (collections.Counter(re.split(r"\n|, ", text_of(outcome))) for outcome in (found, healthy))
    return "\n".join(new - usual)


def complaint_of(found, healthy, statuses=frozenset(STATUSES), may_be_silent=False):
    """What is wrong with the outcome; None: nothing. statuses: those that are expected."""
    if found.status is None:
        return "does not end"
    if found.left:
        return f"leaves {len(found.left)} processes"
    if found.status not in statuses and found.status != healthy.status:
        return f"ends by signal {-found.status}" if found.status < 0 else f"exits with {found.status}"
    strangers = set(found.files) - set(healthy.files)
    if strangers:
        return f"leaves {', '.join(strangers)}"
    if is_same(found, healthy):
        return None
    if found.status < 0:  # killed as intended
        return None
    if found.status == healthy.status:
        return None if states_reason(found, healthy) else \
            f"gives another result without a message: {found.message + new_text(found, healthy)[:300]!r}"
    for name, content in found.files.items():
        if len(content) == 0 and healthy.files.get(name):
            return f"leaves an empty {name}"
    return None if may_be_silent or found.message or states_reason(found, healthy) else f"exits with {found.status} without a message"


class Table:
    """Counts of outcomes by row, printed as Markdown."""

    def __init__(self, title):
        self.title, self.rows, self.n_wrong = title, {}, 0

    def add(self, row, name, found, healthy, **options):
        counts = self.rows.setdefault(row, collections.Counter())
        wrong = complaint_of(found, healthy, **options)
        counts["runs"] += 1
        counts["same" if is_same(found, healthy) else "reported"] += 1
        if wrong:
            self.n_wrong += 1
            counts["wrong"] += 1
            print(f"{row}: {name}: {wrong}: status {found.status}, {found.message[-300:]!r}, {found.out[-200:]!r}",
                  file=sys.stderr, flush=True)

    def markdown(self):
        lines = [f"| {self.title} | runs | same result | reported | wrong |", "|---|---|---|---|---|"]
        for row, counts in self.rows.items():
            lines.append(f"| {row} | {counts['runs']} | {counts['same']} | {counts['reported']} | {counts['wrong']} |")
        return "\n".join(lines) + "\n"


def write_table(path, name, table):
    """Replaces the lines between <!-- NAME --> and <!-- end of NAME --> of a document."""
    text = pathlib.Path(path).read_text()
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, rest = text.split(begin)
    _, after = rest.split(end)
    pathlib.Path(path).write_text(before + begin + "\n" + table + "\n" + end + after)
