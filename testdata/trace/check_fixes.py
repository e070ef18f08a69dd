"""Compares a report of suai trace with the comments of fixes.py: a line with "# fix: TEXT" is copied, and one of its findings states TEXT as its fix;
a line with "# fixed" is not copied. Prints each difference, and "N fixes"; lines of packages that are not installed do not count."""

import json
import sys

program, report = sys.argv[1], json.load(open(sys.argv[2]))
n_fixes, has_run, sites = 0, set(), {}
for site in report["call_sites"]:
    if site["file"] and site["file"].endswith(program.rpartition("/")[2]):
        sites.setdefault(site["line"], []).append(site)
        has_run.add(site["function"])
function = None
for number, line in enumerate(open(program), 1):
    if line.startswith("def "):
        function = line.split()[1].partition("(")[0]
    if function not in has_run or not ("# fix: " in line or "# fixed" in line):
        continue
    copied = [site for site in sites.get(number, []) if site["copied"]]
    hints = [finding["hint"] for site in copied for finding in site["findings"]]
    if "# fixed" in line:
        if copied:
            print("line %d: still copied: %s" % (number, hints))
        continue
    n_fixes += 1
    if not any(line.partition("# fix: ")[2].strip() in hint for hint in hints):
        print("line %d: expected a fix with this text, seen %s" % (number, hints))
print(n_fixes, "fixes")
