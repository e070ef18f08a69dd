"""Reads the document of `suai validate -p ... objects.py` and reports which of the 300 defects were found."""
import json
import sys

targets = json.load(open(sys.argv[1]))["targets"]
missed, alarms, n_defects, protocols = [], [], 0, set()
for target in targets:
    rule = target["target"].rpartition("_")[2]
    raised = {finding["rule"]: finding["severity"] for finding in target["findings"]}
    protocols |= {interface["protocol"] for interface in target["interfaces"]}
    n_defects += bool(rule)
    if rule and rule not in raised:
        missed.append((target["target"], raised))
    if not rule and "error" in raised.values():
        alarms.append((target["target"], raised))
print(*[f"missed: {name} {raised}" for name, raised in missed], sep="\n", end="\n" if missed else "", file=sys.stderr)
print(*[f"false: {name} {raised}" for name, raised in alarms], sep="\n", end="\n" if alarms else "", file=sys.stderr)
print(f"{len(targets)} objects of {len(protocols)} protocols, {n_defects - len(missed)} of {n_defects} defects reported, "
      f"{len(alarms)} false alarms")
sys.exit(bool(missed or alarms) or len(targets) != 1000 or len(protocols) != 6)
