# SPDX-License-Identifier: MIT

import ast
import builtins
import importlib
import importlib.util
import os
import sys
import types


def module_at(node, found):
    if isinstance(node, ast.Name):
        return found.get(node.id)
    if not isinstance(node, ast.Attribute):
        return None
    parent = module_at(node.value, found)
    if not isinstance(parent, types.ModuleType):
        return None
    if not hasattr(parent, node.attr):
        name = f"{parent.__name__}.{node.attr}"
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name not in (name, parent.__name__):
                raise
    return getattr(parent, node.attr, None)


# Imports the modules of names that an expression uses but nothing defines, np as numpy, and the
# modules that attributes of them name, as numba.cuda does.
def imported(text, names, usual, is_required):
    found, nodes = {}, list(ast.walk(ast.parse(text.lstrip(" \t"), mode="eval")))
    bound = {"_"} | {node.arg for node in nodes if isinstance(node, ast.arg)} | {
        node.id for node in nodes if isinstance(getattr(node, "ctx", None), ast.Store) and hasattr(node, "id")}
    for node in nodes:
        name = getattr(node, "id", None)
        if not name or name in bound or name in names or hasattr(builtins, name):
            continue
        module = usual.get(name, name)
        try:
            found[name] = importlib.import_module(module)
        except ModuleNotFoundError as error:
            if not (module + ".").startswith(str(error.name) + "."):
                raise
            if is_required:
                raise ModuleNotFoundError(f"name {name!r} is not defined, and module {module!r} does not exist") from None
    for node in nodes:
        module_at(node, found)
    return found


# The module that a file defines, under the file's name unless another module has that; it can
# import what is in the file's directory.
def load(path, name):
    module = sys.modules.get(name)
    if module and os.path.realpath(getattr(module, "__file__", None) or "") == path:
        return module
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.path.append(os.path.dirname(path))
    is_new = sys.modules.setdefault(name, module) is module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        if is_new:
            sys.modules.pop(name, None)
        raise
    return module
