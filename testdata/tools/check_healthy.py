#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_healthy.py EXPECTED SCRIPT DOCUMENT...: compares the findings for SCRIPT's objects with the list.

Every error, warning and crash must be on the list, and every line for SCRIPT must match one; notes are listed as RULE/note.
"""

import fnmatch
import json
import sys


def lines_for(path, script):
    """[target pattern, rule, field] of the lines for the script."""
    with open(path) as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return [tuple(row[:3]) for row in rows if row[0].startswith(script + ":")]


def findings(target):
    """(rule, field, message) of the findings of the target."""
    if target["status"] != "ok":
        yield target["status"], target["step"] or "-", (target["error"] or {}).get("message")
    for finding in target["findings"]:
        note = "/note" if finding["severity"] == "note" else ""
        yield finding["rule"] + note, finding["field"] or "-", finding["message"]


def main():
    expected, script, *documents = sys.argv[1:]
    targets = []
    for document in documents:
        with open(document) as file:
            targets += json.load(file)["targets"]
    unseen = dict.fromkeys(lines_for(expected, script))
    lines = list(unseen)
    unlisted = []
    for target in targets:
        name = target["target"].rpartition("/")[2]
        for rule, field, message in findings(target):
            named = [line for line in lines if line[1:] == (rule, field) and fnmatch.fnmatchcase(name, line[0])]
            for line in named:
                unseen.pop(line, None)
            if not named and not rule.endswith("/note"):
                unlisted.append(f"not on the list: {name} {rule} {field}: {message}")
    for complaint in [*unlisted, *(f"on the list, but not seen: {' '.join(line)}" for line in unseen)]:
        print(complaint)
    print(f"{script}: {len(targets)} objects, {len(unlisted)} findings that are not on the list")
    return 1 if unlisted or unseen or not targets else 0


sys.exit(main())
