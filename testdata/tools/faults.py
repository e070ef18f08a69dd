"""Lets each system call of a command fail in turn, and checks how suai ends.

Usage: faults.py SUAI PYTHON SHIM [--commands WORD,...] [--calls NAME,...] [--most N]. A run is right if it
ends by itself, in time, with a documented exit status; reports the reason on standard error unless the result is the
same as without the fault; and leaves neither processes nor files. Each call is shimmed in the process of suai, not in
the worker (fake_faults.c). Prints a Markdown table for docs/reliability.md, and each wrong run; the exit status is 1 if
there are any.
"""
import argparse
import collections
import errno
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

ERRORS = {
    "read": (errno.EIO, errno.EINTR, "short"), "write": (errno.ENOSPC, errno.EPIPE, errno.EINTR, "short"),
    "pread": (errno.EIO, errno.EINTR, "short"), "pwrite": (errno.ENOSPC, "short"), "recv": (errno.ECONNRESET, errno.EINTR, "short"),
    "send": (errno.EPIPE, errno.EINTR), "fork": (errno.EAGAIN,), "pipe2": (errno.EMFILE,), "socketpair": (errno.EMFILE,),
    "memfd_create": (errno.ENOSYS, errno.EMFILE), "ftruncate": (errno.ENOSPC,), "mmap": (errno.ENOMEM,), "rename": (errno.EACCES,),
    "linkat": (errno.ENOENT,), "fstat": (errno.EIO,), "stat": (errno.EACCES,), "dup2": (errno.EBADF,), "poll": (errno.EINTR, errno.ENOMEM),
    "waitid": (errno.EINTR,), "waitpid": (errno.EINTR,), "getcwd": (errno.ENOENT,), "realpath": (errno.ENOENT,), "dlopen": (errno.ENOENT,),
    "tmpfile": (errno.ENOSPC,), "fopen": (errno.EMFILE,), "fclose": (errno.ENOSPC,), "fchmod": (errno.EPERM,),
    "mkostemp": (errno.EACCES,), "prctl": (errno.EINVAL,), "open": (errno.EMFILE, errno.EACCES),
}

SCRIPT = """import numpy as np
a = np.arange(6.0)[::2]
class Wrong:
    __array_interface__ = {"version": 3, "shape": (-1,), "typestr": "<f4", "data": (0, False)}
b = Wrong()
"""

COMMANDS = {
    "inspect a dump": ["inspect", "dump.yaml"],
    "validate a dump": ["validate", "dump.yaml", "-f", "json", "--exit-zero"],
    "inspect": ["inspect", "script.py:a", "-f", "yaml", "-o", "out.yaml"],
    "validate": ["validate", "script.py", "--exit-zero"],
    "baseline": ["validate", "script.py", "--baseline", "kept.yaml", "--update-baseline"],
    "convert": ["convert", "script.py:a", "-o", "out.npy", "--verify"],
    "consumer": ["validate", "--consumer", "numpy:from_dlpack", "--case", "float32,fortran"],
    "why": ["why", "script.py:a", "numpy:from_dlpack"],
    "trace": ["trace", "-o", "out.json", "-f", "json", "--", "PYTHON", "-c", "import numpy as n; n.from_dlpack(n.zeros(3))"],
    "init": ["init", "-o", "settings.yaml"],
    "rule": ["rule", "SUAI101"],
}

STATUSES = {0, 1, 2, 3, 4, 70}


class Run:
    def __init__(self, options, directory):
        self.options, self.directory = options, pathlib.Path(directory)
        self.folder = self.directory / "work"

    def prepare(self):
        for path in self.folder.iterdir() if self.folder.exists() else ():
            path.unlink()
        self.folder.mkdir(exist_ok=True)
        (self.folder / "script.py").write_text(SCRIPT)
        if (self.directory / "dump.yaml").exists():
            (self.folder / "dump.yaml").write_bytes((self.directory / "dump.yaml").read_bytes())
        self.before = set(os.listdir(self.folder))

    def __call__(self, words, **variables):
        """Exit status (None: hung), standard output with the files written, standard error, files left, processes left."""
        self.prepare()
        words = [str(self.options.python) if word == "PYTHON" else word for word in words]
        environment = os.environ | {"SUAI_PYTHON": str(self.options.python), "PYTHONDONTWRITEBYTECODE": "1",
                                    "FAULTS_RUN": str(os.getpid())} | variables
        with open(self.directory / "out", "w+b") as out, open(self.directory / "err", "w+b") as err:
            process = subprocess.Popen([self.options.suai, *words], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=err, start_new_session=True)
            try:
                status = process.wait(30)
            except subprocess.TimeoutExpired:
                status = None
            left = processes_of(f"FAULTS_RUN={os.getpid()}", process.pid)
            if left:
                time.sleep(0.3)  # those that were killed have ended by then
                left = processes_of(f"FAULTS_RUN={os.getpid()}", process.pid)
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            if status is None:
                process.kill()
                process.wait()
            out.seek(0)
            err.seek(0)
            texts = out.read(), err.read().decode(errors="replace")
        files = {name: (self.folder / name).read_bytes() for name in sorted(set(os.listdir(self.folder)) - self.before)}
        return status, (texts[0], files), texts[1], left


