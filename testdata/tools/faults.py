# SPDX-License-Identifier: MIT
"""Lets each system call, or allocation, of a command fail in turn, and checks how suai ends.

Usage: faults.py SUAI PYTHON SHIM MALLOC [--commands WORD,...] [--calls NAME,...] [--most N] [--allocations N] [--write FILE].
SHIM and MALLOC are fake_faults.c and fake_malloc.c. A run is right if it ends by itself, in time, with a documented exit status;
gives the same result as without the fault (addresses and times masked) or reports the reason; and leaves neither processes nor
files. Calls fail in suai, in its module in a worker, in libsuai_trace.so in a traced program, and in suai-devices. Prints Markdown
tables, which --write puts into a document, and each wrong run; the exit status is 1 if there are any.
"""
import argparse
import errno
import pathlib
import random
import signal
import sys
import tempfile

from fault_runs import JUDGE_COMMANDS, LIVE_COMMANDS, STATUSES, Runner, Table, is_same, write_table

ERRORS = {
    "read": (errno.EIO, errno.EINTR, "short"), "write": (errno.ENOSPC, errno.EPIPE, errno.EINTR, "short"),
    "pread": (errno.EIO, errno.EINTR, "short"), "pwrite": (errno.ENOSPC, "short"), "recv": (errno.ECONNRESET, errno.EINTR, "short"),
    "send": (errno.EPIPE, errno.EINTR), "fork": (errno.EAGAIN,), "pipe2": (errno.EMFILE,), "socketpair": (errno.EMFILE,),
    "memfd_create": (errno.ENOSYS, errno.EMFILE), "ftruncate": (errno.ENOSPC,), "mmap": (errno.ENOMEM,), "rename": (errno.EACCES,),
    "linkat": (errno.ENOENT,), "fstat": (errno.EIO,), "stat": (errno.EACCES,), "dup2": (errno.EBADF,), "poll": (errno.EINTR, errno.ENOMEM),
    "waitid": (errno.EINTR,), "waitpid": (errno.EINTR,), "getcwd": (errno.ENOENT,), "realpath": (errno.ENOENT,), "dlopen": (errno.ENOENT,),
    "tmpfile": (errno.ENOSPC,), "fopen": (errno.EMFILE,), "fclose": (errno.ENOSPC,), "fchmod": (errno.EPERM,),
    "mkostemp": (errno.EACCES,), "prctl": (errno.EINVAL,), "open": (errno.EMFILE, errno.EACCES), "readlink": (errno.EACCES,),
}

# The shell commands of each run of calls; more would repeat the same calls.
COMMANDS = {
    "inspect a dump": ["inspect", "dump.yaml"],
    "validate a dump": ["validate", "dump.yaml", "-f", "json", "--exit-zero"],
    "init": JUDGE_COMMANDS["init"],
    "rule": ["rule", "SUAI101"],
    **{name: LIVE_COMMANDS[name] for name in LIVE_COMMANDS if name not in ("version", "matrix")},
}

# The program and the library whose calls fail; whether a command uses it.
COMPONENTS = {
    "suai": ("suai", None, lambda name: True),
    "worker": (None, "_suai.abi3.so", lambda name: name in LIVE_COMMANDS and name not in ("trace", "version")),
    "libsuai_trace.so": (None, "libsuai_trace.so", lambda name: name == "trace"),
    "suai-devices": ("suai-devices", "suai-devices",  # not the drivers', which may mistake a short transfer for an answer
                     lambda name: name == "devices"),
}


# A traced program may end so where an allocation of its own fails; suai ends as it does.
ENDS = {"trace": {-signal.SIGABRT, -signal.SIGSEGV}}


def choose(names, chosen):
    chosen = [name for name in chosen.split(",") if name]
    unknown = set(chosen) - set(names)
    if unknown:
        sys.exit(f"faults.py: unknown: {', '.join(sorted(unknown))}")
    return [name for name in names if not chosen or name in chosen]


def fail_calls(runner, options, table):
    mark = runner.directory / "mark"
    calls = choose(ERRORS, options.calls)
    for command in choose(COMMANDS, options.commands):
        words = COMMANDS[command]
        healthy = runner.run(words)
        if not is_same(runner.run(words), healthy):
            sys.exit(f"{command}: two runs without a fault differ")
        for component in choose(COMPONENTS, options.components):
            program, caller, uses = COMPONENTS[component]
            if not uses(command):
                continue
            for call in calls:
                for error in ERRORS[call]:
                    fail_call(runner, options, table, (command, words, healthy), (component, program, caller), (call, error), mark)


