"""Compares a report of suai trace with what the program's comments expect: "# expect: PROTOCOL [PRODUCER]>[CONSUMER] EXCHANGES [shared|copied] [shared=N]
[copied=N] [held=N] [never=N][; PROTOCOL ...]"; "# expect: any" at a line that imports a library; "# expect elsewhere: any" where
libraries pass arrays in threads and processes that they start. Prints each difference, and "N exchanges"."""

import json
import re
import sys

program, report = sys.argv[1], json.load(open(sys.argv[2]))
expected, seen, ignored = {}, {}, set()
is_expected_elsewhere = False
for number, line in enumerate(open(program), 1):
    is_expected_elsewhere |= "# expect elsewhere: any" in line
    if "# expect: any" in line:
        ignored.add(number)
    for found in re.finditer(r"(?:# expect:|;) (\S+) (\S*)>(\S*) (\d+)([^;]*)", line):
        protocol, producer, consumer, count, more = found.groups()
        facts = dict(re.findall(r"(shared|copied|held|never)=(\d+)", more))
        counts = [int(count), int(facts.get("shared", int(count) * ("shared" in more))), int(facts.get("copied", int(count) * ("copied" in more))), int(facts.get("held", 0)), int(facts.get("never", 0))]
        expected[number, protocol, producer, consumer] = counts
for site in report["call_sites"]:
    if not site["file"] or not site["file"].endswith(program.rpartition("/")[2]):
        if not is_expected_elsewhere:
            print("%s, line %s, %s, %s > %s: expected no call site, seen %d exchanges" % (
                site["file"], site["line"], site["protocol"], site["producer"], site["consumer"], site["exchanges"]))
    elif site["line"] not in ignored:
        key = site["line"], site["protocol"], site["producer"] or "", site["consumer"] or ""
        held = site["held"] if key in expected and expected[key][3] else 0  # others depend on when variables are replaced
        seen[key] = [site["exchanges"], site["shared"], site["copied"], held, site["unconsumed"]]
for key in sorted(expected.keys() | seen.keys()):
    if expected.get(key) != seen.get(key):
        print("line %d, %s, %s > %s: expected %s, seen %s" % (*key, expected.get(key), seen.get(key)))
print("%d exchanges" % sum(counts[0] for counts in expected.values()))
