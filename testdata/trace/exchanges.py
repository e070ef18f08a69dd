"""Exchanges whose numbers are fixed by construction, for bats/trace_exchanges.bats; each line is expected there."""

import giver
import taker

kept = []


def pass_on(how_export, how_consume, n, n_bytes=100):
    for _ in range(n):
        kept.append(taker.consume(giver.export(n_bytes, how_export), how_consume))


def main():
    pass_on("plain", "release", 50)
    pass_on("plain", "early", 40)
    pass_on("plain", "thread", 30)
    pass_on("copy", "release", 20)
    pass_on("plain", "hold", 10)
    pass_on("plain", "leak", 9)
    pass_on("static", "release", 8)
    pass_on("no-deleter", "release", 7)
    pass_on("reused", "release", 6)
    pass_on("reused", "twice", 5)
    for _ in range(4):
        giver.export(100, "plain")
    for _ in range(3):
        giver.export(100, "direct")
    pass_on("plain", "release", 2, n_bytes=0)
    # Each deleter is called as often as without tracing: 4 of them by capsules that nothing consumed.
    print(giver.deleted())


main()
