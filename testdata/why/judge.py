"""judge.py SEED [N]: whether `suai why` reports the cause that plain Python proves.

judged_objects.py draws, with the seed, ordinary arrays of each library that is installed, objects that deviate from them in one property,
and consumers. A pair belongs to the pool if, in this interpreter and without suai, the consumer accepts the ordinary array and rejects
the deviating object, or shares the memory of the one and copies the other: then nothing but the deviation can be the cause. Draws N (50)
pairs, from each cause in turn, asks `suai why` about each, compares the causes, and executes each line that it offers. SUAI names the
program; the interpreter that runs this file is used. JUDGE_LIBRARIES, if set, names the libraries, separated by commas."""
import collections
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import judged_objects as judged

HERE = pathlib.Path(__file__).parent
CONSUMING_LIBRARIES = 3  # for each library of objects
CONSUMERS_OF = 10        # of each of them
OUTCOME = '''
import json, signal

def outcome_of(make, consume):
    """shared, copied or accepted; an exception; or by_chance, as where memory is aligned by chance."""
    values = [make() for _ in range(4)]
    outcomes = {one_outcome(value, consume) for value in values}
    exceptions = sum(outcome not in ("shared", "copied", "accepted") for outcome in outcomes)
    return outcomes.pop() if len(outcomes) == 1 or exceptions == len(outcomes) else "by_chance"

def one_outcome(value, consume):
    try:
        result = consume(value)
    except Exception as error:
        return type(error).__name__ + ": " + str(error)[:150]
    try:
        a, b = numpy.asarray(value, copy=False), numpy.asarray(result, copy=False)
        return "accepted" if not a.size or not b.size else "shared" if numpy.shares_memory(a, b) else "copied"
    except Exception:
        return "accepted"

def outcome_in_fork(make, consume):
    child = os.fork()
    if not child:
        signal.alarm(20)  # a fork may lack threads of the consumer
        consume(make())
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        return "by_chance"
    return f"ends the process with status {status}" if status else "accepted"

found = []
'''


def available(library):
    module = judged.NEEDS.get(library, library).split(".")[0]
    wanted = os.environ.get("JUDGE_LIBRARIES")
    if wanted and module not in ("builtins", "numpy") and library not in wanted.split(","):
        return False
    return library in ("builtins", "stdlib") or importlib.util.find_spec(module) is not None


def source_of(library, consumer_library):
    names = ("builtins", library if library in judged.IMPORTS else judged.NEEDS.get(library, library), consumer_library)
    return "\n".join(dict.fromkeys(judged.IMPORTS.get(name, "import " + name) for name in names)) + "\n"


def expression_of(consumer):
    """What the consumer is in plain Python."""
    module, colon, function = consumer.partition(":")
    plain = colon and "(" not in module
    return (f"import {module}\n", f"{module}.{function}(_)") if plain else ("", consumer)


def filled(consumer, base):
    """The consumer, with the type of the ordinary array's elements."""
    kind = re.search("dtype='([a-z][0-9]+)'", base)
    code = re.search("array.array\\('(.)'", base)
    kind = kind.group(1) if kind else "i4"
    return consumer.replace("{d}", kind).replace("{t}", code.group(1) if code else {"i4": "i", "i8": "q", "i2": "h", "u1": "B"}.get(kind, "d"))


def draw_consumers(draw, library):
    consumers = judged.CONSUMERS[library]
    return draw.sample(consumers, min(CONSUMERS_OF, len(consumers)))


def outcomes(library, consumer_library, draws, consumers):
    """What each consumer does with each object, in plain Python: {(base, consumer, index of the object, -1 the base): outcome}."""
    code = source_of(library, consumer_library) + OUTCOME
    for i, (base, objects) in enumerate(draws):
        for consumer in consumers:
            imports, expression = expression_of(filled(consumer, base))
            for index, (cause, text) in [(-1, ("", base)), *enumerate(objects)]:
                call = "outcome_in_fork" if cause == "producer-lost" else "outcome_of"
                code += (f"{imports}try:\n    {text}\nexcept Exception:\n    pass\nelse:\n"
                         f"    found.append([{i}, {consumer!r}, {index}, {call}(lambda: {text}, lambda _: {expression})])\n")
    code += "print('\\n' + json.dumps(found))\n"
    done = subprocess.run([sys.executable, "-W", "ignore", "-"], input=code, capture_output=True, text=True)
    if done.returncode and len(consumers) > 1:
        half = len(consumers) // 2
        return {**outcomes(library, consumer_library, draws, consumers[:half]), **outcomes(library, consumer_library, draws, consumers[half:])}
    if done.returncode:
        print(f"left out: {library} into {consumers[0]} ends with {done.returncode}: {done.stderr.strip()[-200:]}")
        return {}
    return {(i, consumer, index): outcome for i, consumer, index, outcome in json.loads(done.stdout.splitlines()[-1])}


