#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_schema.py SCHEMA DOCUMENT.yaml DOCUMENT.json [YAML JSON]...

Each pair is the same document in both formats: YAML read by PyYAML must equal JSON (- if there is no
YAML), it must conform to the schema, and every key outside the open parts must be refused when it is
deleted, renamed or given another type.
"""
import copy
import json
import sys

import jsonschema
import yaml

OPEN = {"declared", "types"}  # their content is the object's, not suai's
FREE = {"values"}  # a list of any elements
ANY = {"declared", "stream"}  # may have any type
OPTIONAL = {"statistics", "max_version", "dl_device", "copy", "stream"}  # by option, not by command


def places(node, path=()):
    """The path of every key that suai decides on."""
    if isinstance(node, list):
        for i, item in enumerate(node):
            yield from places(item, path + (i,))
    elif isinstance(node, dict):
        for key, item in node.items():
            yield path + (key,)
            if key not in OPEN | FREE:
                yield from places(item, path + (key,))


def shape(path):
    """Paths that differ only in list indices count as one."""
    return tuple("*" if isinstance(step, int) else step for step in path)


def along(node, path):
    """A copy of the node whose lists contain only what is on the path."""
    if not path:
        return node
    inner = along(node[path[0]], path[1:])
    return [inner] if isinstance(node, list) else {**node, path[0]: inner}


def kind(value):
    if isinstance(value, bool):
        return "bool"
    return "number" if isinstance(value, (int, float)) else type(value).__name__


class Checker:
    def __init__(self, schema):
        jsonschema.Draft202012Validator.check_schema(schema)
        self.schema = schema
        self.validator = jsonschema.Draft202012Validator(schema)
        self.failures = []
        self.mutations = 0
        self.seen = set()
        self.shortened = {}  # the path of a holder in the document at hand: a short document with it, or None

    def refused(self, document, what):
        self.mutations += 1
        if self.validator.is_valid(document):
            self.failures.append(f"{what} is not refused")

    def shorten(self, document, path):
        """The document without list items that are not on the path, which takes less time, if that conforms; and the path in it."""
        if path[:-1] not in self.shortened:
            short = along(document, path)
            self.shortened[path[:-1]] = short if self.validator.is_valid(short) else None
        short = self.shortened[path[:-1]]
        if short is None:
            return document, path
        return short, tuple(0 if isinstance(step, int) else step for step in path)

    def mutate(self, document, path):
        """Deletes, renames and retypes the key at path; each must be refused."""
        name = ".".join(map(str, path))
        document, path = self.shorten(document, path)
        holder = document
        for step in path[:-1]:
            holder = holder[step]
        key, original = path[-1], copy.deepcopy(holder)
        value = original[key]
        del holder[key]
        if key not in OPTIONAL or path[-2:-1] not in ((), ("arguments",)):
            self.refused(document, f"{name} deleted")
        holder[key + "_"] = value
        self.refused(document, f"{name} renamed")
        del holder[key + "_"]
        if key not in ANY:
            holder[key] = ["zz"] if isinstance(value, dict) else {"zz": 0}
            self.refused(document, f"{name} retyped")
        holder.clear()
        holder.update(original)

    def check(self, yaml_path, json_path):
        with open(json_path, encoding="utf-8") as stream:
            document = json.load(stream)
        if yaml_path != "-" and self.read_yaml(yaml_path) != document:
            self.failures.append(f"{yaml_path}: PyYAML reads something else than {json_path}")
        for error in self.validator.iter_errors(document):
            where = ".".join(map(str, error.absolute_path))
            self.failures.append(f"{json_path}: {where}: {error.message[:200]}")
        if self.failures:
            return
        self.shortened = {}
        for path in list(places(document)):
            known = (document["command"], shape(path), kind(self.at(document, path)))
            if known not in self.seen:
                self.seen.add(known)
                self.mutate(document, path)

    @staticmethod
    def read_yaml(path):
        with open(path, encoding="utf-8") as stream:
            return yaml.load(stream, getattr(yaml, "CSafeLoader", yaml.SafeLoader))

    @staticmethod
    def at(node, path):
        for step in path:
            node = node[step]
        return node


def main():
    with open(sys.argv[1], encoding="utf-8") as stream:
        checker = Checker(json.load(stream))
    pairs = sys.argv[2:]
    for yaml_path, json_path in zip(pairs[::2], pairs[1::2]):
        checker.check(yaml_path, json_path)
    for failure in checker.failures:
        print(failure)
    print(f"{checker.mutations} mutations of {len(checker.seen)} places, {len(checker.failures)} failures")
    return 1 if checker.failures or not checker.mutations else 0


if __name__ == "__main__":
    sys.exit(main())