def fail_call(runner, options, table, run, where, fault, mark):
    command, words, healthy = run
    component, program, caller = where
    call, error = fault
    name = error if error == "short" else errno.errorcode[error]
    n = 0
    while not options.most or n < options.most:
        n += 1
        mark.unlink(missing_ok=True)
        found = runner.run(words, {"LD_PRELOAD": str(options.shim), "FAULT_CALL": call, "FAULT_N": str(n), "FAULT_ERRNO": str(error),
                                   "FAULT_PROGRAM": program or runner.python.name, "FAULT_MARK": str(mark)}
                           | ({"FAULT_CALLER": caller} if caller else {}))
        if not mark.exists():
            break
        table.add(f"`{call}`, {component}", f"{command}: {call} {n} {name}", found, healthy)
        if found.status is None and n > 20:
            break


def fail_allocations(runner, options, table):
    """Every n of the commands that start no process, and drawn ones of the others."""
    seed = options.seed if options.seed is not None else random.randrange(1 << 30)
    draw = random.Random(seed)
    print(f"seed {seed}", file=sys.stderr)
    for command in choose(JUDGE_COMMANDS | LIVE_COMMANDS, options.commands):
        is_live = command in LIVE_COMMANDS
        words = (LIVE_COMMANDS if is_live else JUDGE_COMMANDS)[command]
        healthy = runner.run(words)
        last = count_allocations(runner, options, words, tolerance=0.02 if is_live else 0)
        ns = range(1, last + 1)
        if is_live:
            # The judge's are the first hundreds, Python's the first ten thousands.
            ns = sorted({int(last ** draw.random()) for _ in range(options.allocations)})
        elif options.most and last > options.most:
            ns = sorted(draw.sample(ns, options.most))
        for n in ns:
            found, failed = fail_allocation(runner, options, words, n)
            if failed:
                table.add(f"`{words[0]}`, {'drawn' if is_live else 'each'} allocation" if not options.most else f"`{words[0]}`",
                          f"{command}: allocation {n} of {last}", found, healthy, statuses=STATUSES | ENDS.get(command, set()))


def fail_allocation(runner, options, words, n):
    mark = runner.directory / "mark"
    mark.unlink(missing_ok=True)
    found = runner.run(words, {"LD_PRELOAD": str(options.malloc), "FAKE_MALLOC_FAIL": str(n), "FAKE_MALLOC_MARK": str(mark)})
    return found, mark.exists()


def count_allocations(runner, options, words, tolerance):
    """An allocation that a run makes, and at most the fraction tolerance before the last one, of the process that makes most."""
    low, high = 1, 64
    while fail_allocation(runner, options, words, high)[1]:
        low, high = high, high * 2
    while high - low > max(1, low * tolerance):
        middle = (low + high) // 2
        if fail_allocation(runner, options, words, middle)[1]:
            low = middle
        else:
            high = middle
    return low


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suai", type=pathlib.Path)
    parser.add_argument("python", type=pathlib.Path)
    parser.add_argument("shim", type=pathlib.Path)
    parser.add_argument("malloc", type=pathlib.Path, nargs="?")
    parser.add_argument("--commands", default="")
    parser.add_argument("--components", default="")
    parser.add_argument("--calls", default="", help="none: only allocations")
    parser.add_argument("--most", type=int, default=0, help="runs of a command, call and error; 0: each call fails in turn")
    parser.add_argument("--allocations", type=int, default=0, help="drawn ones of each command that runs Python; 0: no allocation fails")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--write", help="a document that contains the tables")
    options = parser.parse_args()
    options.shim = options.shim.resolve()
    options.malloc = options.malloc and options.malloc.resolve()
    n_wrong = 0
    with tempfile.TemporaryDirectory() as directory:
        runner = Runner(options.suai, options.python, directory)
        for name, run in ("system calls", fail_calls), ("allocations", fail_allocations):
            if name == "system calls" and options.calls == "none" or name == "allocations" and not options.allocations:
                continue
            table = Table("call" if name == "system calls" else "command")
            run(runner, options, table)
            n_wrong += table.n_wrong
            print(table.markdown())
            if options.write:
                write_table(options.write, name, table.markdown())
    sys.exit(n_wrong != 0)


main()