def is_accepted(outcome):
    return outcome in ("shared", "copied", "accepted", "by_chance")


def belongs(base, outcome):
    return is_accepted(base) and not is_accepted(outcome) or base == "shared" and outcome == "copied"


def pool(draw):
    """The pairs: library, library of the consumer, consumer, cause, expression of the object, outcome."""
    consuming = [library for library in judged.CONSUMERS if available(library)]
    asked = []
    for library in filter(available, judged.DRAWS):
        kinds = ["i4", "f8"] + [None] * 8 if library == "numpy" else [None] * 8
        draws = [judged.DRAWS[library](draw, kind) for kind in kinds[:judged.BASES_OF.get(library, 1)]]
        own = judged.NEEDS.get(library, library)
        others = draw.sample(consuming, min(12 if library == "numpy" else CONSUMING_LIBRARIES, len(consuming)))
        asked += [(library, consumers, draws, draw_consumers(draw, consumers)) for consumers in dict.fromkeys([*([own] if own in consuming else []), "numpy", *others])]
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        answers = list(workers.map(lambda arguments: outcomes(*arguments), asked))
    return [(library, consumers, filled(consumer, draws[i][0]), *draws[i][1][index], outcome, draws[i][0])
            for (library, consumers, draws, _), found in zip(asked, answers)
            for (i, consumer, index), outcome in found.items() if index >= 0 and belongs(found.get((i, consumer, -1), ""), outcome)]


def holds(pair):
    """Whether the outcomes are the same in a process in which nothing else was called, as results of compilers may depend on it."""
    library, consumer_library, consumer, cause, text, outcome, base = pair
    imports, expression = expression_of(consumer)
    call = "outcome_in_fork" if cause == "producer-lost" else "outcome_of"
    calls = ", ".join(f"{call}(lambda: {value}, lambda _: {expression})" for value in (text, base))
    code = source_of(library, consumer_library) + OUTCOME + imports + f"print('\\n' + json.dumps([{calls}]))\n"
    done = subprocess.run([sys.executable, "-W", "ignore", "-"], input=code, capture_output=True, text=True)
    found = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else ["lost", "lost"]
    return is_accepted(found[0]) == is_accepted(outcome) and belongs(found[1], found[0])


def ask(directory, number, pair):
    library, consumer_library, consumer, _, text, _, _ = pair
    path = pathlib.Path(directory, f"pair{number}.py")
    path.write_text(source_of(library, consumer_library) + f"x = {text}\n")
    command = [os.environ.get("SUAI", "suai"), "why", "--python", sys.executable, "-f", "json", f"{path}:x", consumer]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        why = json.loads(done.stdout).get("why")
    except ValueError:
        why = None
    path.with_suffix(".json").write_text(done.stdout)
    if not why:
        return None, f"exit {done.returncode}"
    ran = subprocess.run([sys.executable, "-W", "ignore", HERE / "run_lines.py", path.with_suffix(".json")], capture_output=True, text=True)
    return why, "" if ran.returncode == 0 else (ran.stderr.strip().splitlines() or ["?"])[-1]


def is_right(why, cause, outcome):
    if not why or why["cause"] != cause:
        return False
    return (why["verdict"] in ("refused", "lost")) == (not is_accepted(outcome))


def main(seed, count=50):
    draw = random.Random(int(seed))
    pairs = pool(draw)
    strata = collections.defaultdict(list)
    for pair in draw.sample(pairs, len(pairs)):
        strata[pair[3]].append(pair)
    n_strata, drawn = len(strata), []
    while len(drawn) < 2 * count and any(strata.values()):
        drawn += [strata[cause].pop() for cause in sorted(strata) if strata[cause]]
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        candidates = drawn[:count + count // 5]
        drawn = [pair for pair, is_so in zip(candidates, workers.map(holds, candidates)) if is_so][:count]
    n_right = n_lines = n_failed = 0
    with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(2) as workers:
        answers = list(workers.map(lambda item: ask(directory, *item), enumerate(drawn)))
    for (library, _, consumer, cause, text, outcome, _), (why, failure) in zip(drawn, answers):
        right = is_right(why, cause, outcome)
        n_right += right
        n_lines += sum(bool(remedy["works"]) for remedy in why["remedies"]) if why else 0
        n_failed += bool(failure)
        if not right or failure or "JUDGE_ALL" in os.environ:
            print(f"{'' if right else 'WRONG: '}{text} -> {consumer}: {why and why['cause']}, expected {cause}\n    {outcome}"
                  + (f"\n    {why['message']}" if why else "") + (f"\n    FAILED: {failure}" if failure else ""))
    print(f"seed {seed}: {len(pairs)} pairs in the pool, of {n_strata} causes and {len({pair[0] for pair in pairs})} libraries; "
          f"{n_right} of {len(drawn)} causes right; {n_lines} lines offered, of {n_failed} pairs one failed")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
