# SPDX-License-Identifier: MIT
"""Runs suai under conditions that its machine may impose, and checks how it ends.

Usage: conditions.py SUAI PYTHON [--rows WORD,...] [--most N] [--kills N] [--write FILE]. A run is right as in faults.py; in addition,
a file that existed is intact or replaced completely. --most chooses at random as many cases of each row. Prints a Markdown table,
which --write puts into a document, and each wrong run; the exit status is 1 if there are any. Rows that need a privilege which is
missing are printed with the reason.
"""
import argparse
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

from fault_runs import JUDGE_COMMANDS, LIVE_COMMANDS, Runner, Table, write_table

COMMANDS = JUDGE_COMMANDS | LIVE_COMMANDS
LOADER = 127  # the dynamic loader had too little memory for suai itself


def limited(limit, value):
    return lambda: resource.setrlimit(limit, (value, value))


class Conditions:
    def __init__(self, runner, options, table):
        self.runner, self.options, self.table = runner, options, table
        self.random = random.Random(options.seed)
        self.known = {}

    def healthy(self, command):
        if command not in self.known:
            began = time.monotonic()
            outcome = self.runner.run(COMMANDS[command])
            self.known[command] = outcome, time.monotonic() - began
        return self.known[command][0]

    def seconds(self, command):
        self.healthy(command)
        return self.known[command][1]

    def draw(self, cases):
        cases = list(cases)
        return self.random.sample(cases, self.options.most) if 0 < self.options.most < len(cases) else cases

    def check(self, row, name, command, found, **options):
        self.table.add(row, f"{command}: {name}", found, self.healthy(command), **options)

    def assume_output(self, command, found):
        """What went into the pipe is unknown."""
        if found.status == self.healthy(command).status:
            found.out = self.healthy(command).out

    # --- rows ---

    def file_size(self, row):
        """RLIMIT_FSIZE, for standard output and for files."""
        for command, n_bytes in self.draw((c, n) for c in COMMANDS for n in (0, 1, 100, 1000, 4096)):
            found = self.runner.run(COMMANDS[command], preexec_fn=limited(resource.RLIMIT_FSIZE, n_bytes))
            self.check(row, f"{n_bytes} bytes", command, found)

    def disk_full(self, row):
        """A file system of a few pages, for the output and for temporary files."""
        script = ('mkdir -p full && mount -t tmpfs -o size=4k,nr_inodes=64 none full && head -c 100000 /dev/zero > full/filler 2> /dev/null;'
                  ' export TMPDIR=$PWD/full; "$@"; status=$?; rm -f full/filler; ls -A full > ../left; exit $status')
        if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
            return "unshare -m is not permitted"
        for command in self.draw(c for c in COMMANDS if "-o" in COMMANDS[c] or "--baseline" in COMMANDS[c]):
            words = ["full/" + word if COMMANDS[command][i - 1] in ("-o", "--baseline") and i else word
                     for i, word in enumerate(COMMANDS[command])]
            found = self.runner.run(words, wrapper=["unshare", "-m", "sh", "-c", script, "-"])
            left = (self.runner.directory / "left").read_text().split()
            found.files.update({name: b"" for name in left})
            self.check(row, "full", command, found)
        return None

    def closed_pipe(self, row):
        """Standard output is a pipe without a reader; SIGPIPE ends suai, or is ignored, so that writing fails."""
        for command, ignores in self.draw((c, i) for c in COMMANDS for i in (False, True)):
            reader, writer = os.pipe()
            os.close(reader)
            found = self.runner.run(COMMANDS[command], stdout=writer, restore_signals=not ignores)
            os.close(writer)
            # Standard output of the outcome is empty: exit status 0 is wrong if there should be any.
            has_output = bool(self.healthy(command).out)
            self.check(row, "EPIPE" if ignores else "SIGPIPE", command, found,
                       statuses={2} if ignores and has_output else {-signal.SIGPIPE} if has_output else {0})

    def first_line(self, row):
        """suai ... | head -1"""
        for command in self.draw(COMMANDS):
            reader, writer = os.pipe()
            head = subprocess.Popen(["head", "-1"], stdin=reader, stdout=subprocess.DEVNULL)
            os.close(reader)
            found = self.runner.run(COMMANDS[command], stdout=writer)
            os.close(writer)
            head.wait()
            self.assume_output(command, found)
            self.check(row, "head -1", command, found, statuses={-signal.SIGPIPE, 0})

    def closed_descriptors(self, row):
        """The eight combinations of closed standard descriptors."""
        def close(bits):
            return lambda: [os.close(fd) for fd in range(3) if bits >> fd & 1]
        for command, bits in self.draw((c, b) for c in COMMANDS for b in range(8)):
            found = self.runner.run(COMMANDS[command], preexec_fn=close(bits))
            self.check(row, f"without {[fd for fd in range(3) if bits >> fd & 1]}", command, found, may_be_silent=bool(bits & 4))

    def descriptors(self, row):
        """ulimit -n"""
        for command, n in self.draw((c, n) for c in COMMANDS for n in (4, 5, 6, 7, 8, 10, 12, 16)):
            found = self.runner.run(COMMANDS[command], preexec_fn=limited(resource.RLIMIT_NOFILE, n))
            self.check(row, f"{n} descriptors", command, found)

    def address_space(self, row):
        """ulimit -v"""
        for command, mib in self.draw((c, n) for c in COMMANDS for n in (4, 5, 6, 8, 12, 16, 24, 32, 40, 48, 56, 64, 96, 128, 256)):
            found = self.runner.run(COMMANDS[command], preexec_fn=limited(resource.RLIMIT_AS, mib << 20))
            is_loader = "error while loading shared libraries" in found.err
            if found.status == LOADER and not is_loader:
                found.status = 999
            # The program that is traced may be killed by what its limit causes; suai ends as it does.
            statuses = {0, 1, 2, 3, 4, 70} | ({LOADER} if is_loader else set())
            if command == "trace":
                statuses |= {-signal.SIGSEGV, -signal.SIGABRT, LOADER, 128 + signal.SIGSEGV}
            self.check(row, f"{mib} MiB", command, found, statuses=statuses)

    def processes(self, row):
        """ulimit -u, as a user without other processes"""
        if os.getuid() or subprocess.run(["setpriv", "--version"], capture_output=True, check=False).returncode:
            return "requires root and setpriv"
        uid = str(50000 + os.getpid() % 10000)
        if subprocess.run(["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", str(self.runner.suai), "rule", "SUAI101"],
                          capture_output=True, check=False).returncode:
            return "another user cannot run this suai"
        self.runner.directory.chmod(0o755)
        for command, n in self.draw((c, n) for c in COMMANDS for n in (0, 1, 2, 3, 4, 6, 8)):
            # The limit is set by the user itself: it counts at the next fork.
            found = self.runner.run(COMMANDS[command], wrapper=["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups",
                                                               "bash", "-c", f'ulimit -u {n}; exec "$@"', "-"])
            self.check(row, f"{n} processes", command, found)
        return None

    def no_proc(self, row):
        """/proc is empty"""
        if subprocess.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs none /proc"], capture_output=True, check=False).returncode:
            return "unshare -m is not permitted"
        for command in self.draw(COMMANDS):
            found = self.runner.run(COMMANDS[command], wrapper=["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "-"])
            self.check(row, "no /proc", command, found)
        return None

    def stopped_suai(self, row):
        """SIGSTOP and SIGCONT, at a random moment"""
        def stop(process):
            time.sleep(moment)
            if process.poll() is None:
                os.kill(process.pid, signal.SIGSTOP)
                time.sleep(0.2)
                os.kill(process.pid, signal.SIGCONT)
        for command in self.draw(COMMANDS):
            moment = self.random.random() * self.seconds(command)
            found = self.runner.run(COMMANDS[command], act=stop)
            self.check(row, f"stopped after {moment:.3f} s", command, found, statuses={self.healthy(command).status})

    def stopped_worker(self, row):
        """A worker that is stopped at each step reaches its time limit, and is killed."""
        self.at_steps(row, {"SUAI_FAIL_SIGNAL": "19"}, 4, ["--timeout", "1"])

    def killed_worker(self, row):
        """A worker that is killed at each step"""
        self.at_steps(row, {}, 0, [])

    def at_steps(self, row, variables, most, words):
        for command in LIVE_COMMANDS:
            if command in ("trace", "version"):
                continue
            listed = self.runner.run(COMMANDS[command], {"SUAI_DEBUG": "steps"}).err
            steps = list(dict.fromkeys(re.findall(r"steps: -?\d+: (.*)", listed)))
            most = self.options.most or most
            for step in self.random.sample(steps, most) if 0 < most < len(steps) else steps:
                found = self.runner.run(COMMANDS[command] + words, {"SUAI_FAIL_STEP": step} | variables)
                self.check(row, f"at '{step}'", command, found)
                text = found.err + found.out.decode() + "".join(t.decode(errors="replace") for t in found.files.values())
                text = " ".join(text.split())
                # The search of a module for objects is not reported: its attributes are read again.
                is_search = re.match(r"\w+\.__\w+__$", step)
                if not is_search and not re.search(r"killed by SIGKILL|timed out|time limit|did not return|does not return|hang|exceeded --timeout", text):
                    self.table.n_wrong += 1
                    self.table.rows[row]["wrong"] += 1
                    print(f"{row}: {command}: at '{step}': the loss is not reported: {found.status}", file=sys.stderr)

    def killed_suai(self, row):
        """suai killed at random moments of its whole run"""
        commands = [c for c in COMMANDS if "-o" in COMMANDS[c] or "--baseline" in COMMANDS[c]]
        old = b"the file before\n"
        n_complete = n_old = 0
        for i in range(self.options.kills):
            command = self.random.choice(commands)
            words = COMMANDS[command]
            path = words[words.index("-o" if "-o" in words else "--baseline") + 1]
            healthy = self.healthy(command)
            moment = self.random.random() * self.seconds(command) * 1.1
            # init keeps an existing file, and a baseline is read before it is written.
            self.runner.existing = {path: old} if words[0] != "init" and "-o" in words and self.random.random() < 0.5 else {}
            existed = dict(self.runner.existing)

            def kill(process):
                time.sleep(moment)
                process.kill()
            found = self.runner.run(words, act=kill)
            self.runner.existing = {}
            if existed and found.files.get(path) == old:
                n_old += 1
                del found.files[path]
            elif existed and path not in found.files:
                found.files["(the file that existed is gone)"] = b""
            if path in found.files:
                n_complete += 1
                found_file, healthy_file = found.masked()[1][path], healthy.masked()[1][path]
                if found_file != healthy_file:
                    found.files["(a partial file)"] = b""
            self.check(row, f"killed after {moment:.3f} s", command, found, statuses={-signal.SIGKILL})
        print(f"killed: {n_complete} complete files, {n_old} old files", file=sys.stderr)
        if self.options.kills >= 100 and not (n_complete and n_old):
            sys.exit("conditions.py: no run reached its end, or none was killed before it")


ROWS = {
    "file size": ("files of at most 0, 1, 100, 1000, 4096 bytes (`ulimit -f`)", Conditions.file_size),
    "disk": ("output and temporary files on a full disk", Conditions.disk_full),
    "pipe": ("closed pipe, by SIGPIPE and EPIPE", Conditions.closed_pipe),
    "head": ("`suai ... \\| head -1`", Conditions.first_line),
    "closed": ("the eight combinations of closed standard descriptors", Conditions.closed_descriptors),
    "descriptors": ("4 to 16 descriptors (`ulimit -n`)", Conditions.descriptors),
    "memory": ("4 to 256 MiB of address space (`ulimit -v`)", Conditions.address_space),
    "processes": ("0 to 8 processes (`ulimit -u`), as another user", Conditions.processes),
    "proc": ("no /proc", Conditions.no_proc),
    "stopped": ("suai stopped and continued (SIGSTOP)", Conditions.stopped_suai),
    "stopped worker": ("the worker stopped at a step (SIGSTOP)", Conditions.stopped_worker),
    "steps": ("the worker killed at a step (SIGKILL)", Conditions.killed_worker),
    "killed": ("suai killed at a random moment (SIGKILL)", Conditions.killed_suai),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suai", type=pathlib.Path)
    parser.add_argument("python", type=pathlib.Path)
    parser.add_argument("--rows", default="")
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--write")
    options = parser.parse_args()
    options.seed = options.seed if options.seed is not None else random.randrange(1 << 30)
    print(f"seed {options.seed}", file=sys.stderr)
    table, missing = Table("condition"), []
    with tempfile.TemporaryDirectory() as directory:
        conditions = Conditions(Runner(options.suai, options.python, directory), options, table)
        for name, (row, run) in ROWS.items():
            if options.rows and name not in options.rows.split(","):
                continue
            if reason := run(conditions, row):
                missing.append(f"| {row} | 0 | | | {reason} |\n")
    text = table.markdown() + "".join(missing)
    print(text)
    if options.write:
        write_table(options.write, "conditions", text)
    sys.exit(table.n_wrong != 0)


main()
