"""Times programs with and without suai trace, in processes that take turns."""

import os
import statistics
import subprocess
import sys


class MissingModule(Exception):
    """A module that the program imports is not installed."""


def run(name, prefix, arguments):
    """Runs this interpreter after prefix, with one thread, and returns what it writes. Exits if it fails, and names the program."""
    command = [*prefix, sys.executable, "-c", *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    last = done.stderr.strip().rpartition("\n")[2]
    if done.returncode and not prefix and last.startswith("ModuleNotFoundError: "):
        raise MissingModule(last)
    if done.returncode:
        sys.exit("%s, %s suai trace: exit status %d: %s" % (name, "with" if prefix else "without", done.returncode, last))
    return done.stdout


def in_turns(rounds, trace, measure):
    """What measure(prefix) returns without a prefix, with trace, and without again, in runs that take turns: a list of each."""
    first, traced, second = [], [], []
    runs = [(first, []), (traced, trace), (second, [])]
    for i in range(rounds):
        for values, prefix in runs if i % 2 else reversed(runs):
            values.append(measure(prefix))
    return first, traced, second


def summary(ratios):
    low, _, high = statistics.quantiles(ratios, n=4)
    return "%+.1f %% (%+.1f to %+.1f)" % tuple(100 * (value - 1) for value in (statistics.median(ratios), low, high))


def compare(names, rounds, unit, form, measure):
    """Prints a table. The arguments of the program replace rounds and names. measure(prefix, name) runs a program after
    prefix and returns its time in unit. Programs that need a missing module are skipped."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else rounds
    trace = [os.environ.get("SUAI", "./suai"), "trace", "-q", "-o", "/dev/null", "--"]
    print("| median, and quartiles, of %d pairs | %s | without, without | without, with suai trace |\n|---|---|---|---|" % (rounds, unit))
    for name in sys.argv[2:] or names:
        try:
            measure([], name)
        except MissingModule as error:
            print("skipped: %s: %s" % (name, error), file=sys.stderr)
            continue
        first, traced, second = in_turns(rounds, trace, lambda prefix, name=name: measure(prefix, name))
        noise = [b / a for a, b in zip(first, second)]
        cost = [2 * b / (a + c) for a, b, c in zip(first, traced, second)]
        print("| %s | %s | %s | %s |" % (name, form % statistics.median(first + second), summary(noise), summary(cost)), flush=True)
