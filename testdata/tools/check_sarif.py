# SPDX-License-Identifier: MIT
"""check_sarif.py FILE: reads a SARIF log with sarif-pydantic's models of the 2.1.0 schema, refuses keys that
they do not know, and prints "RULE LEVEL FILE:LINE NAME" for each result."""
import sys

import pydantic
import sarif_pydantic

# In the schema (3.20.21, 3.20.22, 3.27.23, 3.27.24), but not in the models.
KNOWN = {"toolExecutionNotifications", "toolConfigurationNotifications", "suppressions", "baselineState"}


def refuse_unknown(part, path):
    if isinstance(part, pydantic.BaseModel):
        unknown = set(part.model_extra or {}) - KNOWN
        assert not unknown, f"{path}: {unknown}"
        for key in type(part).model_fields:
            refuse_unknown(getattr(part, key), f"{path}.{key}")
    elif isinstance(part, list):
        for item in part:
            refuse_unknown(item, path + "[]")


with open(sys.argv[1], encoding="utf-8") as file:
    log = sarif_pydantic.Sarif.model_validate_json(file.read())
refuse_unknown(log, "log")
run = log.runs[0]
rules = run.tool.driver.rules
assert len({rule.id for rule in rules}) == len(rules)
for rule in rules:
    assert rule.name and rule.short_description.text and rule.full_description.text and rule.help.text, rule.id
# Absent findings of a baseline have no protocol.
keys = [result.partial_fingerprints["targetRuleField/v1"] for result in run.results if result.partial_fingerprints]
assert len(set(keys)) == len(keys)
for result in run.results:
    assert rules[result.rule_index].id == result.rule_id
    place = result.locations[0].physical_location
    line = place.region.start_line if place.region else "-"
    print(result.rule_id, result.level.value, f"{place.artifact_location.uri}:{line}",
          result.locations[0].logical_locations[0].name)
