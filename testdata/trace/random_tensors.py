"""Random exports of giver, which taker consumes in random ways (testdata/trace/exchanger.c), in threads and forked children, too.
Prints how many tensors were deleted, and writes the exchanges, leaks and exports that nothing consumes, which suai trace has to count.

Usage: random_tensors.py SEED FILE"""
import json
import os
import random
import sys
import threading

import giver
import taker

KEPT = ["release", "early", "unnamed", "thread", "hold", "hold-without-gil", "leak"]
WAYS = {
    "plain": KEPT, "direct": KEPT, "late-destructor": KEPT, "unfinished": KEPT,
    "context": [*KEPT, "copy", "copy"], "shared-context": [*KEPT, "copy", "copy"],
    "no-deleter": ["release", "leak"], "copy": ["release"],
    "static": ["release", "early", "unnamed", "thread", "leak"], "reused": ["release", "early", "unnamed", "leak"],
}
ONE_STRUCT = ["static", "reused"]
UNSEEN = ["static", "no-deleter"]
numbers = random.Random(int(sys.argv[1]))
held, capsules = [], []
n_exchanges = n_leaks = n_unconsumed = 0
is_reused_leaked = False


def consume(capsule, kind):
    global n_exchanges, n_leaks, is_reused_leaked
    way = numbers.choice(WAYS[kind])
    n_exchanges += 1
    if kind == "reused":
        is_reused_leaked = way == "leak"
    elif way == "leak" and kind not in UNSEEN:
        n_leaks += 1
    result = taker.consume(capsule, way)
    if result is not None:
        held.append(result)


def run_child():
    held.clear()
    capsules.clear()
    taker.consume(giver.export(4, "context"), "copy")


def fork():
    pid = os.fork()
    if not pid:
        run_child()
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0


for step in range(400):
    chance = numbers.random()
    if chance < .45:
        kind = numbers.choice(list(WAYS))
        consume(giver.export(numbers.randrange(1, 50), kind), kind)
    elif chance < .6:
        kind = numbers.choice([kind for kind in WAYS if kind not in ONE_STRUCT])
        capsules.append((giver.export(8, kind), kind))
    elif chance < .7 and capsules:
        consume(*capsules.pop(numbers.randrange(len(capsules))))
    elif chance < .75 and capsules:
        capsules.pop(numbers.randrange(len(capsules)))
        n_unconsumed += 1
    elif chance < .9 and held:
        held.pop(numbers.randrange(len(held)))
    elif chance < .95 and held:
        dropped = [held.pop() for i in range(min(5, len(held)))]
        thread = threading.Thread(target=dropped.clear)
        thread.start()
        thread.join()
    elif chance > .99:
        fork()
n_unconsumed += len(capsules)
capsules.clear()
held.clear()
print(giver.deleted() + taker.deleted())
with open(sys.argv[2], "w") as file:
    json.dump([n_exchanges, n_leaks + is_reused_leaked, n_unconsumed], file, separators=(",", ":"))