def processes_of(variable, leader):
    """The processes other than the leader that have the variable in their environment."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in (os.getpid(), leader):
            try:
                if variable.encode() in pathlib.Path("/proc", name, "environ").read_bytes().split(b"\0"):
                    found.append(int(name))
            except OSError:
                pass
    return found


def complaint_of(found, healthy):
    status, result, message, left = found
    if status is None:
        return "hangs"
    if status < 0:
        return f"ends by signal {-status}"
    if left:
        return f"leaves {len(left)} processes"
    if status not in STATUSES:
        return f"exits with {status}"
    strangers = set(result[1]) - set(healthy[1][1])
    if strangers:
        return f"leaves {', '.join(strangers)}"
    if status == healthy[0] and shape_of(result) != shape_of(healthy[1]) and not message.strip():
        return "gives another result without a message"
    if status == 0 and any(len(text) == 0 for name, text in result[1].items() if healthy[1][1].get(name)):
        return "leaves an empty file with exit status 0"
    if status != healthy[0] and not message.strip() and not result[0]:
        return f"exits with {status} without a message"
    return None


def shape_of(result):
    """The numbers of lines of a result, whose addresses differ between runs."""
    return len(result[0].splitlines()), {name: len(text.splitlines()) for name, text in result[1].items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suai", type=pathlib.Path)
    parser.add_argument("python", type=pathlib.Path)
    parser.add_argument("shim", type=pathlib.Path)
    parser.add_argument("--commands", default="")
    parser.add_argument("--calls", default="")
    parser.add_argument("--most", type=int, default=0, help="runs of a command, call and error; 0: each call fails in turn")
    options = parser.parse_args()
    options.suai, options.python, options.shim = options.suai.resolve(), options.python.absolute(), options.shim.resolve()
    n_wrong, table = 0, {}
    with tempfile.TemporaryDirectory() as directory:
        run = Run(options, directory)
        run.prepare()
        made = run(["inspect", "script.py:a", "-f", "yaml", "-o", "dump.yaml"])
        (run.directory / "dump.yaml").write_bytes(made[1][1]["dump.yaml"])
        mark = run.directory / "mark"
        for command, words in COMMANDS.items():
            if options.commands and command not in options.commands.split(","):
                continue
            healthy = run(words)
            for call, errors in ERRORS.items():
                if options.calls and call not in options.calls.split(","):
                    continue
                for error in errors:
                    n = 0
                    while not options.most or n < options.most:
                        n += 1
                        mark.unlink(missing_ok=True)
                        found = run(words, LD_PRELOAD=str(options.shim), FAULT_CALL=call, FAULT_N=str(n), FAULT_ERRNO=str(error),
                                    FAULT_PROGRAM="suai", FAULT_MARK=str(mark))
                        if not mark.exists():
                            break
                        row = table.setdefault(call, collections.Counter())
                        row["runs"] += 1
                        wrong = complaint_of(found, healthy)
                        same = found[0] == healthy[0] and shape_of(found[1]) == shape_of(healthy[1])
                        row["same" if same else "reported"] += 1
                        if wrong:
                            n_wrong += 1
                            row["wrong"] += 1
                            name = error if error == "short" else errno.errorcode[error]
                            print(f"{command}: {call} {n} {name}: {wrong}: status {found[0]}, {found[2].strip()[-200:]!r}", file=sys.stderr, flush=True)
                        if found[0] is None and n > 20:
                            break
    print("| call | failed in turn | same result | reported | wrong |\n|---|---|---|---|---|")
    for call, row in table.items():
        print(f"| `{call}` | {row['runs']} | {row['same']} | {row['reported']} | {row['wrong']} |")
    sys.exit(n_wrong != 0)


main()
