"""Times programs with and without suai trace, in processes that take turns."""

import os
import statistics
import sys


def summary(ratios):
    low, _, high = statistics.quantiles(ratios, n=4)
    return "%+.1f %% (%+.1f to %+.1f)" % tuple(100 * (value - 1) for value in (statistics.median(ratios), low, high))


def compare(names, rounds, unit, form, measure, is_optional=False):
    """Prints a table. The arguments of the program replace rounds and names. measure(prefix, name) runs a command after
    prefix and returns its time in unit; with is_optional, None for a name that is skipped."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else rounds
    trace = [os.environ.get("SUAI", "./suai"), "trace", "-q", "-o", "/dev/null", "--"]
    print("| median, and quartiles, of %d pairs | %s | without, without | without, with suai trace |\n|---|---|---|---|" % (rounds, unit))
    for name in sys.argv[2:] or names:
        first, second, traced = [], [], []
        runs = [(first, []), (traced, trace), (second, [])]
        if is_optional and measure([], name) is None:
            continue
        for i in range(rounds):
            for times, prefix in runs if i % 2 else reversed(runs):
                times.append(measure(prefix, name))
        noise = [b / a for a, b in zip(first, second)]
        cost = [2 * b / (a + c) for a, b, c in zip(first, traced, second)]
        print("| %s | %s | %s | %s |" % (name, form % statistics.median(first + second), summary(noise), summary(cost)), flush=True)
