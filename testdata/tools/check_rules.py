#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_rules.py SUAI CHECK [yaml|py]: the fixtures of all rules, in few processes; for bats/rules.bats.

CHECK is `bad` (each failing fixture raises its rule and no other error), `good` (no passing fixture raises its rule,
an error or a warning), `off` (each rule finds its failing fixture by itself, and not without its check), `dumps` (the
findings of a script are those of a dump of it) or `pages` (each rule has a whole page).
"""

import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

SUAI, CHECK, KIND = [*sys.argv[1:], None][:3]
WAYS = ("lifetime", "calls", "live")  # of several facts, the first one brings the others that its rule reads


def suai(*words, **options):
    return subprocess.run([SUAI, *words], capture_output=True, text=True, **options)


BOOK = json.loads(suai("rule", "-f", "json").stdout)["rules"]


def ways_of(rule):
    """The options that the rule requires beyond the default; rules of --calls do not require --live."""
    needed = [way for way in WAYS if way in rule["facts"]]
    return ["--" + way for way in needed if way != "live"] or ["--" + way for way in needed]


def target(rule, quality, kind=None):
    """The fixture as a target, None if it is of another kind; the object of a script is called `array`."""
    path = glob.glob(f"testdata/rules/{rule['rule']}/{quality}.{kind or '*'}")
    return path and path[0] + (":array" if path[0].endswith(".py") else "") or None


def judged(quality):
    """(rule, target of the document) of each fixture of the quality and KIND, one process for each set of options."""
    groups = {}
    for rule in BOOK:
        if target(rule, quality, KIND):
            groups.setdefault(tuple(ways_of(rule)), []).append(rule)
    for ways, rules in groups.items():
        ran = suai("validate", "-f", "json", "--exit-zero", *ways, *(target(rule, quality, KIND) for rule in rules))
        try:
            targets = json.loads(ran.stdout)["targets"]
        except ValueError:  # suai could not run, for instance without its module
            sys.exit(ran.stderr or f"suai: exit status {ran.returncode}, {ran.stdout!r}")
        assert len(targets) == len(rules), ran.stderr
        yield from zip(rules, targets)


def check_quality():
    for rule, judgement in judged(CHECK):
        own = [finding for finding in judgement["findings"] if finding["rule"] == rule["rule"]]
        others = [finding for finding in judgement["findings"] if finding["rule"] != rule["rule"]]
        severities = ("error",) if CHECK == "bad" else ("error", "warning")
        wrong = [finding["rule"] for finding in others if finding["severity"] in severities]
        ok = judgement["status"] == "ok" and bool(own) == (CHECK == "bad") and not wrong
        yield ok, f"{rule['rule']}: {judgement['status']}, found {len(own)} times, and {wrong}"


def is_found(rule, **environment):
    ran = suai("validate", "-v", *ways_of(rule), "--select", rule["rule"], target(rule, "bad", KIND), env=os.environ | environment)
    return f" {rule['rule']} " in ran.stdout, ran.returncode


def check_off():
    rules = [rule for rule in BOOK if target(rule, "bad", KIND)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        on = pool.map(is_found, rules)
        off = pool.map(lambda rule: is_found(rule, SUAI_DISABLE_CHECK=rule["rule"]), rules)
        for rule, (found, _), (found_without, status) in zip(rules, on, off):
            yield found and not found_without and status == 0, f"{rule['rule']}: {found} with, {found_without} ({status}) without its check"


def bare(findings):
    """What was found, less what differs from process to process: addresses, names of unnamed files, sizes of
    mappings that other allocations share."""
    text = [json.dumps([f["rule"], f["severity"], f["field"], f["message"]]) for f in findings]
    for varies, same in (
        (r"0x[0-9a-f]+", "0x"),
        (r"/(#[0-9]+|tmp[a-z0-9_]+) \(deleted\)", "/#"),
        (r"[0-9]+ (bytes?) (below|past the last byte of) the (mapping \[heap\]|anonymous mapping), which has [0-9]+ bytes", r"N \1 \2 the \3"),
    ):
        text = [re.sub(varies, same, line) for line in text]
    return text


def check_dumps():
    scripts = [(rule, quality) for rule in BOOK for quality in ("bad", "good")
               if target(rule, quality, "py") and not ways_of(rule)]  # dumps contain no trials
    targets = [target(*script) for script in scripts]
    live = json.loads(suai("validate", "-f", "json", *targets).stdout)["targets"]
    dump = suai("inspect", "-f", "yaml", *targets).stdout
    dumped = json.loads(suai("validate", "-f", "json", "-", input=dump).stdout)["targets"]
    assert len(live) == len(dumped) == len(scripts) > 0
    for (rule, quality), one, other in zip(scripts, live, dumped):
        one, other = bare(one["findings"]), bare(other["findings"])
        ok = one == other and (quality == "good" or any(json.loads(line)[0] == rule["rule"] for line in one))
        yield ok, f"{rule['rule']} {quality}: live {one}, dumped {other}"


def check_pages():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for rule, ran in zip(BOOK, pool.map(lambda rule: suai("rule", rule["rule"]), BOOK)):
            page = ran.stdout
            parts = [part for part in ("what", "why", "fix", "clause", "level") if not re.search(rf"^    {part} +[^ ]", page, re.M)]
            examples = re.findall(r"^(passes|fails) \((?:good|bad)\.(?:yaml|py)\)$", page, re.M)
            ok = ran.returncode == 0 and page.startswith(rule["rule"] + " ") and not parts and examples == ["passes", "fails"]
            yield ok, f"{rule['rule']}: exit {ran.returncode}, lacks {parts}, examples {examples}"


def main():
    checks = {"bad": check_quality, "good": check_quality, "off": check_off, "dumps": check_dumps, "pages": check_pages}
    outcomes = list(checks[CHECK]())
    for ok, text in outcomes:
        if not ok:
            print(text)
    wrong = sum(not ok for ok, _ in outcomes)
    print(f"{len(outcomes)} checked, {wrong} wrong")
    return 1 if wrong or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
